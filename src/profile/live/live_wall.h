/* SPDX-License-Identifier: BSD-3-Clause */
/* Wall time of a live view: the samples, switches and readings since the start are divided by the code that
 * reads a session, at each table. When they become too many, what was so far is settled: it stays in the
 * sums. */
#ifndef LIVE_WALL_H
#define LIVE_WALL_H

#include "live_containers.h"
#include "live_sums.h"
#include "named_stacks.h"
#include "perfdata_reader.h"
#include "sample_list.h"
#include "world.h"

struct live_wall;

/* `cpu_event`: the one whose samples divide the time on CPUs; `shown`: the states that count for functions.
 */
struct live_wall *live_wall_new(struct perfdata_reader *reader, uint32_t cpu_event, unsigned shown);
void live_wall_free(struct live_wall *wall);
AUTO_DEFINE(live_wall)

/* The event of the samples of waiting threads; UINT32_MAX: there is none. */
uint32_t live_wall_event(const struct live_wall *wall);

/* Takes the content of the section. */
void live_wall_add_waits(struct live_wall *wall, struct buf *section);

/* Call both in the order of time: for records that are no samples, and for samples of both events. */
void live_wall_see(struct live_wall *wall, const struct perf_attr *attr, const struct perf_header *header,
                   struct cursor record);
void live_wall_add(struct live_wall *wall, const struct listed_sample *sample);

/* What rows are made with. */
struct live_wall_sums {
        struct live_sums *kinds; /* LIVE_N_KINDS */
        struct world *world;
        struct live_containers *containers;
};

/* Adds what was seen to the sums. `named` has the nodes of the samples since the last call. */
void live_wall_end_interval(struct live_wall *wall, const struct named_stacks *named, uint64_t elapsed_ns,
                            const struct live_wall_sums *sums);

/* Sums of all threads, now and since the start; names are copied to `texts`. */
void live_wall_fill(const struct live_wall *wall, struct live_table *table);

/* Whether there are functions of Python. */
bool live_wall_has_python(const struct live_wall *wall);

/* What comes next is added to sums that are zero. */
void live_wall_zero(struct live_wall *wall);

#endif
