/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorts records by time. The records of each buffer are sorted, so the waiting records consist of few runs,
 * and sorting merges runs. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "record_order.h"

void record_order_release(struct record_order *o)
{
        free(o->items);
        free(o->spare);
}

void record_order_add(struct record_order *o, uint64_t time, uint64_t pos)
{
        assert(!o->is_giving);
        ARRAY_PUSH(o->items, o->n, o->cap, (struct waiting_record){.time = time, .pos = pos});
        if (time > o->newest)
                o->newest = time;
}

size_t record_order_n_waiting(const struct record_order *o)
{
        return o->n - o->first;
}

uint64_t record_order_bytes(const struct record_order *o)
{
        return (uint64_t)o->n * 2 * sizeof(*o->items);
}

static size_t run_end(const struct waiting_record *items, size_t at, size_t n)
{
        for (at++; at < n && items[at - 1].time <= items[at].time;)
                at++;
        return at < n ? at : n;
}

static void merge(const struct waiting_record *a, size_t n_a, const struct waiting_record *b, size_t n_b,
                  struct waiting_record *to)
{
        while (n_a && n_b) {
                if (b->time < a->time) {
                        *to++ = *b++;
                        n_b--;
                } else {
                        *to++ = *a++;
                        n_a--;
                }
        }
        if (n_a)
                memcpy(to, a, n_a * sizeof(*to));
        if (n_b)
                memcpy(to, b, n_b * sizeof(*to));
}

/* Merges pairs of adjacent runs of `from` into `to`; returns the number of runs that remain. */
static size_t merge_runs(const struct waiting_record *from, size_t n, struct waiting_record *to)
{
        size_t n_runs = 0;

        for (size_t at = 0; at < n; n_runs++) {
                size_t mid = run_end(from, at, n), end = mid < n ? run_end(from, mid, n) : n;

                merge(from + at, mid - at, from + mid, end - mid, to + at);
                at = end;
        }
        return n_runs;
}

static void swap_spare(struct record_order *o)
{
        struct waiting_record *items = o->items;
        size_t cap = o->cap;

        o->items = o->spare;
        o->cap = o->spare_cap;
        o->spare = items;
        o->spare_cap = cap;
}

static void sort(struct record_order *o)
{
        size_t n_runs;

        if (!o->n || run_end(o->items, 0, o->n) == o->n)
                return;
        if (o->spare_cap < o->n) {
                o->spare = mem_resize(o->spare, o->n, sizeof(*o->spare));
                o->spare_cap = o->n;
        }
        do {
                n_runs = merge_runs(o->items, o->n, o->spare);
                swap_spare(o);
        } while (n_runs > 1);
}

static void begin_giving(struct record_order *o, uint64_t limit)
{
        assert(!o->is_giving);
        sort(o);
        o->limit = limit;
        o->is_giving = true;
}

void record_order_end_round(struct record_order *o)
{
        begin_giving(o, o->round_end);
        o->round_end = o->newest;
}

void record_order_flush(struct record_order *o)
{
        begin_giving(o, UINT64_MAX);
}

void record_order_end_giving(struct record_order *o)
{
        assert(o->is_giving && o->first <= o->n);
        o->is_giving = false;
        if (o->first)
                memmove(o->items, o->items + o->first, (o->n - o->first) * sizeof(*o->items));
        o->n -= o->first;
        o->first = 0;
}
