/* SPDX-License-Identifier: BSD-3-Clause */
/* -m: metrics of the models of the cores, built-in metrics, those of the user, and metric groups. */
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "count_internal.h"
#include "err.h"
#include "mem.h"
#include "text_match.h"

enum { NAMES_MAX = 4096 };

static bool is_own(const struct catalogue_cpu *model, const struct catalogue_metric *metric)
{
        return model && metric >= model->metrics && metric < model->metrics + model->n_metrics;
}

/* The kind's metric of this name; the built-in metrics for cores need an Arm core. */
static const struct catalogue_metric *find_metric(const struct core_kind *kind, struct span name)
{
        const struct catalogue_metric *metric = catalogue_find_metric(kind->model, name.at, name.len);

        if (!metric || *metric->events == '/')
                return NULL;
        return kind->vendor == CORE_ARM || is_own(kind->model, metric) ? metric : NULL;
}

static const struct extra_metric *find_extra(const struct count_builder *b, struct span name)
{
        const struct extra_names *extra = b->text->extra;

        for (size_t i = 0; extra && i < extra->n_metrics; i++) {
                if (span_equal_nocase(name, extra->metrics[i].name))
                        return &extra->metrics[i];
        }
        return NULL;
}

static bool add_metric(struct count_builder *b, const struct catalogue_metric *metric, int32_t kind,
                       size_t first)
{
        struct count_metric m = {.name = metric->name,
                                 .title = metric->title,
                                 .formula = metric->formula,
                                 .unit = metric->unit,
                                 .kind = kind,
                                 .n_events = b->list.n_items - first};

        if (b->list.n_metrics == COUNT_METRICS_MAX)
                return err_set(b->err, ERR_LIMIT, "more than %d metrics", COUNT_METRICS_MAX);
        m.events = arena_alloc(&b->list.texts, (m.n_events ? m.n_events : 1) * sizeof(*m.events));
        for (size_t i = 0; i < m.n_events; i++)
                m.events[i] = first + i;
        ARRAY_PUSH(b->list.metrics, b->list.n_metrics, b->list.cap_metrics, m);
        return true;
}

/* Counts a metric on one kind of core; with kind -1, a metric that no core counts. If `group` is not NULL,
 * its events become one group. */
static bool count_metric(struct count_builder *b, const struct catalogue_metric *metric, int32_t kind,
                         int32_t *group)
{
        const struct count_scope scope = {.whole = metric->events, .only_kind = kind, .metric = metric->name};
        size_t first = b->list.n_items;

        if (!count_parse_text(b, &scope) ||
            (group && b->list.n_items - first > 1 && !count_make_group(b, &scope, first, scope.whole, group)))
                return err_in(b->err, "metric '%s'", metric->name);
        return add_metric(b, metric, kind < 0 ? COUNT_NO_KIND : kind, first);
}

/* Counts a metric of -C on each kind of core; its groups have the same numbers on all kinds. */
static bool count_extra(struct count_builder *b, const struct extra_metric *extra)
{
        const struct catalogue_metric metric = {
                .name = extra->name, .title = "<custom metric>", .events = extra->events};
        int32_t before[COUNT_CLASSES];

        if (!b->list.kinds.n_items)
                return count_metric(b, &metric, -1, NULL);
        memcpy(before, b->n_groups, sizeof(before));
        for (size_t i = 0; i < b->list.kinds.n_items; i++) {
                memcpy(b->n_groups, before, sizeof(before));
                if (!count_metric(b, &metric, (int32_t)i, NULL))
                        return false;
        }
        return true;
}

static bool count_named(struct count_builder *b, struct span name, bool *ret_found)
{
        const struct extra_metric *extra = find_extra(b, name);
        const struct catalogue_metric *metric;
        int32_t group = COUNT_LOOSE;

        *ret_found = true;
        if (extra)
                return count_extra(b, extra);
        metric = catalogue_find_metric(NULL, name.at, name.len);
        if (metric && *metric->events == '/')
                return count_metric(b, metric, -1, NULL);
        *ret_found = false;
        for (size_t i = 0; i < b->list.kinds.n_items; i++) {
                metric = find_metric(&b->list.kinds.items[i], name);
                *ret_found |= metric != NULL;
                if (metric && !count_metric(b, metric, (int32_t)i, &group))
                        return false;
        }
        return true;
}

static const struct catalogue_group *find_group(const struct count_builder *b, size_t kind, struct span name)
{
        const struct catalogue_cpu *model = b->list.kinds.items[kind].model;

        return model ? catalogue_find_group(model, name.at, name.len) : NULL;
}

static bool has_earlier_kind(const struct count_builder *b, size_t kind, struct span group,
                             const char *metric)
{
        for (size_t i = 0; i < kind; i++) {
                const struct catalogue_group *other = find_group(b, i, group);

                if (other && text_in_list(other->metrics, metric))
                        return true;
        }
        return false;
}

/* Counts the metrics of a metric group in order. With several kinds of cores, metrics that only a later kind
 * has come last. */
static bool count_group(struct count_builder *b, struct span name, bool *ret_found)
{
        for (size_t i = 0; i < b->list.kinds.n_items; i++) {
                const struct catalogue_group *group = find_group(b, i, name);

                for (const char *at = group ? group->metrics : ""; *at; at += *at == ',') {
                        struct span metric = {at, strcspn(at, ",")};
                        const char *text = arena_copy(&b->list.texts, metric.at, metric.len);
                        bool found;

                        *ret_found = true;
                        at += metric.len;
                        if (!has_earlier_kind(b, i, name, text) && !count_named(b, metric, &found))
                                return false;
                }
        }
        return true;
}

static size_t list_names(const struct count_builder *b, const char **names)
{
        const struct extra_names *extra = b->text->extra;
        size_t n = 0, n_built_in;
        const struct catalogue_metric *built_in = catalogue_built_in(&n_built_in);

        for (size_t i = 0; extra && i < extra->n_metrics && n < NAMES_MAX; i++)
                names[n++] = extra->metrics[i].name;
        for (size_t k = 0; k < b->list.kinds.n_items; k++) {
                const struct catalogue_cpu *model = b->list.kinds.items[k].model;

                for (size_t i = 0; model && i < model->n_metrics && n < NAMES_MAX; i++)
                        names[n++] = model->metrics[i].name;
                for (size_t i = 0; model && i < model->n_groups && n < NAMES_MAX; i++)
                        names[n++] = model->groups[i].name;
        }
        for (size_t i = 0; i < n_built_in && n < NAMES_MAX; i++)
                names[n++] = built_in[i].name;
        return n;
}

/* The first model that has a metric or metric group of this name; NULL if none has. */
static const struct catalogue_cpu *find_owner(struct span name)
{
        for (size_t i = 0; i < catalogue_n_cpus(); i++) {
                const struct catalogue_cpu *cpu = catalogue_get_cpu(i);

                if (catalogue_find_metric(cpu, name.at, name.len) ||
                    catalogue_find_group(cpu, name.at, name.len))
                        return cpu;
        }
        return NULL;
}

static bool explain_unknown(struct count_builder *b, const char *whole, struct span name)
{
        struct quoted shown = span_quote(name);
        size_t place = event_column(whole, name.at);
        const struct core_kind *kind = b->list.kinds.n_items ? &b->list.kinds.items[0] : NULL;
        const struct catalogue_cpu *owner = find_owner(name);
        const char **names, *nearest;
        struct arena arena = {0};

        if (owner && (!kind || kind->vendor != CORE_ARM))
                return err_set(
                        b->err, ERR_UNSUPPORTED,
                        "metric '%s' (column %zu) not supported: it counts events of Arm cores, and this "
                        "machine%s%s%s; `wperf list` shows all metrics",
                        shown.text, place, kind ? "'s core PMU is '" : " has no core PMU",
                        kind ? kind->pmu : "", kind ? "'" : "");
        if (owner)
                return err_set(
                        b->err, ERR_UNSUPPORTED,
                        "metric '%s' (column %zu) not supported: it belongs to other cores such as %s; "
                        "`wperf list` shows all metrics",
                        shown.text, place, owner->name);
        names = arena_alloc(&arena, NAMES_MAX * sizeof(*names));
        nearest = text_nearest(shown.text, names, list_names(b, names));
        err_set(b->err, ERR_USAGE,
                "metric '%s' not supported (column %zu): %s%s%s`wperf list` shows all metrics", shown.text,
                place, nearest ? "did you mean '" : "", nearest ? nearest : "", nearest ? "'? " : "");
        arena_release(&arena);
        return false;
}

static void forget_after(struct count_list *list, size_t n_items, size_t n_metrics)
{
        while (list->n_items > n_items)
                free(list->items[--list->n_items].event.cpus);
        list->n_metrics = n_metrics;
}

static bool parse_name(struct count_builder *b, const char *whole, struct span name)
{
        size_t n_items = b->list.n_items, n_metrics = b->list.n_metrics;
        bool found = false;

        if (!name.len)
                return err_set(b->err, ERR_USAGE, "no metric specified (column %zu)",
                               event_column(whole, name.at));
        if (count_named(b, name, &found) && (found || count_group(b, name, &found)) &&
            (found || explain_unknown(b, whole, name)))
                return true;
        if (!b->text->leave_out || b->err->code != ERR_UNSUPPORTED)
                return false;
        if (b->first_refusal.code == ERR_NONE)
                b->first_refusal = *b->err;
        buf_printf(&b->list.warnings, "%s\n", b->err->text);
        forget_after(&b->list, n_items, n_metrics);
        *b->err = (struct err){0};
        return true;
}

bool count_parse_metrics(struct count_builder *b, const char *text)
{
        const char *at = text;

        if (strlen(at) > EVENT_TEXT_MAX_BYTES)
                return err_set(b->err, ERR_LIMIT, "the metrics are longer than %d bytes",
                               EVENT_TEXT_MAX_BYTES);
        for (;;) {
                struct span name = {at, strcspn(at, ",")};

                if (!parse_name(b, text, name))
                        return false;
                at += name.len;
                if (!*at++)
                        return true;
        }
}
