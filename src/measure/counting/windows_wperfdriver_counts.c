/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts of WindowsPerf's driver, which tells the sums as they were at its last tick. */
#include <windows.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "os.h"
#include "windows_backend_internal.h"
#include "windows_wperfdriver.h"
#include "wperfdriver_answers.h"

/* A tick is expected after 0.2 s; a machine may be busy. */
#define TICK_LIMIT_NS UINT64_C(5000000000)
enum { TICK_POLL_MS = 2 };

/* The driver of version 3.8 refuses requests for 128 cores. */
enum { CORES_IN_REQUEST = 127 };

static void *open_driver(struct err *err)
{
        /* The lock was taken by force, if it had to be, when the driver was first asked. */
        return wperfdriver_open(false, err);
}

static void free_driver(void *driver)
{
        wperfdriver_free(driver);
}

static const struct kernel_driver *get_facts(const void *driver)
{
        return wperfdriver_get_facts(driver);
}

static size_t max_slots(const struct driver_plan *plan)
{
        if (!plan->unit)
                return SCHEDULE_CORE_MAX;
        return plan->class->number == WPERFDRIVER_DSU ? WPERFDRIVER_DSU_COUNTS - 1
                                                      : WPERFDRIVER_DMC_CLKDIV2_COUNTS;
}

static uint32_t class_of(const struct driver_place *place)
{
        return place->plan->unit ? place->plan->class->number : WPERFDRIVER_CORE;
}

/* --- assigning --- */

static bool assign_place(struct driver_counts *d, const struct driver_place *place, struct err *err)
{
        const struct schedule *schedule = &place->plan->schedule;
        const struct wperfdriver_assign to = {
                .core = place->cpu,
                .dmc = place->plan->unit ? (uint8_t)place->plan->unit->index : UINT8_MAX,
                .filter_bits = place->plan->unit ? 0 : d->filter_bits,
        };
        const struct wperfdriver_events header = {.class = class_of(place), .n = (uint16_t)schedule->n_slots};
        AUTO_RELEASE(buf) message = {0};

        buf_add(&message, &to, sizeof(to));
        buf_add(&message, &header, sizeof(header));
        for (size_t i = 0; i < schedule->n_slots; i++)
                buf_add_u16(&message, (uint16_t)schedule->slots[i].code);
        return wperfdriver_ask(d->driver, WPERFDRIVER_ASSIGN_EVENTS, message.data, message.len, NULL, 0, err);
}

/* All memory controllers are read by the timer of one core. */
static void choose_memory_core(struct driver_counts *d)
{
        for (size_t i = 0; i < d->n_places; i++) {
                if (class_of(&d->places[i]) == WPERFDRIVER_DMC_CLKDIV2)
                        d->places[i].cpu = d->places[0].cpu;
        }
}

/* --- counting --- */

/* What the driver is to count on a core: WPERFDRIVER_FLAG_... */
static void find_flags(const struct driver_counts *d, uint32_t flags[WPERFDRIVER_CORES])
{
        static const uint32_t of_class[] = {
                [WPERFDRIVER_CORE] = WPERFDRIVER_FLAG_CORE,
                [WPERFDRIVER_DSU] = WPERFDRIVER_FLAG_DSU,
                [WPERFDRIVER_DMC_CLKDIV2] = WPERFDRIVER_FLAG_DMC,
        };

        memset(flags, 0, WPERFDRIVER_CORES * sizeof(*flags));
        for (size_t i = 0; i < d->n_places; i++)
                flags[d->places[i].cpu] |= of_class[class_of(&d->places[i])];
}

/* Sends a request for all cores on which something is counted. A request says the same for all its cores,
 * and a core that a start names is to do what this start says only. Each core that is named counts its
 * cluster, and loses what another core of the cluster would count: therefore cores get only the flags that
 * they need. */
static bool control(struct driver_counts *d, enum wperfdriver_request request, struct err *err)
{
        uint32_t flags[WPERFDRIVER_CORES];

        find_flags(d, flags);
        for (uint32_t wanted = 1; wanted < WPERFDRIVER_FLAGS_ALL; wanted++) {
                uint32_t next = 0;

                while (next < WPERFDRIVER_CORES) {
                        struct wperfdriver_control to = {
                                .period_ms = (int32_t)d->period_ms,
                                .dmc = UINT8_MAX,
                                .flags = wanted,
                        };

                        for (; next < WPERFDRIVER_CORES && to.n_cores < CORES_IN_REQUEST; next++) {
                                if (flags[next] == wanted)
                                        to.cores[to.n_cores++] = (uint8_t)next;
                        }
                        if (to.n_cores && !wperfdriver_ask(d->driver, request, &to, sizeof(to), NULL, 0, err))
                                return false;
                }
        }
        return true;
}

static bool assign(struct driver_counts *d, struct err *err)
{
        bool has_memory = false;

        for (size_t i = 0; i < d->n_places; i++)
                has_memory |= class_of(&d->places[i]) == WPERFDRIVER_DMC_CLKDIV2;
        choose_memory_core(d);
        if ((has_memory && !wperfdriver_map_memory_controllers(d->driver, err)) ||
            !control(d, WPERFDRIVER_STOP, err))
                return false;
        for (size_t i = 0; i < d->n_places; i++) {
                if (!assign_place(d, &d->places[i], err))
                        return false;
        }
        return true;
}

static bool start(struct driver_counts *d, struct err *err)
{
        return control(d, WPERFDRIVER_RESET, err) && control(d, WPERFDRIVER_START, err);
}

/* --- reading --- */

static void set_sum(struct driver_sum *sum, const struct wperfdriver_count *count)
{
        sum->value = count->value;
        sum->scheduled = count->scheduled;
}

static bool take_counts(struct driver_counts *d, struct driver_place *place,
                        const struct wperfdriver_read *read, struct err *err)
{
        const struct driver_plan *plan = place->plan;
        uint16_t codes[SCHEDULE_CORE_MAX] = {0};
        size_t n = plan->schedule.n_slots;
        struct wperfdriver_sums sums;

        for (size_t i = 0; i < n && i < N_ELEMENTS(codes); i++)
                codes[i] = (uint16_t)plan->schedule.slots[i].code;
        if (!wperfdriver_read_sums(read, codes, n, &sums, err))
                return false;
        for (size_t i = 0; i < n; i++) {
                if (plan->schedule.slots[i].event != UINT32_MAX)
                        set_sum(&place->sums[plan->schedule.slots[i].event], sums.events[i]);
        }
        for (size_t i = 0; sums.cycles && i < plan->n_events; i++) {
                if (d->events[plan->events[i]].is_cycles)
                        set_sum(&place->sums[i], sums.cycles);
        }
        place->round = sums.round;
        return true;
}

static bool read_place(struct driver_counts *d, struct driver_place *place, struct err *err)
{
        struct wperfdriver_control from = {
                .n_cores = 1,
                .cores = {(uint8_t)place->cpu},
                .period_ms = (int32_t)d->period_ms,
                .dmc = UINT8_MAX,
                .flags = WPERFDRIVER_FLAG_CORE,
        };
        union {
                struct wperfdriver_counts core;
                struct wperfdriver_dsu_counts cluster;
                struct wperfdriver_dmc_counts memory;
        } counts;
        struct wperfdriver_read read;
        bool ok;

        switch (class_of(place)) {
        case WPERFDRIVER_DSU:
                from.flags = WPERFDRIVER_FLAG_DSU;
                ok = wperfdriver_ask(d->driver, WPERFDRIVER_DSU_READ, &from, sizeof(from), &counts.cluster,
                                     sizeof(counts.cluster), err);
                read = wperfdriver_cluster_counts(&counts.cluster, place->plan->unit->index);
                break;
        case WPERFDRIVER_DMC_CLKDIV2:
                from.flags = WPERFDRIVER_FLAG_DMC;
                from.dmc = (uint8_t)place->plan->unit->index;
                ok = wperfdriver_ask(d->driver, WPERFDRIVER_DMC_READ, &from, sizeof(from), &counts.memory,
                                     sizeof(counts.memory), err);
                read = wperfdriver_memory_counts(&counts.memory, place->plan->unit->index);
                break;
        default:
                ok = wperfdriver_ask(d->driver, WPERFDRIVER_READ_COUNTING, &from, sizeof(from), &counts.core,
                                     sizeof(counts.core), err);
                read = wperfdriver_core_counts(&counts.core, place->cpu);
                break;
        }
        return ok && take_counts(d, place, &read, err);
}

static bool wait_for_tick(struct driver_counts *d, struct driver_place *place, uint64_t before,
                          uint64_t deadline_ns, struct err *err)
{
        while (place->round <= before) {
                if (os_monotonic_ns() > deadline_ns)
                        return err_set(err, ERR_IO,
                                       "WPERFDRIVER did not tick on core %" PRIu32
                                       " for %d s: its counts are incomplete",
                                       place->cpu, (int)(TICK_LIMIT_NS / 1000000000));
                Sleep(TICK_POLL_MS);
                if (!read_place(d, place, err))
                        return false;
        }
        return true;
}

static bool stop(struct driver_counts *d, struct err *err)
{
        uint64_t deadline_ns = os_monotonic_ns() + TICK_LIMIT_NS;
        uint64_t *before = mem_new(d->n_places, sizeof(*before));
        bool ok = driver_counts_read(d, err);

        for (size_t i = 0; i < d->n_places; i++)
                before[i] = d->places[i].round;
        for (size_t i = 0; ok && i < d->n_places; i++)
                ok = wait_for_tick(d, &d->places[i], before[i], deadline_ns, err);
        free(before);
        /* Stop in any case; the first error counts. */
        return control(d, WPERFDRIVER_STOP, ok ? err : NULL) && ok;
}

static void abandon(struct driver_counts *d)
{
        control(d, WPERFDRIVER_STOP, NULL);
}

const struct driver_backend backend_wperfdriver = {
        .name = "WPERFDRIVER",
        .max_slots = max_slots,
        .open = open_driver,
        .free = free_driver,
        .get_facts = get_facts,
        .assign = assign,
        .start = start,
        .read_place = read_place,
        .stop = stop,
        .abandon = abandon,
};
