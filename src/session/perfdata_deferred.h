/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples whose user stack is told by a later record (CALLCHAIN_DEFERRED: it was walked when the thread went back to user
 * code).  They wait here as copies, and come out with one chain. */
#ifndef PERFDATA_DEFERRED_H
#define PERFDATA_DEFERRED_H

#include "buf.h"
#include "map.h"
#include "perfdata_reader.h"

enum {
        LIMIT_WAITING_SAMPLES = 1 << 16, /* more, or more bytes: the oldest comes out as it is */
        LIMIT_WAITING_BYTES = 1 << 25,
};

struct waiting_sample {
        uint8_t *bytes; /* of the record; owned */
        struct perf_header header;
        uint64_t file_off, time, cookie;
        uint32_t event;
        int32_t tid;
        uint32_t next_of_thread, next, previous; /* by age; slot + 1, 0: none */
};

/* Zero-initialised is ready. */
struct deferred {
        bool has_kept; /* a sample at some time: without one there is nothing to do */
        struct waiting_sample *slots;
        size_t n_slots, cap_slots, n_waiting, n_bytes;
        uint32_t free, oldest, newest; /* slot + 1 */
        struct map by_thread;          /* a thread's oldest and, in the upper half, its newest; 0: none */
        /* Coming out: these samples, then the record that let them. */
        uint32_t out;
        bool has_chain, has_record;
        uint64_t cookie;
        struct buf chain; /* its numbers as the file has them */
        struct perfdata_record record;
        uint8_t *record_bytes;
        uint8_t *given; /* bytes of the record given last */
        struct buf joined;
};

void deferred_release(struct deferred *deferred);

/* Cheap, for all records: whether deferred_take is to be asked. */
static inline bool deferred_concerns(const struct deferred *deferred, const struct perfdata_record *record,
                                     const struct perfdata_event *event)
{
        if (record->header.type == PERF_RECORD_SAMPLE)
                return event && event->attr.flags & PERF_ATTR_DEFER_CALLCHAIN;
        return deferred->has_kept;
}

/* Whether the record, of which `event` is the event, is not to be given out now: it is a sample that waits, or one for which
 * others come out first. */
bool deferred_take(struct deferred *deferred, const struct perfdata_record *record,
                   const struct perfdata_event *event);

/* No record is left: all that wait come out as they are. */
void deferred_end(struct deferred *deferred);

/* The next that comes out, valid until the next call; to be asked until false before another record is taken.  `swap`: the file
 * has the other byte order. */
bool deferred_give(struct deferred *deferred, const struct perfdata_reader *reader, bool swap,
                   struct perfdata_record *ret);

#endif
