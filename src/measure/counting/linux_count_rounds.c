/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts as records. Intervals may be short, so the records of a round are laid out once and a read writes
 * only the numbers. If a read fails, the numbers of the previous round remain. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"
#include "count_maps.h"
#include "err.h"
#include "linux_count.h"
#include "mem.h"
#include "os.h"
#include "text.h"

enum { GROUP_HEAD = 3 };

static struct perf_stat new_stat(uint64_t id, uint32_t cpu, uint32_t thread)
{
        return (struct perf_stat){
                .header = {.type = PERF_RECORD_STAT, .size = sizeof(struct perf_stat)},
                .id = id,
                .cpu = cpu,
                .thread = thread,
        };
}

static void add_stat(struct rounds *r, struct perf_stat stat, struct stat_origin origin)
{
        r->stats[r->n_stats] = stat;
        r->origins[r->n_stats++] = origin;
}

static void link_presence(struct rounds *r, struct stat_origin *origin, size_t index)
{
        ARRAY_PUSH(r->links, r->n_links, r->cap_links, (uint32_t)index);
        origin->n_links++;
}

static void link_kind(struct rounds *r, const struct counter *c, const struct event *event,
                      struct stat_origin *origin)
{
        for (size_t i = 0; i < r->n_presences; i++) {
                if (r->presences[i].thread == c->thread && linux_event_serves(event, r->presences[i].cpu))
                        link_presence(r, origin, i);
        }
}

/* Presences and counters were opened in the same order, so the search starts after the previous match. */
static void link_place(struct rounds *r, const struct counter *c, size_t *next, struct stat_origin *origin)
{
        for (size_t i = 0; i < r->n_presences; i++) {
                size_t at = (*next + i) % r->n_presences;

                if (r->presences[at].thread == c->thread && r->presences[at].cpu == c->cpu) {
                        link_presence(r, origin, at);
                        *next = at + 1;
                        return;
                }
        }
}

static void add_event(struct rounds *r, const struct counted_event *e)
{
        size_t next = 0;

        for (size_t i = 0; i < e->n_counters; i++) {
                const struct counter *c = &e->counters[i];
                struct stat_origin origin = {.fd = c->fd, .first_link = r->n_links};

                if (!e->event.uncore && c->cpu != UINT32_MAX)
                        link_place(r, c, &next, &origin);
                else if (!e->event.uncore && e->event.cpus)
                        link_kind(r, c, &e->event, &origin);
                add_stat(r, new_stat(e->ids[i], c->cpu, c->thread), origin);
        }
        if (e->source != SOURCE_COUNTER)
                add_stat(r, new_stat(e->ids[0], UINT32_MAX, 0),
                         (struct stat_origin){.fd = -1, .source = e->source});
}

/* Adds the records of the leader's group, from `leader` on, that count on the same CPU and thread as its
 * counter `place`. The kernel returns them in the order in which they were opened. */
static void add_members(struct rounds *r, const struct counted *counted, size_t leader, const size_t *starts,
                        size_t place, struct group_read *group)
{
        const struct counter *at = &counted->events[leader].counters[place];

        for (size_t i = leader; i < counted->n_events; i++) {
                const struct counted_event *e = &counted->events[i];

                for (size_t k = 0; k < e->n_counters; k++) {
                        size_t guess = (place + k) % e->n_counters;
                        size_t stat = starts[i] + guess;

                        if (e->counters[guess].cpu != at->cpu || e->counters[guess].thread != at->thread ||
                            (i != leader && (!e->group || e->group != counted->events[leader].group)))
                                continue;
                        r->origins[stat].fd = -1;
                        r->origins[stat].in_group = true;
                        ARRAY_PUSH(r->members, r->n_members, r->cap_members, (uint32_t)stat);
                        group->n_members++;
                        break;
                }
        }
}

static void add_groups(struct rounds *r, const struct counted *counted, const size_t *starts)
{
        size_t largest = 0;

        for (size_t i = 0; i < counted->n_events; i++) {
                const struct counted_event *e = &counted->events[i];

                if (!e->leads || !(e->attr.read_format & PERF_FORMAT_GROUP))
                        continue;
                for (size_t k = 0; k < e->n_counters; k++) {
                        struct group_read group = {.fd = e->counters[k].fd, .first_member = r->n_members};

                        add_members(r, counted, i, starts, k, &group);
                        ARRAY_PUSH(r->groups, r->n_groups, r->cap_groups, group);
                        largest = group.n_members > largest ? group.n_members : largest;
                }
        }
        r->group_values = mem_new(GROUP_HEAD + 2 * largest, sizeof(*r->group_values));
}

void rounds_init(struct rounds *r, const struct counted *counted)
{
        size_t max = counted->n_counters + counted->n_events;
        size_t *starts;

        /* One more record: the STAT_ROUND at the end. */
        *r = (struct rounds){
                .stats = mem_new(max + 1, sizeof(*r->stats)),
                .origins = mem_new(max, sizeof(*r->origins)),
                .presences = counted->presence.counters,
                .presence_ns = mem_new(counted->presence.n_counters, sizeof(*r->presence_ns)),
                .n_presences = counted->presence.n_counters,
                .estimates = counted->estimates,
        };
        starts = mem_new(counted->n_events, sizeof(*starts));
        for (size_t i = 0; i < counted->n_events; i++) {
                starts[i] = r->n_stats;
                add_event(r, &counted->events[i]);
        }
        add_groups(r, counted, starts);
        free(starts);
}

void rounds_release(struct rounds *r)
{
        free(r->groups);
        free(r->members);
        free(r->group_values);
        free(r->stats);
        free(r->origins);
        free(r->presence_ns);
        free(r->links);
}

/* The layout that attr.read_format selects. */
struct count_reading {
        uint64_t value, enabled, running, id;
};

static bool read_counter(int fd, struct count_reading *ret)
{
        return read(fd, ret, sizeof(*ret)) == sizeof(*ret);
}

static uint64_t presence_ns(const struct rounds *r, const struct stat_origin *origin)
{
        uint64_t sum = 0;

        for (size_t i = 0; i < origin->n_links; i++)
                sum += r->presence_ns[r->links[origin->first_link + i]];
        return sum;
}

static void read_stat(struct rounds *r, size_t index)
{
        const struct stat_origin *origin = &r->origins[index];
        struct perf_stat *stat = &r->stats[index];
        struct count_reading reading;

        if (!read_counter(origin->fd, &reading))
                return;
        if (origin->n_links) {
                /* The thread may have run since its presence was read. */
                reading.enabled = presence_ns(r, origin);
                if (reading.enabled < reading.running)
                        reading.enabled = reading.running;
        }
        stat->value = reading.value;
        if (reading.enabled > stat->enabled_ns)
                stat->enabled_ns = reading.enabled;
        stat->running_ns = reading.running;
}

/* Layout: nr, enabled, running, then value and id of each member. */
static void read_group(struct rounds *r, const struct group_read *group)
{
        const uint64_t *values = r->group_values;
        size_t size = (GROUP_HEAD + 2 * group->n_members) * sizeof(*values);

        if (read(group->fd, r->group_values, size) != (ssize_t)size || values[0] != group->n_members)
                return;
        for (size_t i = 0; i < group->n_members; i++) {
                struct perf_stat *stat = &r->stats[r->members[group->first_member + i]];

                stat->value = values[GROUP_HEAD + 2 * i];
                stat->enabled_ns = values[1];
                stat->running_ns = values[2];
        }
}

static void read_estimates(struct rounds *r, struct estimator *estimator, uint64_t elapsed_ns)
{
        struct usage usage = estimator_read(estimator);

        for (size_t i = 0; i < r->n_stats; i++) {
                if (r->origins[i].fd >= 0 || r->origins[i].in_group)
                        continue;
                r->stats[i].value = estimator_usage(&usage, r->origins[i].source);
                r->stats[i].enabled_ns = elapsed_ns;
                r->stats[i].running_ns = elapsed_ns;
        }
}

void rounds_read(struct rounds *r, struct estimator *estimator, uint64_t elapsed_ns)
{
        assert(estimator || !r->estimates);
        for (size_t i = 0; i < r->n_presences; i++) {
                struct count_reading reading;

                if (read_counter(r->presences[i].fd, &reading))
                        r->presence_ns[i] = reading.running;
        }
        for (size_t i = 0; i < r->n_stats; i++) {
                if (r->origins[i].fd >= 0)
                        read_stat(r, i);
        }
        for (size_t i = 0; i < r->n_groups; i++)
                read_group(r, &r->groups[i]);
        if (r->estimates)
                read_estimates(r, estimator, elapsed_ns);
}

bool rounds_put(struct rounds *r, const struct record_sink *sink, bool last, uint64_t elapsed_ns,
                struct err *err)
{
        struct perf_stat_round round = {
                .header = {.type = PERF_RECORD_STAT_ROUND, .size = sizeof(round)},
                .type = last ? PERF_STAT_ROUND_FINAL : PERF_STAT_ROUND_INTERVAL,
                .time = elapsed_ns,
        };

        memcpy(&r->stats[r->n_stats], &round, sizeof(round));
        return sink->put(sink->ctx, r->stats, r->n_stats * sizeof(*r->stats) + sizeof(round), err);
}

/* --- maps --- */

static const char *last_part(const char *path)
{
        const char *slash = strrchr(path, '/');

        return slash ? slash + 1 : path;
}

static void read_name(int32_t tid, char *out, size_t size)
{
        AUTO_RELEASE(buf) text = {0};
        char path[64];

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/comm", tid);
        if (tid <= 0 || !os_read_file(path, 4096, &text, NULL) || !text.len)
                return;
        text.data[strcspn(text.data, "\n")] = '\0';
        text_copy(out, size, text.data);
}

/* A record has room for this many threads; threads beyond that have counts but no entry. */
enum { MAX_THREADS_IN_MAP = 2700 };

bool rounds_put_maps(const struct rounds *r, const struct count_request *request, const int32_t *tids,
                     size_t n_tids, const struct record_sink *sink, struct err *err)
{
        size_t n = count_request_is_system_wide(request) ? 0 : n_tids;
        struct count_maps maps = {.n_cpus = r->n_stats, .interval_ms = request->interval_ms};
        AUTO_RELEASE(buf) out = {0};

        maps.n_threads = n < MAX_THREADS_IN_MAP ? n : MAX_THREADS_IN_MAP;
        maps.threads = mem_new(maps.n_threads, sizeof(*maps.threads));
        for (size_t i = 0; i < maps.n_threads; i++) {
                struct mapped_thread *t = &maps.threads[i];

                t->tid = tids[i];
                if (request->target.argv)
                        text_copy(t->name, sizeof(t->name), last_part(request->target.argv[0]));
                else
                        read_name(tids[i], t->name, sizeof(t->name));
        }
        maps.cpus = mem_new(r->n_stats, sizeof(*maps.cpus));
        for (size_t i = 0; i < r->n_stats; i++)
                maps.cpus[i] = r->stats[i].cpu;
        count_maps_add(&maps, &out);
        free(maps.threads);
        free(maps.cpus);
        return sink->put(sink->ctx, out.data, out.len, err);
}
