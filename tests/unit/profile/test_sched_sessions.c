/* SPDX-License-Identifier: BSD-3-Clause */
/* Wall time of sessions of perf sched record, perf record --switch-events and perf record --off-cpu. */
#include <stdlib.h>
#include <string.h>

#include "attributes.h"
#include "report.h"
#include "session_builder.h"
#include "stack_waits.h"
#include "tap.h"
#include "tracepoint_session.h"
#include "waker_view.h"

enum { MS = 1000000, SWITCH_ID = 372, WAKING_ID = 375, RAW_BYTES = 64 };

static const char path[] = "sched.data";

/* As the kernel gives them; only the fields that are read. */
static const char switch_format[] = "name: sched_switch\nID: 372\nformat:\n"
                                    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n\n"
                                    "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
                                    "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
                                    "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
                                    "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n";
static const char waking_format[] = "name: sched_waking\nID: 375\nformat:\n"
                                    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n\n"
                                    "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n";

static void begin_sched(struct session_builder *b)
{
        const struct tracepoint_format formats[] = {{SWITCH_ID, "sched", switch_format},
                                                    {WAKING_ID, "sched", waking_format}};

        tracepoint_session_begin(b, formats, N_ELEMENTS(formats));
}

static void add_switch(struct session_builder *b, uint64_t ms, int32_t tid, uint64_t state, int32_t next)
{
        uint8_t raw[RAW_BYTES + 4] = {0};

        tracepoint_session_put(raw, 24, (uint32_t)tid, 4);
        tracepoint_session_put(raw, 32, state, 8);
        tracepoint_session_put(raw, 56, (uint32_t)next, 4);
        tracepoint_session_sample(b, 0, ms * MS, tid, 1, raw, sizeof(raw));
}

static void add_waking(struct session_builder *b, uint64_t ms, int32_t by, int32_t tid)
{
        uint8_t raw[36] = {0};

        tracepoint_session_put(raw, 24, (uint32_t)tid, 4);
        tracepoint_session_sample(b, 1, ms * MS, by, 1, raw, sizeof(raw));
}

/* While thread 99 runs. */
static void add_interrupt(struct session_builder *b, uint64_t ms, int32_t tid)
{
        uint8_t raw[36] = {0};

        tracepoint_session_put(raw, 2, 0x10, 1);
        tracepoint_session_put(raw, 24, (uint32_t)tid, 4);
        tracepoint_session_sample(b, 1, ms * MS, 99, 1, raw, sizeof(raw));
}

static struct report *report_of(struct session_builder *b, struct err *err)
{
        const struct report_request request = {
                .path = path,
                .results = REPORT_WALL | REPORT_STACKS,
                .filter = {.states = WALL_SHOWN | WALL_IDLE, .needs_states = true},
        };

        return builder_save(b, path) ? report_make(&request, err) : NULL;
}

static int64_t ms_of(const struct report *report, unsigned state)
{
        return (int64_t)(report->wall->ns[state] / MS);
}

/* Thread 10 runs from 0 to 10, waits until 30, is ready until 35, runs to 40, has to leave until 50 (the CPU
 * is another thread's), and ends at 60. */
TEST(switches_and_wakings)
{
        AUTO(report) report = NULL;
        struct session_builder b;
        struct err err = {0};

        begin_sched(&b);
        add_switch(&b, 1000, 0, 0, 10);
        add_switch(&b, 1010, 10, 1, 0);
        add_switch(&b, 1012, 0, 0, 11);
        add_waking(&b, 1030, 11, 10);
        add_switch(&b, 1035, 11, 0x80, 10);
        add_switch(&b, 1040, 10, 0x100, 11);
        add_switch(&b, 1050, 11, 0x80, 10);
        add_switch(&b, 1060, 10, 0x20, 0);
        add_switch(&b, 1100, 0, 0, 12);
        report = report_of(&b, &err);
        ASSERT_TRUE(report && report->wall);
        EXPECT_INT(ms_of(report, WAIT_KIND_ON_CPU), 10 + 5 + 10 + 23 + 10);
        EXPECT_INT(ms_of(report, WAIT_KIND_UNKNOWN), 20);
        EXPECT_INT(ms_of(report, WALL_RUNNABLE), 5 + 10);
        EXPECT_INT(ms_of(report, WAIT_KIND_IDLE), 5 + 50);
}

/* Thread 10 waits, is ready, and waits; its time on the CPU has no samples. */
TEST(samples_of_all_time_follow_each_other)
{
        const struct report_request request = {.path = path,
                                               .results = REPORT_NAMED_STACKS | REPORT_SAMPLES,
                                               .filter = {.states = WALL_SHOWN, .has_tid = true, .tid = 10}};
        AUTO(report) report = NULL;
        struct session_builder b;
        struct err err = {0};

        begin_sched(&b);
        add_switch(&b, 1000, 0, 0, 10);
        add_switch(&b, 1010, 10, 1, 0);
        add_waking(&b, 1040, 11, 10);
        add_switch(&b, 1045, 0, 0, 10);
        add_switch(&b, 1060, 10, 0x20, 0);
        ASSERT_TRUE(builder_save(&b, path));
        report = report_make(&request, &err);
        ASSERT_TRUE(report);
        EXPECT_INT(sample_list_n(report->samples), 3);
        for (size_t i = 0; i < 3; i++)
                EXPECT_INT(sample_list_get(report->samples, i)->is_next, i > 0);
}

/* The filter cuts the first wait, and leaves out the time on the CPU before the second one. */
TEST(waits_are_listed_with_their_beginning)
{
        const struct report_request request = {
                .path = path,
                .results = REPORT_NAMED_STACKS | REPORT_SAMPLES,
                .filter = {.states = WALL_BIT(WAIT_KIND_UNKNOWN), .from_ns = 1020 * (uint64_t)MS},
        };
        struct strip_state *states = NULL;
        AUTO(report) report = NULL;
        struct session_builder b;
        struct err err = {0};
        size_t n = 0;

        begin_sched(&b);
        add_switch(&b, 1000, 0, 0, 10);
        add_switch(&b, 1010, 10, 1, 0);
        add_waking(&b, 1040, 11, 10);
        add_switch(&b, 1045, 0, 0, 10);
        add_switch(&b, 1060, 10, 1, 0);
        add_switch(&b, 1075, 0, 0, 10);
        add_switch(&b, 1080, 10, 0x20, 0);
        ASSERT_TRUE(builder_save(&b, path));
        report = report_make(&request, &err);
        ASSERT_TRUE(report && sample_list_n(report->samples) == 2);
        for (size_t i = 0; i < 2; i++) {
                EXPECT_INT(sample_list_begin(report->samples, i) / MS, i ? 1060 : 1020);
                EXPECT_INT(sample_list_get(report->samples, i)->weight / MS, i ? 15 : 20);
                EXPECT_TRUE(!sample_list_get(report->samples, i)->is_next);
        }
        states = wall_pieces_states(report->pieces, true, &n);
        EXPECT_INT(n, 2);
        for (size_t i = 0; i < n; i++) {
                EXPECT_INT(states[i].from_ns / MS, i ? 1060 : 1020);
                EXPECT_INT(states[i].to_ns / MS, i ? 1075 : 1040);
        }
        free(states);
}

static void expect_chain(const struct waker_row *row, const char *wanted)
{
        AUTO_RELEASE(buf) chain = {0};

        for (size_t i = 0; i < row->n_links; i++)
                buf_printf(&chain, "%s%s", i ? " < " : "", row->links[i].thread);
        EXPECT_STR(buf_text(&chain), wanted);
}

/* The server is woken by an interrupt while its client waits for it, twice. */
TEST(who_ended_waits)
{
        const struct report_request request = {
                .path = path, .results = REPORT_WAKERS, .filter = {.states = WALL_SHOWN}};
        AUTO(report) report = NULL;
        AUTO_RELEASE(buf) text = {0};
        const struct waker_rows *rows;
        struct session_builder b;
        struct err err = {0};

        begin_sched(&b);
        builder_comm(&b, 0, 10, 10, "client", false);
        builder_comm(&b, 0, 11, 11, "server", false);
        add_switch(&b, 1000, 0, 0, 10);
        for (uint64_t ms = 1010; ms <= 1110; ms += 100) {
                add_switch(&b, ms, 10, 1, 11);
                add_switch(&b, ms + 5, 11, 1, 0);
                add_interrupt(&b, ms + 20, 11);
                add_switch(&b, ms + 21, 0, 0, 11);
                add_waking(&b, ms + 30 + ms / 1110, 11, 10);
                add_switch(&b, ms + 40, 11, 1, 10);
        }
        add_switch(&b, 1200, 10, 1, 0);
        add_switch(&b, 1300, 0, 0, 12);
        ASSERT_TRUE(builder_save(&b, path));
        report = report_make(&request, &err);
        ASSERT_TRUE(report && report->pieces && report->pieces->wakers);
        rows = report->pieces->wakers;
        ASSERT_TRUE(rows->n == 2);
        expect_chain(&rows->items[0], "client < server < interrupt");
        EXPECT_INT(rows->items[0].count, 2);
        EXPECT_INT(rows->items[0].total_ns / MS, 61);
        EXPECT_INT(rows->items[0].longest_ns / MS, 31);
        expect_chain(&rows->items[1], "server < interrupt");
        EXPECT_INT(rows->items[1].total_ns / MS, 15 + 15);
        EXPECT_INT(rows->n_unknown, 3); /* the last ones of each thread, and one that nobody woke */
        waker_view_text(&(struct waker_view){.rows = rows, .n_rows = 1}, &text);
        EXPECT_CONTAINS(buf_text(&text), "wakers of 4 waits, 0.091 s in total; waker unknown: 3 waits, ");
        EXPECT_CONTAINS(buf_text(&text), "  waiting thread < its waker < the waker's waker\n");
        EXPECT_CONTAINS(buf_text(&text), "  client < server < interrupt\n1 more\n");
}

/* perf record -e sched:sched_switch COMMAND: only those that leave a CPU are seen. */
TEST(switches_of_chosen_threads)
{
        AUTO(report) report = NULL;
        struct session_builder b;
        struct err err = {0};

        begin_sched(&b);
        add_switch(&b, 1000, 10, 1, 99);
        add_waking(&b, 1020, 10, 11); /* so it runs again */
        add_switch(&b, 1030, 10, 1, 99);
        add_switch(&b, 1030, 11, 1, 99);
        add_waking(&b, 1070, 10, 11);
        add_switch(&b, 1080, 10, 1, 0);
        report = report_of(&b, &err);
        ASSERT_TRUE(report && report->wall);
        EXPECT_INT(report->wall->n_threads, 2);
        EXPECT_INT(ms_of(report, WAIT_KIND_ON_CPU), 10 + 10);
        EXPECT_INT(ms_of(report, WAIT_KIND_UNKNOWN), 20 + 40 + 40);
}

static void add_record_of(struct session_builder *b, uint64_t ms, int32_t pid, int32_t tid, uint16_t misc)
{
        builder_begin(b, PERF_RECORD_SWITCH, misc);
        builder_id(b, ms * MS, pid, tid);
        builder_end(b);
}

static void add_record(struct session_builder *b, uint64_t ms, int32_t tid, uint16_t misc)
{
        add_record_of(b, ms, tid, tid, misc);
}

/* Threads have to leave their CPU once more after the record of their end: 10 with the tracepoint, which says
 * for good, 13 without it. Thread 11 has no end, and waits. */
TEST(a_thread_that_ended_does_not_wait)
{
        AUTO(report) report = NULL;
        struct session_builder b;
        struct err err = {0};

        begin_sched(&b);
        b.attrs[0].flags |= PERF_ATTR_CONTEXT_SWITCH;
        add_record(&b, 991, 13, 0);
        builder_exit(&b, 994 * (uint64_t)MS, 13, 1, 13, 1);
        add_record(&b, 995, 13, PERF_MISC_SWITCH_OUT | PERF_MISC_SWITCH_PREEMPT);
        add_record(&b, 997, 13, 0);
        add_record(&b, 999, 13, PERF_MISC_SWITCH_OUT);
        add_record(&b, 1000, 10, 0);
        builder_exit(&b, 1010 * (uint64_t)MS, 10, 1, 10, 1);
        add_record(&b, 1011, 10, PERF_MISC_SWITCH_OUT | PERF_MISC_SWITCH_PREEMPT);
        add_record(&b, 1012, 10, 0);
        add_switch(&b, 1020, 10, 0x20, 11);
        add_record(&b, 1020, 10, PERF_MISC_SWITCH_OUT);
        add_record(&b, 1020, 11, 0);
        add_record(&b, 1030, 11, PERF_MISC_SWITCH_OUT);
        add_record(&b, 1200, 12, 0);
        report = report_of(&b, &err);
        ASSERT_TRUE(report && report->wall);
        EXPECT_INT(ms_of(report, WAIT_KIND_ON_CPU), 10 + 8 + 10 + 3 + 2);
        EXPECT_INT(ms_of(report, WAIT_KIND_UNKNOWN), 170);
}

/* Thread 10 of process 7 ends; later process 8 has a thread of this number, which waits. */
TEST(a_number_that_another_thread_has_again)
{
        AUTO(report) report = NULL;
        struct session_builder b;
        struct err err = {0};

        begin_sched(&b);
        b.attrs[0].flags |= PERF_ATTR_CONTEXT_SWITCH;
        add_record_of(&b, 1000, 7, 10, 0);
        builder_exit(&b, 1020 * (uint64_t)MS, 7, 1, 10, 1);
        add_record_of(&b, 1021, 7, 10, PERF_MISC_SWITCH_OUT | PERF_MISC_SWITCH_PREEMPT);
        builder_fork(&b, 1060 * (uint64_t)MS, 8, 8, 10, 8, 0);
        add_record_of(&b, 1061, 8, 10, 0);
        add_record_of(&b, 1065, 8, 10, PERF_MISC_SWITCH_OUT);
        add_record_of(&b, 1095, 8, 10, 0);
        builder_exit(&b, 1097 * (uint64_t)MS, 8, 8, 10, 8);
        add_record_of(&b, 1098, 8, 10, PERF_MISC_SWITCH_OUT);
        report = report_of(&b, &err);
        ASSERT_TRUE(report && report->wall && report->pieces->n_stackless);
        EXPECT_INT(ms_of(report, WAIT_KIND_ON_CPU), 20 + 4 + 2);
        EXPECT_INT(ms_of(report, WALL_RUNNABLE), 0);
        EXPECT_INT(ms_of(report, WAIT_KIND_UNKNOWN), 30);
        for (size_t i = 0; i < report->pieces->n_stackless; i++) {
                const struct wall_piece *piece = &report->pieces->stackless[i];

                EXPECT_INT(piece->pid, piece->time_ns < 1060 * (uint64_t)MS ? 7 : 8);
        }
}

/* It was recorded from its execution on, so no record says when it came to its CPU. A later one does not
 * begin there: its thread has switches. */
TEST(a_command_that_ends_where_it_began)
{
        AUTO(report) report = NULL;
        struct session_builder b;
        struct err err = {0};

        begin_sched(&b);
        b.attrs[0].flags |= PERF_ATTR_CONTEXT_SWITCH | PERF_ATTR_INHERIT;
        builder_comm(&b, 1000 * (uint64_t)MS, 10, 10, "true", true);
        builder_comm(&b, 1004 * (uint64_t)MS, 10, 10, "false", true);
        builder_exit(&b, 1010 * (uint64_t)MS, 10, 1, 10, 1);
        add_record(&b, 1011, 10, PERF_MISC_SWITCH_OUT);
        report = report_of(&b, &err);
        ASSERT_TRUE(report && report->wall);
        EXPECT_INT(ms_of(report, WAIT_KIND_ON_CPU), 10);
        EXPECT_INT(ms_of(report, WAIT_KIND_UNKNOWN), 0);
}

/* perf 6.15 and later keep the content of samples off the CPU in their raw data. */
TEST(time_off_the_cpu)
{
        static const uint64_t addresses[] = {PERF_CONTEXT_USER, 0x401000};
        AUTO(report) report = NULL;
        AUTO_RELEASE(buf) raw = {0};
        struct session_builder b;
        struct err err = {0};

        builder_init(&b);
        builder_add_event(&b, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT);
        b.attrs[1].sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                                 PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW;
        b.names[0] = "cpu-clock";
        b.names[1] = "offcpu-time";
        b.attrs[0].flags &= ~PERF_ATTR_FREQ;
        b.attrs[0].sample_period_or_freq = MS;
        builder_sample_ip(&b, 1000 * (uint64_t)MS, 10, 10, 0x402000);
        buf_add_u32(&raw, 10);
        buf_add_u32(&raw, 12);
        buf_add_u64(&raw, 30 * (uint64_t)MS);
        buf_add_u64(&raw, N_ELEMENTS(addresses));
        buf_add(&raw, addresses, sizeof(addresses));
        buf_add_u64(&raw, 0);
        buf_add_u32(&raw, 0);
        tracepoint_session_sample(&b, 1, 1100 * (uint64_t)MS, 1, 1, raw.data, (uint32_t)raw.len);
        tracepoint_session_sample(&b, 1, UINT64_MAX << 32, 1, 1, raw.data,
                                  (uint32_t)raw.len); /* its time is none */
        report = report_of(&b, &err);
        ASSERT_TRUE(report && report->wall);
        EXPECT_INT(report->wall->n_threads, 2);
        EXPECT_INT(ms_of(report, WAIT_KIND_UNKNOWN), 60);
        EXPECT_INT(report->wall->elapsed_ns / MS, 100);
        EXPECT_TRUE(report->wall->stackless_ns == 0);
}

static enum wait_kind kind_of(const char *const *names, size_t n, size_t n_kernel, char state)
{
        struct wait_function functions[8] = {0};
        AUTO_RELEASE(buf) text = {0};

        for (size_t i = 0; i < n; i++)
                functions[i] = (struct wait_function){
                        .name = names[i], .file = "/lib/libc.so.6", .is_kernel = i < n_kernel};
        return stack_waits_decide(functions, n, state, &text).kind;
}

#define KIND_OF(n_kernel, state, ...)                                                                        \
        kind_of((const char *const[]){__VA_ARGS__}, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *),  \
                n_kernel, state)

TEST(kinds_of_waits_by_functions)
{
        EXPECT_INT(KIND_OF(3, 'S', "__schedule", "schedule", "anon_pipe_read", "read"), WAIT_KIND_PIPE);
        EXPECT_INT(KIND_OF(2, 'S', "do_nanosleep", "hrtimer_nanosleep", "f"), WAIT_KIND_SLEEP);
        EXPECT_INT(KIND_OF(2, 'S', "futex_wait.isra.0", "do_futex", "__GI___lll_lock_wait", "f"),
                   WAIT_KIND_LOCK);
        EXPECT_INT(KIND_OF(2, 'S', "futex_wait", "do_futex", "take_gil", "f"), WAIT_KIND_GIL);
        EXPECT_INT(KIND_OF(2, 'S', "futex_wait", "do_futex", "f"), WAIT_KIND_UNKNOWN);
        EXPECT_INT(KIND_OF(2, 'D', "folio_wait_bit", "filemap_read", "read"), WAIT_KIND_DISK);
        EXPECT_INT(KIND_OF(3, 'D', "filemap_read", "filemap_fault", "handle_mm_fault", "f"), WAIT_KIND_FAULT);
        EXPECT_INT(KIND_OF(1, 'S', "unix_stream_read_generic", "recv"), WAIT_KIND_NETWORK);
        EXPECT_INT(KIND_OF(1, 'S', "inet_csk_accept", "accept"), WAIT_KIND_IDLE);
        EXPECT_INT(KIND_OF(1, 'S', "do_wait_for_common", "f"), WAIT_KIND_UNKNOWN);
        EXPECT_INT(KIND_OF(1, 'S', "do_wait", "__wait4"), WAIT_KIND_CHILD);
        EXPECT_INT(KIND_OF(3, 'S', "worker_thread", "kthread", "ret_from_fork"), WAIT_KIND_IDLE);
        EXPECT_INT(KIND_OF(3, 'D', "rwsem_down_read_slowpath", "kthread", "ret_from_fork"),
                   WAIT_KIND_UNKNOWN);
        /* without the kernel's functions */
        EXPECT_INT(KIND_OF(0, 0, "clock_nanosleep@@GLIBC_2.17", "f"), WAIT_KIND_SLEEP);
        EXPECT_INT(KIND_OF(0, 0, "__libc_recv", "f"), WAIT_KIND_NETWORK);
        EXPECT_INT(KIND_OF(0, 0, "receive", "f"), WAIT_KIND_UNKNOWN);
        EXPECT_INT(kind_of(NULL, 0, 0, 'I'), WAIT_KIND_IDLE);
        EXPECT_INT(kind_of(NULL, 0, 0, 'T'), WAIT_KIND_OTHER);
        EXPECT_INT(kind_of(NULL, 0, 0, 'D'), WAIT_KIND_UNKNOWN);
}

TAP_MAIN
