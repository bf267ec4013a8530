/* SPDX-License-Identifier: BSD-3-Clause */
/* A driver rotates the counters itself: at each tick of its timer it adds the counters to its sums and
 * starts the next window of events. The schedule is made here, so that the events of a group are in one
 * window. */
#include "windows_driver_counts.h"

#include <assert.h>
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
        e->refusal = mem_strdup(why);
}

/* Without a driver, that which most machines have. */
static const struct driver_backend *backend_of(const struct driver_counts *d)
{
        return d->backend ? d->backend : &backend_wperfdriver;
}

static const char *driver_name(const struct driver_counts *d)
{
        return backend_of(d)->name;
}

static bool filters_each(const struct driver_counts *d)
{
        return backend_of(d)->filters_each;
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

/* The plan of a class of a unit. */
static struct driver_plan *plan_of_unit(struct driver_counts *d, const struct kernel_unit_event *event)
{
        struct driver_plan *plan;

        for (size_t i = 1; i < d->n_plans; i++) {
                if (d->plans[i].unit == event->unit && d->plans[i].class == event->class)
                        return &d->plans[i];
        }
        plan = &d->plans[d->n_plans++];
        plan->unit = event->unit;
        plan->class = event->class;
        return plan;
}

static struct driver_plan *plan_unit_event(struct driver_counts *d, const struct kernel_driver *facts,
                                           const struct count_event *item, struct driver_event *e)
{
        struct kernel_unit_event event;
        char text[160];

        if (!facts || !kernel_units_find_event(&facts->units, &e->attr, &event)) {
                snprintf(text, sizeof(text),
                         item->class == COUNT_DMC_CLK
                                 ? "%s reads other counters than those of %s: its counts would be wrong"
                                 : "%s does not count events of %s",
                         driver_name(d), count_class_name(item->class));
                refuse(e, text);
                return NULL;
        }
        e->code = event.code;
        e->is_cycles = event.class->has_cycles && event.class->class->cycles_code == (int64_t)event.code;
        return plan_of_unit(d, &event);
}

static void plan_core_event(struct driver_counts *d, const struct count_event *item, size_t index,
                            struct driver_event *e)
{
        uint16_t number;
        char text[160];

        if (item->event.attr.type == PERF_TYPE_SOFTWARE) {
                snprintf(text, sizeof(text), "%s counts no software events", driver_name(d));
                refuse(e, text);
        } else if (e->is_cycles) {
                if (filters_each(d))
                        check_cycles(d, e, index);
        } else if (wperfdriver_event_number(&item->event, &number)) {
                e->code = number;
        } else {
                snprintf(text, sizeof(text), "the event has no number on the PMU, and %s takes only numbers",
                         driver_name(d));
                refuse(e, text);
        }
}

/* Returns the plan that the event belongs to; NULL if it is not counted. */
static struct driver_plan *plan_event(struct driver_counts *d, const struct kernel_driver *facts,
                                      const struct count_event *item, size_t index)
{
        struct driver_event *e = &d->events[index];
        struct driver_plan *plan = &d->plans[0];

        *e = (struct driver_event){
                .attr = item->event.attr, .id = MADE_UP_ID | index, .is_cycles = item->is_cycle};
        e->attr.size = sizeof(e->attr);
        e->attr.sample_type = PERF_SAMPLE_IDENTIFIER;
        e->attr.read_format =
                PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID;
        if (item->refused)
                refuse(e, item->refused);
        else if (item->class != COUNT_CORE)
                plan = plan_unit_event(d, facts, item, e);
        else
                plan_core_event(d, item, index, e);
        return e->refusal ? NULL : plan;
}

static bool make_schedule(const struct driver_counts *d, const struct count_list *list,
                          struct driver_plan *plan, unsigned n_counters, struct err *err)
{
        struct schedule_event *events = mem_new(plan->n_events, sizeof(*events));
        uint32_t *indexes = mem_new(plan->n_events, sizeof(*indexes));
        size_t n = 0;
        bool ok;

        for (size_t i = 0; i < plan->n_events; i++) {
                const struct count_event *item = &list->items[plan->events[i]];

                if (d->events[plan->events[i]].is_cycles)
                        continue;
                indexes[n] = (uint32_t)i;
                events[n++] = (struct schedule_event){
                        .code = d->events[plan->events[i]].code,
                        .group = item->together ? (int32_t)item->together : -1,
                        .metric = item->metric,
                };
        }
        ok = schedule_make(events, n, n_counters, backend_of(d)->max_slots(plan),
                           plan->unit ? plan->class->class->name : "core", &plan->schedule, err);
        for (size_t i = 0; ok && i < plan->schedule.n_slots; i++) {
                if (plan->schedule.slots[i].event != UINT32_MAX)
                        plan->schedule.slots[i].event = indexes[plan->schedule.slots[i].event];
        }
        free(events);
        free(indexes);
        return ok;
}

bool driver_counts_plan(const struct count_request *request, const struct kernel_driver *facts,
                        unsigned n_counters, struct driver_counts *ret, struct err *err)
{
        const struct count_list *list = request->list;
        const char *first_refusal = NULL;
        bool filtered = false, any = false, ok = true;

        ret->period_ms = request->period_ms ? request->period_ms : COUNT_PERIOD_MS;
        ret->n_events = list->n_items;
        ret->events = mem_new(list->n_items, sizeof(*ret->events));
        ret->plans = mem_new(list->n_items + 1, sizeof(*ret->plans));
        ret->n_plans = 1;
        for (size_t i = 0; i < list->n_items; i++) {
                struct driver_event *e = &ret->events[i];
                struct driver_plan *plan = plan_event(ret, facts, &list->items[i], i);

                if (plan == &ret->plans[0] && !e->is_cycles && !filters_each(ret)) {
                        check_modes(ret, e, !filtered);
                        filtered |= !e->refusal;
                }
                if (e->refusal) {
                        first_refusal = first_refusal ? first_refusal : e->refusal;
                        continue;
                }
                ARRAY_PUSH(plan->events, plan->n_events, plan->cap_events, i);
                any |= !e->is_cycles || plan->unit;
        }
        if (!any && first_refusal)
                return err_set(err, ERR_UNSUPPORTED, "%s", first_refusal);
        for (size_t i = 0; ok && i < ret->n_plans; i++)
                ok = make_schedule(ret, list, &ret->plans[i],
                                   ret->plans[i].unit ? ret->plans[i].class->n_counters : n_counters, err);
        return ok;
}

/* --- opening --- */

static void add_place(struct driver_counts *d, const struct driver_plan *plan, uint32_t cpu)
{
        d->places[d->n_places++] =
                (struct driver_place){plan, cpu, 0, mem_new(plan->n_events, sizeof(struct driver_sum))};
}

static bool choose_places(const struct count_request *request, struct driver_counts *d, struct err *err)
{
        uint16_t n_cpus = d->backend->get_facts(d->driver)->n_cpus;
        size_t n = request->target.n_cpus ? request->target.n_cpus : n_cpus;

        d->places = mem_new(n + d->n_plans, sizeof(*d->places));
        for (size_t i = 0; i < n; i++) {
                uint32_t cpu = request->target.n_cpus ? request->target.cpus[i] : (uint32_t)i;

                if (cpu >= n_cpus)
                        return err_set(err, ERR_USAGE,
                                       "core index %" PRIu32 " not allowed. Use 0-%u, see option -c <n>", cpu,
                                       n_cpus - 1u);
                if (d->plans[0].n_events)
                        add_place(d, &d->plans[0], cpu);
        }
        d->n_cores = d->n_places;
        for (size_t i = 1; i < d->n_plans; i++)
                add_place(d, &d->plans[i], d->plans[i].unit->cpu);
        return true;
}

bool driver_counts_open(const struct count_request *request, struct driver_counts *ret, struct err *err)
{
        const struct kernel_driver *facts;

        ret->backend = own_driver_is_loaded() ? &backend_own : &backend_wperfdriver;
        ret->driver = ret->backend->open(err);
        if (!ret->driver)
                return false;
        facts = ret->backend->get_facts(ret->driver);
        return driver_counts_plan(request, facts, facts->n_counters, ret, err) &&
               choose_places(request, ret, err) && ret->backend->assign(ret, err);
}

void driver_counts_release(struct driver_counts *d)
{
        if (d->runs)
                d->backend->abandon(d);
        for (size_t i = 0; i < d->n_places; i++)
                free(d->places[i].sums);
        for (size_t i = 0; i < d->n_plans; i++) {
                schedule_release(&d->plans[i].schedule);
                free(d->plans[i].events);
        }
        for (size_t i = 0; d->events && i < d->n_events; i++)
                free(d->events[i].refusal);
        if (d->driver)
                d->backend->free(d->driver);
        free(d->places);
        free(d->plans);
        free(d->events);
        *d = (struct driver_counts){0};
}

/* --- counting --- */

bool driver_counts_start(struct driver_counts *d, struct err *err)
{
        assert(!d->runs);
        d->runs = d->backend->start(d, err);
        return d->runs;
}

bool driver_counts_read(struct driver_counts *d, struct err *err)
{
        for (size_t i = 0; i < d->n_places; i++) {
                if (!d->backend->read_place(d, &d->places[i], err))
                        return false;
        }
        return true;
}

bool driver_counts_stop(struct driver_counts *d, struct err *err)
{
        d->runs = false;
        return d->backend->stop(d, err);
}

uint64_t driver_counts_running_ns(const struct driver_place *place, const struct driver_sum *sum,
                                  uint64_t span_ns)
{
        if (!place->round)
                return 0;
        return (uint64_t)((double)span_ns * ((double)sum->scheduled / (double)place->round) + 0.5);
}

void driver_counts_keep(struct driver_counts *d, uint64_t span_ns)
{
        for (size_t i = 0; i < d->n_places; i++) {
                struct driver_place *place = &d->places[i];

                for (size_t k = 0; k < place->plan->n_events; k++) {
                        struct driver_sum *sum = &place->sums[k];

                        sum->past_value += sum->value;
                        sum->past_running_ns += driver_counts_running_ns(place, sum, span_ns);
                        sum->value = sum->scheduled = 0;
                }
                place->round = 0;
        }
}
