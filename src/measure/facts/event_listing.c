/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides which events, metrics and groups are listed, in which order, and with which type: core events by
 * number, uncore events, the user's events, SPE, then the kernel's other events. */
#include "event_listing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "listing_internal.h"
#include "mem.h"
#include "os_paths.h"
#include "text.h"

static const char none[] = "---";

static const char *or_none(const char *text)
{
        return text && *text ? text : none;
}

void event_listing_release(struct event_listing *listing)
{
        free(listing->events);
        free(listing->metrics);
        free(listing->groups);
        arena_release(&listing->texts);
        *listing = (struct event_listing){0};
}

const char *listing_keep(struct event_listing *listing, const struct buf *text)
{
        return arena_copy(&listing->texts, buf_text(text), text->len);
}

static const char *join(struct event_listing *listing, const char *a, const char *b, const char *c)
{
        AUTO_RELEASE(buf) text = {0};

        buf_add_str(&text, a);
        buf_add_str(&text, b);
        buf_add_str(&text, c);
        return listing_keep(listing, &text);
}

void listing_add_event(struct event_listing *listing, const char *name, uint64_t number, const char *type,
                       const char *description)
{
        AUTO_RELEASE(buf) index = {0};
        struct listed_event event = {
                .name = name,
                .type = type,
                .description = or_none(description),
                .number = number,
        };

        buf_printf(&index, "0x%04" PRIx64, number);
        event.index = listing_keep(listing, &index);
        ARRAY_PUSH(listing->events, listing->n_events, listing->cap_events, event);
}

/* --- cores --- */

/* Whether an earlier kind of core has listed the event. */
static bool is_listed(const struct event_facts *facts, size_t kind, const struct catalogue_event *event)
{
        for (size_t i = 0; i < kind; i++) {
                const struct catalogue_cpu *model = event_facts_model(facts, i);
                const struct catalogue_event *other =
                        model ? catalogue_find_event(model, event->name, strlen(event->name)) : NULL;

                if (other && other->code == event->code)
                        return true;
        }
        return false;
}

/* Appends the cores that have the event, unless all have it. */
static void add_kinds(const struct event_facts *facts, const struct catalogue_event *event, struct buf *out)
{
        size_t n = 0, n_models = 0;
        AUTO_RELEASE(buf) names = {0};

        for (size_t i = 0; i < facts->kinds.n_items; i++) {
                const struct catalogue_cpu *model = event_facts_model(facts, i);

                n_models += model != NULL;
                if (!model || !catalogue_find_event(model, event->name, strlen(event->name)))
                        continue;
                buf_printf(&names, "%s%s", n++ ? ", " : "", model->name);
        }
        if (n < n_models)
                buf_printf(out, "; only on %s", buf_text(&names));
}

static const char *describe_core(struct event_listing *listing, const struct event_facts *facts,
                                 const struct catalogue_event *event)
{
        AUTO_RELEASE(buf) text = {0};

        buf_add_str(&text, or_none(event->title));
        add_kinds(facts, event, &text);
        if (event_facts_core_has(facts, event) == CORE_HAS_NOT)
                buf_add_str(&text, "; this machine's PMU does not have it");
        return listing_keep(listing, &text);
}

static int compare_number(const void *a, const void *b)
{
        const struct listed_event *x = a, *y = b;

        if (x->number != y->number)
                return x->number < y->number ? -1 : 1;
        return strcmp(x->name, y->name);
}

static void sort_from(struct event_listing *listing, size_t first)
{
        if (listing->n_events > first)
                qsort(listing->events + first, listing->n_events - first, sizeof(*listing->events),
                      compare_number);
}

static void add_cores(struct event_listing *listing, const struct event_facts *facts, bool verbose)
{
        for (size_t k = 0; k < facts->kinds.n_items; k++) {
                const struct catalogue_cpu *model = event_facts_model(facts, k);

                for (size_t i = 0; model && i < model->n_events; i++) {
                        const struct catalogue_event *event = catalogue_get_event(model, i);

                        if (!is_listed(facts, k, event))
                                listing_add_event(listing, event->name, event->code, "[core PMU event]",
                                                  verbose ? describe_core(listing, facts, event) : none);
                }
        }
        sort_from(listing, 0);
}

/* --- uncore events and the user's events --- */

static void add_class(struct event_listing *listing, const struct event_facts *facts,
                      const struct machine_block *of, const struct pmu_block_class *class)
{
        const char *type = join(listing, "[", class->name, " PMU event]");
        const char *prefix = join(listing, "/", class->name, "/");
        bool all = pmu_block_takes_numbers(&facts->source, of->pmu);
        size_t first = listing->n_events;

        for (size_t i = 0; i < class->n_events; i++) {
                const struct pmu_block_event *event = &class->events[i];
                AUTO_RELEASE(buf) own = {0};

                if (all || pmu_block_linux_event(&facts->source, of->pmu, class, event->name,
                                                 strlen(event->name), &own))
                        listing_add_event(listing, join(listing, prefix, event->name, ""), event->code, type,
                                          event->title);
        }
        sort_from(listing, first);
}

static void add_blocks(struct event_listing *listing, const struct event_facts *facts)
{
        for (size_t i = 0; i < facts->n_blocks; i++) {
                for (size_t c = 0; c < facts->blocks[i].block->n_classes; c++)
                        add_class(listing, facts, &facts->blocks[i], &facts->blocks[i].block->classes[c]);
        }
}

static void add_extra(struct event_listing *listing, const struct event_facts *facts)
{
        for (size_t i = 0; i < facts->extra.n_events; i++) {
                const struct extra_event *event = &facts->extra.events[i];
                const char *name = event->name;
                AUTO_RELEASE(buf) type = {0};

                if (*event->prefix) {
                        AUTO_RELEASE(buf) full = {0};

                        buf_printf(&full, "/%s/%s", event->prefix, event->name);
                        name = listing_keep(listing, &full);
                }
                buf_printf(&type, "[%s PMU event*]", *event->prefix ? event->prefix : "core");
                listing_add_event(listing, name, event->code, listing_keep(listing, &type), "<extra event>");
        }
}

/* Whether a machine's driver of SPE offers a filter: Linux' driver has a file for it. */
static bool spe_has(const struct event_facts *facts, const char *filter)
{
        for (size_t i = 0; i < facts->pmus.n_items; i++) {
                AUTO_RELEASE(buf) path = {0}, file = {0}, text = {0};

                if (!text_starts(facts->pmus.items[i].name, "arm_spe_"))
                        continue;
                if (strcmp(filter, "period"))
                        buf_printf(&file, "format/%s", filter);
                else
                        buf_add_str(&file, "caps/min_interval");
                os_sysfs_pmu(facts->pmus.items[i].name, buf_text(&file), &path);
                if (facts->source.read_file(facts->source.ctx, buf_text(&path), &text))
                        return true;
        }
        return false;
}

static void add_spe(struct event_listing *listing, const struct event_facts *facts)
{
        static const struct {
                const char *name, *title;
        } filters[] = {
                {"load_filter", "1: sample only loads"},
                {"store_filter", "1: sample only stores"},
                {"branch_filter", "1: sample only branches"},
                {"ts_enable", "1: add a time stamp to each sample"},
                {"min_latency",
                 "Sample only operations that take at least this number of cycles, 0 to 65535"},
                {"event_filter",
                 "Sample only operations with all of these events: a number, or names joined by +"},
                {"inv_event_filter", "Sample only operations with none of these events"},
                {"period", "Look at one operation in this number of operations"},
                {"jitter", "1: vary the period at random"},
                {"pa_enable", "1: add the physical address of the data; needs privilege"},
                {"pct_enable", "1: take time stamps of the physical counter; needs privilege"},
                {"discard", "1: count samples, but write none"},
        };
        struct listed_event event = {
                .name = "arm_spe_0//",
                .index = none,
                .type = "[Kernel PMU event]",
                .description = "Samples of operations by Arm's Statistical Profiling Extension",
        };

        ARRAY_PUSH(listing->events, listing->n_events, listing->cap_events, event);
        event.type = "[SPE filter]";
        for (size_t i = 0; i < N_ELEMENTS(filters); i++) {
                if (!spe_has(facts, filters[i].name))
                        continue;
                event.name = filters[i].name;
                event.description = filters[i].title;
                ARRAY_PUSH(listing->events, listing->n_events, listing->cap_events, event);
        }
}

/* --- metrics and groups --- */

static void add_metric(struct event_listing *listing, const struct catalogue_metric *metric, bool together)
{
        struct listed_metric listed = {
                .name = metric->name,
                .events = together ? join(listing, "{", metric->events, "}") : metric->events,
                .formula = or_none(metric->formula),
                .unit = or_none(metric->unit),
                .description = or_none(metric->title),
        };

        for (size_t i = 0; i < listing->n_metrics; i++) {
                if (!strcmp(listing->metrics[i].name, metric->name))
                        return;
        }
        ARRAY_PUSH(listing->metrics, listing->n_metrics, listing->cap_metrics, listed);
}

static void add_metrics(struct event_listing *listing, const struct event_facts *facts)
{
        size_t n_built_in;
        const struct catalogue_metric *built_in = catalogue_built_in(&n_built_in);

        for (size_t i = 0; i < n_built_in; i++) {
                if (event_facts_has_built_in(facts, &built_in[i]))
                        add_metric(listing, &built_in[i], built_in[i].events[0] != '/');
        }
        for (size_t k = 0; k < facts->kinds.n_items; k++) {
                const struct catalogue_cpu *model = event_facts_model(facts, k);

                for (size_t i = 0; model && i < model->n_metrics; i++)
                        add_metric(listing, &model->metrics[i], true);
        }
        for (size_t i = 0; i < facts->extra.n_metrics; i++) {
                struct listed_metric listed = {facts->extra.metrics[i].name, facts->extra.metrics[i].events,
                                               none, none, "<extra metric>"};

                ARRAY_PUSH(listing->metrics, listing->n_metrics, listing->cap_metrics, listed);
        }
}

static void add_group(struct event_listing *listing, const struct catalogue_group *group)
{
        struct listed_group listed = {group->name, group->metrics, or_none(group->title)};

        for (size_t i = 0; i < listing->n_groups; i++) {
                if (!strcmp(listing->groups[i].name, group->name))
                        return;
        }
        ARRAY_PUSH(listing->groups, listing->n_groups, listing->cap_groups, listed);
}

void event_listing_fill(struct event_listing *listing, const struct event_facts *facts, bool verbose)
{
        add_cores(listing, facts, verbose);
        add_blocks(listing, facts);
        add_extra(listing, facts);
        if (facts->has_spe)
                add_spe(listing, facts);
        listing_add_kernel(listing, facts, verbose);
        add_metrics(listing, facts);
        for (size_t k = 0; k < facts->kinds.n_items; k++) {
                const struct catalogue_cpu *model = event_facts_model(facts, k);

                for (size_t i = 0; model && i < model->n_groups; i++)
                        add_group(listing, &model->groups[i]);
        }
}
