/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of `list`: events, metrics and groups of metrics, as texts to print. */
#ifndef EVENT_LISTING_H
#define EVENT_LISTING_H

#include "arena.h"
#include "attributes.h"
#include "event_facts.h"

struct listed_event {
        const char *name;        /* in the syntax of -e */
        const char *index;       /* such as "0x0070"; "---" for none */
        const char *type;        /* such as "[core PMU event]" */
        const char *description; /* "---" for none */
        uint64_t number;         /* the value of `index` */
};

struct listed_metric {
        const char *name, *events, *formula, *unit, *description; /* "---" for fields that do not exist */
};

struct listed_group {
        const char *name, *metrics, *description;
};

/* Zero-initialize before use. */
struct event_listing {
        struct listed_event *events;
        size_t n_events, cap_events;
        struct listed_metric *metrics;
        size_t n_metrics, cap_metrics;
        struct listed_group *groups;
        size_t n_groups, cap_groups;
        struct arena texts;
};

/* Fills the listing. With `verbose`, adds to descriptions what must be read from files. */
void event_listing_fill(struct event_listing *listing, const struct event_facts *facts, bool verbose);
void event_listing_release(struct event_listing *listing);

/* Keeps the rows that match any of the `n` patterns: a substring of the name, a glob, or one of perf's words
 * for a type (hw, sw, pmu, metric, metricgroup); all case-insensitive. ERR_MISSING with the nearest name if
 * nothing matches. */
bool event_listing_filter(struct event_listing *listing, char *const *patterns, size_t n, struct err *err);

#endif
