/* SPDX-License-Identifier: BSD-3-Clause */
/* A driver rotates the counters itself: at each tick of its timer it adds the counters to its sums and starts the next window of
 * events. The schedule is made here, so that the events of a group are in one window. */
#include "windows_driver_counts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "count_config.h"
#include "mem.h"
#include "windows_backend_internal.h"
#include "windows_own_driver.h"
#include "windows_wperfdriver.h"

/* No counter has such an id. */
#define MADE_UP_ID 0xc0c0000000000000ull

/* The event cpu_cycles. */
enum { CYCLES_EVENT = 0x11 };

/* --- planning --- */

static void refuse(struct driver_event *e, const char *why)
{
        e->obstacle = mem_strdup(why);
}

/* The name of the driver in messages; without one, of the driver that most machines have. */
static const char *driver_name(const struct driver_counts *d)
{
        return d->backend ? d->backend->name : backend_wperfdriver.name;
}

static bool filters_each(const struct driver_counts *d)
{
        return d->backend && d->backend->filters_each;
}

/* One filter is valid for all events of a core. */
static void check_modes(struct driver_counts *d, struct driver_event *e, bool is_first)
{
        uint64_t filter_bits = e->attr.flags & PERF_ATTR_EXCLUDE_KERNEL ? WPERFDRIVER_NO_KERNEL : 0;

        if (e->attr.flags & PERF_ATTR_EXCLUDE_USER)
                refuse(e,
                       "WPERFDRIVER always counts in user mode: leave out the modifier, or use -k to count in the kernel, too");
        else if (is_first)
                d->filter_bits = filter_bits;
        else if (d->filter_bits != filter_bits)
                refuse(e,
                       "WPERFDRIVER counts all events of a core in the same modes: use -k instead of modifiers");
}

/* The counter that counts cycles only has one filter: that of the first event that it counts. */
static void check_cycles(const struct driver_counts *d, struct driver_event *e, size_t index)
{
        const uint64_t modes = PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_EXCLUDE_USER;

        for (size_t i = 0; i < index; i++) {
                const struct driver_event *first = &d->events[i];

                if (!first->is_cycles)
                        continue;
                if ((first->attr.flags & modes) != (e->attr.flags & modes)) {
                        e->is_cycles = false;
                        e->code = CYCLES_EVENT;
                }
                return;
        }
}

static struct driver_event plan_event(const struct driver_counts *d, const struct count_event *item,
                                      size_t index)
{
        struct driver_event e = {
                .attr = item->event.attr, .id = MADE_UP_ID | index, .is_cycles = item->is_cycle};
        char text[128];

        e.attr.size = sizeof(e.attr);
        e.attr.sample_type = PERF_SAMPLE_IDENTIFIER;
        e.attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID;
        if (item->refused) {
                refuse(&e, item->refused);
        } else if (item->class != COUNT_CORE || item->event.attr.type == PERF_TYPE_SOFTWARE) {
                snprintf(text, sizeof(text), "%s is used for events of the cores only", driver_name(d));
                refuse(&e, text);
        } else if (!e.is_cycles && !wperfdriver_event_number(&item->event, &e.code)) {
                snprintf(text, sizeof(text), "the event has no number on the PMU, and %s takes only numbers",
                         driver_name(d));
                refuse(&e, text);
        } else if (e.is_cycles && filters_each(d)) {
                check_cycles(d, &e, index);
        }
        return e;
}

static bool make_schedule(struct driver_counts *d, const struct count_list *list, unsigned n_counters,
                          struct err *err)
{
        struct schedule_event *events = mem_new(d->n_events, sizeof(*events));
        uint32_t *indexes = mem_new(d->n_events, sizeof(*indexes));
        size_t n = 0;
        bool ok;

        for (size_t i = 0; i < d->n_events; i++) {
                const struct count_event *item = &list->items[i];

                if (d->events[i].is_cycles || d->events[i].obstacle)
                        continue;
                indexes[n] = (uint32_t)i;
                events[n++] = (struct schedule_event){
                        .code = d->events[i].code,
                        .group = item->together ? (int32_t)item->together : -1,
                        .metric = item->metric,
                };
        }
        ok = schedule_make(events, n, n_counters, SCHEDULE_CORE_MAX, "core", &d->schedule, err);
        for (size_t i = 0; ok && i < d->schedule.n_slots; i++) {
                if (d->schedule.slots[i].event != UINT32_MAX)
                        d->schedule.slots[i].event = indexes[d->schedule.slots[i].event];
        }
        free(events);
        free(indexes);
        return ok;
}

bool driver_counts_plan(const struct count_request *request, unsigned n_counters, struct driver_counts *ret,
                        struct err *err)
{
        const struct count_list *list = request->list;
        const char *first_obstacle = NULL;
        size_t n = 0;

        ret->period_ms = request->period_ms ? request->period_ms : COUNT_PERIOD_MS;
        ret->n_events = list->n_items;
        ret->events = mem_new(list->n_items, sizeof(*ret->events));
        for (size_t i = 0; i < list->n_items; i++) {
                struct driver_event *e = &ret->events[i];

                *e = plan_event(ret, &list->items[i], i);
                if (!e->obstacle && !e->is_cycles) {
                        if (!filters_each(ret))
                                check_modes(ret, e, !n);
                        n += !e->obstacle;
                }
                if (e->obstacle && !first_obstacle)
                        first_obstacle = e->obstacle;
        }
        if (!n && first_obstacle)
                return err_set(err, ERR_UNSUPPORTED, "%s", first_obstacle);
        return make_schedule(ret, list, n_counters, err);
}

/* --- opening --- */

static bool choose_cores(const struct count_request *request, struct driver_counts *d, struct err *err)
{
        uint16_t n_cpus = d->backend->get_facts(d->driver)->n_cpus;
        size_t n = request->target.n_cpus ? request->target.n_cpus : n_cpus;

        d->cores = mem_new(n, sizeof(*d->cores));
        for (size_t i = 0; i < n; i++) {
                uint32_t cpu = request->target.n_cpus ? request->target.cpus[i] : (uint32_t)i;

                if (cpu >= n_cpus)
                        return err_set(err, ERR_USAGE,
                                       "core index %" PRIu32 " not allowed. Use 0-%u, see option -c <n>", cpu,
                                       n_cpus - 1u);
                d->cores[d->n_cores++] =
                        (struct driver_core){cpu, 0, mem_new(d->n_events, sizeof(struct driver_sum))};
        }
        return true;
}

bool driver_counts_open(const struct count_request *request, struct driver_counts *ret, struct err *err)
{
        ret->backend = own_driver_is_loaded() ? &backend_own : &backend_wperfdriver;
        ret->driver = ret->backend->open(err);
        return ret->driver &&
               driver_counts_plan(request, ret->backend->get_facts(ret->driver)->n_counters, ret, err) &&
               choose_cores(request, ret, err) && ret->backend->assign(ret, err);
}

void driver_counts_release(struct driver_counts *d)
{
        if (d->runs)
                d->backend->abandon(d);
        for (size_t i = 0; i < d->n_cores; i++)
                free(d->cores[i].sums);
        for (size_t i = 0; d->events && i < d->n_events; i++)
                free(d->events[i].obstacle);
        schedule_release(&d->schedule);
        if (d->driver)
                d->backend->free(d->driver);
        free(d->cores);
        free(d->events);
        *d = (struct driver_counts){0};
}

/* --- counting --- */

bool driver_counts_start(struct driver_counts *d, struct err *err)
{
        d->runs = d->backend->start(d, err);
        return d->runs;
}

bool driver_counts_read(struct driver_counts *d, struct err *err)
{
        for (size_t i = 0; i < d->n_cores; i++) {
                if (!d->backend->read_core(d, &d->cores[i], err))
                        return false;
        }
        return true;
}

bool driver_counts_stop(struct driver_counts *d, struct err *err)
{
        d->runs = false;
        return d->backend->stop(d, err);
}

uint64_t driver_counts_running_ns(const struct driver_core *core, const struct driver_sum *sum,
                                  uint64_t span_ns)
{
        if (!core->round)
                return 0;
        return (uint64_t)((double)span_ns * ((double)sum->scheduled / (double)core->round) + 0.5);
}

void driver_counts_keep(struct driver_counts *d, uint64_t span_ns)
{
        for (size_t i = 0; i < d->n_cores; i++) {
                struct driver_core *core = &d->cores[i];

                for (size_t k = 0; k < d->n_events; k++) {
                        struct driver_sum *sum = &core->sums[k];

                        sum->past_value += sum->value;
                        sum->past_running_ns += driver_counts_running_ns(core, sum, span_ns);
                        sum->value = sum->scheduled = 0;
                }
                core->round = 0;
        }
}
