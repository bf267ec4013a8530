/* SPDX-License-Identifier: BSD-3-Clause */
#include "lock_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "mem.h"

/* A function that had the lock of a row; or a thread, if its function is not known. */
struct lock_owner {
        size_t row;
        const char *name, *function;
        int32_t tid;
        uint64_t ns;
};

struct lock_rows *lock_rows_new(enum waiters_by by)
{
        struct lock_rows *rows = mem_new(1, sizeof(*rows));

        rows->by = by;
        rows->keys = strpool_new();
        return rows;
}

void lock_rows_free(struct lock_rows *rows)
{
        if (!rows)
                return;
        free(rows->items);
        free(rows->owners);
        strpool_free(rows->keys);
        map_release(&rows->by_key);
        map_release(&rows->owners_by_key);
        arena_release(&rows->texts);
        free(rows);
}

static const char *copy(struct lock_rows *rows, const char *text)
{
        return arena_copy(&rows->texts, text, strlen(text));
}

static struct waiter copy_waiter(struct lock_rows *rows, const struct lock_row *wait)
{
        const struct waiter *waiter = &wait->waiter;

        if (rows->by == WAITERS_ALL)
                return (struct waiter){"", 0, 0};
        return (struct waiter){copy(rows, waiter->name), waiter->pid, waiter->tid};
}

/* The index of the row. */
static size_t row_of(struct lock_rows *rows, const struct lock_row *wait)
{
        AUTO_RELEASE(buf) key = {0};
        uint64_t *at;

        buf_printf(&key, "%s\n%" PRIx64 "\n%" PRId32 "\n%s", wait->lock, wait->address, wait->pid,
                   wait->function);
        if (rows->by != WAITERS_ALL)
                buf_printf(&key, "\n%" PRId32 "\n%" PRId32 "\n%s", wait->waiter.pid, wait->waiter.tid,
                           rows->by == WAITERS_BY_COMM ? wait->waiter.name : "");
        at = map_put(&rows->by_key, strpool_add(rows->keys, buf_text(&key)), NULL);
        if (!*at) {
                ARRAY_PUSH(rows->items, rows->n, rows->cap,
                           ((struct lock_row){.lock = copy(rows, wait->lock),
                                              .address = wait->address,
                                              .pid = wait->pid,
                                              .function = copy(rows, wait->function),
                                              .waiter = copy_waiter(rows, wait),
                                              .owner = "",
                                              .owner_function = ""}));
                *at = rows->n;
        }
        return *at - 1;
}

static void add_owner(struct lock_rows *rows, size_t row, const struct lock_row *wait)
{
        AUTO_RELEASE(buf) key = {0};
        struct lock_owner *owner;
        uint64_t *at;

        buf_printf(&key, "%zu\n%" PRId32 "\n%s", row, *wait->owner_function ? 0 : wait->owner_tid,
                   wait->owner_function);
        at = map_put(&rows->owners_by_key, strpool_add(rows->keys, buf_text(&key)), NULL);
        if (!*at) {
                ARRAY_PUSH(rows->owners, rows->n_owners, rows->cap_owners,
                           ((struct lock_owner){.row = row,
                                                .name = copy(rows, wait->owner),
                                                .function = copy(rows, wait->owner_function),
                                                .tid = wait->owner_tid}));
                *at = rows->n_owners;
        }
        owner = &rows->owners[*at - 1];
        owner->ns += wait->total_ns;
        if (owner->tid == wait->owner_tid)
                return;
        owner->tid = 0;
        owner->name = "";
}

void lock_rows_add(struct lock_rows *rows, const struct lock_row *wait)
{
        size_t index = row_of(rows, wait);
        struct lock_row *row = &rows->items[index];

        row->count += wait->count;
        row->total_ns += wait->total_ns;
        row->longest_ns = wait->longest_ns > row->longest_ns ? wait->longest_ns : row->longest_ns;
        rows->count += wait->count;
        rows->total_ns += wait->total_ns;
        if (wait->owner_tid)
                add_owner(rows, index, wait);
}

static int compare_rows(const void *a, const void *b)
{
        const struct lock_row *x = a, *y = b;
        int order;

        if (x->total_ns != y->total_ns)
                return x->total_ns < y->total_ns ? 1 : -1;
        order = strcmp(x->function, y->function);
        if (order)
                return order;
        order = strcmp(x->lock, y->lock);
        if (order)
                return order;
        if (x->address != y->address)
                return x->address < y->address ? -1 : 1;
        if (x->pid != y->pid)
                return x->pid < y->pid ? -1 : 1;
        if (x->waiter.pid != y->waiter.pid)
                return x->waiter.pid < y->waiter.pid ? -1 : 1;
        if (x->waiter.tid != y->waiter.tid)
                return x->waiter.tid < y->waiter.tid ? -1 : 1;
        return strcmp(x->waiter.name, y->waiter.name);
}

void lock_rows_finish(struct lock_rows *rows)
{
        for (size_t i = 0; i < rows->n_owners; i++) {
                const struct lock_owner *owner = &rows->owners[i];
                struct lock_row *row = &rows->items[owner->row];

                if (owner->ns <= row->owner_ns)
                        continue;
                row->owner = owner->name;
                row->owner_function = owner->function;
                row->owner_tid = owner->tid;
                row->owner_ns = owner->ns;
        }
        if (rows->n)
                qsort(rows->items, rows->n, sizeof(*rows->items), compare_rows);
}
