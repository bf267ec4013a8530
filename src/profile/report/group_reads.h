/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of a group's leader that contain the counts of all its events (perf record -e '{a,b}:S',
 * PERF_SAMPLE_READ with PERF_FORMAT_GROUP). Each stands for a sample of each event, whose period is what
 * was counted since the sample before. */
#ifndef GROUP_READS_H
#define GROUP_READS_H

#include "budget.h"
#include "map.h"
#include "perfdata_reader.h"
#include "record.h"

struct group_reads {
        struct map events; /* id to index of the event */
        size_t n_events;   /* of these events */
        struct map counts; /* hash of id and thread to the last count */
};

void group_reads_release(struct group_reads *reads);

/* Whether samples of the event contain the counts of a group. */
static inline bool group_reads_has(const struct perf_attr *attr)
{
        const uint64_t format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;

        return attr->sample_type & PERF_SAMPLE_READ && (attr->read_format & format) == format;
}

/* The counts of one sample that are left. */
struct group_counts {
        const struct perf_attr *attr;
        struct cursor counts;
        uint64_t n_left;
        int32_t tid;
};

/* `events` may become more from sample to sample. */
struct group_counts group_reads_begin(struct group_reads *reads, const struct perfdata_event *const *events,
                                      size_t n_events, const struct perf_attr *attr,
                                      const struct sample *sample);

/* The next event that has counted, and how much. False: there is none. Without memory for one more count,
 * that event has counted nothing. */
bool group_reads_next(struct group_reads *reads, struct group_counts *read, struct budget_share *share,
                      uint32_t *ret_event, uint64_t *ret_counted);

#endif
