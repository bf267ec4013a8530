/* SPDX-License-Identifier: BSD-3-Clause */
/* report --sort syscall: of the tracepoints of system calls, and of waits whose stacks name the call. */
#include <string.h>

#include "attributes.h"
#include "perfdata_format.h"
#include "report.h"
#include "tap.h"
#include "tracepoint_session.h"

enum { US = 1000, READ = 0, FUTEX = 202, ENTER_ID = 443, EXIT_ID = 442, RAW_BYTES = 68 };

static const char path[] = "syscalls.data";

static const struct tracepoint_format formats[] = {
        {ENTER_ID, "raw_syscalls",
         "name: sys_enter\nID: 443\nformat:\n\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"},
        {EXIT_ID, "raw_syscalls",
         "name: sys_exit\nID: 442\nformat:\n\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
         "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n"},
};

static void begin(struct session_builder *b)
{
        tracepoint_session_begin(b, formats, N_ELEMENTS(formats));
        builder_feature_str(b, FEATURE_ARCH, "x86_64");
        builder_comm(b, 0, 10, 10, "reader", false);
}

static void enter(struct session_builder *b, uint64_t us, int32_t tid, int64_t number)
{
        uint8_t raw[RAW_BYTES] = {0};

        tracepoint_session_put(raw, 8, (uint64_t)number, 8);
        tracepoint_session_sample(b, 0, us * US, tid, 1, raw, sizeof(raw));
}

static void leave(struct session_builder *b, uint64_t us, int32_t tid, int64_t number, int64_t result)
{
        uint8_t raw[RAW_BYTES] = {0};

        tracepoint_session_put(raw, 8, (uint64_t)number, 8);
        tracepoint_session_put(raw, 16, (uint64_t)result, 8);
        tracepoint_session_sample(b, 1, us * US, tid, 1, raw, sizeof(raw));
}

static struct report *report_of(struct session_builder *b, const struct profile_filter *filter)
{
        const struct report_request request = {
                .path = path, .results = REPORT_SYSCALLS, .filter = *filter, .waiters_by = WAITERS_BY_THREAD};
        struct err err = {0};

        return builder_save(b, path) ? report_make(&request, &err) : NULL;
}

static void expect_row(const struct syscall_row *row, const char *call, int32_t tid, uint64_t count,
                       uint64_t n_errors, uint64_t us, uint64_t longest_us)
{
        EXPECT_STR(row->call, call);
        EXPECT_INT(row->waiter.tid, tid);
        EXPECT_INT(row->count, count);
        EXPECT_INT(row->n_errors, n_errors);
        EXPECT_INT(row->total_ns / US, us);
        EXPECT_INT(row->longest_ns / US, longest_us);
}

/* Two threads whose calls are open at the same time. */
TEST(calls_by_thread)
{
        AUTO(report) report = NULL;
        const struct syscall_rows *rows;
        struct session_builder b;

        begin(&b);
        enter(&b, 100, 10, READ);
        enter(&b, 110, 11, READ);
        leave(&b, 150, 10, READ, 1);
        leave(&b, 160, 11, READ, -11);
        enter(&b, 200, 10, READ);
        leave(&b, 220, 10, READ, -4);
        enter(&b, 300, 10, FUTEX);
        leave(&b, 1300, 10, FUTEX, 0);
        enter(&b, 1400, 10, 999);
        leave(&b, 1401, 10, 999, -38);
        report = report_of(&b, &(struct profile_filter){0});
        ASSERT_TRUE(report && report->syscalls);
        rows = report->syscalls;
        EXPECT_INT(rows->n, 4);
        EXPECT_INT(rows->count, 5);
        EXPECT_INT(rows->total_ns / US, 1000 + 70 + 50 + 1);
        EXPECT_TRUE(!rows->is_waits);
        expect_row(&rows->items[0], "futex", 10, 1, 0, 1000, 1000);
        expect_row(&rows->items[1], "read", 10, 2, 1, 70, 50);
        expect_row(&rows->items[2], "read", 11, 1, 1, 50, 50);
        expect_row(&rows->items[3], "call 999", 10, 1, 1, 1, 1);
        EXPECT_STR(rows->items[0].waiter.name, "reader");
        EXPECT_STR(rows->items[2].waiter.name, "unknown");
}

static const char *name_of(void *ctx, int32_t pid, int32_t tid)
{
        return tid == 10 ? "reader" : "writer";
}

/* Process 10 has the threads 10 and 12. */
static struct syscall_rows *rows_by(enum waiters_by by)
{
        const struct syscall_naming naming = {ARCH_X86_64, {by, name_of, NULL}};
        struct syscall_rows *rows = syscall_rows_new();
        struct syscall_row calls[] = {
                {.pid = 10, .tid = 10, .number = READ, .total_ns = 10 * US, .n_errors = 1},
                {.pid = 10, .tid = 12, .number = READ, .total_ns = 20 * US},
                {.pid = 20, .tid = 20, .number = READ, .total_ns = 40 * US},
                {.pid = 20, .tid = 20, .number = FUTEX, .total_ns = 5 * US},
        };

        for (size_t i = 0; i < N_ELEMENTS(calls); i++) {
                calls[i].count = 1;
                calls[i].longest_ns = calls[i].total_ns;
                syscall_rows_add(rows, &calls[i]);
        }
        syscall_rows_finish(rows, &naming);
        EXPECT_INT(rows->count, 4);
        EXPECT_INT(rows->total_ns, 75 * US);
        return rows;
}

TEST(calls_by_process)
{
        AUTO(syscall_rows) rows = rows_by(WAITERS_BY_PROCESS);

        ASSERT_TRUE(rows->n == 3);
        expect_row(&rows->items[0], "read", 0, 1, 0, 40, 40);
        EXPECT_INT(rows->items[0].waiter.pid, 20);
        expect_row(&rows->items[1], "read", 0, 2, 1, 30, 20);
        EXPECT_INT(rows->items[1].waiter.pid, 10);
        EXPECT_STR(rows->items[1].waiter.name, "reader");
        expect_row(&rows->items[2], "futex", 0, 1, 0, 5, 5);
}

TEST(calls_by_name)
{
        AUTO(syscall_rows) rows = rows_by(WAITERS_BY_COMM);

        ASSERT_TRUE(rows->n == 3);
        expect_row(&rows->items[0], "read", 0, 2, 0, 60, 40);
        EXPECT_INT(rows->items[0].waiter.pid, 0);
        EXPECT_STR(rows->items[0].waiter.name, "writer");
        expect_row(&rows->items[1], "read", 0, 1, 1, 10, 10);
        expect_row(&rows->items[2], "futex", 0, 1, 0, 5, 5);
}

TEST(calls_of_all)
{
        AUTO(syscall_rows) rows = rows_by(WAITERS_ALL);

        ASSERT_TRUE(rows->n == 2);
        expect_row(&rows->items[0], "read", 0, 3, 1, 70, 40);
        expect_row(&rows->items[1], "futex", 0, 1, 0, 5, 5);
}

/* A call whose other end is missing has no length: at the beginning and the end of a recording, where a
 * record was lost, and the return of clone in the new thread. */
TEST(calls_that_are_cut)
{
        AUTO(report) report = NULL;
        struct session_builder b;

        begin(&b);
        leave(&b, 100, 10, READ, 0);
        enter(&b, 200, 10, READ);
        enter(&b, 300, 10, READ);
        leave(&b, 310, 10, READ, 0);
        enter(&b, 400, 10, READ);
        leave(&b, 500, 10, FUTEX, 0);
        enter(&b, 600, 10, FUTEX);
        report = report_of(&b, &(struct profile_filter){0});
        ASSERT_TRUE(report && report->syscalls && report->syscalls->n == 1);
        expect_row(&report->syscalls->items[0], "read", 10, 1, 0, 10, 10);
        EXPECT_INT(report->syscalls->n_cut, 4);
}

/* perf record -e syscalls:sys_enter_futex -e syscalls:sys_enter_read -e syscalls:sys_exit_read */
static const struct tracepoint_format single_calls[] = {
        {702, "syscalls",
         "name: sys_enter_futex\nID: 702\nformat:\n"
         "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"},
        {700, "syscalls",
         "name: sys_enter_read\nID: 700\nformat:\n"
         "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"},
        {701, "syscalls",
         "name: sys_exit_read\nID: 701\nformat:\n"
         "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
         "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n"},
};

static void add_single_call(struct session_builder *b, unsigned event, uint64_t us, int32_t number)
{
        uint8_t raw[RAW_BYTES] = {0};

        tracepoint_session_put(raw, 8, (uint64_t)number, 4);
        tracepoint_session_put(raw, 16, (uint64_t)-11, 8);
        tracepoint_session_sample(b, event, us * US, 10, 1, raw, sizeof(raw));
}

TEST(tracepoints_of_single_calls)
{
        AUTO(report) report = NULL;
        struct session_builder b;

        tracepoint_session_begin(&b, single_calls, N_ELEMENTS(single_calls));
        builder_feature_str(&b, FEATURE_ARCH, "x86_64");
        add_single_call(&b, 1, 100, READ);
        add_single_call(&b, 2, 150, READ);
        add_single_call(&b, 0, 160, FUTEX);
        report = report_of(&b, &(struct profile_filter){0});
        ASSERT_TRUE(report && report->syscalls && report->syscalls->n == 1);
        expect_row(&report->syscalls->items[0], "read", 10, 1, 1, 50, 50);
        EXPECT_INT(report->syscalls->n_cut, 1);
}

/* Each call then is in two pairs of tracepoints, and counts once. */
TEST(tracepoints_of_all_and_of_single_calls)
{
        const struct tracepoint_format both[] = {formats[0], formats[1], single_calls[1], single_calls[2]};
        AUTO(report) report = NULL;
        struct session_builder b;

        tracepoint_session_begin(&b, both, N_ELEMENTS(both));
        builder_feature_str(&b, FEATURE_ARCH, "x86_64");
        enter(&b, 100, 10, READ);
        add_single_call(&b, 2, 101, READ);
        add_single_call(&b, 3, 149, READ);
        leave(&b, 150, 10, READ, -11);
        report = report_of(&b, &(struct profile_filter){0});
        ASSERT_TRUE(report && report->syscalls && report->syscalls->n == 1);
        expect_row(&report->syscalls->items[0], "read", 10, 1, 1, 50, 50);
        EXPECT_INT(report->syscalls->n_cut, 0);
}

/* Without a result, the end of a call is not known, whatever its name is. */
TEST(ends_without_a_result)
{
        const struct tracepoint_format lacking[] = {
                {444, "raw_syscalls",
                 "name: sys_exit\nID: 444\nformat:\n\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"},
                formats[1],
        };
        AUTO(report) report = NULL;
        struct session_builder b;

        tracepoint_session_begin(&b, lacking, N_ELEMENTS(lacking));
        enter(&b, 100, 10, READ);
        leave(&b, 110, 10, READ, 0);
        report = report_of(&b, &(struct profile_filter){0});
        ASSERT_TRUE(report != NULL);
        EXPECT_CMP(report->syscalls, ==, NULL);
}

TEST(calls_of_chosen_threads_and_times)
{
        const struct profile_filter by_tid = {.has_tid = true, .tid = 11}, by_time = {.from_ns = 105 * US};
        const struct profile_filter *const filters[] = {&by_tid, &by_time};

        for (size_t i = 0; i < N_ELEMENTS(filters); i++) {
                AUTO(report) report = NULL;
                struct session_builder b;

                begin(&b);
                enter(&b, 10, 10, READ);
                leave(&b, 20, 10, READ, 0);
                enter(&b, 100, 11, READ);
                leave(&b, 110, 11, READ, 0);
                report = report_of(&b, filters[i]);
                ASSERT_TRUE(report && report->syscalls && report->syscalls->n == 1);
                expect_row(&report->syscalls->items[0], "read", 11, 1, 0, 10, 10);
        }
}

/* Numbers outside of all tables, an end before its beginning, raw data that is cut, and 100,000 threads. */
TEST(hostile_calls)
{
        AUTO(report) report = NULL;
        struct session_builder b;
        uint8_t raw[4] = {0};

        begin(&b);
        enter(&b, 100, 10, INT64_MIN);
        leave(&b, 101, 10, INT64_MIN, 0);
        enter(&b, 102, 10, -1);
        leave(&b, 102, 10, -1, 0);
        enter(&b, 103, 10, INT32_MAX);
        leave(&b, 103, 10, INT32_MAX, 0);
        enter(&b, 104, 10, INT32_MIN);
        leave(&b, 104, 10, INT32_MIN, 0);
        enter(&b, 200, 0, READ);
        leave(&b, 201, -1, READ, 0);
        tracepoint_session_sample(&b, 0, 300 * US, 10, 1, raw, sizeof(raw));
        tracepoint_session_sample(&b, 1, 301 * US, 10, 1, raw, 0);
        for (int32_t tid = 1000; tid < 101000; tid++)
                enter(&b, 400, tid, tid);
        for (int32_t tid = 1000; tid < 101000; tid++)
                leave(&b, 401, tid, tid, 0);
        report = report_of(&b, &(struct profile_filter){0});
        ASSERT_TRUE(report && report->syscalls);
        EXPECT_INT(report->syscalls->n, 100003);
        EXPECT_STR(report->syscalls->items[100000].call, "call -2147483648");
        EXPECT_STR(report->syscalls->items[100001].call, "call -1");
        EXPECT_INT(report->syscalls->total_ns / US, 100000);
}

static const char *no_name(void *ctx, int32_t pid, int32_t tid)
{
        return "";
}

/* With a limit of memory, calls are left out and counted. */
TEST(memory_is_limited)
{
        struct budget budget;
        AUTO(syscall_log) log = NULL;
        AUTO(perfdata_reader) reader = NULL;
        AUTO(syscall_rows) rows = NULL;
        AUTO_RELEASE(buf) file = {0};
        const struct syscall_naming naming = {.waiters = {WAITERS_BY_THREAD, no_name, NULL}};
        struct session_builder b;

        begin(&b);
        builder_file(&b, &file);
        builder_release(&b);
        reader = perfdata_open_bytes((const uint8_t *)file.data, file.len, path, NULL);
        ASSERT_TRUE(reader != NULL);
        budget_init(&budget, 1 << 20);
        log = syscall_log_new(reader, &budget);
        ASSERT_TRUE(log != NULL);
        for (unsigned event = 0; event < 2; event++) {
                for (int32_t tid = 1; tid <= 100000; tid++) {
                        uint8_t raw[RAW_BYTES] = {0};
                        const struct sample sample = {.tid = tid, .raw = cursor_make(raw, sizeof(raw))};

                        syscall_log_take(log, event, &sample, true);
                }
        }
        EXPECT_TRUE(budget.left_out & 1u << BUDGET_SAMPLES);
        rows = syscall_log_rows(log, &naming);
        EXPECT_INT(rows->n_cut, 0);
        EXPECT_CMP(rows->n_left_out, >, 100000 - (1 << 16));
        EXPECT_INT(rows->n_left_out + rows->count, 100000);
        syscall_log_free(TAKE(log));
        EXPECT_INT(budget.used_bytes, 0);
        budget_release(&budget);
}

TEST(a_session_without_calls)
{
        AUTO(report) report = NULL;
        struct session_builder b;

        builder_init(&b);
        builder_sample_ip(&b, 1000, 10, 10, 0x1000);
        report = report_of(&b, &(struct profile_filter){0});
        ASSERT_TRUE(report != NULL);
        EXPECT_CMP(report->syscalls, ==, NULL);
}

TAP_MAIN
