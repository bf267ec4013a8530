/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples whose user stack is in a later record (CALLCHAIN_DEFERRED: the kernel walks it when the thread
 * returns to user code). Copies of them wait here until they can be returned with the whole chain. */
#ifndef PERFDATA_DEFERRED_H
#define PERFDATA_DEFERRED_H

#include "buf.h"
#include "map.h"
#include "perfdata_reader.h"

enum {
        /* if there are more samples or bytes, the oldest sample is returned without its user stack */
        LIMIT_WAITING_SAMPLES = 1 << 16,
        LIMIT_WAITING_BYTES = 1 << 25,
};

struct waiting_sample {
        uint8_t *bytes; /* the record; owned */
        struct perf_header header;
        uint64_t file_off, time, cookie;
        uint32_t event;
        int32_t tid;
        uint32_t next_of_thread, next, previous; /* next and previous in order of age; slot + 1, 0 for none */
};

/* Zero-initialize before use. */
struct deferred {
        bool has_kept; /* there was such a sample; without one there is nothing to do */
        struct waiting_sample *slots;
        size_t n_slots, cap_slots, n_waiting, n_bytes;
        uint32_t free, oldest, newest; /* slot + 1 */
        struct map by_thread; /* thread to its oldest slot and, in the upper half, its newest; 0 for none */
        /* Being returned: these samples, then the record that completes them. */
        uint32_t out;
        bool has_chain, has_record;
        uint64_t cookie;
        struct buf chain; /* in the byte order of the file */
        struct perfdata_record record;
        uint8_t *record_bytes;
        uint8_t *given; /* bytes of the record that was returned last */
        struct buf joined;
};

void deferred_release(struct deferred *deferred);

/* A quick check for every record: whether to call deferred_take. */
static inline bool deferred_concerns(const struct deferred *deferred, const struct perfdata_record *record,
                                     const struct perfdata_event *event)
{
        if (record->header.type == PERF_RECORD_SAMPLE)
                return event && event->attr.flags & PERF_ATTR_DEFER_CALLCHAIN;
        return deferred->has_kept;
}

/* Takes a record with its event. True if the record must not be returned now: it is a sample that has to
 * wait, or other samples are returned before it. */
bool deferred_take(struct deferred *deferred, const struct perfdata_record *record,
                   const struct perfdata_event *event);

/* Call at the end of the records: the remaining samples are returned as they are. */
void deferred_end(struct deferred *deferred);

/* Returns the next record, valid until the next call. Call it until it returns false before taking another
 * record. `swap`: the file has the other byte order. */
bool deferred_give(struct deferred *deferred, const struct perfdata_reader *reader, bool swap,
                   struct perfdata_record *ret);

#endif
