/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of the counting grammar while they build a list. */
#ifndef COUNT_INTERNAL_H
#define COUNT_INTERNAL_H

#include "count_list.h"
#include "event_grammar.h"

enum { COUNT_ITEMS_MAX = 4096, COUNT_METRICS_MAX = 1024, COUNT_CPU_CYCLES = 0x11 };

struct count_builder {
        const struct count_text *text;
        struct pmu_table pmus; /* list.kinds has its core PMUs, in the same order */
        struct count_list list;
        int32_t n_groups[COUNT_CLASSES]; /* groups numbered so far */
        uint32_t n_together;
        struct err first_refusal; /* set with leave_out */
        struct err *err;
};

/* A text of the grammar: -e, or the events of a metric. */
struct count_scope {
        const char *whole;
        int only_kind;      /* as in struct event_resolver */
        const char *metric; /* the metric that the events belong to; NULL for none */
};

/* Appends the events in scope->whole. */
bool count_parse_text(struct count_builder *b, const struct count_scope *scope);

/* Appends the metrics and metric groups named in `text`, with their events. */
bool count_parse_metrics(struct count_builder *b, const char *text);

/* Completes a resolved event and appends it to the list. Takes ownership of event->cpus. */
bool count_add_event(struct count_builder *b, const struct count_scope *scope, const struct event_item *item,
                     struct event *event);

/* Appends an event that can't be counted on this machine, if the request allows to leave it out; else returns
 * false. The reason is `why`, or the builder's error if `why` is "". */
bool count_refuse_event(struct count_builder *b, const struct count_scope *scope,
                        const struct event_item *item, const char *why);

/* Resolves /dsu/NAME, /dmc_clk/NAME and /dmc_clkdiv2/NAME: appends an event for each unit and sets item->name
 * to NAME. */
bool count_resolve_prefixed(struct count_builder *b, struct event_resolver *r, struct event_item *item);

/* Returns class and number of a unit by the name of its PMU; COUNT_OTHER if WindowsPerf does not have such a
 * unit. `is_clkdiv2` selects one of the two classes of a memory controller. */
enum count_class count_class_of_pmu(const struct pmu_table *pmus, const char *name, bool is_clkdiv2,
                                    uint32_t *ret_unit);

/* Makes a group of the events from `first` on. *number is the group's number; COUNT_LOOSE is replaced by the
 * next free one. If the core has too few counters, adds a warning, and leaves a metric's events ungrouped.
 * Events of memory controllers are never grouped. ERR_USAGE if the events belong to several PMUs. */
bool count_make_group(struct count_builder *b, const struct count_scope *scope, size_t first, const char *at,
                      int32_t *number);

/* Inserts the cycle counter of each kind of core that counts an event before all other events. */
bool count_add_cycles(struct count_builder *b);

/* Returns a printable copy in lower case, owned by the list. */
const char *count_lower(struct count_list *list, struct span text);

#endif
