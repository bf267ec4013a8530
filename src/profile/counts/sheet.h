/* SPDX-License-Identifier: BSD-3-Clause */
/* The content of `stat`'s output for a finished count: tables with a row per event for each CPU and unit,
 * metrics, and events that were not counted. */
#ifndef SHEET_H
#define SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "count_list.h"
#include "counts.h"
#include "metric_value.h"

struct sheet_row {
        const char *name, *index, *note; /* the columns, such as "ld_spec", "0x70", "g0,imix" */
        const char *unit;                /* "ns" for clocks; NULL for a number of events */
        uint64_t value, scaled;          /* means if there were several runs */
        uint64_t enabled_ns, running_ns; /* of the last run */
        double deviation_percent;        /* negative if there was only one run */
        const char *not_counted;         /* the reason; NULL if the event was counted */
        /* printed in place of the value if it was not: "<not supported>" or "<not counted>" */
        const char *instead;
};

enum sheet_kind {
        SHEET_CPU,       /* a CPU, or COUNTS_NO_CPU for counts that are not per CPU */
        SHEET_SYSTEM,    /* all CPUs together */
        SHEET_UNIT,      /* a cluster, a memory controller or another uncore unit */
        SHEET_ALL_UNITS, /* all units of a class together */
};

struct sheet_table {
        enum sheet_kind kind;
        enum count_class class;
        uint32_t number; /* of the CPU or unit */
        const char *pmu; /* of a unit; "" otherwise */
        bool multiplexed;
        struct sheet_row *rows;
        size_t n_rows, cap_rows;
};

struct sheet_metric {
        uint32_t cpu; /* or COUNTS_NO_CPU */
        const char *product, *name, *unit;
        bool has_value; /* false if the metric divides by zero or was not counted */
        double value;
        double deviation_percent; /* negative if there was only one run */
};

/* Traffic for the metrics l3_cache and ddr_bw, which have their own tables. */
struct sheet_traffic {
        uint32_t unit;             /* UINT32_MAX for all units */
        const char *pmu, *cpus;    /* cpus: that share the unit; NULL if unknown, or for all units */
        uint64_t accesses, misses; /* for ddr_bw: transfers, and 0 */
        bool has_value;
};

struct sheet_missing {
        const char *name, *reason;
};

struct sheet {
        struct sheet_table *tables;
        size_t n_tables, cap_tables;
        struct sheet_metric *metrics; /* sorted by CPU, then by name */
        size_t n_metrics, cap_metrics;
        struct sheet_traffic *l3, *ddr;
        size_t n_l3, cap_l3, n_ddr, cap_ddr;
        struct sheet_missing *missing; /* each event once */
        size_t n_missing, cap_missing;
        /* events whose values do not come from a counter, and their source */
        struct sheet_missing *estimates;
        size_t n_estimates, cap_estimates;
        bool multiplexed[COUNT_CLASSES];
        bool kernel;     /* some core event counts the kernel */
        size_t n_events; /* in the list, without the cycle counter */
        size_t n_multiplexed;
        /* running / enabled of the event counted for the smallest share of time; 1 if all were counted all
         * the time */
        double worst_share;
        struct arena texts;
};

struct sheet_runs;

/* Statistics over runs of the same list. `metrics` are its parsed formulas. Call sheet_runs_add() after the
 * last round of each run. */
struct sheet_runs *sheet_runs_new(const struct count_list *list, const struct metric_values *metrics);
void sheet_runs_free(struct sheet_runs *runs);
AUTO_DEFINE(sheet_runs)
void sheet_runs_add(struct sheet_runs *runs, const struct counts *counts);

/* Shows the last round of `counts`. With `runs`, which may be NULL, values are the means over the runs.
 * `list` and `counts` must outlive the result. */
struct sheet *sheet_make(const struct count_list *list, const struct metric_values *metrics,
                         const struct counts *counts, const struct sheet_runs *runs);
void sheet_free(struct sheet *sheet);
AUTO_DEFINE(sheet)

/* Whether an event was not counted, or was counted for less than half of the time. */
bool sheet_is_poor(const struct sheet *sheet);

#endif
