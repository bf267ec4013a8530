/* SPDX-License-Identifier: BSD-3-Clause */
/* Locks by the time that threads waited for them: where they waited, and who had the lock. */
#ifndef LOCK_ROWS_H
#define LOCK_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "attributes.h"
#include "map.h"
#include "strpool.h"
#include "waiters.h"

/* Waits of one function for one lock. */
struct lock_row {
        const char *lock;     /* what it is, as "mutex"; of the kernel's, as perf names it: "rwsem:W" */
        uint64_t address;     /* of the lock, in the process; 0: not known */
        int32_t pid;          /* of the process; 0: a lock of the kernel */
        const char *function; /* that waits; "" if its stack is not known */
        struct waiter waiter; /* ignored if the rows are of WAITERS_ALL */
        /* The function that had the lock for the longest part of these waits, in which thread; "" and 0 if
         * that is not known, and for the thread, if there were several. */
        const char *owner_function, *owner;
        int32_t owner_tid;
        uint64_t owner_ns; /* for how long of them; 0: nothing is known */
        uint64_t count;    /* of waits */
        uint64_t total_ns, longest_ns;
};

struct lock_rows {
        struct lock_row *items; /* the largest total first */
        size_t n;
        enum waiters_by by;
        bool is_kernel; /* locks of the kernel, from its tracepoints; else of programs, from waits */
        uint64_t count, total_ns;
        uint64_t n_cut;      /* waits whose beginning or end was not recorded, which are in no row */
        uint64_t n_left_out; /* waits that are in no row because the limit of memory was reached */
        struct arena texts;
        struct lock_owner *owners;
        size_t n_owners, cap_owners, cap;
        struct strpool *keys;
        struct map by_key, owners_by_key;
};

struct lock_rows *lock_rows_new(enum waiters_by by);
void lock_rows_free(struct lock_rows *rows);
AUTO_DEFINE(lock_rows)

/* Adds a wait, or several, to the row with the same lock, address, process, function and waiter.
 * `wait->owner` and owner_function are those of this wait. Copies texts. */
void lock_rows_add(struct lock_rows *rows, const struct lock_row *wait);

/* After the last wait: finds the owners, and sorts. */
void lock_rows_finish(struct lock_rows *rows);

#endif
