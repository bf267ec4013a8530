/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorts records by time. Knows only times and positions; the caller knows what a record is and where its
 * bytes are.
 *
 * A recorder copies the kernel's ring buffers, one for each CPU, one after another to the file, and writes
 * FINISHED_ROUND after the last of them. Each buffer is sorted, the file is not. The rule for rounds:
 *
 *     A record that was written before round N began is in the file when round N ends, because round N read
 *     its buffer. All records seen by the end of round N - 1 were written before round N began. So nothing
 *     that comes after the end of round N is older than the newest record seen by the end of round N - 1,
 *     and all records up to that time may be returned.
 *
 * Records first seen in round N have to wait: a record of the same time may be in a buffer that was read
 * before that record was written. */
#ifndef RECORD_ORDER_H
#define RECORD_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct waiting_record {
        uint64_t time; /* in ns of the session's clock */
        uint64_t pos;  /* position of the record; for the caller */
};

/* Zero-initialize before use. The fields are private. */
struct record_order {
        struct waiting_record *items, *spare;
        size_t first, n, cap, spare_cap;
        uint64_t newest;    /* newest time seen */
        uint64_t round_end; /* newest time seen by the end of the last round */
        uint64_t limit;     /* records up to this time are being returned */
        uint64_t last;      /* time of the last record returned */
        bool is_giving;
};

void record_order_release(struct record_order *order);

/* Adds a record; not while record_order_is_giving. The caller limits the number of records. */
void record_order_add(struct record_order *order, uint64_t time, uint64_t pos);

size_t record_order_n_waiting(const struct record_order *order);

/* Memory of the waiting records, in bytes, including what sorting needs. */
uint64_t record_order_bytes(const struct record_order *order);

/* Call for FINISHED_ROUND: allows records that are not newer than the end of the previous round to be
 * returned. */
void record_order_end_round(struct record_order *order);

/* Allows all waiting records to be returned, because too many wait or the last record was added. */
void record_order_flush(struct record_order *order);

/* For record_order_next, after _end_round or _flush: keeps the records that have to wait. */
void record_order_end_giving(struct record_order *order);

/* Returns the oldest record that need not wait; records of the same time in the order in which they were
 * added. False if there is none at the moment. *ret_is_late: a newer record was returned before, because of a
 * flush or because the recorder violated the rule. Inline, because it is called for every record of a
 * session. */
static inline bool record_order_next(struct record_order *order, struct waiting_record *ret,
                                     bool *ret_is_late)
{
        if (!order->is_giving)
                return false;
        if (order->first == order->n || order->items[order->first].time > order->limit) {
                record_order_end_giving(order);
                return false;
        }
        *ret = order->items[order->first++];
        *ret_is_late = ret->time < order->last;
        if (!*ret_is_late)
                order->last = ret->time;
        return true;
}

/* Whether record_order_next must still be called until it returns false. */
static inline bool record_order_is_giving(const struct record_order *order)
{
        return order->is_giving;
}

#endif
