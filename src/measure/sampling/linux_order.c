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

void linux_order_add(struct linux_order *o, const struct perf_attr *attr, const struct perf_header *header,
                     uint8_t *record)
{
        uint64_t time = time_of(attr, header, cursor_make(record, header->size));

        record_order_add(&o->records, time, (uintptr_t)record);
}

void linux_order_end_round(struct linux_order *o, bool is_last)
{
        if (is_last)
                record_order_flush(&o->records);
        else
                record_order_end_round(&o->records);
}

uint8_t *linux_order_next(struct linux_order *o)
{
        struct waiting_record next;
        bool is_late;

        return record_order_next(&o->records, &next, &is_late) ? (uint8_t *)(uintptr_t)next.pos : NULL;
}

void linux_order_release(struct linux_order *o)
{
        record_order_release(&o->records);
}
