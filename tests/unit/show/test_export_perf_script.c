/* SPDX-License-Identifier: BSD-3-Clause */
/* Text as perf script writes it: fields and widths, frames of each kind of module, and names that would
 * break a line. */
#include "export_perf_script.h"

#include "samples_builder.h"
#include "tap.h"

enum { ALL = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD };

static bool put(void *ctx, const void *bytes, size_t size, struct err *err)
{
        (void)err;
        buf_add(ctx, bytes, size);
        return true;
}

static void script(const struct sample_list *samples, const struct named_stacks *stacks,
                   const struct export_script_event *events, struct buf *out)
{
        struct err err = {0};

        EXPECT_TRUE(export_perf_script(&(struct export_script){samples, stacks, events, 2},
                                       &(struct export_sink){put, out}, &err));
}

static void expect_script(uint64_t sample_type, const char *text)
{
        const struct perf_attr attr = {.type = PERF_TYPE_HARDWARE, .sample_type = sample_type};
        const struct export_script_event events[] = {{"cycles:u", &attr, true},
                                                     {"context-switches", &attr, false}};
        AUTO(sample_list) samples = sample_list_new();
        AUTO(named_stacks) stacks = samples_ordinary_stacks();
        AUTO_RELEASE(buf) out = {0};

        samples_add(samples, 99999999999, 0, 1, "python3", 7);
        samples_add(samples, 100000000000, 1, 1, "python3", 7);
        script(samples, stacks, events, &out);
        EXPECT_STR(buf_text(&out), text);
}

TEST(fields_are_what_the_samples_have)
{
        expect_script(
                ALL,
                "         python3     7 [001]    99.999999:       1000         cycles:u:      555500002001 "
                "work+0x100 (/usr/bin/python3.11)\n");
        expect_script(
                PERF_SAMPLE_IP | PERF_SAMPLE_TID,
                "         python3     7         cycles:u:      555500002001 work+0x100 (/usr/bin/python3.11)\n");
        expect_script(PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD,
                      "         python3     7       1000         cycles:u: \n");
        expect_script(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_TIME,
                      "python3    99.999999:         cycles:u: \n"
                      "\t            2000 carry+0x100 (inlined)\n"
                      "\t            2000 add+0x100 (inlined)\n"
                      "\t            2000 work+0x100 (/usr/bin/python3.11)\n"
                      "\t            1100 main+0x80 (/usr/bin/python3.11)\n"
                      "\n");
}

TEST(frames_of_each_kind)
{
        const struct perf_attr software = {.type = PERF_TYPE_SOFTWARE,
                                           .sample_type = ALL | PERF_SAMPLE_CALLCHAIN};
        const struct perf_attr tracepoint = {.type = PERF_TYPE_TRACEPOINT,
                                             .sample_type = ALL | PERF_SAMPLE_CALLCHAIN};
        const struct export_script_event events[] = {{"cpu-clock", &software, true},
                                                     {"sched:x", &tracepoint, true}};
        AUTO(sample_list) samples = samples_ordinary();
        AUTO(named_stacks) stacks = samples_ordinary_stacks();
        AUTO_RELEASE(buf) out = {0};

        script(samples, stacks, events, &out);
        EXPECT_STR(buf_text(&out), "python3     7 [001]    99.999999:       1000 cpu-clock: \n"
                                   "\t            2000 carry+0x100 (inlined)\n"
                                   "\t            2000 add+0x100 (inlined)\n"
                                   "\t            2000 work+0x100 (/usr/bin/python3.11)\n"
                                   "\t            1100 main+0x80 (/usr/bin/python3.11)\n"
                                   "\n"
                                   "python3     7 [001]   100.001000:       1000 cpu-clock: \n"
                                   "\tffffffffc0000000 nf_nat_setup+0x0 ([nf_nat])\n"
                                   "\tffffffff81000011 do_syscall_64+0x11 ([kernel.kallsyms])\n"
                                   "\t            3fff [unknown] (/usr/lib/libc.so.6 (deleted))\n"
                                   "\t            1100 main+0x80 (/usr/bin/python3.11)\n"
                                   "\n"
                                   "Thread 1 123456 [012]   100.002000:   sched:x: \n"
                                   "\t             b48 clock_gettime+0x58 ([vdso])\n"
                                   "\t    7f0000000004 jit_loop+0x4 (/tmp/perf-7.map)\n"
                                   "\n"
                                   ":123456 123456 [012]   100.003000:       1000 cpu-clock: \n"
                                   "\t            5550 [unknown] ([heap])\n"
                                   "\t              10 [unknown] ([unknown])\n"
                                   "\n"
                                   "Thread 2 123456 [012]   100.004000:   sched:x: \n"
                                   "\tffffffffc1000007 bpf_prog_1_x+0x7 (bpf_prog_1_x)\n"
                                   "\n"
                                   "python3     7 [001]   100.005000:       1000 cpu-clock: \n"
                                   "\t            2000 carry+0x100 (inlined)\n"
                                   "\t            2000 add+0x100 (inlined)\n"
                                   "\t            2000 work+0x100 (/usr/bin/python3.11)\n"
                                   "\t            2040 work+0x140 (/usr/bin/python3.11)\n"
                                   "\t            1100 main+0x80 (/usr/bin/python3.11)\n"
                                   "\n");
}

/* For any name: a header, a tab for each frame, an empty line. */
TEST(hostile_names_do_not_break_lines)
{
        const struct perf_attr attr = {.type = PERF_TYPE_HARDWARE,
                                       .sample_type = ALL | PERF_SAMPLE_CALLCHAIN};
        const struct export_script_event events[] = {{"a\nb", &attr, true}, {"c", &attr, true}};
        AUTO(sample_list) samples = samples_hostile();
        AUTO(named_stacks) stacks = samples_hostile_stacks();
        AUTO_RELEASE(buf) out = {0};
        size_t n_heads = 0, n_frames = 0, n_empty = 0;

        script(samples, stacks, events, &out);
        for (const char *line = buf_text(&out); *line; line = strchr(line, '\n') + 1) {
                if (*line == '\n')
                        n_empty++;
                else if (*line == '\t')
                        n_frames++;
                else
                        n_heads++;
        }
        EXPECT_INT(n_heads, 3);
        EXPECT_INT(n_empty, 3);
        EXPECT_INT(n_frames, 15 + 7 + 6);
        EXPECT_CONTAINS(buf_text(&out), "a\\x0ab 1 2\"     1 [001] 18446744073.709551: ");
        EXPECT_CONTAINS(buf_text(&out), "f\\x0aroot 1 [000] 1.000000: 1 forged: ");
        EXPECT_CONTAINS(buf_text(&out), "\\xff\\xfe    -1 [001]     0.000000: ");
        EXPECT_CONTAINS(buf_text(&out), "(/tmp/a\\x0a\\x09ffff f (x)\\x0a\"\\)\n");
}

struct counted {
        size_t n_puts, max_bytes, n_bytes, limit;
};

static bool count_put(void *ctx, const void *bytes, size_t size, struct err *err)
{
        struct counted *counted = ctx;

        (void)bytes;
        counted->n_puts++;
        counted->n_bytes += size;
        counted->max_bytes = size > counted->max_bytes ? size : counted->max_bytes;
        return counted->n_bytes < counted->limit || err_set(err, ERR_IO, "full");
}

TEST(written_in_pieces_until_that_fails)
{
        const struct perf_attr attr = {.type = PERF_TYPE_HARDWARE,
                                       .sample_type = ALL | PERF_SAMPLE_CALLCHAIN};
        const struct export_script_event events[] = {{"cycles", &attr, true}, {"c", &attr, true}};
        AUTO(sample_list) samples = sample_list_new();
        AUTO(named_stacks) stacks = samples_ordinary_stacks();
        struct counted counted = {.limit = SIZE_MAX};
        const struct export_script all = {samples, stacks, events, 2};
        struct err err = {0};

        for (uint64_t i = 0; i < 100000; i++)
                samples_add(samples, i, i % 2, i % 10 == 5 ? 0 : i % 10, "python3", 7);
        EXPECT_INT(sample_list_n(samples), 100000);
        EXPECT_INT(sample_list_get(samples, 99999)->time_ns, 99999);
        ASSERT_TRUE(export_perf_script(&all, &(struct export_sink){count_put, &counted}, &err));
        EXPECT_TRUE(counted.n_bytes > 10000000 && counted.max_bytes < 70000);
        counted = (struct counted){.limit = 200000};
        EXPECT_TRUE(!export_perf_script(&all, &(struct export_sink){count_put, &counted}, &err));
        EXPECT_STR(err.text, "full");
        EXPECT_CMP(counted.n_puts, <, 5);
}

TAP_MAIN
