/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of `list`: events, metrics and groups of metrics, all of them texts that are ready to be shown. */
#ifndef EVENT_LISTING_H
#define EVENT_LISTING_H

#include "arena.h"
#include "attributes.h"
#include "event_facts.h"

struct listed_event {
        const char *name;        /* as -e takes it */
        const char *index;       /* "0x0070"; "---": none */
        const char *type;        /* "[core PMU event]" */
        const char *description; /* "---": none */
        uint64_t number;         /* of `index` */
};

struct listed_metric {
        const char *name, *events, *formula, *unit, *description; /* "---" for what there is not */
};

struct listed_group {
        const char *name, *metrics, *description;
};

/* Zero-initialised is empty. */
struct event_listing {
        struct listed_event *events;
        size_t n_events, cap_events;
        struct listed_metric *metrics;
        size_t n_metrics, cap_metrics;
        struct listed_group *groups;
        size_t n_groups, cap_groups;
        struct arena texts;
};

/* What -v adds to descriptions (files are read for it). */
void event_listing_fill(struct event_listing *listing, const struct event_facts *facts, bool verbose);
void event_listing_release(struct event_listing *listing);

/* Keeps what any of the `n` patterns names: a part of the name or a glob, in any case, or one of perf's words for a
 * type (hw, sw, pmu, metric, metricgroup).  Nothing left is ERR_MISSING with the nearest name. */
bool event_listing_filter(struct event_listing *listing, char *const *patterns, size_t n, struct err *err);

#endif
