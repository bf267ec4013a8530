/* SPDX-License-Identifier: BSD-3-Clause */
/* Events, metrics and groups of metrics of a machine. */
#include <stdlib.h>

#include "event_listing.h"
#include "library_internal.h"
#include "mem.h"

struct wperf_list {
        struct event_facts facts;
        struct event_listing listing;
};

wperf_list *wperf_list_open(const char *cpu_model, struct wperf_error *error)
{
        const struct event_facts_request request = {.cpu_model = cpu_model};
        wperf_list *ret = mem_new(1, sizeof(*ret));
        struct err err = {0};

        library_begin();
        if (!event_facts_load(&request, &ret->facts, &err) || !event_facts_are_known(&ret->facts, &err)) {
                event_facts_release(&ret->facts);
                free(ret);
                library_fail(&err, error);
                return NULL;
        }
        event_listing_fill(&ret->listing, &ret->facts, true);
        return ret;
}

void wperf_list_free(wperf_list *handle)
{
        if (!handle)
                return;
        event_listing_release(&handle->listing);
        event_facts_release(&handle->facts);
        free(handle);
}

size_t wperf_list_event_count(const wperf_list *handle)
{
        return handle->listing.n_events;
}

int wperf_list_event(const wperf_list *handle, size_t index, struct wperf_listed_event *event)
{
        const struct listed_event *e = handle->listing.events + index;

        if (index >= handle->listing.n_events)
                return 0;
        *event = (struct wperf_listed_event){e->name, e->index, e->type, e->description};
        return 1;
}

size_t wperf_list_metric_count(const wperf_list *handle)
{
        return handle->listing.n_metrics;
}

int wperf_list_metric(const wperf_list *handle, size_t index, struct wperf_listed_metric *metric)
{
        const struct listed_metric *m = handle->listing.metrics + index;

        if (index >= handle->listing.n_metrics)
                return 0;
        *metric = (struct wperf_listed_metric){m->name, m->events, m->formula, m->unit, m->description};
        return 1;
}

size_t wperf_list_group_count(const wperf_list *handle)
{
        return handle->listing.n_groups;
}

int wperf_list_group(const wperf_list *handle, size_t index, struct wperf_listed_group *group)
{
        const struct listed_group *g = handle->listing.groups + index;

        if (index >= handle->listing.n_groups)
                return 0;
        *group = (struct wperf_listed_group){g->name, g->metrics, g->description};
        return 1;
}
