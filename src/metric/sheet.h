/* SPDX-License-Identifier: BSD-3-Clause */
/* What `stat` shows of one count, finished: tables of rows for each CPU and unit, metrics, and what is missing. */
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
        const char *name, *index, *note; /* the columns; "ld_spec", "0x70", "g0,imix" */
        const char *unit;                /* "ns" of the clocks; NULL: a number of events */
        uint64_t value, scaled;          /* means when there were several runs */
        uint64_t enabled_ns, running_ns; /* of the last run */
        double deviation_percent;        /* negative: there was one run */
        const char *not_counted;         /* why not; NULL: counted */
        const char *instead; /* stands in the value's place then: "<not supported>", "<not counted>" */
};

enum sheet_kind {
        SHEET_CPU,       /* a CPU, or COUNTS_NO_CPU: what was counted wherever it ran */
        SHEET_SYSTEM,    /* all CPUs together */
        SHEET_UNIT,      /* a cluster, memory controller or other uncore unit */
        SHEET_ALL_UNITS, /* those of one class together */
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
        bool has_value; /* false: divided by zero, or not counted */
        double value;
        double deviation_percent; /* negative: one run */
};

/* Traffic of the metrics l3_cache and ddr_bw, which have tables of their own. */
struct sheet_traffic {
        uint32_t unit;             /* UINT32_MAX: all */
        const char *pmu, *cpus;    /* that share the unit; NULL: not known, or all units */
        uint64_t accesses, misses; /* ddr_bw: transfers, 0 */
        bool has_value;
};

struct sheet_missing {
        const char *name, *reason;
};

struct sheet {
        struct sheet_table *tables;
        size_t n_tables, cap_tables;
        struct sheet_metric *metrics; /* by CPU, then by name */
        size_t n_metrics, cap_metrics;
        struct sheet_traffic *l3, *ddr;
        size_t n_l3, cap_l3, n_ddr, cap_ddr;
        struct sheet_missing *missing; /* each event once */
        size_t n_missing, cap_missing;
        struct sheet_missing *estimates; /* events that come from elsewhere, and where from */
        size_t n_estimates, cap_estimates;
        bool multiplexed[COUNT_CLASSES];
        bool kernel;     /* some core event counts the kernel */
        size_t n_events; /* of the list, without the cycle counter */
        size_t n_multiplexed;
        double worst_share; /* running / enabled of the worst event that was counted; 1: all the time */
        struct arena texts;
};

struct sheet_runs;

/* Sums up runs of the same list, whose parsed formulas are `metrics`: `sheet_runs_add` after the last round of each. */
struct sheet_runs *sheet_runs_new(const struct count_list *list, const struct metric_values *metrics);
void sheet_runs_free(struct sheet_runs *runs);
AUTO_DEFINE(sheet_runs)
void sheet_runs_add(struct sheet_runs *runs, const struct counts *counts);

/* The last round of `counts`; with `runs` (may be NULL) values are their means.  `list` and `counts` must outlive it. */
struct sheet *sheet_make(const struct count_list *list, const struct metric_values *metrics,
                         const struct counts *counts, const struct sheet_runs *runs);
void sheet_free(struct sheet *sheet);
AUTO_DEFINE(sheet)

/* An event not counted, or counted less than half of the time. */
bool sheet_is_poor(const struct sheet *sheet);

#endif
