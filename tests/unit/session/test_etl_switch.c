/* SPDX-License-Identifier: BSD-3-Clause */
/* Event-trace files: context switches, and threads that others allow to go on. */
#include "etl_report.h"
#include "etl_session.h"
#include "record_aux.h"

static void begin(struct etl_builder *b)
{
        etl_begin_file(b);
        etl_begin_buffer(b, 3);
        etl_add_process(b, ETL_PROCESS_RUNNING, 1100, PID, 4, "app.exe");
        etl_add_thread(b, ETL_THREAD_RUNNING, 1100, PID, TID);
        etl_add_process(b, ETL_PROCESS_RUNNING, 1100, OTHER_PID, 4, "other.exe");
        etl_add_thread(b, ETL_THREAD_RUNNING, 1100, OTHER_PID, OTHER_TID);
        etl_add_image(b, ETL_IMAGE_RUNNING, 1100, PID, PROGRAM, 0x10000, "C:\\a\\app.exe");
}

static const uint64_t frames[] = {KERNEL + 0x10, PROGRAM + 0x50};

/* Thread TID waits from 3,000 to 4,000 and is preempted from 5,000 to 6,000: ticks of 100 ns. */
static void turn(struct etl_builder *b)
{
        etl_add_switch(b, 3000, OTHER_TID, TID, ETL_STATE_WAITING);
        etl_add_switch(b, 4000, TID, OTHER_TID, ETL_STATE_WAITING);
        etl_add_stack(b, ETL_STACK, 4001, 4000, PID, TID, frames, 2);
        etl_add_switch(b, 5000, 0, TID, ETL_STATE_READY);
        etl_add_switch(b, 6000, TID, 0, ETL_STATE_WAITING);
        etl_add_stack(b, ETL_STACK, 6001, 6000, PID, TID, frames, 2);
}

/* "3:100/104->200/204 ..." for each switch: CPU, thread before and after; "+" for the record of the thread
 * that comes. */
static void show_switches(struct buf *session, struct buf *out)
{
        AUTO(perfdata_reader) reader = perfdata_open_bytes(session->data, session->len, "a", NULL);
        struct perfdata_record record;

        ASSERT_TRUE(reader);
        while (perfdata_next(reader, &record, NULL) > 0) {
                struct cursor c = record.bytes;
                struct record_switch sw;
                struct record_id id;
                int32_t pid, tid;

                if (record.header.type != PERF_RECORD_SWITCH_CPU_WIDE)
                        continue;
                ASSERT_TRUE(record_switch_parse(record.bytes, &sw));
                ASSERT_TRUE(
                        record_id_parse(&perfdata_get_event(reader, record.event)->attr, record.bytes, &id));
                cursor_skip(&c, sizeof(struct perf_header));
                pid = (int32_t)cursor_u32(&c);
                tid = (int32_t)cursor_u32(&c);
                buf_printf(out, "%u %u:%d/%d%s%d/%d%s\n", (unsigned)(record.time / 100), (unsigned)id.cpu,
                           id.pid, id.tid, sw.is_out ? "->" : "<-", pid, tid,
                           record.header.misc & 1 << 14 ? " preempted" : "");
        }
}

TEST(switches_are_records_as_on_linux)
{
        AUTO_RELEASE(buf) session = {0};
        AUTO_RELEASE(buf) shown = {0};
        struct etl_builder b;
        struct err err = {0};

        begin(&b);
        etl_add_sample(&b, 2000, TID, PROGRAM);
        turn(&b);
        etl_end_buffer(&b);
        if (!etl_session_make(b.file.data, b.file.len, "a.etl", 1 << 20, &session, &err))
                TAP_FAIL("%s", err.text);
        buf_release(&b.file);
        show_switches(&session, &shown);
        EXPECT_STR(buf_text(&shown), "3000 3:100/104->200/204\n"
                                     "3000 3:200/204<-100/104\n"
                                     "4000 3:200/204->100/104\n"
                                     "4000 3:100/104<-200/204\n"
                                     "5000 3:100/104->0/0 preempted\n"
                                     "5000 3:0/0<-100/104\n"
                                     "6000 3:0/0->100/104\n"
                                     "6000 3:100/104<-0/0\n");
}

/* The stack is where the thread waited; being preempted is not waiting. */
TEST(waits_are_samples_of_their_own)
{
        AUTO(report) report = NULL;
        struct etl_builder b;

        begin(&b);
        turn(&b);
        for (unsigned i = 0; i < 5; i++)
                etl_add_sample(&b, 7000 + i, TID, PROGRAM);
        report = etl_report(&b, "etl-waits.etl", REPORT_SAMPLES, PROFILE_EVENT | PROFILE_PID);
        ASSERT_CMP(report->n_events, ==, 2);
        EXPECT_STR(report->events[0].name, "timer");
        EXPECT_INT(report->events[0].n_samples, 5);
        EXPECT_STR(report->events[1].name, "offcpu-time:Executive");
        EXPECT_INT(report->events[1].n_samples, 1);
        EXPECT_INT(report->events[1].weight, 100000);
        EXPECT_INT(sample_list_get(report->samples, 0)->ip, KERNEL + 0x10);
        EXPECT_INT(sample_list_get(report->samples, 0)->pid, PID);
        EXPECT_INT(sample_list_get(report->samples, 0)->tid, TID);
}

TEST(switches_without_stacks_are_no_samples)
{
        AUTO_RELEASE(buf) session = {0};
        struct etl_builder b;
        struct err err = {0};

        begin(&b);
        etl_add_switch(&b, 3000, OTHER_TID, TID, ETL_STATE_WAITING);
        etl_add_switch(&b, 4000, TID, OTHER_TID, ETL_STATE_WAITING);
        etl_add_ready(&b, 4500, OTHER_TID);
        etl_end_buffer(&b);
        EXPECT_TRUE(!etl_session_make(b.file.data, b.file.len, "a.etl", 1 << 20, &session, &err));
        buf_release(&b.file);
        EXPECT_INT(err.code, ERR_MISSING);
        EXPECT_CONTAINS(err.text, "a.etl: it has 2 context switches without stacks");
}

/* The event has only the thread that may go on; the stack is that of the one that runs on its CPU. */
TEST(who_readies_a_thread_is_the_one_that_runs)
{
        AUTO(report) report = NULL;
        struct etl_builder b;

        begin(&b);
        etl_add_ready(&b, 2500, OTHER_TID); /* nothing is known of the CPU yet */
        etl_add_switch(&b, 3000, TID, 0, ETL_STATE_WAITING);
        etl_add_ready(&b, 3500, OTHER_TID);
        etl_add_stack(&b, ETL_STACK, 3501, 3500, PID, TID, frames, 2);
        report = etl_report(&b, "etl-ready.etl", REPORT_SAMPLES, PROFILE_EVENT | PROFILE_PID);
        ASSERT_CMP(report->n_events, ==, 1);
        EXPECT_STR(report->events[0].name, "ready-thread");
        EXPECT_INT(report->events[0].n_samples, 1);
        EXPECT_INT(sample_list_get(report->samples, 0)->tid, TID);
}

TEST(spans_say_when_threads_ran)
{
        AUTO(report) report = NULL;
        struct etl_builder b;
        const struct cpu_span *span;

        begin(&b);
        etl_add_sample(&b, 2000, TID, PROGRAM);
        turn(&b);
        report = etl_report(&b, "etl-spans.etl", REPORT_SAMPLES, PROFILE_PID);
        ASSERT_CMP(cpu_spans_n(report->cpu_spans), ==, 4);
        span = cpu_spans_get(report->cpu_spans, 0);
        EXPECT_TRUE(span->tid == TID && span->from_ns == 0 && span->to_ns == 300000 && span->cpu == 3);
        span = cpu_spans_get(report->cpu_spans, 1);
        EXPECT_TRUE(span->tid == OTHER_TID && span->from_ns == 300000 && span->to_ns == 400000);
        span = cpu_spans_get(report->cpu_spans, 2);
        EXPECT_TRUE(span->tid == TID && span->from_ns == 400000 && span->to_ns == 500000);
        span = cpu_spans_get(report->cpu_spans, 3);
        EXPECT_TRUE(span->tid == TID && span->from_ns == 600000 && span->to_ns == UINT64_MAX);
}

static struct report *wall_report(struct etl_builder *b, const char *path)
{
        const struct report_request request = {
                .path = path,
                .results = REPORT_WALL | REPORT_WAKERS,
                .filter = {.states = WALL_SHOWN | WALL_IDLE},
        };
        struct report *report;
        struct err err = {0};

        etl_save(b, path);
        report = report_make(&request, &err);
        if (!report || !report->wall)
                TAP_FAIL("%s", err.text);
        return report;
}

/* Each wait lasts 1,000 ticks of 100 ns: two with reasons that say it, one with a reason that does not, in
 * afd.sys. */
TEST(reasons_and_modules_say_what_waits_are_for)
{
        enum { DELAY = 4, USER_REQUEST = 6, QUEUE = 15, TICKS = 1000 };
        static const uint8_t reasons[] = {DELAY, QUEUE, USER_REQUEST};
        static const uint64_t in_afd[] = {KERNEL + 0x10, PROGRAM + 0x50};
        AUTO(report) report = NULL;
        struct etl_builder b;

        begin(&b);
        etl_add_image(&b, ETL_IMAGE_RUNNING, 1100, 0, KERNEL, 0x10000,
                      "\\SystemRoot\\system32\\drivers\\afd.sys");
        for (unsigned i = 0; i < N_ELEMENTS(reasons); i++) {
                uint64_t at = 10000 + i * 3 * TICKS;

                etl_add_wait(&b, at, 0, TID, reasons[i], ETL_STATE_WAITING);
                etl_add_switch(&b, at + TICKS, TID, 0, ETL_STATE_WAITING);
                etl_add_stack(&b, ETL_STACK, at + TICKS + 1, at + TICKS, PID, TID, in_afd, 2);
        }
        report = wall_report(&b, "etl-reasons.etl");
        EXPECT_STR(report->events[0].name, "offcpu-time:DelayExecution");
        EXPECT_INT(report->wall->ns[WAIT_KIND_SLEEP], TICKS * 100);
        EXPECT_INT(report->wall->ns[WAIT_KIND_IDLE], TICKS * 100);
        EXPECT_INT(report->wall->ns[WAIT_KIND_NETWORK], TICKS * 100);
}

TEST(who_readied_a_thread_ended_its_wait)
{
        AUTO(report) report = NULL;
        const struct waker_rows *rows;
        struct etl_builder b;

        begin(&b);
        etl_add_wait(&b, 3000, OTHER_TID, TID, 6, ETL_STATE_WAITING);
        etl_add_ready(&b, 3800, TID);
        etl_add_stack(&b, ETL_STACK, 3801, 3800, OTHER_PID, OTHER_TID, frames, 1);
        etl_add_switch(&b, 4000, TID, OTHER_TID, ETL_STATE_WAITING);
        etl_add_stack(&b, ETL_STACK, 4001, 4000, PID, TID, frames, 2);
        report = wall_report(&b, "etl-wakers.etl");
        rows = report->pieces->wakers;
        ASSERT_TRUE(rows->n == 1);
        EXPECT_STR(rows->items[0].links[0].thread, "app.exe");
        EXPECT_STR(rows->items[0].links[1].thread, "other.exe");
        EXPECT_INT(rows->items[0].total_ns, 80000);
        EXPECT_INT(report->wall->ns[WALL_RUNNABLE], 20000);
}

/* --- Hostile traces --- */

/* Times of states, of rows of calls and locks, and of who ended waits add up, whatever the trace says.
 * Returns for how many threads they are. */
static size_t expect_sense(struct etl_builder *b, const char *path)
{
        const struct report_request request = {
                .path = path,
                .results = REPORT_WALL | REPORT_WAKERS | REPORT_SYSCALLS | REPORT_LOCKS,
                .filter = {.states = WALL_SHOWN | WALL_IDLE},
        };
        AUTO(report) report = NULL;
        uint64_t states_ns = 0, waits_ns = 0;
        struct err err = {0};

        etl_save(b, path);
        report = report_make(&request, &err);
        if (!report || !report->wall) {
                TAP_FAIL("%s", err.text);
                return 0;
        }
        for (unsigned i = 0; i < WALL_N_STATES; i++) {
                states_ns += report->wall->ns[i];
                waits_ns += i < WAIT_N_KINDS && i != WAIT_KIND_ON_CPU ? report->wall->ns[i] : 0;
        }
        EXPECT_INT(states_ns, report->wall->total_ns);
        EXPECT_CMP(report->syscalls->total_ns + report->syscalls->unknown_ns, <=, waits_ns);
        EXPECT_CMP(report->locks->total_ns, <=, waits_ns);
        EXPECT_CMP(report->pieces->wakers->total_ns, <=, waits_ns);
        return report->wall->n_threads;
}

/* A wait with its stack. */
static void wait_once(struct etl_builder *b, uint64_t at, uint32_t pid, uint32_t tid, uint8_t reason,
                      uint8_t state)
{
        etl_add_wait(b, at, 0, tid, reason, state);
        etl_add_switch(b, at + 10, tid, 0, ETL_STATE_WAITING);
        etl_add_stack(b, ETL_STACK, at + 11, at + 10, pid, tid, frames, 2);
}

TEST(all_reasons_and_states)
{
        struct etl_builder b;

        begin(&b);
        for (unsigned i = 0; i < 256; i++) {
                wait_once(&b, 10000 + 200 * i, PID, TID, (uint8_t)i, ETL_STATE_WAITING);
                wait_once(&b, 10100 + 200 * i, PID, TID, 4, (uint8_t)i);
        }
        EXPECT_INT(expect_sense(&b, "etl-any-reason.etl"), 1);
}

/* Within a buffer, from buffer to buffer, and near the largest number. */
TEST(times_that_go_backward)
{
        static const uint64_t starts[] = {50000, 9000, UINT64_MAX - 500, 0, 1, INT64_MAX, 40000};
        struct etl_builder b;

        begin(&b);
        for (size_t i = 0; i < N_ELEMENTS(starts); i++) {
                wait_once(&b, starts[i], PID, TID, 4, ETL_STATE_WAITING);
                etl_add_ready(&b, starts[i] + 5, TID);
                etl_end_buffer(&b);
                etl_begin_buffer(&b, (uint16_t)i);
                wait_once(&b, starts[i] - 100, PID, TID, 4, ETL_STATE_WAITING);
        }
        EXPECT_INT(expect_sense(&b, "etl-backward.etl"), 1);
}

/* Stacks of switches that are not there and of other threads, threads that come twice and never leave, and
 * CPUs that no machine has. */
TEST(numbers_that_fit_nothing)
{
        static const uint32_t tids[] = {0, TID, UINT32_MAX, 0x80000000, OTHER_TID};
        struct etl_builder b;

        begin(&b);
        for (uint32_t i = 0; i < 2000; i++) {
                uint32_t tid = tids[i % N_ELEMENTS(tids)], other = tids[i / 7 % N_ELEMENTS(tids)];
                uint64_t at = 10000 + 10 * (uint64_t)i;

                if (i % 40 == 39) {
                        etl_end_buffer(&b);
                        etl_begin_buffer(&b, (uint16_t)(i * 31));
                }
                etl_add_wait(&b, at, tid, other, (uint8_t)i, (uint8_t)(i % 9));
                etl_add_stack(&b, ETL_STACK, at + 1, at - i % 3, i, tid, frames, i / 3 % 3);
                etl_add_ready(&b, at + 2, other);
        }
        EXPECT_TRUE(expect_sense(&b, "etl-numbers.etl") > 0);
}

/* Each of them waits twice, and readies the next one. */
TEST(a_hundred_thousand_threads)
{
        enum { N = 100000, OF_BUFFER = 200 };
        struct etl_builder b;

        begin(&b);
        for (uint32_t i = 0; i < N; i++) {
                uint64_t at = 10000 + 40 * (uint64_t)i;

                if (i % OF_BUFFER == OF_BUFFER - 1) {
                        etl_end_buffer(&b);
                        etl_begin_buffer(&b, (uint16_t)(i % 64));
                }
                wait_once(&b, at, 5000 + i / 10, 1000 + i, 6, ETL_STATE_WAITING);
                etl_add_ready(&b, at + 12, 1001 + i);
                wait_once(&b, at + 20, 5000 + i / 10, 1000 + i, 15, ETL_STATE_WAITING);
        }
        EXPECT_INT(expect_sense(&b, "etl-threads.etl"), N);
}

TAP_MAIN
