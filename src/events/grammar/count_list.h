/* SPDX-License-Identifier: BSD-3-Clause */
/* What `stat` counts: events, groups and metrics of the counting grammar, resolved for a machine. */
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

/* The classes of WindowsPerf; each has its own tables. COUNT_OTHER: uncore units that WindowsPerf does not
 * know. */
enum count_class { COUNT_CORE, COUNT_DSU, COUNT_DMC_CLK, COUNT_DMC_CLKDIV2, COUNT_OTHER, COUNT_CLASSES };

/* "core", "dsu", "dmc_clk", "dmc_clkdiv2", "other" */
const char *count_class_name(enum count_class class);

enum { COUNT_NO_KIND = -1, COUNT_LOOSE = -1 };

struct count_event {
        /* attr has type, config and exclude bits, and no period; `name` is the displayed name. */
        struct event event;
        const char *plain; /* in lower case, as formulas use it: "inst_spec" */
        enum count_class class;
        char index[24];        /* the column `event idx`: "fixed", "0x1b", "tracepoint"; "-" for none */
        int32_t code;          /* number on an Arm PMU; -1 for none */
        int32_t kind;          /* the kind of core that counts it; COUNT_NO_KIND for all CPUs */
        uint32_t unit;         /* number of the cluster or controller of an uncore event */
        const char *unit_cpus; /* the CPUs that share the uncore unit, "0-3,8"; NULL if unknown */
        int32_t group;         /* the displayed N of gN, from 0 in each class; COUNT_LOOSE for none */
        uint32_t together;     /* events with the same number are scheduled together; 0 for none */
        const char *metric;    /* the metric that added it; NULL for none */
        /* why its count of 0 has no meaning: the PMU does not have the event; NULL if the count is valid */
        const char *doubt;
        bool is_cycle;       /* the cycle counter at the front of the list */
        const char *refused; /* why this machine can't count it, so it is not opened; NULL if it can */
        /* Set by the code that opens it: why it can't be counted, and the source of the count if it is not
         * the kernel's counter; NULL for none. */
        const char *refusal, *estimate;
};

/* A requested metric, once for each kind of core that has it. */
struct count_metric {
        const char *name, *title;
        const char *formula, *unit; /* NULL for none */
        int32_t kind;
        size_t *events; /* indexes in the list of the events that it added, in order */
        size_t n_events;
};

struct count_list {
        struct count_event *items;
        size_t n_items, cap_items;
        struct count_metric *metrics;
        size_t n_metrics, cap_metrics;
        struct core_kinds kinds;
        struct buf warnings; /* sentences, one per line; for example, a group that can never be scheduled */
        struct arena texts;
};

struct count_text {
        const char *events;  /* -e; NULL for none */
        const char *metrics; /* -m: names of metrics and metric groups, joined by commas; NULL for none */
        unsigned detail;     /* perf's -d: 1 to 3 add events of caches, TLBs and prefetches */
        bool kernel;         /* -k */
        bool leave_out;      /* keep events of -e that this machine can't count, with `refused` */
        const struct extra_names *extra; /* -E and -C; NULL for none */
        uint32_t dmc;                    /* the only memory controller to count; UINT32_MAX for all */
        /* Measures the number of counters of an Arm kind of core; 0 if it can't. Called if a group needs more
         * than four. NULL: the model's table is used. */
        unsigned (*measure_counters)(const struct core_kind *kind);
};

/* Parses the counting grammar of `stat -e` (names in any case, rNN, numbers, {groups}, /dsu/name,
 * pmu/term=value/, name:modifiers and {group}:modifiers) and of -m, for the machine behind `source`. Without
 * both, the default is task-clock, context-switches, cpu-migrations, page-faults and, with a core PMU,
 * instructions, branches and branch-misses. If a kind of core counts an event, its cycle counter comes first:
 * name "cycle", plain "cpu_cycles". On machines with several kinds of cores, a name becomes one item for each
 * kind. Errors name the column and the nearest known name. With `leave_out`, an event that exists but can't
 * be counted on this machine becomes an item with `refused`, and such a metric becomes a warning; if nothing
 * else remains, this is an error (ERR_UNSUPPORTED). Release *ret with count_list_release. */
bool count_list_parse(const struct count_text *text, const struct pmu_source *source, struct count_list *ret,
                      struct err *err);
void count_list_release(struct count_list *list);

/* Appends "e", "g0", "g0,imix" or "e,imix". */
void count_event_add_note(const struct count_event *event, struct buf *out);

/* Writes the list as lines of text for a feature section of a session, and reads it back. The reader checks
 * everything. attr is not included; the session has it elsewhere. Format: docs/session-format.md. */
void count_list_write(const struct count_list *list, struct buf *out);
bool count_list_read(const char *text, size_t size, struct count_list *ret, struct err *err);

#endif
