/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists what the Linux kernel offers beyond the catalogue: its own events, and those that it describes for
 * each PMU. */
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "kernel.h"
#include "listing_internal.h"
#include "mem.h"
#include "text.h"

struct kernel_listing_walk {
        struct event_listing *listing;
        const struct event_facts *facts;
        const struct pmu *pmu;
        const struct pmu_block *block; /* of the PMU; NULL for none */
        bool verbose;
        /* the previous PMU if it is identical, as uncore_imc_0 for uncore_imc_1; else NULL */
        const struct pmu *twin;
        size_t twin_first, twin_end; /* its rows */
};

static bool add_generic(void *ctx, const struct generic_event *event)
{
        static const char *const types[] = {
                [PERF_TYPE_HARDWARE] = "[hardware event]",
                [PERF_TYPE_SOFTWARE] = "[software event]",
                [PERF_TYPE_HW_CACHE] = "[hardware cache event]",
        };
        const struct kernel_listing_walk *walk = ctx;
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

/* Events of PMU blocks are listed with the prefix of their class instead. */
static bool in_block(const struct pmu_block *block, const char *name)
{
        for (size_t i = 0; block && i < block->n_classes; i++) {
                const struct pmu_block_class *class = &block->classes[i];
                size_t skip = strlen(class->linux_events);

                if (text_starts(name, class->linux_events) &&
                    pmu_block_find_event(class, name + skip, strlen(name + skip)))
                        return true;
        }
        return false;
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

/* Returns text such as "event=0xd0,umask=0x81; in Joules". */
static const char *describe(const struct kernel_listing_walk *walk, const char *name)
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

/* Servers have hundreds of identical PMUs, so the files are read for only one of each kind. */
static bool add_as_twin(const struct kernel_listing_walk *walk, const char *name, const char *full)
{
        AUTO_RELEASE(buf) wanted = {0};

        if (!walk->twin)
                return false;
        buf_printf(&wanted, "%s/%s/", walk->twin->name, name);
        for (size_t low = walk->twin_first, high = walk->twin_end; low < high;) {
                size_t middle = low + (high - low) / 2;
                struct listed_event event = walk->listing->events[middle];
                int order = strcmp(buf_text(&wanted), event.name);

                if (!order) {
                        event.name = full;
                        ARRAY_PUSH(walk->listing->events, walk->listing->n_events, walk->listing->cap_events,
                                   event);
                        return true;
                }
                if (order < 0)
                        high = middle;
                else
                        low = middle + 1;
        }
        return false;
}

static bool add_described(void *ctx, const char *name)
{
        const struct kernel_listing_walk *walk = ctx;
        AUTO_RELEASE(buf) text = {0};
        const char *full;
        uint64_t config;

        if ((walk->pmu->arm && in_models(walk->facts, name)) || in_block(walk->block, name))
                return true;
        buf_printf(&text, "%s/%s/", walk->pmu->name, name);
        full = listing_keep(walk->listing, &text);
        if (!add_as_twin(walk, name, full) &&
            pmu_event_config(&walk->facts->source, walk->pmu, name, &config, NULL))
                listing_add_event(walk->listing, full, config, "[Kernel PMU event]", describe(walk, name));
        return true;
}

static int compare_name(const void *a, const void *b)
{
        return strcmp(((const struct listed_event *)a)->name, ((const struct listed_event *)b)->name);
}

static bool are_alike(const struct pmu *a, const struct pmu *b)
{
        size_t n = strlen(a->name), m = strlen(b->name);

        while (n && a->name[n - 1] >= '0' && a->name[n - 1] <= '9')
                n--;
        while (m && b->name[m - 1] >= '0' && b->name[m - 1] <= '9')
                m--;
        return n == m && n < strlen(a->name) && !strncmp(a->name, b->name, n) && !a->core;
}

void listing_add_kernel(struct event_listing *listing, const struct event_facts *facts, bool verbose)
{
        struct kernel_listing_walk walk = {.listing = listing, .facts = facts, .verbose = verbose};

        generic_event_each(add_generic, &walk);
        if (facts->this_machine && !kernel_has_samples())
                listing_add_event(listing, "cpu-clock", PERF_COUNT_SW_CPU_CLOCK, "[timer event]",
                                  "CPU time, for record and sample: a timer suspends the threads that ran");
        for (size_t i = 0; i < facts->pmus.n_items; i++) {
                size_t first = listing->n_events;

                walk.pmu = &facts->pmus.items[i];
                walk.block = event_facts_block_of(facts, walk.pmu);
                if ((walk.block && pmu_block_takes_numbers(&facts->source, walk.pmu)) ||
                    (facts->asked_model && walk.pmu->core))
                        continue;
                walk.twin = i && are_alike(walk.pmu, walk.pmu - 1) ? walk.pmu - 1 : NULL;
                pmu_each_event(&facts->source, walk.pmu, add_described, &walk);
                if (listing->n_events > first)
                        qsort(listing->events + first, listing->n_events - first, sizeof(*listing->events),
                              compare_name);
                walk.twin_first = first;
                walk.twin_end = listing->n_events;
        }
}
