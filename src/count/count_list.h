/* SPDX-License-Identifier: BSD-3-Clause */
/* What `stat` counts: the counting grammar's events, groups and metrics, resolved for a machine. */
#ifndef COUNT_LIST_H
#define COUNT_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "buf.h"
#include "core_kind.h"
#include "err.h"
#include "event.h"
#include "extra_event.h"

/* WindowsPerf's classes, each with tables of its own; COUNT_OTHER is uncore that it does not know. */
enum count_class { COUNT_CORE, COUNT_DSU, COUNT_DMC_CLK, COUNT_DMC_CLKDIV2, COUNT_OTHER, COUNT_CLASSES };

/* "core", "dsu", "dmc_clk", "dmc_clkdiv2", "other" */
const char *count_class_name(enum count_class class);

enum { COUNT_NO_KIND = -1, COUNT_LOOSE = -1 };

struct count_event {
        /* attr has type, config and exclude bits; no period.  `name` is what the table shows. */
        struct event event;
        const char *plain; /* lower case, as formulas name it: "inst_spec" */
        enum count_class class;
        char index[24];        /* the column `event idx`: "fixed", "0x1b", "tracepoint"; "-": none */
        int32_t code;          /* number on an Arm PMU; -1: none */
        int32_t kind;          /* the kind of core that counts it, or COUNT_NO_KIND: all CPUs */
        uint32_t unit;         /* of uncore: cluster or controller number */
        const char *unit_cpus; /* of uncore: the CPUs that share the unit, "0-3,8"; NULL: it does not say */
        int32_t group;         /* N of gN, from 0 within its class, as it is shown; COUNT_LOOSE */
        uint32_t together;     /* events with the same number are scheduled together: 0 none, else from 1 */
        const char *metric;    /* that brought it; NULL */
        const char *doubt;     /* why a count of 0 is none: the PMU does not have the event; NULL: no doubt */
        bool is_cycle;         /* the cycle counter that stands first */
        const char
                *refused; /* why this machine can't count it, which nobody tries then; NULL: to be opened */
        /* Told by who opens it: why it can't be counted, and where the count comes from when not from the kernel's
         * counter; NULL: nothing to say. */
        const char *obstacle, *estimate;
};

/* A metric asked for, once for each kind of core that has it. */
struct count_metric {
        const char *name, *title;
        const char *formula, *unit; /* NULL: none */
        int32_t kind;
        size_t *events; /* indexes into the list, in order: the ones that it brought */
        size_t n_events;
};

struct count_list {
        struct count_event *items;
        size_t n_items, cap_items;
        struct count_metric *metrics;
        size_t n_metrics, cap_metrics;
        struct core_kinds kinds;
        struct buf warnings; /* whole sentences, one a line; e.g. a group that can never be scheduled */
        struct arena texts;
};

struct count_text {
        const char *events;  /* -e; NULL: none */
        const char *metrics; /* -m: names of metrics and groups of metrics, joined by commas; NULL: none */
        unsigned detail;     /* perf's -d: 1 to 3 add events of caches, TLBs and prefetches */
        bool kernel;         /* -k */
        bool leave_out;      /* an event of -e that exists and can't be counted here is kept with `refused` */
        const struct extra_names *extra; /* -E and -C; NULL: none */
        uint32_t dmc;                    /* the only controller to take; UINT32_MAX: all */
        /* Measures an Arm kind's counters, 0 where that is not possible; asked where a group needs more than four.
         * NULL: the model's table is all that is known. */
        unsigned (*measure_counters)(const struct core_kind *kind);
};

/* Parses the counting grammar of `stat -e` (names in any case, rNN, numbers, {groups}, /dsu/name, pmu/term=value/,
 * name:modifiers and {group}:modifiers) and of -m for the machine behind `source`.  Without both it is the default:
 * task-clock, context-switches, cpu-migrations, page-faults and, with a core PMU, instructions, branches and
 * branch-misses.  Whenever a kind of core counts an event, its cycle counter comes first: name "cycle", plain
 * "cpu_cycles".  On machines with cores of several kinds a name becomes one item for each.  Errors name the column and
 * the nearest known name.  With `leave_out` an event that exists and that this machine
 * can't count is an item with `refused`, and such a metric a warning; they are an error (ERR_UNSUPPORTED) where nothing
 * else is left. */
bool count_list_parse(const struct count_text *text, const struct pmu_source *source, struct count_list *ret,
                      struct err *err);
void count_list_release(struct count_list *list);

/* "e", "g0", "g0,imix", "e,imix" */
void count_event_add_note(const struct count_event *event, struct buf *out);

/* The list as lines of text for a session's feature section, and back; the reader believes nothing.  attr is not
 * in it: the session has it.  Format: docs/session-format.md. */
void count_list_write(const struct count_list *list, struct buf *out);
bool count_list_read(const char *text, size_t size, struct count_list *ret, struct err *err);

#endif
