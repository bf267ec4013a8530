/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens the counted events: on which threads and CPUs, in which groups, and what is used in place of events
 * that the kernel refuses. An event that can't be opened does not affect the others. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "linux_count.h"
#include "log.h"
#include "mem.h"

/* No counter has such an id: the kernel numbers its events from 1. */
#define MADE_UP_ID 0xc0c0000000000000ull

struct counting_opener {
        const struct count_request *request;
        const int32_t *tids;
        size_t n_tids;
        int32_t everybody;
        uint32_t *cpus; /* NULL for any CPU */
        size_t n_cpus;
        struct counted *counted;
};

/* The threads and CPUs on which an event counts: each thread on each CPU. */
struct counting_places {
        const int32_t *tids;
        size_t n_tids;
        const uint32_t *cpus; /* {UINT32_MAX} for any CPU */
        size_t n_cpus;
};

static const int32_t all_threads[] = {-1};
static const uint32_t any_cpu[] = {UINT32_MAX}, first_cpu[] = {0};

bool count_request_is_system_wide(const struct count_request *r)
{
        return r->target.system_wide || (!r->target.argv && !r->target.n_pids);
}

uint32_t counted_group(const struct count_request *request, size_t index)
{
        const struct count_event *e = &request->list->items[index];

        assert(index < request->list->n_items);
        if (e->refused)
                return 0;
        if (e->together)
                return e->together;
        return e->event.attr.type == PERF_TYPE_SOFTWARE && count_request_is_system_wide(request) ? UINT32_MAX
                                                                                                 : 0;
}

struct perf_attr counted_attr(const struct count_request *request, const struct event *event, bool leads)
{
        struct perf_attr attr = event->attr;
        bool follows = !event->uncore && !count_request_is_system_wide(request);

        attr.size = sizeof(attr);
        /* perf writes ids into a session of counts only with this bit. */
        attr.sample_type = PERF_SAMPLE_IDENTIFIER;
        attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID;
        /* Inherited events can't be read as a group. */
        if (follows)
                attr.flags |= PERF_ATTR_INHERIT;
        else
                attr.read_format |= PERF_FORMAT_GROUP;
        if (leads)
                attr.flags |= PERF_ATTR_DISABLED;
        if (leads && follows && request->target.argv && !request->target.delay_ns)
                attr.flags |= PERF_ATTR_ENABLE_ON_EXEC;
        return attr;
}

static struct counting_places places_of(const struct counting_opener *o, const struct event *event)
{
        if (event->uncore)
                return (struct counting_places){all_threads, 1, event->cpus ? event->cpus : first_cpu,
                                                event->cpus ? event->n_cpus : 1};
        return (struct counting_places){
                .tids = count_request_is_system_wide(o->request) ? &o->everybody : o->tids,
                .n_tids = count_request_is_system_wide(o->request) ? 1 : o->n_tids,
                .cpus = o->cpus ? o->cpus : any_cpu,
                .n_cpus = o->cpus ? o->n_cpus : 1,
        };
}

static bool serves(const struct event *event, uint32_t cpu)
{
        return cpu == UINT32_MAX || linux_event_serves(event, cpu);
}

/* --- one event --- */

static void close_event(struct counted_event *e)
{
        for (size_t i = 0; i < e->n_counters; i++)
                close(e->counters[i].fd);
        e->n_counters = 0;
}

/* The leader's descriptor on the same CPU and thread; both were opened in the same order, so `guess` is tried
 * first. */
static int group_fd(const struct counted_event *leader, const struct counter *place, size_t guess)
{
        for (size_t i = 0; i < leader->n_counters; i++) {
                const struct counter *c = &leader->counters[(guess + i) % leader->n_counters];

                if (c->cpu == place->cpu && c->thread == place->thread)
                        return c->fd;
        }
        return -1;
}

/* Replaces the event by an equivalent one that the kernel may accept; false if there is none. */
static bool say_otherwise(const struct counting_opener *o, struct counted_event *e, int error)
{
        struct event other = e->event;

        if (linux_refusal_is_missing_pmu(error)) {
                if (!event_by_number(&e->event, &other))
                        return false;
        } else if ((error == EACCES || error == EPERM) && perf_attr_is_clock(&e->event.attr) &&
                   !(e->event.attr.flags & PERF_ATTR_EXCLUDE_KERNEL)) {
                /* Clock events ignore the exclude bits, so the time in the kernel is still counted. */
                other.attr.flags |= PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_EXCLUDE_HV;
        } else {
                return false;
        }
        log_debug("'%s': %s, so another event with the same meaning is tried", e->event.name,
                  strerror(error));
        e->event = other;
        e->attr = counted_attr(o->request, &e->event, e->leads);
        return true;
}

/* A CPU that went offline or a thread that ended is not an error if another one was opened. */
static bool may_be_skipped(const struct counting_places *p, int error)
{
        return (error == ENODEV && p->n_cpus > 1) || (error == ESRCH && p->n_tids > 1);
}

static int open_in(struct counting_opener *o, struct counted_event *e, const struct counted_event *leader,
                   const struct counting_places *p, size_t cpu, size_t thread)
{
        struct counter c = {.cpu = p->cpus[cpu], .thread = (uint32_t)thread};
        int group = leader ? group_fd(leader, &c, e->n_counters) : -1;
        int error;

        /* Skip CPUs and threads on which the leader does not count. */
        if (leader && group < 0)
                return 0;
        do {
                c.fd = linux_event_open(&e->attr, p->tids[thread], (int32_t)c.cpu, group);
                error = errno;
                if (c.fd >= 0) {
                        ARRAY_PUSH(e->counters, e->n_counters, e->cap_counters, c);
                        return 0;
                }
        } while (!e->n_counters && say_otherwise(o, e, error));
        return error;
}

/* Returns 0, or the kernel's error; then nothing is open. */
static int open_event(struct counting_opener *o, struct counted_event *e, const struct counted_event *leader)
{
        struct counting_places p = places_of(o, &e->event);
        int error, skipped = ENODEV;

        e->leads = !leader;
        e->attr = counted_attr(o->request, &e->event, e->leads);
        for (size_t cpu = 0; cpu < p.n_cpus; cpu++) {
                if (!serves(&e->event, p.cpus[cpu]))
                        continue;
                for (size_t thread = 0; thread < p.n_tids; thread++) {
                        error = open_in(o, e, leader, &p, cpu, thread);
                        if (error && may_be_skipped(&p, error)) {
                                skipped = error;
                        } else if (error) {
                                close_event(e);
                                return error;
                        }
                }
        }
        e->at_exec = e->attr.flags & PERF_ATTR_ENABLE_ON_EXEC;
        return e->n_counters ? 0 : skipped;
}

/* --- refusals --- */

static void set_refusal(struct counted_event *e, const struct err *why)
{
        log_debug("'%s': %s", e->event.name, why->text);
        free(e->refusal);
        e->refusal = mem_strdup(why->text);
}

static bool serves_none(const struct counting_opener *o, const struct event *event)
{
        for (size_t i = 0; i < o->n_cpus; i++) {
                if (linux_event_serves(event, o->cpus[i]))
                        return false;
        }
        return o->cpus && !event->uncore;
}

static void refuse(struct counting_opener *o, struct counted_event *e, int error, struct err *first)
{
        const struct refused_use use = {
                .verb = "count",
                .doing = "counting",
                .all = e->event.uncore || count_request_is_system_wide(o->request),
                .counts = true,
        };
        struct err why = {0};

        e->source = count_source_instead(o->request, &e->event, error);
        if (e->source != SOURCE_COUNTER) {
                e->attr = e->event.attr;
                o->counted->estimates = true;
                return;
        }
        if (serves_none(o, &e->event))
                err_set(&why, ERR_USAGE, "none of the CPUs of -c has the event '%s': its PMU is '%s'",
                        e->event.name, e->event.pmu);
        else
                linux_refusal(&use, &e->event, o->n_tids ? o->tids[0] : -1, error, &why);
        set_refusal(e, &why);
        if (first->code == ERR_NONE)
                *first = why;
}

/* --- groups --- */

static bool opens_alone(struct counting_opener *o, const struct counted_event *e)
{
        struct counting_places p = places_of(o, &e->event);
        int fd = -1;

        for (size_t cpu = 0; cpu < p.n_cpus && fd < 0; cpu++) {
                if (serves(&e->event, p.cpus[cpu]))
                        fd = linux_event_open(&e->attr, p.tids[0], (int32_t)p.cpus[cpu], -1);
        }
        if (fd >= 0)
                close(fd);
        return fd >= 0;
}

static void group_does_not_fit(struct counting_opener *o, size_t first, const struct counted_event *refused,
                               struct err *ret_first)
{
        const char *pmu = refused->event.pmu;
        struct err why = {0};
        size_t n = 0;

        for (size_t i = first; i < o->counted->n_events; i++)
                n += o->counted->events[i].group == o->counted->events[first].group;
        err_set(&why, ERR_LIMIT,
                "the group of %zu events needs more counters than %s%s has: make the group smaller, or leave the braces "
                "out",
                n, *pmu ? "PMU " : "the CPU", pmu);
        for (size_t i = first; i < o->counted->n_events; i++) {
                struct counted_event *e = &o->counted->events[i];

                if (e->group != o->counted->events[first].group)
                        continue;
                close_event(e);
                e->source = SOURCE_COUNTER;
                set_refusal(e, &why);
        }
        if (ret_first->code == ERR_NONE)
                *ret_first = why;
}

static void open_group(struct counting_opener *o, size_t first, struct err *first_why)
{
        struct counted_event *leader = NULL;

        for (size_t i = first; i < o->counted->n_events; i++) {
                struct counted_event *e = &o->counted->events[i];
                int error;

                if (e->group != o->counted->events[first].group)
                        continue;
                error = open_event(o, e, leader);
                if (error == EINVAL && leader && opens_alone(o, e)) {
                        group_does_not_fit(o, first, e, first_why);
                        return;
                }
                if (error)
                        refuse(o, e, error, first_why);
                else if (!leader)
                        leader = e;
        }
}

static bool is_first_of_group(const struct counted *counted, size_t index)
{
        for (size_t i = 0; i < index; i++) {
                if (counted->events[i].group == counted->events[index].group)
                        return false;
        }
        return true;
}

static void open_all(struct counting_opener *o, struct err *first_why)
{
        const struct count_list *list = o->request->list;

        for (size_t i = 0; i < list->n_items; i++) {
                o->counted->events[i].event = list->items[i].event;
                o->counted->events[i].group = counted_group(o->request, i);
        }
        for (size_t i = 0; i < list->n_items; i++) {
                struct counted_event *e = &o->counted->events[i];

                if (list->items[i].refused) {
                        e->attr = e->event.attr;
                        e->refusal = mem_strdup(list->items[i].refused);
                } else if (e->group) {
                        if (is_first_of_group(o->counted, i))
                                open_group(o, i, first_why);
                } else {
                        int error = open_event(o, e, NULL);

                        if (error)
                                refuse(o, e, error, first_why);
                }
        }
}

/* --- all events --- */

static void take_ids(struct counted *counted)
{
        for (size_t i = 0; i < counted->n_events; i++) {
                struct counted_event *e = &counted->events[i];

                e->ids = mem_new(e->n_counters + 1, sizeof(*e->ids));
                e->ids[0] = MADE_UP_ID | i;
                for (size_t k = 0; k < e->n_counters; k++)
                        ioctl(e->counters[k].fd, IOC_ID, &e->ids[k]);
                counted->n_counters += e->n_counters;
        }
}

static void open_presence(struct counting_opener *o)
{
        struct counted_event *e = &o->counted->presence;

        if (count_request_is_system_wide(o->request))
                return;
        if (!o->cpus && o->request->list->kinds.n_items > 1)
                o->cpus = machine_cpus(NULL, 0, false, &o->n_cpus, NULL);
        if (!o->cpus)
                return;
        e->event = linux_attr_dummy();
        open_event(o, e, NULL);
}

static bool is_counted(const struct counted *counted)
{
        for (size_t i = 0; i < counted->n_events; i++) {
                if (!counted->events[i].refusal)
                        return true;
        }
        return false;
}

bool counted_open(const struct count_request *request, const int32_t *tids, size_t n_tids,
                  struct counted *ret, struct err *err)
{
        struct counting_opener o = {.request = request,
                                    .tids = tids,
                                    .n_tids = n_tids,
                                    .everybody = linux_event_everybody(&request->target),
                                    .counted = ret};
        struct err first_why = {0};

        *ret = (struct counted){.n_events = request->list->n_items};
        if (request->target.n_cpus || count_request_is_system_wide(request)) {
                o.cpus = machine_cpus(request->target.cpus, request->target.n_cpus, false, &o.n_cpus, err);
                if (!o.cpus)
                        return false;
        }
        machine_raise_file_limit();
        ret->events = mem_new(ret->n_events, sizeof(*ret->events));
        open_all(&o, &first_why);
        open_presence(&o);
        take_ids(ret);
        free(o.cpus);
        if (is_counted(ret))
                return true;
        counted_release(ret);
        if (first_why.code == ERR_NONE)
                return err_set(err, ERR_USAGE, "there is no event to count");
        if (err)
                *err = first_why;
        return false;
}

void counted_release(struct counted *counted)
{
        close_event(&counted->presence);
        free(counted->presence.counters);
        for (size_t i = 0; i < counted->n_events && counted->events; i++) {
                struct counted_event *e = &counted->events[i];

                close_event(e);
                free(e->counters);
                free(e->ids);
                free(e->refusal);
        }
        free(counted->events);
        *counted = (struct counted){0};
}

static void enable_event(const struct counted_event *e, bool enable, bool also_at_exec)
{
        if (!e->leads || (e->at_exec && !also_at_exec))
                return;
        for (size_t i = 0; i < e->n_counters; i++)
                ioctl(e->counters[i].fd, enable ? IOC_ENABLE : IOC_DISABLE, 0);
}

void counted_enable(const struct counted *counted, bool enable, bool also_at_exec)
{
        enable_event(&counted->presence, enable, also_at_exec);
        for (size_t i = 0; i < counted->n_events; i++)
                enable_event(&counted->events[i], enable, also_at_exec);
}
