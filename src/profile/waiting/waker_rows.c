/* SPDX-License-Identifier: BSD-3-Clause */
#include "waker_rows.h"

#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "mem.h"
#include "strpool.h"
#include "wait_functions.h"
#include "wall_making.h"

struct collecting {
        struct wall_making *making;
        struct waker_rows *rows;
        struct strpool *keys; /* the number of a key is that of its row */
        struct map by_key;
        size_t cap;
};

static const char *name_of(const struct collecting *c, int32_t pid, int32_t tid)
{
        const struct wall_request *request = c->making->request;

        return tid ? request->thread_name(request->ctx, pid, tid) : "interrupt";
}

static const char *function_of(const struct collecting *c, uint32_t node)
{
        uint32_t function = node == NAMED_NONE ? 0 : wall_making_function_of(c->making, node, true).function;

        return function ? c->making->pieces->functions[function - 1].name : "";
}

/* Who wakes a thread that was itself woken during the wait is a part of the chain. */
static size_t find_links(const struct collecting *c, const struct wall_wait *wait, struct waker_link *ret)
{
        const struct sched_waking *waking = wall_making_waking(c->making, wait->tid, wait->to_ns);
        size_t n = 0;

        ret[n++] = (struct waker_link){name_of(c, wait->pid, wait->tid), function_of(c, wait->node)};
        while (waking && n < WAKER_MAX_LINKS) {
                uint32_t node = waking->by_tid ? wall_making_waking_node(c->making, waking) : NAMED_NONE;

                ret[n++] =
                        (struct waker_link){name_of(c, waking->by_pid, waking->by_tid), function_of(c, node)};
                waking = waking->by_tid
                                 ? wall_making_waking_before(c->making, waking->by_tid, waking->time_ns)
                                 : NULL;
                if (waking && waking->time_ns <= wait->from_ns)
                        waking = NULL;
        }
        return n;
}

static struct waker_row *row_of(struct collecting *c, const struct waker_link *links, size_t n, uint8_t kind)
{
        AUTO_RELEASE(buf) key = {0};
        struct waker_row row = {.n_links = n, .kind = kind};
        uint64_t *at;

        buf_printf(&key, "%u", kind);
        for (size_t i = 0; i < n; i++)
                buf_printf(&key, "\n%s\t%s", links[i].thread, links[i].function);
        at = map_put(&c->by_key, strpool_add(c->keys, buf_text(&key)), NULL);
        if (!*at) {
                for (size_t i = 0; i < n; i++) {
                        row.links[i].thread =
                                arena_copy(&c->rows->texts, links[i].thread, strlen(links[i].thread));
                        row.links[i].function =
                                arena_copy(&c->rows->texts, links[i].function, strlen(links[i].function));
                }
                ARRAY_PUSH(c->rows->items, c->rows->n, c->cap, row);
                *at = c->rows->n;
        }
        return &c->rows->items[*at - 1];
}

/* Once for each row: sessions may have millions of waits. */
static void set_stack(struct collecting *c, struct waker_row *row)
{
        struct wait_function functions[WAKER_MAX_FRAMES];
        size_t n = wait_functions_of(c->making->request->named, row->waker_node, functions, WAKER_MAX_FRAMES);

        row->n_frames = n;
        for (size_t i = 0; i < n; i++)
                row->frames[i] = arena_copy(&c->rows->texts, functions[i].name, strlen(functions[i].name));
}

static void add(struct collecting *c, const struct wall_wait *wait)
{
        struct waker_link links[WAKER_MAX_LINKS];
        size_t n = find_links(c, wait, links);
        uint64_t ns = wait->to_ns - wait->from_ns;
        const struct sched_waking *waking;
        struct waker_row *row;

        if (n == 1) {
                c->rows->n_unknown++;
                c->rows->unknown_ns += ns;
                return;
        }
        row = row_of(c, links, n, wait->kind);
        row->count++;
        row->total_ns += ns;
        c->rows->n_waits++;
        c->rows->total_ns += ns;
        if (ns < row->longest_ns)
                return;
        row->longest_ns = ns;
        waking = wall_making_waking(c->making, wait->tid, wait->to_ns);
        row->waker_node = waking->by_tid ? wall_making_waking_node(c->making, waking) : NAMED_NONE;
}

static int compare_rows(const void *a, const void *b)
{
        const struct waker_row *x = a, *y = b;

        if (x->total_ns != y->total_ns)
                return x->total_ns < y->total_ns ? 1 : -1;
        return strcmp(x->links[0].thread, y->links[0].thread);
}

struct waker_rows *waker_rows_new(struct wall_making *making)
{
        struct waker_rows *rows = mem_new(1, sizeof(*rows));
        struct collecting c = {.making = making, .rows = rows, .keys = strpool_new()};

        for (size_t i = 0; i < making->n_waits; i++)
                add(&c, &making->waits[i]);
        for (size_t i = 0; i < rows->n; i++) {
                if (rows->items[i].waker_node != NAMED_NONE)
                        set_stack(&c, &rows->items[i]);
        }
        if (rows->n)
                qsort(rows->items, rows->n, sizeof(*rows->items), compare_rows);
        strpool_free(c.keys);
        map_release(&c.by_key);
        return rows;
}

void waker_rows_free(struct waker_rows *rows)
{
        if (!rows)
                return;
        free(rows->items);
        arena_release(&rows->texts);
        free(rows);
}
