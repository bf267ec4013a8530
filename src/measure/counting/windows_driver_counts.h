/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts through a driver, wperf's own or WindowsPerf's: which events it counts, in which order, and the
 * sums of its answers. */
#ifndef WINDOWS_DRIVER_COUNTS_H
#define WINDOWS_DRIVER_COUNTS_H

#include "buf.h"
#include "counting.h"
#include "kernel_units.h"
#include "schedule.h"

struct kernel_driver; /* kernel.h */

struct driver_event {
        struct perf_attr attr;
        uint64_t id;    /* made up: the driver has none */
        uint32_t code;  /* number of the event; 0 for the cycle counter */
        bool is_cycles; /* counted by the cycle counter, which is always on */
        char *refusal;  /* why the driver does not count it; NULL for none */
};

/* Events that share counters: those of all cores, or of a class of one unit. */
struct driver_plan {
        const struct kernel_unit *unit;        /* NULL: the cores */
        const struct kernel_unit_class *class; /* of the unit */
        size_t *events;                        /* indexes in struct driver_counts */
        size_t n_events, cap_events;
        struct schedule schedule; /* indexes in `events` */
};

/* The sum of one event on one core or unit. */
struct driver_sum {
        uint64_t value,
                scheduled; /* since the last start; scheduled in the units of struct driver_place's round */
        uint64_t past_value, past_running_ns;
};

/* A core, or a unit with one of its classes. */
struct driver_place {
        const struct driver_plan *plan;
        uint32_t cpu;   /* the core, or that which reads the unit */
        uint64_t round; /* how long it counted since the last start: WPERFDRIVER's ticks, or nanoseconds */
        struct driver_sum *sums; /* of the plan's events */
};

struct driver_counts {
        struct driver_event *events; /* in the list's order */
        size_t n_events;
        struct driver_plan *plans; /* the first is that of the cores */
        size_t n_plans;
        struct driver_place *places; /* cores first */
        size_t n_places, n_cores;
        uint64_t filter_bits; /* of the cores */
        uint32_t period_ms;
        bool runs; /* was started */
        const struct driver_backend *backend;
        void *driver; /* of the backend; NULL: nothing is counted, only planned */
};

/* Decides how the events are counted: with `n_counters` counters of a core, and with the units that `facts`
 * has (NULL: none). ERR_UNSUPPORTED if the driver counts none. The texts of request->list, and `facts`,
 * must outlive it. Release *ret with driver_counts_release, also on failure. */
bool driver_counts_plan(const struct count_request *request, const struct kernel_driver *facts,
                        unsigned n_counters, struct driver_counts *ret, struct err *err);

/* Takes the driver, plans, and assigns the events to the request's cores and to units. Errors as of
 * driver_counts_plan, own_driver_open and wperfdriver_open; ERR_USAGE for a core that does not exist. */
bool driver_counts_open(const struct count_request *request, struct driver_counts *ret, struct err *err);
void driver_counts_release(struct driver_counts *counts);

/* Starts from 0. The sums continue. */
bool driver_counts_start(struct driver_counts *counts, struct err *err);

/* Asks the driver for all sums; WPERFDRIVER tells them as they were at its last tick. */
bool driver_counts_read(struct driver_counts *counts, struct err *err);

/* Stops and reads. WPERFDRIVER forgets what it counted since its last tick when it is stopped: there, waits
 * for the next tick of every core and unit first; ERR_IO if there is none for some seconds. */
bool driver_counts_stop(struct driver_counts *counts, struct err *err);

/* Adds the sums since the start, which were counted in `span_ns`, to those of the past. */
void driver_counts_keep(struct driver_counts *counts, uint64_t span_ns);

/* The part of a span in which the event counted, in nanoseconds. */
uint64_t driver_counts_running_ns(const struct driver_place *place, const struct driver_sum *sum,
                                  uint64_t span_ns);

#endif
