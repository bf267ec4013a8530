/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the counting grammar share while a list is made. */
#ifndef COUNT_INTERNAL_H
#define COUNT_INTERNAL_H

#include "count_list.h"
#include "event_grammar.h"

enum { COUNT_ITEMS_MAX = 4096, COUNT_METRICS_MAX = 1024, COUNT_CPU_CYCLES = 0x11 };

struct count_builder {
        const struct count_text *text;
        struct pmu_table pmus; /* list.kinds has its cores, in its order */
        struct count_list list;
        int32_t n_groups[COUNT_CLASSES]; /* numbered so far */
        uint32_t n_together;
        struct err first_refusal; /* with leave_out */
        struct err *err;
};

/* One text of the grammar: -e, or the events of a metric. */
struct count_scope {
        const char *whole;
        int only_kind;      /* as in struct event_resolver */
        const char *metric; /* whose events they are; NULL */
};

/* Appends the events of scope->whole. */
bool count_parse_text(struct count_builder *b, const struct count_scope *scope);

/* Appends the metrics and groups of metrics of `text`, and their events. */
bool count_parse_metrics(struct count_builder *b, const char *text);

/* Takes one resolved event into the list, and its CPUs with it: says what it is. */
bool count_add_event(struct count_builder *b, const struct count_scope *scope, const struct event_item *item,
                     struct event *event);

/* Takes an event that can't be counted here, as the builder's error says, if that may be left out.  `why` may be "". */
bool count_refuse_event(struct count_builder *b, const struct count_scope *scope,
                        const struct event_item *item, const char *why);

/* /dsu/NAME, /dmc_clk/NAME, /dmc_clkdiv2/NAME: appends an event for each unit; `item->name` becomes NAME. */
bool count_resolve_prefixed(struct count_builder *b, struct event_resolver *r, struct event_item *item);

/* The class and number of a unit by the name of its PMU; COUNT_OTHER when it is none of WindowsPerf's.
 * `is_clkdiv2` tells the two classes of a memory controller apart. */
enum count_class count_class_of_pmu(const struct pmu_table *pmus, const char *name, bool is_clkdiv2,
                                    uint32_t *ret_unit);

/* Makes a group of the events from `first` on.  One that is too large is an error, or a warning where that is not
 * sure or the group is a metric's; `*number` is its number, taken when it is -1. */
bool count_make_group(struct count_builder *b, const struct count_scope *scope, size_t first, const char *at,
                      int32_t *number);

/* Puts the cycle counter of each kind that counts an event before all others. */
bool count_add_cycles(struct count_builder *b);

/* A copy in lower case, printable, that lives as long as the list. */
const char *count_lower(struct count_list *list, struct span text);

#endif
