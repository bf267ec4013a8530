/* SPDX-License-Identifier: BSD-3-Clause */
#include "group_reads.h"

enum { COUNT_BYTES = 64 }; /* of memory for one that is kept */

void group_reads_release(struct group_reads *reads)
{
        map_release(&reads->events);
        map_release(&reads->counts);
        *reads = (struct group_reads){0};
}

static void see_events(struct group_reads *reads, const struct perfdata_event *const *events, size_t n_events)
{
        for (size_t i = reads->n_events; i < n_events; i++) {
                for (size_t k = 0; k < events[i]->n_ids; k++)
                        *map_put(&reads->events, events[i]->ids[k], NULL) = i;
        }
        reads->n_events = n_events;
}

struct group_counts group_reads_begin(struct group_reads *reads, const struct perfdata_event *const *events,
                                      size_t n_events, const struct perf_attr *attr,
                                      const struct sample *sample)
{
        const uint64_t times = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
        struct group_counts read = {.attr = attr, .counts = sample->read, .tid = sample->tid};

        see_events(reads, events, n_events);
        read.n_left = cursor_u64(&read.counts);
        if (read.n_left > n_events) /* no group has more; a record could have thousands */
                read.n_left = n_events;
        cursor_skip(&read.counts,
                    sizeof(uint64_t) * (uint64_t)__builtin_popcountll(attr->read_format & times));
        return read;
}

/* An inherited event counts in each thread for itself. */
static uint64_t key_of(const struct group_counts *read, uint64_t id)
{
        return read->attr->flags & PERF_ATTR_INHERIT ? map_mix(id ^ map_mix((uint32_t)read->tid)) : id;
}

static uint64_t counted_since(struct group_reads *reads, const struct group_counts *read,
                              struct budget_share *share, uint64_t id, uint64_t count)
{
        uint64_t *last = map_find(&reads->counts, key_of(read, id)), before;

        if (!last && !budget_share_take(share, BUDGET_RECORDS, COUNT_BYTES))
                return 0;
        last = last ? last : map_put(&reads->counts, key_of(read, id), NULL);
        before = *last;
        *last = count;
        return count > before ? count - before : 0;
}

bool group_reads_next(struct group_reads *reads, struct group_counts *read, struct budget_share *share,
                      uint32_t *ret_event, uint64_t *ret_counted)
{
        while (read->n_left) {
                uint64_t count = cursor_u64(&read->counts), id = cursor_u64(&read->counts);
                const uint64_t *event = map_find(&reads->events, id);

                read->n_left--;
                if (read->attr->read_format & PERF_FORMAT_LOST)
                        cursor_skip(&read->counts, sizeof(uint64_t));
                if (read->counts.failed)
                        return false;
                if (!event)
                        continue;
                *ret_counted = counted_since(reads, read, share, id, count);
                *ret_event = (uint32_t)*event;
                if (*ret_counted)
                        return true;
        }
        return false;
}
