/* SPDX-License-Identifier: BSD-3-Clause */
#include "syscall_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "mem.h"
#include "strpool.h"

struct syscall_rows *syscall_rows_new(void)
{
        return mem_new(1, sizeof(struct syscall_rows));
}

void syscall_rows_free(struct syscall_rows *rows)
{
        if (!rows)
                return;
        free(rows->items);
        arena_release(&rows->texts);
        map_release(&rows->by_key);
        free(rows);
}

static uint64_t key_of(int32_t tid, int32_t number)
{
        return (uint64_t)(uint32_t)tid << 32 | (uint32_t)number;
}

bool syscall_rows_has(const struct syscall_rows *rows, int32_t tid, int32_t number)
{
        return map_find(&rows->by_key, key_of(tid, number)) != NULL;
}

static void add_to(struct syscall_row *row, const struct syscall_row *added)
{
        row->count += added->count;
        row->n_errors += added->n_errors;
        row->total_ns += added->total_ns;
        row->longest_ns = added->longest_ns > row->longest_ns ? added->longest_ns : row->longest_ns;
}

void syscall_rows_add(struct syscall_rows *rows, const struct syscall_row *added)
{
        uint64_t *at = map_put(&rows->by_key, key_of(added->tid, added->number), NULL);
        struct syscall_row *row;

        if (!*at) {
                ARRAY_PUSH(rows->items, rows->n, rows->cap,
                           ((struct syscall_row){
                                   .pid = added->pid, .tid = added->tid, .number = added->number}));
                *at = rows->n;
        }
        row = &rows->items[*at - 1];
        add_to(row, added);
        rows->count += added->count;
        rows->total_ns += added->total_ns;
}

static const char *name_of(struct syscall_rows *rows, enum arch_id arch, int32_t number)
{
        AUTO_RELEASE(buf) other = {0};
        size_t len;
        const char *name = syscall_name_find(arch, number, &len);

        if (name)
                return arena_copy(&rows->texts, name, len);
        if (number == SYSCALL_NONE && rows->is_waits)
                return "page fault";
        buf_printf(&other, "call %" PRId32, number);
        return arena_copy(&rows->texts, buf_text(&other), other.len);
}

static int compare_rows(const void *a, const void *b)
{
        const struct syscall_row *x = a, *y = b;
        int order;

        if (x->total_ns != y->total_ns)
                return x->total_ns < y->total_ns ? 1 : -1;
        if (x->waiter.tid != y->waiter.tid)
                return x->waiter.tid < y->waiter.tid ? -1 : 1;
        if (x->waiter.pid != y->waiter.pid)
                return x->waiter.pid < y->waiter.pid ? -1 : 1;
        order = strcmp(x->waiter.name, y->waiter.name);
        return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* One row for the calls of a number of all threads of a process, or of the same name. */
static void merge(struct syscall_rows *rows)
{
        struct strpool *names = strpool_new();
        struct map known = {0};
        size_t n = 0;

        for (size_t i = 0; i < rows->n; i++) {
                const struct syscall_row *row = &rows->items[i];
                uint32_t group = rows->by == WAITERS_BY_PROCESS ? (uint32_t)row->waiter.pid
                                                                : strpool_add(names, row->waiter.name);
                uint64_t *at = map_put(&known, (uint64_t)group << 32 | (uint32_t)row->number, NULL);

                if (*at) {
                        add_to(&rows->items[*at - 1], row);
                } else {
                        rows->items[n++] = *row;
                        *at = n;
                }
        }
        rows->n = n;
        map_release(&known);
        strpool_free(names);
}

void syscall_rows_finish(struct syscall_rows *rows, const struct syscall_naming *naming)
{
        rows->by = naming->waiters.by;
        for (size_t i = 0; i < rows->n; i++) {
                struct syscall_row *row = &rows->items[i];

                row->call = name_of(rows, naming->arch, row->number);
                row->waiter = waiters_find(&naming->waiters, row->pid, row->tid);
                row->waiter.name = arena_copy(&rows->texts, row->waiter.name, strlen(row->waiter.name));
        }
        if (rows->by != WAITERS_BY_THREAD)
                merge(rows);
        if (rows->n)
                qsort(rows->items, rows->n, sizeof(*rows->items), compare_rows);
        map_release(&rows->by_key);
}
