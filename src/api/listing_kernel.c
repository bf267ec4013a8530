/* SPDX-License-Identifier: BSD-3-Clause */
/* What the Linux kernel offers besides the catalogue: its own events, and those that it describes for each PMU. */
#include <stdlib.h>
#include <string.h>

#include "listing_internal.h"
#include "text.h"

struct walk {
        struct event_listing *listing;
        const struct event_facts *facts;
        const struct pmu *pmu;
        bool verbose;
};

static bool add_generic(void *ctx, const struct generic_event *event)
{
        static const char *const types[] = {
                [PERF_TYPE_HARDWARE] = "[hardware event]",
                [PERF_TYPE_SOFTWARE] = "[software event]",
                [PERF_TYPE_HW_CACHE] = "[hardware cache event]",
        };
        const struct walk *walk = ctx;
        AUTO_RELEASE(buf) title = {0};
        struct arena *texts = &walk->listing->texts;

        if (!event_facts_has_generic(walk->facts, event))
                return true;
        buf_add_str(&title, event->title);
        if (event->alias)
                buf_printf(&title, "; also called %s", event->alias);
        listing_add_event(walk->listing, arena_copy(texts, event->name, strlen(event->name)), event->config,
                          types[event->type], listing_keep(walk->listing, &title));
        return true;
}

static bool in_models(const struct event_facts *facts, const char *name)
{
        for (size_t i = 0; i < facts->kinds.n_items; i++) {
                const struct catalogue_cpu *model = event_facts_model(facts, i);

                if (model && catalogue_find_event(model, name, strlen(name)))
                        return true;
        }
        return false;
}

/* "event=0xd0,umask=0x81; in Joules" */
static const char *describe(const struct walk *walk, const char *name)
{
        AUTO_RELEASE(buf) text = {0};
        AUTO_RELEASE(buf) unit_file = {0};
        AUTO_RELEASE(buf) unit = {0};

        if (!walk->verbose || !pmu_read_event(&walk->facts->source, walk->pmu, name, &text, NULL))
                return NULL;
        buf_printf(&unit_file, "%s.unit", name);
        if (pmu_read_event(&walk->facts->source, walk->pmu, unit_file.data, &unit, NULL))
                buf_printf(&text, "; in %s", buf_text(&unit));
        return listing_keep(walk->listing, &text);
}

static bool add_described(void *ctx, const char *name)
{
        const struct walk *walk = ctx;
        AUTO_RELEASE(buf) full = {0};
        uint64_t config;

        if ((walk->pmu->arm && in_models(walk->facts, name)) ||
            !pmu_event_config(&walk->facts->source, walk->pmu, name, &config, NULL))
                return true;
        buf_printf(&full, "%s/%s/", walk->pmu->name, name);
        listing_add_event(walk->listing, listing_keep(walk->listing, &full), config, "[Kernel PMU event]",
                          describe(walk, name));
        return true;
}

static int compare_name(const void *a, const void *b)
{
        return strcmp(((const struct listed_event *)a)->name, ((const struct listed_event *)b)->name);
}

/* Those that stand in the catalogue are listed by their prefix. */
static bool is_catalogued(const struct event_facts *facts, const struct pmu *pmu)
{
        return (facts->uncore[CATALOGUE_DSU] && text_starts(pmu->name, "arm_dsu_")) ||
               (facts->uncore[CATALOGUE_DMC_CLK] && text_starts(pmu->name, "arm_dmc620_"));
}

void listing_add_kernel(struct event_listing *listing, const struct event_facts *facts, bool verbose)
{
        struct walk walk = {.listing = listing, .facts = facts, .verbose = verbose};

        generic_event_each(add_generic, &walk);
        for (size_t i = 0; i < facts->pmus.n_items; i++) {
                size_t first = listing->n_events;

                walk.pmu = &facts->pmus.items[i];
                if (is_catalogued(facts, walk.pmu) || (facts->asked_model && walk.pmu->core))
                        continue;
                pmu_each_event(&facts->source, walk.pmu, add_described, &walk);
                if (listing->n_events > first)
                        qsort(listing->events + first, listing->n_events - first, sizeof(*listing->events),
                              compare_name);
        }
}
