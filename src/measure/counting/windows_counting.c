/* SPDX-License-Identifier: BSD-3-Clause */
/* Counting with a driver. It counts whatever runs on a core, so a command is pinned to the cores that are
 * counted. */
#include "counting.h"

#include <assert.h>
#include <windows.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "control.h"
#include "count_maps.h"
#include "kernel.h"
#include "mem.h"
#include "os.h"
#include "windows_driver_counts.h"
#include "windows_processes.h"

enum { WAIT_SLICE_MS = 20 };

/* How often the driver is asked during a long count, to see that another process took its lock. */
#define LOOK_NS UINT64_C(1000000000)

struct counting {
        struct count_request request;
        struct driver_counts counts;
        struct windows_command command;
        struct record_sink sink;
        struct perf_stat *stats; /* of a round: each event on each core */
        size_t n_stats;
        uint64_t on_since_ns; /* 0 while the counters are stopped */
        uint64_t on_ns;       /* how long they counted before on_since_ns */
        uint64_t due_ns;      /* when to start the counters; 0 for no delay */
        uint64_t off_since_ns, off_ns;
        uint64_t looked_ns;
        bool over;
        int stop_seen;
        struct err lost; /* why there are no counts; ERR_NONE while there are */
};

/* --- opening --- */

static bool counts_cores(const struct count_list *list)
{
        for (size_t i = 0; i < list->n_items; i++) {
                if (list->items[i].class == COUNT_CORE)
                        return true;
        }
        return false;
}

static bool check_target(const struct count_request *request, struct err *err)
{
        const struct target *target = &request->target;
        const struct kernel_driver *driver = kernel_get_driver();
        const char *name = driver ? driver->name : "WPERFDRIVER";

        if (target->n_pids)
                return err_set(err, ERR_UNSUPPORTED,
                               "%s counts CPUs, not processes: leave out -p and choose CPUs with -c", name);
        if (target->argv && !target->n_cpus && counts_cores(request->list))
                return err_set(err, ERR_UNSUPPORTED,
                               "%s counts CPUs, not processes: choose the CPUs on which the command "
                               "is to run with -c; everything that runs there is counted",
                               name);
        return true;
}

struct counting *counting_open(const struct count_request *request, struct err *err)
{
        AUTO(counting) c = mem_new(1, sizeof(*c));
        size_t n = 0;

        c->request = *request;
        if (!check_target(request, err) || !driver_counts_open(request, &c->counts, err))
                return NULL;
        for (size_t i = 0; i < c->counts.n_places; i++)
                n += c->counts.places[i].plan->n_events;
        /* One more record: the STAT_ROUND at the end. */
        c->stats = mem_new(n + 1, sizeof(*c->stats));
        return TAKE(c);
}

void counting_free(struct counting *c)
{
        if (!c)
                return;
        driver_counts_release(&c->counts);
        windows_command_release(&c->command);
        free(c->stats);
        free(c);
}

struct counting_event counting_get_event(const struct counting *c, size_t index)
{
        const struct driver_event *e = &c->counts.events[index];

        assert(index < c->counts.n_events);
        return (struct counting_event){.attr = e->attr, .ids = &e->id, .n_ids = 1, .refusal = e->refusal};
}

/* --- starting and stopping --- */

static bool start(struct counting *c)
{
        if (c->on_since_ns || c->over || c->lost.code != ERR_NONE)
                return c->lost.code == ERR_NONE;
        if (!driver_counts_start(&c->counts, &c->lost))
                return false;
        c->on_since_ns = c->looked_ns = os_monotonic_ns();
        return true;
}

static void stop(struct counting *c)
{
        uint64_t span_ns;

        if (!c->on_since_ns || c->lost.code != ERR_NONE || !driver_counts_stop(&c->counts, &c->lost))
                return;
        span_ns = os_monotonic_ns() - c->on_since_ns;
        driver_counts_keep(&c->counts, span_ns);
        c->on_ns += span_ns;
        c->on_since_ns = 0;
}

static bool fail_lost(const struct counting *c, struct err *err)
{
        return err_set(err, c->lost.code, "%s", c->lost.text);
}

static bool put_maps(const struct counting *c, struct err *err)
{
        struct count_maps maps = {
                .cpus = mem_new(c->counts.n_places, sizeof(*maps.cpus)),
                .n_cpus = c->counts.n_places,
                .interval_ms = c->request.interval_ms,
        };
        AUTO_RELEASE(buf) out = {0};

        for (size_t i = 0; i < maps.n_cpus; i++)
                maps.cpus[i] = c->counts.places[i].cpu;
        count_maps_add(&maps, &out);
        free(maps.cpus);
        return c->sink.put(c->sink.ctx, out.data, out.len, err);
}

bool counting_begin(struct counting *c, const struct record_sink *sink, struct err *err)
{
        uint64_t delay_ns = c->request.target.delay_ns;

        assert(!c->sink.put && sink->put);
        c->sink = *sink;
        if (delay_ns)
                c->off_since_ns = os_monotonic_ns();
        if (delay_ns && delay_ns != CONTROL_NEVER)
                c->due_ns = c->off_since_ns + delay_ns;
        /* The command is suspended until the counters run. */
        if (c->request.target.argv && !windows_command_start(&c->command, &c->request.target, err))
                return false;
        if (!delay_ns && !start(c))
                return fail_lost(c, err);
        if (c->command.process)
                windows_command_resume(&c->command);
        return put_maps(c, err);
}

static void start_when_due(struct counting *c)
{
        uint64_t now_ns = os_monotonic_ns();

        if (!c->due_ns || now_ns < c->due_ns)
                return;
        c->due_ns = 0;
        c->off_ns += now_ns - c->off_since_ns;
        c->off_since_ns = 0;
        start(c);
}

void counting_pause(struct counting *c)
{
        assert(c->sink.put);
        stop(c);
}

void counting_resume(struct counting *c)
{
        assert(c->sink.put);
        if (!c->off_since_ns)
                start(c);
}

/* --- waiting --- */

static void look(struct counting *c, uint64_t now_ns)
{
        if (!c->on_since_ns || now_ns - c->looked_ns < LOOK_NS)
                return;
        c->looked_ns = now_ns;
        driver_counts_read(&c->counts, &c->lost);
}

static void sleep_until(const struct counting *c, uint64_t now_ns, uint64_t deadline_ns)
{
        uint64_t left_ms = (deadline_ns - now_ns) / 1000000 + 1;
        DWORD ms = left_ms < WAIT_SLICE_MS ? (DWORD)left_ms : WAIT_SLICE_MS;

        if (c->command.process)
                WaitForSingleObject(c->command.process, ms);
        else
                Sleep(ms);
}

static bool command_has_ended(const struct counting *c)
{
        return c->command.process && windows_command_has_ended(&c->command, NULL);
}

/* A driver that is lost ends the wait like the end of a target, so that the error is seen at once. */
bool counting_wait(struct counting *c, uint64_t timeout_ns)
{
        uint64_t now_ns = os_monotonic_ns();
        uint64_t deadline_ns = timeout_ns < UINT64_MAX - now_ns ? now_ns + timeout_ns : UINT64_MAX;

        assert(c->sink.put);
        for (;;) {
                int stop_now = os_stop_requested();

                start_when_due(c);
                now_ns = os_monotonic_ns();
                look(c, now_ns);
                if (c->lost.code != ERR_NONE || command_has_ended(c))
                        return false;
                if (stop_now != c->stop_seen || now_ns >= deadline_ns) {
                        c->stop_seen = stop_now;
                        return true;
                }
                sleep_until(c, now_ns, deadline_ns);
        }
}

/* --- reading --- */

static void add_place(struct counting *c, const struct driver_place *place, uint64_t span_ns)
{
        for (size_t i = 0; i < place->plan->n_events; i++) {
                const struct driver_sum *sum = &place->sums[i];

                c->stats[c->n_stats++] = (struct perf_stat){
                        .header = {.type = PERF_RECORD_STAT, .size = sizeof(struct perf_stat)},
                        .id = c->counts.events[place->plan->events[i]].id,
                        .cpu = place->cpu,
                        .value = sum->past_value + sum->value,
                        .enabled_ns = c->on_ns + span_ns,
                        .running_ns = sum->past_running_ns + driver_counts_running_ns(place, sum, span_ns),
                };
        }
}

bool counting_read(struct counting *c, bool last, struct err *err)
{
        struct perf_stat_round round = {
                .header = {.type = PERF_RECORD_STAT_ROUND, .size = sizeof(round)},
                .type = last ? PERF_STAT_ROUND_FINAL : PERF_STAT_ROUND_INTERVAL,
        };
        uint64_t span_ns;

        assert(c->sink.put);
        if (c->on_since_ns && c->lost.code == ERR_NONE)
                driver_counts_read(&c->counts, &c->lost);
        if (c->lost.code != ERR_NONE)
                return fail_lost(c, err);
        span_ns = c->on_since_ns ? os_monotonic_ns() - c->on_since_ns : 0;
        c->n_stats = 0;
        for (size_t i = 0; i < c->counts.n_places; i++)
                add_place(c, &c->counts.places[i], span_ns);
        round.time = c->on_ns + span_ns;
        memcpy(&c->stats[c->n_stats], &round, sizeof(round));
        return c->sink.put(c->sink.ctx, c->stats, c->n_stats * sizeof(*c->stats) + sizeof(round), err);
}

/* --- the end --- */

void counting_stop_command(struct counting *c, bool force)
{
        if (counting_command_runs(c))
                windows_command_stop(&c->command, force);
}

bool counting_command_runs(struct counting *c)
{
        return c->command.process && !command_has_ended(c);
}

void counting_end(struct counting *c)
{
        if (c->over)
                return;
        c->over = true;
        stop(c);
        if (c->off_since_ns)
                c->off_ns += os_monotonic_ns() - c->off_since_ns;
}

struct counting_result counting_get_result(struct counting *c)
{
        struct counting_result result = {.off_ns = c->off_ns};

        result.command_ended =
                c->command.process && windows_command_has_ended(&c->command, &result.exit_status);
        return result;
}

/* --- without counting --- */

unsigned counting_probe_counters(const struct core_kind *kind)
{
        const struct kernel_driver *driver = kernel_get_driver();

        return driver ? driver->n_counters : 0;
}

bool counting_has_period(void)
{
        return true;
}

static void describe_plan(const struct driver_plan *plan, struct buf *out)
{
        schedule_add_indexes(&plan->schedule, out);
        buf_add_str(out, "\nnotes ");
        schedule_add_notes(&plan->schedule, out);
        buf_add_str(out, "\n");
}

void counting_describe(const struct count_request *request, struct buf *out)
{
        const struct kernel_driver *driver = kernel_get_driver();
        const struct core_kinds *kinds = &request->list->kinds;
        AUTO_RELEASE(driver_counts) counts = {0};
        struct err err = {0};
        unsigned n = kinds->n_items ? kinds->items[0].n_counters : 0;

        if (driver)
                n = driver->n_counters;
        if (!n || !driver_counts_plan(request, driver, n, &counts, &err)) {
                buf_printf(out, "%s\n", n ? err.text : "the number of the PMU's counters is not known");
                return;
        }
        buf_printf(out, "counters %u\nperiod %" PRIu32 " ms\nfilter 0x%" PRIx64 "\nevents ", n,
                   counts.period_ms, counts.filter_bits);
        describe_plan(&counts.plans[0], out);
        for (size_t i = 1; i < counts.n_plans; i++) {
                const struct kernel_unit *unit = counts.plans[i].unit;

                buf_printf(out, "unit %s%" PRIu32 " %s\ncounters %u\nevents ", unit->block->pmu, unit->number,
                           counts.plans[i].class->class->name, counts.plans[i].class->n_counters);
                describe_plan(&counts.plans[i], out);
        }
}
