/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver rotates the counters itself: at each tick of its timer it adds the counters to its sums and starts the next window of
 * events. Its schedule is made here, so that the events of a group are in one window. */
#include "windows_driver_counts.h"

#include <windows.h>

#include <inttypes.h>
#include <stdlib.h>

#include "count_config.h"
#include "mem.h"
#include "os.h"
#include "wperfdriver_answers.h"

/* No counter has such an id. */
#define MADE_UP_ID 0xc0c0000000000000ull

/* A tick is expected after 0.2 s; a machine may be busy. */
#define TICK_LIMIT_NS UINT64_C(5000000000)
enum { TICK_POLL_MS = 2 };

/* The driver of version 3.8 refuses requests for 128 cores. */
enum { CORES_IN_REQUEST = 127 };

/* --- planning --- */

static void refuse(struct driver_event *e, const char *why)
{
        e->obstacle = mem_strdup(why);
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

static struct driver_event plan_event(const struct count_event *item, size_t index)
{
        struct driver_event e = {
                .attr = item->event.attr, .id = MADE_UP_ID | index, .is_cycles = item->is_cycle};

        e.attr.size = sizeof(e.attr);
        e.attr.sample_type = PERF_SAMPLE_IDENTIFIER;
        e.attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID;
        if (item->refused)
                refuse(&e, item->refused);
        else if (item->class != COUNT_CORE || item->event.attr.type == PERF_TYPE_SOFTWARE)
                refuse(&e, "WPERFDRIVER is used for events of the cores only");
        else if (!e.is_cycles && !wperfdriver_event_number(&item->event, &e.code))
                refuse(&e, "the event has no number on the PMU, and WPERFDRIVER takes only numbers");
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

                *e = plan_event(&list->items[i], i);
                if (!e->obstacle && !e->is_cycles) {
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
        uint16_t n_cpus = wperfdriver_get_facts(d->driver)->n_cpus;
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

static bool assign(struct driver_counts *d, struct err *err)
{
        const struct wperfdriver_events header = {WPERFDRIVER_CORE, (uint32_t)d->schedule.n_slots};
        AUTO_RELEASE(buf) message = {0};

        for (size_t i = 0; i < d->n_cores; i++) {
                const struct wperfdriver_assign to = {.core = d->cores[i].cpu, .filter_bits = d->filter_bits};

                buf_clear(&message);
                buf_add(&message, &to, sizeof(to));
                buf_add(&message, &header, sizeof(header));
                for (size_t k = 0; k < d->schedule.n_slots; k++)
                        buf_add_u16(&message, (uint16_t)d->schedule.slots[k].code);
                if (!wperfdriver_ask(d->driver, WPERFDRIVER_ASSIGN_EVENTS, message.data, message.len, NULL, 0,
                                     err))
                        return false;
        }
        return true;
}

/* Sends a request for all cores. */
static bool control(struct driver_counts *d, enum wperfdriver_request request, struct err *err)
{
        for (size_t i = 0; i < d->n_cores; i += CORES_IN_REQUEST) {
                struct wperfdriver_control to = {
                        .period_ms = (int32_t)d->period_ms,
                        .dmc = UINT8_MAX,
                        .flags = WPERFDRIVER_FLAG_CORE,
                };

                for (size_t k = i; k < d->n_cores && to.n_cores < CORES_IN_REQUEST; k++)
                        to.cores[to.n_cores++] = (uint8_t)d->cores[k].cpu;
                if (!wperfdriver_ask(d->driver, request, &to, sizeof(to), NULL, 0, err))
                        return false;
        }
        return true;
}

bool driver_counts_open(const struct count_request *request, struct driver_counts *ret, struct err *err)
{
        /* The lock was taken by force, if it had to be, when the driver was first asked. */
        ret->driver = wperfdriver_open(false, err);
        return ret->driver &&
               driver_counts_plan(request, wperfdriver_get_facts(ret->driver)->n_counters, ret, err) &&
               choose_cores(request, ret, err) && control(ret, WPERFDRIVER_STOP, err) && assign(ret, err);
}

void driver_counts_release(struct driver_counts *d)
{
        if (d->runs)
                control(d, WPERFDRIVER_STOP, NULL);
        for (size_t i = 0; i < d->n_cores; i++)
                free(d->cores[i].sums);
        for (size_t i = 0; d->events && i < d->n_events; i++)
                free(d->events[i].obstacle);
        schedule_release(&d->schedule);
        wperfdriver_free(d->driver);
        free(d->cores);
        free(d->events);
        *d = (struct driver_counts){0};
}

/* --- counting --- */

bool driver_counts_start(struct driver_counts *d, struct err *err)
{
        d->runs = control(d, WPERFDRIVER_RESET, err) && control(d, WPERFDRIVER_START, err);
        return d->runs;
}

static void set_sum(struct driver_sum *sum, const struct wperfdriver_count *count)
{
        sum->value = count->value;
        sum->scheduled = count->scheduled;
}

static bool take_counts(struct driver_counts *d, struct driver_core *core,
                        const struct wperfdriver_counts *counts, struct err *err)
{
        uint16_t codes[SCHEDULE_CORE_MAX] = {0};
        size_t n = d->schedule.n_slots;
        struct wperfdriver_sums sums;

        for (size_t i = 0; i < n && i < N_ELEMENTS(codes); i++)
                codes[i] = (uint16_t)d->schedule.slots[i].code;
        if (!wperfdriver_read_counts(counts, codes, n, core->cpu, &sums, err))
                return false;
        for (size_t i = 0; i < n; i++) {
                if (d->schedule.slots[i].event != UINT32_MAX)
                        set_sum(&core->sums[d->schedule.slots[i].event], sums.events[i]);
        }
        for (size_t i = 0; sums.cycles && i < d->n_events; i++) {
                if (d->events[i].is_cycles)
                        set_sum(&core->sums[i], sums.cycles);
        }
        core->round = sums.round;
        return true;
}

static bool read_core(struct driver_counts *d, struct driver_core *core, struct err *err)
{
        const struct wperfdriver_control from = {
                .n_cores = 1,
                .cores = {(uint8_t)core->cpu},
                .period_ms = (int32_t)d->period_ms,
                .dmc = UINT8_MAX,
                .flags = WPERFDRIVER_FLAG_CORE,
        };
        struct wperfdriver_counts counts;

        return wperfdriver_ask(d->driver, WPERFDRIVER_READ_COUNTING, &from, sizeof(from), &counts,
                               sizeof(counts), err) &&
               take_counts(d, core, &counts, err);
}

bool driver_counts_read(struct driver_counts *d, struct err *err)
{
        for (size_t i = 0; i < d->n_cores; i++) {
                if (!read_core(d, &d->cores[i], err))
                        return false;
        }
        return true;
}

static bool wait_for_tick(struct driver_counts *d, struct driver_core *core, uint64_t before,
                          uint64_t deadline_ns, struct err *err)
{
        while (core->round <= before) {
                if (os_monotonic_ns() > deadline_ns)
                        return err_set(err, ERR_IO,
                                       "WPERFDRIVER did not tick on core %" PRIu32
                                       " for %d s: its counts are incomplete",
                                       core->cpu, (int)(TICK_LIMIT_NS / 1000000000));
                Sleep(TICK_POLL_MS);
                if (!read_core(d, core, err))
                        return false;
        }
        return true;
}

bool driver_counts_stop(struct driver_counts *d, struct err *err)
{
        uint64_t deadline_ns = os_monotonic_ns() + TICK_LIMIT_NS;
        uint64_t *before = mem_new(d->n_cores, sizeof(*before));
        bool ok = driver_counts_read(d, err);

        for (size_t i = 0; i < d->n_cores; i++)
                before[i] = d->cores[i].round;
        for (size_t i = 0; ok && i < d->n_cores; i++)
                ok = wait_for_tick(d, &d->cores[i], before[i], deadline_ns, err);
        free(before);
        d->runs = false;
        /* Stop in any case; the first error counts. */
        return control(d, WPERFDRIVER_STOP, ok ? err : NULL) && ok;
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
