/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts records into the order of their times.  Knows times and positions only: what a record is, and where its bytes are
 * kept, is the caller's.
 *
 * A recorder copies the kernel's ring buffers, one for each CPU, one after another into the file, and writes FINISHED_ROUND
 * after the last of them.  Each buffer is in order by itself, the file is not.  The rule for rounds:
 *
 *     A record that was written before round N began is in the file when round N ends, since round N read its buffer.  All
 *     records seen by the end of round N - 1 were written before round N began.  So nothing that comes after the end of
 *     round N is older than the newest record seen by the end of round N - 1, and all up to that time may go out.
 *
 * What was seen first in round N itself must wait: a record of the same time may still lie in a buffer that had been read
 * before it was written. */
#ifndef RECORD_ORDER_H
#define RECORD_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct waiting_record {
        uint64_t time; /* ns, of the session's clock */
        uint64_t pos;  /* the caller's: where the record stands */
};

/* Zero-filled: empty.  The fields are private. */
struct record_order {
        struct waiting_record *items, *spare;
        size_t first, n, cap, spare_cap;
        uint64_t newest;    /* time seen */
        uint64_t round_end; /* newest time seen by the end of the last round */
        uint64_t limit;     /* going out now: all up to this time */
        uint64_t last;      /* time that went out */
        bool is_giving;
};

void record_order_release(struct record_order *order);

/* Lets a record wait; not while record_order_is_giving.  What bounds their number is the caller's. */
void record_order_add(struct record_order *order, uint64_t time, uint64_t pos);

size_t record_order_n_waiting(const struct record_order *order);

/* Memory that they take, with what it takes to sort them. */
uint64_t record_order_bytes(const struct record_order *order);

/* A FINISHED_ROUND was read: what is not newer than the end of the round before goes out. */
void record_order_end_round(struct record_order *order);

/* All that waits goes out: too much waits, or this was the last record. */
void record_order_flush(struct record_order *order);

/* For record_order_next: keeps what has to wait further. */
void record_order_end_giving(struct record_order *order);

/* The next record that may go out, the oldest first; those of one time in the order in which they were added.  False: there
 * is none now; more may be added.  `*ret_is_late`: a newer one went out before, because of a flush or because the recorder did
 * not keep to the rule.  Inline: called for every record of a session. */
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

/* Whether record_order_next still has to be called until it says false. */
static inline bool record_order_is_giving(const struct record_order *order)
{
        return order->is_giving;
}

#endif
