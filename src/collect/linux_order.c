/* SPDX-License-Identifier: BSD-3-Clause */
/* Records by time.  Each pass over the rings is a round: what a later pass still brings is newer than all that the pass
 * before had brought, since it was written after that was read. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "linux_unwind.h"

/* Samples begin with IDENTIFIER, IP and TID. */
enum { SAMPLE_TIME_OFF = sizeof(struct perf_header) + 24 };

static uint64_t time_of(const struct perf_attr *attr, const struct perf_header *header, struct cursor record)
{
        struct record_id id;

        if (header->type != PERF_RECORD_SAMPLE)
                return record_id_parse(attr, record, &id) ? id.time : 0;
        return cursor_skip(&record, SAMPLE_TIME_OFF) ? cursor_u64(&record) : 0;
}

static int compare_items(const void *a, const void *b)
{
        const struct order_item *x = a, *y = b;

        if (x->time != y->time)
                return x->time < y->time ? -1 : 1;
        return x->number < y->number ? -1 : x->number > y->number;
}

static bool is_sorted(const struct order *o)
{
        for (size_t i = 1; i < o->n_items; i++) {
                if (o->items[i - 1].time > o->items[i].time)
                        return false;
        }
        return true;
}

void order_add_round(struct order *o, const struct perf_attr *attr, struct buf *pass, bool is_last)
{
        struct cursor all, record;
        struct perf_header header;

        assert(o->first == o->n_items || o->items[o->first].time > o->limit);
        o->n_items -= o->first;
        if (o->first)
                memmove(o->items, o->items + o->first, o->n_items * sizeof(*o->items));
        o->first = 0;
        buf_swap(&o->older, &o->newer);
        buf_swap(&o->newer, pass);
        buf_clear_and_shrink(pass);
        o->limit = is_last ? UINT64_MAX : o->newest;
        all = cursor_make(o->newer.data, o->newer.len);
        while (record_next(&all, &header, &record)) {
                struct order_item item = {time_of(attr, &header, record), o->next_number++, record.start};

                ARRAY_PUSH(o->items, o->n_items, o->cap, item);
                if (item.time > o->newest)
                        o->newest = item.time;
        }
        if (!is_sorted(o))
                qsort(o->items, o->n_items, sizeof(*o->items), compare_items);
}

const uint8_t *order_next(struct order *o)
{
        enum { KEPT_BYTES = 4 << 20 };

        if (o->first == o->n_items || o->items[o->first].time > o->limit) {
                /* The round before has gone out: a large one does not wait for the next. */
                if (o->older.cap > KEPT_BYTES)
                        buf_release(&o->older);
                return NULL;
        }
        return o->items[o->first++].record;
}

void order_release(struct order *o)
{
        buf_release(&o->older);
        buf_release(&o->newer);
        free(o->items);
}
