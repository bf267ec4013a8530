/* SPDX-License-Identifier: BSD-3-Clause */
/* System calls by thread, process or thread's name: how often, and for how long. Of all calls, or of those in
 * which threads waited. */
#ifndef SYSCALL_ROWS_H
#define SYSCALL_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "attributes.h"
#include "map.h"
#include "syscall_names.h"
#include "waiters.h"

enum { SYSCALL_NONE = -1 }; /* a wait that is not in a call, such as a page fault */

struct syscall_row {
        int32_t pid, tid;     /* of the thread */
        struct waiter waiter; /* whose calls these are */
        int32_t number;       /* of the call, or SYSCALL_NONE */
        const char *call;     /* its name */
        uint64_t count, n_errors;
        uint64_t total_ns, longest_ns;
};

struct syscall_rows {
        struct syscall_row *items; /* the largest total first */
        size_t n;
        enum waiters_by by;
        bool is_waits;            /* of calls in which threads waited; there is no n_errors */
        uint64_t count, total_ns; /* of all rows */
        uint64_t n_cut;           /* calls whose beginning or end was not recorded, which are in no row */
        uint64_t n_left_out;      /* calls that are in no row because the limit of memory was reached */
        uint64_t unknown_ns;      /* of waits in calls that are not known */
        struct arena texts;
        struct map by_key; /* thread and number to the index of the row + 1 */
        size_t cap;
};

struct syscall_rows *syscall_rows_new(void);
void syscall_rows_free(struct syscall_rows *rows);
AUTO_DEFINE(syscall_rows)

/* Whether there is a row of a call of the thread. */
bool syscall_rows_has(const struct syscall_rows *rows, int32_t tid, int32_t number);

/* Adds counts and times of a call to those of the row with the same thread and number, and makes it if there
 * is none. */
void syscall_rows_add(struct syscall_rows *rows, const struct syscall_row *added);

struct syscall_naming {
        enum arch_id arch; /* of the machine that recorded them */
        struct waiters waiters;
};

/* After the last call: names rows, makes one of those that `naming` does not tell apart, and sorts them. */
void syscall_rows_finish(struct syscall_rows *rows, const struct syscall_naming *naming);

#endif
