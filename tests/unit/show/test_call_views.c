/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of report --sort syscall and --sort lock, of waits: golden files have those of tracepoints. */
#include <string.h>

#include "lock_view.h"
#include "syscall_view.h"
#include "tap.h"

enum { MS = 1000000 };

static const char *thread_name(void *ctx, int32_t pid, int32_t tid)
{
        return "a thread with a long name";
}

TEST(waits_in_calls)
{
        const struct syscall_naming naming = {ARCH_X86_64, {WAITERS_BY_THREAD, thread_name, NULL}};
        AUTO(syscall_rows) rows = syscall_rows_new();
        const struct syscall_view view = {rows, 10, 60};
        AUTO_RELEASE(buf) text = {0};
        AUTO_RELEASE(buf) csv = {0};

        rows->is_waits = true;
        rows->n_cut = 3;
        rows->n_left_out = 7;
        rows->unknown_ns = 20 * MS;
        syscall_rows_add(rows, &(struct syscall_row){.pid = 1,
                                                     .tid = 4711,
                                                     .number = 202,
                                                     .count = 4,
                                                     .total_ns = 50 * MS,
                                                     .longest_ns = 30 * MS});
        syscall_rows_add(rows, &(struct syscall_row){.pid = 1,
                                                     .tid = 4711,
                                                     .number = SYSCALL_NONE,
                                                     .count = 1,
                                                     .total_ns = MS,
                                                     .longest_ns = MS});
        syscall_rows_finish(rows, &naming);
        syscall_view_text(&view, &text);
        EXPECT_STR(buf_text(&text), "5 waits in system calls, 0.051 s in total\n"
                                    "system calls that did not wait were not recorded\n"
                                    "not counted: 3 that began or ended outside of the recording\n"
                                    "7 system calls are in no row, because the limit of memory was reached\n"
                                    "0.020 s of waits in unknown system calls\n"
                                    "total ms longest   mean waits call       thread\n"
                                    "======== =======   ==== ===== ====       ======\n"
                                    "  50.000  30.000 12.500     4 futex      a thread with...\n"
                                    "   1.000   1.000  1.000     1 page fault a thread with...\n");
        syscall_view_csv(&view, &csv);
        EXPECT_CONTAINS(buf_text(&csv), "\npage fault,,a thread with a long name,1,4711,1,,0.001000000,");
}

/* What would be "0.000 s" is not said. */
TEST(unknown_calls_of_no_time)
{
        static const struct {
                uint64_t ns;
                const char *text;
        } cases[] = {
                {MS / 2 - 1, ""},
                {MS / 2, "0.001 s of waits in unknown system calls\n"},
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                AUTO(syscall_rows) rows = syscall_rows_new();
                const struct syscall_view view = {rows, 10, 0};
                AUTO_RELEASE(buf) wanted = {0};
                AUTO_RELEASE(buf) text = {0};

                rows->is_waits = true;
                rows->unknown_ns = cases[i].ns;
                syscall_view_text(&view, &text);
                buf_printf(&wanted,
                           "0 waits in system calls, 0.000 s in total\n"
                           "system calls that did not wait were not recorded\n%s",
                           cases[i].text);
                EXPECT_INT(strncmp(buf_text(&text), buf_text(&wanted), wanted.len), 0);
                EXPECT_INT(strstr(buf_text(&text), "unknown") != NULL, *cases[i].text != 0);
        }
}

TEST(locks_and_their_owners)
{
        AUTO(lock_rows) rows = lock_rows_new(WAITERS_ALL);
        const struct lock_view view = {rows, 2, 0};
        struct lock_row wait = {.lock = "mutex",
                                .address = 0xb00,
                                .pid = 1,
                                .function = "want",
                                .owner = "worker",
                                .owner_function = "hold",
                                .owner_tid = 12,
                                .count = 3,
                                .total_ns = 30 * MS,
                                .longest_ns = 20 * MS};
        AUTO_RELEASE(buf) text = {0};

        lock_rows_add(rows, &wait);
        wait.owner_tid = 0;
        wait.total_ns = 10 * MS;
        lock_rows_add(rows, &wait);
        wait.lock = "GIL";
        wait.address = 0;
        wait.owner_function = "";
        wait.owner_tid = 13;
        lock_rows_add(rows, &wait);
        wait.lock = "file";
        wait.total_ns = MS;
        lock_rows_add(rows, &wait);
        rows->n_left_out = 2;
        lock_rows_finish(rows);
        lock_view_text(&view, &text);
        EXPECT_STR(
                buf_text(&text),
                "12 waits for locks, 0.051 s in total\n"
                "2 waits are in no row, because the limit of memory was reached\n"
                "        total ms  longest   mean  waits  lock         who waits  who has it\n"
                "        ========  =======   ====  =====  ====         =========  ==========\n"
                "          40.000   20.000  6.667      6  mutex 0xb00  want       hold in worker (12), 75 %\n"
                "          10.000   20.000  3.333      3  GIL          want       worker (13), 100 %\n"
                "1 more\n");
}

/* Columns say whose waits they are. */
TEST(locks_by_thread_and_by_name)
{
        static const struct {
                enum waiters_by by;
                const char *text;
        } cases[] = {
                {WAITERS_BY_THREAD, "who waits  thread         who has it"},
                {WAITERS_BY_PROCESS, "who waits  process      who has it"},
                {WAITERS_BY_COMM, "who waits  comm    who has it"},
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                AUTO(lock_rows) rows = lock_rows_new(cases[i].by);
                const struct lock_view view = {rows, 2, 0};
                struct lock_row wait = {.lock = "mutex",
                                        .function = "want",
                                        .waiter = {"worker", 12, 4711},
                                        .owner = "",
                                        .owner_function = "",
                                        .count = 1,
                                        .total_ns = MS};
                AUTO_RELEASE(buf) text = {0};

                lock_rows_add(rows, &wait);
                lock_rows_finish(rows);
                lock_view_text(&view, &text);
                EXPECT_CONTAINS(buf_text(&text), cases[i].text);
        }
}

TAP_MAIN
