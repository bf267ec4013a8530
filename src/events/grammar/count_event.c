/* SPDX-License-Identifier: BSD-3-Clause */
/* Completes a resolved event for `stat`: its class, unit and kind of core, the number that tables display,
 * the name that formulas use, its exclude bits, and whether the core is known not to have it. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "count_internal.h"
#include "err.h"
#include "mem.h"
#include "pmu_block.h"
#include "text.h"
#include "text_printable.h"

const char *count_lower(struct count_list *list, struct span text)
{
        const char *whole = arena_copy(&list->texts, text.at, text.len);
        AUTO_RELEASE(buf) printable = {0};
        char *lower;

        text_add_printable(&printable, whole);
        lower = arena_copy(&list->texts, buf_text(&printable), printable.len);
        for (char *c = lower; *c; c++)
                *c = (char)tolower((unsigned char)*c);
        return lower;
}

static int32_t find_kind(const struct core_kinds *kinds, const struct event *event)
{
        for (size_t i = 0; event->pmu[0] && i < kinds->n_items; i++) {
                if (!strcmp(kinds->items[i].pmu, event->pmu))
                        return (int32_t)i;
        }
        return !event->pmu[0] && kinds->n_items == 1 ? 0 : COUNT_NO_KIND;
}

/* The value of a field in the event's config, or all of config if its PMU has no such field. */
static uint64_t read_field(struct count_builder *b, const struct event *event, const char *name)
{
        const struct pmu *pmu = pmu_find(&b->pmus, event->pmu, strlen(event->pmu));
        struct perf_attr attr = event->attr;
        struct pmu_field field;

        if (!pmu || pmu_find_field(b->pmus.source, pmu, name, strlen(name), &field, NULL) <= 0)
                return event->attr.config;
        return pmu_field_get(&field, &attr);
}

static void classify_core(struct count_builder *b, struct count_event *e)
{
        const struct event *event = &e->event;
        uint64_t number = event->pmu[0] ? read_field(b, event, "event") : event->attr.config;

        e->kind = find_kind(&b->list.kinds, event);
        /* With several kinds of cores, the upper half of config is the PMU's type. */
        if (event->attr.type == PERF_TYPE_HARDWARE || event->attr.type == PERF_TYPE_HW_CACHE)
                number = event->attr.config & UINT32_MAX;
        else if (e->kind >= 0 && b->list.kinds.items[e->kind].vendor == CORE_X86)
                number = event->attr.config;
        else if (e->kind >= 0 && number <= UINT16_MAX)
                e->code = (int32_t)number;
        snprintf(e->index, sizeof(e->index), "0x%02" PRIx64, number);
}

static const char *unit_cpus(struct count_builder *b, const struct event *event)
{
        const struct pmu *pmu = pmu_find(&b->pmus, event->pmu, strlen(event->pmu));
        AUTO_RELEASE(buf) cpus = {0};
        AUTO_RELEASE(buf) printable = {0};

        if (!pmu || !pmu_read_unit_cpus(b->pmus.source, pmu, &cpus))
                return NULL;
        text_add_printable(&printable, buf_text(&cpus));
        return arena_copy(&b->list.texts, buf_text(&printable), printable.len);
}

static void classify_other(struct count_builder *b, struct count_event *e)
{
        const struct event *event = &e->event;
        uint64_t number = read_field(b, event, "event");

        e->class = count_class_of_pmu(&b->pmus, event->pmu, read_field(b, event, "clkdiv2") == 1, &e->unit);
        e->unit_cpus = unit_cpus(b, event);
        if (e->class != COUNT_OTHER && number <= UINT16_MAX)
                e->code = (int32_t)number;
        snprintf(e->index, sizeof(e->index), "0x%02" PRIx64,
                 e->class == COUNT_OTHER ? event->attr.config : number);
}

static void classify(struct count_builder *b, struct count_event *e)
{
        const struct pmu *pmu = pmu_find(&b->pmus, e->event.pmu, strlen(e->event.pmu));

        e->class = COUNT_CORE;
        e->kind = COUNT_NO_KIND;
        e->code = -1;
        e->group = COUNT_LOOSE;
        if (e->event.attr.type == PERF_TYPE_SOFTWARE)
                snprintf(e->index, sizeof(e->index), "0x%02" PRIx64, e->event.attr.config);
        else if (e->event.attr.type == PERF_TYPE_TRACEPOINT)
                text_copy(e->index, sizeof(e->index), "tracepoint");
        else if (!pmu || pmu->core)
                classify_core(b, e);
        else
                classify_other(b, e);
}

static const char *name_of_core_code(const struct count_builder *b, const struct count_event *e)
{
        const struct catalogue_cpu *model = e->kind >= 0 ? b->list.kinds.items[e->kind].model : NULL;
        const struct catalogue_event *known = model ? catalogue_find_code(model, (uint32_t)e->code) : NULL;

        /* These numbers have the same meaning on all cores. */
        if (!known && core_code_is_advertised((uint32_t)e->code))
                known = catalogue_find_code(catalogue_find_cpu("armv8-a"), (uint32_t)e->code);
        return known ? known->name : NULL;
}

/* The known name of an event that is given by number or by terms; NULL if there is none. */
static const char *known_name(struct count_builder *b, const struct count_event *e)
{
        const char *prefix = count_class_name(e->class);
        const struct pmu_block_class *class;
        const struct pmu_block_event *known;
        const struct pmu *pmu;

        if (e->code < 0)
                return NULL;
        if (e->class == COUNT_CORE)
                return name_of_core_code(b, e);
        pmu = pmu_find(&b->pmus, e->event.pmu, strlen(e->event.pmu));
        class = pmu_block_find_class(pmu_block_of(b->pmus.source, pmu, &b->list.kinds), prefix,
                                     strlen(prefix));
        known = class ? pmu_block_find_code(class, (uint64_t)e->code) : NULL;
        return known ? known->name : NULL;
}

/* Sets the name for formulas: "inst_spec", "/dsu/l3d_cache", "r1b". */
static void set_plain(struct count_builder *b, const struct event_item *item, struct count_event *e)
{
        uint64_t number = 0;
        bool is_number = !item->has_terms && event_raw_number(item->name, &number) == NUMBER_OK;
        const char *known = is_number || item->has_terms ? known_name(b, e) : NULL;
        bool is_unit = e->class != COUNT_CORE && e->class != COUNT_OTHER, has_prefix = *item->text.at == '/';
        AUTO_RELEASE(buf) plain = {0};

        if (item->extras.name.len) {
                e->plain = count_lower(&b->list, item->extras.name);
                return;
        }
        if (item->has_terms && !known) {
                e->plain = count_lower(&b->list, item->shown);
                return;
        }
        if (is_unit)
                buf_printf(&plain, "/%s/", count_class_name(e->class));
        else if (has_prefix)
                buf_add(&plain, item->text.at, (size_t)(item->name.at - item->text.at));
        if (known)
                buf_add_str(&plain, known);
        else if (is_number)
                buf_printf(&plain, "r%" PRIx64, number);
        else
                buf_add(&plain, item->name.at, item->name.len);
        e->plain = count_lower(&b->list, span_of(plain.data));
}

/* Sets the displayed name: "inst_spec:u"; "cpu_core/cycles/u" on machines with several kinds of cores. */
static bool set_name(struct count_builder *b, const struct count_scope *scope, const struct event_item *item,
                     struct count_event *e)
{
        const char *colon = item->modifiers.len && !item->has_terms ? ":" : "";
        AUTO_RELEASE(buf) name = {0};
        AUTO_RELEASE(buf) printable = {0};

        if (item->extras.name.len)
                buf_add(&name, item->extras.name.at, item->extras.name.len);
        else if (item->has_terms || e->event.attr.type == PERF_TYPE_HW_CACHE)
                buf_add(&name, item->shown.at, item->shown.len);
        else if (b->pmus.n_cores > 1 && e->kind >= 0)
                buf_printf(&name, "%s/%s/", e->event.pmu, e->plain), colon = "";
        else
                buf_add_str(&name, e->plain);
        if (!item->extras.name.len)
                buf_printf(&name, "%s%.*s", colon, (int)item->modifiers.len, item->modifiers.at);
        text_add_printable(&printable, buf_text(&name));
        if (!text_copy(e->event.name, sizeof(e->event.name), buf_text(&printable)))
                return err_set(b->err, ERR_LIMIT,
                               "the event in column %zu is longer than %zu bytes: give it a name with name=",
                               event_column(scope->whole, item->text.at), sizeof(e->event.name) - 1);
        return true;
}

/* Software events happen in the kernel, so without modifiers nothing is excluded. PMUs of other units refuse
 * every exclude bit. */
static bool set_flags(struct count_builder *b, const struct count_scope *scope, const struct event_item *item,
                      struct count_event *e)
{
        bool is_software =
                e->event.attr.type == PERF_TYPE_SOFTWARE || e->event.attr.type == PERF_TYPE_TRACEPOINT;
        bool is_core = e->class == COUNT_CORE && !is_software;

        if (!is_core && !is_software) {
                if (!item->modifiers.len)
                        return true;
                return err_set(
                        b->err, ERR_USAGE,
                        "'%s' (column %zu) cannot have modifiers: its PMU counts in all modes; leave them out",
                        span_quote(item->text).text, event_column(scope->whole, item->text.at));
        }
        e->event.attr.flags = event_exclude_bits(item->modifiers, is_core && !b->text->kernel) |
                              event_precise_level(item->modifiers) << PERF_ATTR_PRECISE_SHIFT;
        return true;
}

static const char *explain_doubt(struct count_builder *b, const struct count_event *e)
{
        const struct core_kind *kind = e->kind >= 0 ? &b->list.kinds.items[e->kind] : NULL;
        AUTO_RELEASE(buf) text = {0};

        if (!kind || e->code < 0 || !core_kind_add_doubt(kind, (uint32_t)e->code, e->plain, &text))
                return NULL;
        return arena_copy(&b->list.texts, text.data, text.len);
}

bool count_add_event(struct count_builder *b, const struct count_scope *scope, const struct event_item *item,
                     struct event *event)
{
        struct count_event e = {.event = *event, .metric = scope->metric};

        if (b->list.n_items == COUNT_ITEMS_MAX)
                return err_set(b->err, ERR_LIMIT, "more than %d events (column %zu)", COUNT_ITEMS_MAX,
                               event_column(scope->whole, item->text.at));
        e.event.precise_max = false;
        classify(b, &e);
        if (e.class != COUNT_CORE && b->text->dmc != UINT32_MAX && b->text->dmc != e.unit &&
            (e.class == COUNT_DMC_CLK || e.class == COUNT_DMC_CLKDIV2))
                return true;
        if (!set_flags(b, scope, item, &e))
                return false;
        set_plain(b, item, &e);
        if (!set_name(b, scope, item, &e))
                return false;
        e.doubt = explain_doubt(b, &e);
        event->cpus = NULL;
        event->n_cpus = 0;
        ARRAY_PUSH(b->list.items, b->list.n_items, b->list.cap_items, e);
        return true;
}

bool count_refuse_event(struct count_builder *b, const struct count_scope *scope,
                        const struct event_item *item, const char *why)
{
        struct count_event e = {
                .event.attr = {.size = sizeof(e.event.attr),
                               .type = PERF_TYPE_SOFTWARE,
                               .config = PERF_COUNT_SW_DUMMY},
                .class = COUNT_CORE,
                .index = "-",
                .code = -1,
                .kind = COUNT_NO_KIND,
                .group = COUNT_LOOSE,
        };
        AUTO_RELEASE(buf) typed = {0};
        AUTO_RELEASE(buf) name = {0};

        if (!b->text->leave_out || scope->metric || b->err->code != ERR_UNSUPPORTED ||
            b->list.n_items == COUNT_ITEMS_MAX)
                return false;
        if (b->first_refusal.code == ERR_NONE)
                b->first_refusal = *b->err;
        why = *why ? why : b->err->text;
        e.refused = arena_copy(&b->list.texts, why, strlen(why));
        e.plain = count_lower(&b->list, item->text);
        buf_add(&typed, item->text.at, item->text.len);
        text_add_printable(&name, buf_text(&typed));
        if (!text_copy(e.event.name, sizeof(e.event.name), buf_text(&name)))
                return false;
        *b->err = (struct err){0};
        ARRAY_PUSH(b->list.items, b->list.n_items, b->list.cap_items, e);
        return true;
}
