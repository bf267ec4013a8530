/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorts records of several rings by time (record_order.h). Each pass over the rings is a round. */
#include "linux_unwinder.h"

/* Samples begin with IDENTIFIER, IP and TID; TIME follows. */
enum { SAMPLE_TIME_OFF = sizeof(struct perf_header) + 24 };

static uint64_t time_of(const struct perf_attr *attr, const struct perf_header *header, struct cursor record)
{
        struct record_id id;

        if (header->type != PERF_RECORD_SAMPLE)
                return record_id_parse(attr, record, &id) ? id.time : 0;
        return cursor_skip(&record, SAMPLE_TIME_OFF) ? cursor_u64(&record) : 0;
}

void linux_order_add_round(struct linux_order *o, const struct perf_attr *attr, struct buf *pass,
                           bool is_last)
{
        struct cursor all, record;
        struct perf_header header;

        buf_swap(&o->older, &o->newer);
        buf_swap(&o->newer, pass);
        buf_clear_and_shrink(pass);
        all = cursor_make(o->newer.data, o->newer.len);
        while (record_next(&all, &header, &record))
                record_order_add(&o->records, time_of(attr, &header, record), (uintptr_t)record.start);
        if (is_last)
                record_order_flush(&o->records);
        else
                record_order_end_round(&o->records);
}

const uint8_t *linux_order_next(struct linux_order *o)
{
        enum { KEPT_BYTES = 4 << 20 };
        struct waiting_record next;
        bool is_late;

        if (record_order_next(&o->records, &next, &is_late))
                return (const uint8_t *)(uintptr_t)next.pos;
        /* All records of the round before are out: free its buffer if it is large. */
        if (o->older.cap > KEPT_BYTES)
                buf_release(&o->older);
        return NULL;
}

void linux_order_release(struct linux_order *o)
{
        buf_release(&o->older);
        buf_release(&o->newer);
        record_order_release(&o->records);
}
