/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples with the names of their stacks, from a session whose program has debug information. */
#include "named_stacks.h"

#include <inttypes.h>

#include "buf.h"
#include "err.h"
#include "report.h"
#include "session_builder.h"
#include "tap.h"
#include "test_data.h"
#include "text.h"

enum { BASE = 0x400000, PID = 100 };

static const char session_path[] = "named-stacks-test.data";

/* sum_longest calls what has distance inside longest inside scaled; the same stack twice, of two threads,
 * and a sample in memory without a file. */
static bool write_session(void)
{
        static const uint64_t stack[] = {PERF_CONTEXT_USER, BASE + 0x224, BASE + 0x28c};
        struct session_builder b;

        builder_init(&b);
        builder_comm(&b, 1, PID, PID, "prog", true);
        builder_mmap(&b, 2, PID, BASE, 0x1000, 0, data_path("dwarf/gcc5.so"));
        builder_mmap_build_id(&b, 2, PID, 0x6000000, 0x1000, 0, "/no/such", "\x12\x34", 2);
        builder_mmap(&b, 2, PID, 0x7000000, 0x1000, 0, "//anon");
        builder_comm(&b, 3, PID, 101, "thread", false);
        builder_sample(&b, 0, 3000, PID, 101, PERF_MISC_USER, stack, 3);
        builder_sample(&b, 0, 1000, PID, PID, PERF_MISC_USER, stack, 3);
        builder_sample_ip(&b, 2000, PID, PID, 0x7000010);
        builder_round(&b);
        return builder_save(&b, session_path);
}

static void show_node(const struct named_stacks *named, uint32_t at, struct buf *out)
{
        const struct named_node *node = &named->nodes[at];

        for (uint32_t i = node->first_frame; i < node->first_frame + node->n_frames; i++) {
                const struct named_frame *frame = &named->frames[i];

                buf_printf(out, "%s %s:%" PRIu32 ", ", frame->function, text_base_name(frame->file),
                           frame->line);
        }
        buf_printf(out, "%s+%" PRIx64 " of %" PRIx64 "%s%s",
                   node->module == NAMED_NONE ? "none" : text_base_name(named->modules[node->module].path),
                   node->offset, node->has_start ? node->start : 0, node->is_return ? " return" : "",
                   node->is_unwound || node->is_cut || node->is_kernel ? " ?" : "");
        if (node->parent != NAMED_NONE)
                buf_add_str(out, " < ");
}

/* The mark of a stack that ends in a function with a missing caller. */
#define CUT " <  :0, none+0 of 0 ?"

static void expect_samples(bool inlines, bool lines, const char *want)
{
        const struct report_request request = {
                .path = session_path,
                .results = REPORT_SAMPLES | REPORT_NAMED_STACKS,
                .no_tree_inlines = !inlines,
                .tree_lines = lines,
        };
        struct err err = {0};
        AUTO(report) report = report_make(&request, &err);
        const struct named_stacks *named;
        AUTO_RELEASE(buf) out = {0};
        const struct sample_list *samples;

        if (!report) {
                TAP_FAIL("%s", err.text);
                return;
        }
        named = report->named;
        samples = report->samples;
        for (size_t i = 0; i < sample_list_n(samples); i++) {
                const struct listed_sample *sample = sample_list_get(samples, i);

                buf_printf(&out, "%" PRIu64 " %s %" PRId32 "/%" PRId32 " %" PRIx64 ": ", sample->time_ns,
                           sample_list_text(samples, sample->comm), sample->pid, sample->tid, sample->ip);
                for (uint32_t at = sample->node; at != NAMED_NONE; at = named->nodes[at].parent)
                        show_node(named, at, &out);
                buf_add_char(&out, '\n');
        }
        EXPECT_STR(buf_text(&out), want);
        ASSERT_CMP(named->n_modules, ==, 3);
        EXPECT_TRUE(named->modules[1].build_id_size == 2 && named->modules[1].kind == NAMED_FILE);
        EXPECT_TRUE(named->modules[2].kind == NAMED_ANON && named->modules[2].pid == PID);
}

TEST(samples_in_the_order_of_time)
{
        ASSERT_TRUE(write_session());
        expect_samples(
                false, false,
                "1000 prog 100/100 400224:  :0, gcc5.so+224 of 220 <  :0, gcc5.so+28b of 270 return" CUT "\n"
                "2000 prog 100/100 7000010:  :0, anon+7000010 of 0" CUT "\n"
                "3000 thread 100/101 400224:  :0, gcc5.so+224 of 220 <  :0, gcc5.so+28b of 270 return" CUT
                "\n");
}

/* A return address has the line of its call. */
TEST(inlined_functions_and_lines)
{
        ASSERT_TRUE(write_session());
        expect_samples(
                true, true,
                "1000 prog 100/100 400224: distance shapes.h:24, longest shapes.h:34, scaled one.c:22, gcc5.so+224 of 220 < "
                "distance shapes.h:24, longest shapes.h:34, sum_longest one.c:15, gcc5.so+28b of 270 return" CUT
                "\n"
                "2000 prog 100/100 7000010:  :0, anon+7000010 of 0" CUT "\n"
                "3000 thread 100/101 400224: distance shapes.h:24, longest shapes.h:34, scaled one.c:22, gcc5.so+224 of 220 < "
                "distance shapes.h:24, longest shapes.h:34, sum_longest one.c:15, gcc5.so+28b of 270 return" CUT
                "\n");
        expect_samples(
                false, true,
                "1000 prog 100/100 400224: scaled one.c:22, gcc5.so+224 of 220 < sum_longest one.c:15, gcc5.so+28b of 270 return" CUT
                "\n"
                "2000 prog 100/100 7000010:  :0, anon+7000010 of 0" CUT "\n"
                "3000 thread 100/101 400224: scaled one.c:22, gcc5.so+224 of 220 < sum_longest one.c:15, gcc5.so+28b of 270 return" CUT
                "\n");
}

TEST(nobody_asked_for_them)
{
        const struct report_request request = {.path = session_path, .results = REPORT_STACKS};
        AUTO(report) report = NULL;

        ASSERT_TRUE(write_session());
        report = report_make(&request, NULL);
        EXPECT_TRUE(report && !report->samples);
}

TAP_MAIN
