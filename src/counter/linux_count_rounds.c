/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts as records.  Intervals may be short: the records of a round are laid out once, and a read writes nothing but
 * the numbers.  One that fails leaves those of the round before. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"
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

/* Both were opened in the same order: it is where the search for the counter before ended, or soon behind. */
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

/* The records of the events from `first` on that are in the group of `leader`, in the same place: the kernel answers in the
 * order in which they were opened. */
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

        /* STAT_ROUND stands behind the last one, in room for one more. */
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

/* In the order of attr.read_format. */
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
                /* The thread may have gone on since its presence was read. */
                reading.enabled = presence_ns(r, origin);
                if (reading.enabled < reading.running)
                        reading.enabled = reading.running;
        }
        stat->value = reading.value;
        if (reading.enabled > stat->enabled_ns)
                stat->enabled_ns = reading.enabled;
        stat->running_ns = reading.running;
}

/* nr, enabled, running, then value and id of each member. */
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

static size_t begin_record(struct buf *out, uint32_t type)
{
        struct perf_header header = {.type = type};
        size_t at = out->len;

        buf_add(out, &header, sizeof(header));
        return at;
}

static void end_record(struct buf *out, size_t at)
{
        uint16_t size;

        buf_add_zeros(out, -(out->len - at) & 7);
        size = (uint16_t)(out->len - at);
        memcpy(out->data + at + offsetof(struct perf_header, size), &size, sizeof(size));
}

static const char *last_part(const char *path)
{
        const char *slash = strrchr(path, '/');

        return slash ? slash + 1 : path;
}

static void add_thread(struct buf *out, int32_t tid, const char *command)
{
        AUTO_RELEASE(buf) text = {0};
        char name[PERF_THREAD_MAP_COMM] = "", path[64];

        if (command) {
                text_copy(name, sizeof(name), last_part(command));
        } else if (tid > 0) {
                snprintf(path, sizeof(path), "/proc/%" PRId32 "/comm", tid);
                if (os_read_file(path, 4096, &text, NULL) && text.len) {
                        text.data[strcspn(text.data, "\n")] = '\0';
                        text_copy(name, sizeof(name), text.data);
                }
        }
        buf_add_u64(out, (uint64_t)(int64_t)tid);
        buf_add(out, name, sizeof(name));
}

/* A record holds so many threads; the others have their counts all the same. */
enum { MAX_THREADS_IN_MAP = 2700 };

static void add_thread_map(struct buf *out, const struct count_request *request, const int32_t *tids,
                           size_t n_tids)
{
        size_t n = n_tids < MAX_THREADS_IN_MAP ? n_tids : MAX_THREADS_IN_MAP;
        size_t at = begin_record(out, PERF_RECORD_THREAD_MAP);
        bool all = count_request_is_system_wide(request) || !n;

        buf_add_u64(out, all ? 1 : n);
        if (all)
                add_thread(out, -1, NULL);
        for (size_t i = 0; i < n && !all; i++)
                add_thread(out, tids[i], request->target.argv ? request->target.argv[0] : NULL);
        end_record(out, at);
}

/* UINT32_MAX, which is any CPU, comes first as -1 in perf's order. */
static int compare_cpus(const void *a, const void *b)
{
        int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

        return (x > y) - (x < y);
}

static void add_cpu_map(struct buf *out, const struct rounds *r)
{
        int32_t *cpus = mem_new(r->n_stats, sizeof(*cpus));
        size_t n = 0, at = begin_record(out, PERF_RECORD_CPU_MAP);

        for (size_t i = 0; i < r->n_stats; i++)
                cpus[i] = (int32_t)r->stats[i].cpu;
        qsort(cpus, r->n_stats, sizeof(*cpus), compare_cpus);
        for (size_t i = 0; i < r->n_stats; i++) {
                if (!n || cpus[i] != cpus[n - 1])
                        cpus[n++] = cpus[i];
        }
        buf_add_u16(out, PERF_CPU_MAP_CPUS);
        buf_add_u16(out, (uint16_t)n);
        for (size_t i = 0; i < n; i++)
                buf_add_u16(out, (uint16_t)cpus[i]);
        free(cpus);
        end_record(out, at);
}

static void add_config(struct buf *out, uint32_t interval_ms)
{
        const uint64_t terms[][2] = {
                {PERF_STAT_CONFIG_AGGR_MODE, PERF_AGGR_GLOBAL},
                {PERF_STAT_CONFIG_INTERVAL, interval_ms},
                {PERF_STAT_CONFIG_SCALE, 1},
        };
        size_t at = begin_record(out, PERF_RECORD_STAT_CONFIG);

        buf_add_u64(out, N_ELEMENTS(terms));
        buf_add(out, terms, sizeof(terms));
        end_record(out, at);
}

bool rounds_put_maps(const struct rounds *r, const struct count_request *request, const int32_t *tids,
                     size_t n_tids, const struct record_sink *sink, struct err *err)
{
        AUTO_RELEASE(buf) out = {0};

        add_thread_map(&out, request, tids, n_tids);
        add_cpu_map(&out, r);
        add_config(&out, request->interval_ms);
        return sink->put(sink->ctx, out.data, out.len, err);
}
