/* SPDX-License-Identifier: BSD-3-Clause */
/* Each cause of a cut stack, from the numbers in a session to the quality line, JSON and `dump`: of this
 * version, of a version before the causes were distinguished, and of a later one. */
#include <stdio.h>
#include <string.h>

#include "dump.h"
#include "quality_view.h"
#include "report.h"
#include "session_builder.h"
#include "stack_archive.h"
#include "stack_marks.h"
#include "tap.h"
#include "unwind.h"

enum { PID = 100, OLD_N_ENDS = UNWIND_END_32BIT + 1, LATER_END = 40 };

static const char *const path = "test_cut_causes.tmp.data";

/* A session of one sample, with the section `feature`. */
static bool write_session(unsigned feature, const struct buf *section)
{
        static const uint64_t chain[] = {PERF_CONTEXT_USER, 0x1000};
        struct session_builder b;

        builder_init(&b);
        builder_comm(&b, 1, PID, PID, "prog", true);
        builder_sample(&b, 0, 1000, PID, PID, PERF_MISC_USER, chain, 2);
        builder_feature(&b, feature, section->data, section->len);
        return builder_save(&b, path);
}

/* Its stack was unwound while recording, and ended so. */
static bool write_ended(uint32_t n_ends, uint32_t end)
{
        static const uint8_t cut[] = {1}, whole[] = {0};
        struct stack_marks marks = {.n_samples = 1, .n_ways = UNWIND_N_WAYS, .n_ends = n_ends};
        AUTO_RELEASE(buf) section = {0};

        marks.by_way[UNWIND_WAY_REGS] = marks.by_end[end] = 1;
        marks.cut = unwind_end_is_whole((enum unwind_end)end) ? whole : cut;
        stack_marks_add(&marks, &section);
        return write_session(FEATURE_WPERF_STACKS, &section);
}

/* The quality line and the object in JSON. */
static bool read_quality(struct buf *line, struct buf *document)
{
        const struct report_request request = {.path = path};
        AUTO(report) report = report_make(&request, NULL);
        struct json json;

        buf_clear(line);
        buf_clear(document);
        if (!report)
                return false;
        quality_add_text(&report->quality, line);
        json_init(&json, document);
        json_begin_object(&json);
        quality_add_json(&report->quality, NULL, &json);
        json_end_object(&json);
        return true;
}

static bool take(void *ctx, const void *bytes, size_t size, struct err *err)
{
        (void)err;
        buf_add(ctx, bytes, size);
        return true;
}

static bool read_dump(struct buf *out)
{
        AUTO(dump) dump = dump_open(path, (struct session_access){0}, NULL);

        buf_clear(out);
        return dump && dump_write(dump, false, &(struct field_output){take, out}, NULL);
}

static void expect_cause(uint32_t n_ends, uint32_t end, const char *dumped, const char *key, const char *text)
{
        AUTO_RELEASE(buf) line = {0};
        AUTO_RELEASE(buf) document = {0};
        AUTO_RELEASE(buf) shown = {0};
        AUTO_RELEASE(buf) want = {0};

        ASSERT_TRUE(write_ended(n_ends, end) && read_quality(&line, &document) && read_dump(&shown));
        buf_printf(&want, ", 1 cut stacks (%s)", text);
        EXPECT_CONTAINS(buf_text(&line), buf_text(&want));
        buf_clear(&want);
        buf_printf(&want, "\"cut_stacks\":1,\"cut_by\":{\"%s\":1},", key);
        EXPECT_CONTAINS(buf_text(&document), buf_text(&want));
        buf_clear(&want);
        buf_printf(&want, " %s 1\n", dumped);
        EXPECT_CONTAINS(buf_text(&shown), buf_text(&want));
}

TEST(each_cause_has_its_words)
{
        static const struct {
                enum unwind_end end;
                const char *dumped, *key, *text;
        } causes[] = {
                {UNWIND_END_CUT, "cut", "short_copy", "the stack is larger than the largest copy"},
                {UNWIND_END_LIMIT, "limit", "too_deep", "deeper than 8000 frames"},
                {UNWIND_END_ENDLESS, "endless", "endless",
                 "the stack pointer moved backwards or did not move"},
                {UNWIND_END_NO_MODULE, "no_module", "no_module", "an address is outside all mapped modules"},
                {UNWIND_END_NO_RULE, "no_rule", "no_rule", "code without call-frame information"},
                {UNWIND_END_FAR, "far", "other_stack",
                 "the callers are on another stack, which was not copied"},
                {UNWIND_END_NO_FILE, "no_file", "no_file", "the file of a module can't be read"},
                {UNWIND_END_32BIT, "32-bit", "code_32_bit", "32-bit code is not unwound"},
                {UNWIND_END_MALFORMED_CFI, "malformed_cfi", "malformed_cfi",
                 "malformed call-frame information"},
                {UNWIND_END_MALFORMED_PE, "malformed_pe", "malformed_pe",
                 "malformed Windows unwind information"},
                {UNWIND_END_UNSUPPORTED_PE, "unsupported_pe", "unsupported_pe",
                 "Windows unwind information that wperf does not support"},
                {UNWIND_END_NO_REGISTER, "no_register", "no_register",
                 "unwinding needs a register that is not known"},
                {UNWIND_END_UNREADABLE, "unreadable", "unreadable",
                 "unwinding needs memory outside the stack"},
                {UNWIND_END_NO_CODE, "no_code", "no_code", "a return address does not point to code"},
                {UNWIND_END_NO_START, "no_start", "no_start",
                 "the sample lacks the program counter or the stack pointer"},
                {UNWIND_END_OTHER_MACHINE, "other_machine", "other_machine",
                 "the file of a module is for another machine"},
                {UNWIND_END_LARGE, "large", "large_stack",
                 "the stack is larger than the 1 MiB that are copied"},
                {UNWIND_END_CROWDED, "crowded", "crowded",
                 "too many stacks waited to be unwound: sample with a longer interval (-e EVENT:INTERVAL)"},
                {UNWIND_END_EXEC, "exec", "exec",
                 "the kernel had freed the stack to execute another program"},
        };

        for (size_t i = 0; i < N_ELEMENTS(causes); i++)
                expect_cause(UNWIND_N_ENDS, causes[i].end, causes[i].dumped, causes[i].key, causes[i].text);
        /* The two ends of whole stacks, and the one of older sessions, are not listed here. */
        EXPECT_INT(N_ELEMENTS(causes), UNWIND_N_ENDS - 3);
}

TEST(whole_stacks_have_no_cause)
{
        AUTO_RELEASE(buf) line = {0};
        AUTO_RELEASE(buf) document = {0};

        ASSERT_TRUE(write_ended(UNWIND_N_ENDS, UNWIND_END_OUTERMOST) && read_quality(&line, &document));
        EXPECT_CONTAINS(buf_text(&line), ", 0 cut stacks");
        EXPECT_CONTAINS(buf_text(&document), "\"cut_stacks\":0,\"cut_by\":{},");
}

/* Numbers that older sessions have keep their meaning. */
TEST(older_sessions_are_read_as_before)
{
        static const char *const old[OLD_N_ENDS] = {"outermost", "zero",      "cut",     "limit",
                                                    "endless",   "no module", "no rule", "damaged",
                                                    "far",       "no file",   "32-bit"};

        for (uint32_t i = 0; i < OLD_N_ENDS; i++)
                EXPECT_STR(unwind_end_text((enum unwind_end)i), old[i]);
        expect_cause(OLD_N_ENDS, UNWIND_END_DAMAGED, "damaged", "damaged",
                     "damaged unwind information or stacks");
        expect_cause(OLD_N_ENDS, UNWIND_END_FAR, "far", "other_stack",
                     "the callers are on another stack, which was not copied");
}

TEST(ends_of_a_later_version_are_counted)
{
        EXPECT_STR(unwind_end_text((enum unwind_end)LATER_END), "?");
        expect_cause(LATER_END + 1, LATER_END, "end_40", "unknown",
                     "causes that this version of wperf does not know");
        expect_cause(STACK_MARKS_MAX_KINDS, STACK_MARKS_MAX_KINDS - 1, "end_63", "unknown",
                     "causes that this version of wperf does not know");
}

/* Also in packed walks: they do not make the section damaged. */
TEST(walks_of_a_later_version_are_shown)
{
        static const struct walked_frame frame = {0x1000, UNWIND_WAY_REGS, true};
        AUTO(stack_archive_writer) writer = stack_archive_writer_new();
        AUTO_RELEASE(buf) section = {0};
        AUTO_RELEASE(buf) shown = {0};

        stack_archive_add(writer, 0, &frame, 1, LATER_END);
        stack_archive_add(writer, 1, &frame, 1, UNWIND_END_MALFORMED_CFI);
        ASSERT_TRUE(stack_archive_write(writer, &section, NULL));
        ASSERT_TRUE(write_session(FEATURE_WPERF_WALKS, &section) && read_dump(&shown));
        EXPECT_CONTAINS(buf_text(&shown), " malformed_cfi 1\n");
        EXPECT_CONTAINS(buf_text(&shown), " end_40 1\n");
        EXPECT_TRUE(!strstr(buf_text(&shown), "end_39"));
}

TAP_MAIN
