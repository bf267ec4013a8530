/* SPDX-License-Identifier: BSD-3-Clause */
/* Units outside the cores: which PMUs an event with a prefix (/dsu/NAME) is counted on, and which of them
 * are the clusters (DSU) and memory controllers (DMC-620) that have tables of their own. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "count_internal.h"
#include "err.h"
#include "mem.h"
#include "pmu_block.h"
#include "text.h"
#include "text_match.h"

#define DSU_PMU "arm_dsu_"
#define DMC_PMU "arm_dmc620_"

/* DMC-620 names end in the controller's address in hexadecimal, so a shorter name is a lower address. */
static bool comes_before(const char *a, const char *b)
{
        size_t x = strlen(a), y = strlen(b);

        return x != y ? x < y : strcmp(a, b) < 0;
}

enum count_class count_class_of_pmu(const struct pmu_table *pmus, const char *name, bool is_clkdiv2,
                                    uint32_t *ret_unit)
{
        uint64_t number;

        *ret_unit = 0;
        if (text_starts(name, DSU_PMU) &&
            span_to_u64(span_of(name + strlen(DSU_PMU)), false, &number) == NUMBER_OK &&
            number < UINT32_MAX) {
                *ret_unit = (uint32_t)number;
                return COUNT_DSU;
        }
        if (!text_starts(name, DMC_PMU))
                return COUNT_OTHER;
        for (size_t i = 0; i < pmus->n_items; i++)
                *ret_unit +=
                        text_starts(pmus->items[i].name, DMC_PMU) && comes_before(pmus->items[i].name, name);
        return is_clkdiv2 ? COUNT_DMC_CLKDIV2 : COUNT_DMC_CLK;
}

static bool fail_prefix(const struct event_resolver *r, struct span prefix)
{
        AUTO_RELEASE(buf) known = {0};

        pmu_block_add_prefixes(&known);
        return err_set(r->err, ERR_USAGE, "unknown prefix '/%s/' (column %zu): prefixes are %s",
                       span_quote(prefix).text, event_column(r->whole, prefix.at), buf_text(&known));
}

static bool fail_name(const struct event_resolver *r, const struct pmu_block_class *class,
                      const struct event_item *item)
{
        const char **names = mem_new(class->n_events, sizeof(*names)), *nearest;

        for (size_t i = 0; i < class->n_events; i++)
                names[i] = class->events[i].name;
        nearest = text_nearest(span_quote(item->name).text, names, class->n_events);
        free(names);
        return err_set(r->err, ERR_USAGE, "unknown event name: %s (column %zu)%s%s%s%s%s",
                       span_quote(item->text).text, event_column(r->whole, item->name.at),
                       nearest ? "; did you mean '/" : "", nearest ? class->name : "", nearest ? "/" : "",
                       nearest ? nearest : "", nearest ? "'?" : "");
}

/* Finds the event's number by names of -E, as a number, or in the block. 1: found, 0: not found, -1:
 * error. */
static int find_number(const struct event_resolver *r, const struct pmu_block_class *class,
                       const struct event_item *item, uint64_t *ret_number)
{
        enum number_result result = event_raw_number(item->name, ret_number);
        const struct pmu_block_event *event;

        for (size_t i = 0; r->extra && i < r->extra->n_events; i++) {
                const struct extra_event *extra = &r->extra->events[i];

                if (strcmp(extra->prefix, class->name) || !span_equal_nocase(item->name, extra->name))
                        continue;
                *ret_number = extra->code;
                return 1;
        }
        if (result == NUMBER_OK)
                return 1;
        if (result == NUMBER_RANGE)
                return err_set(r->err, ERR_USAGE, "extra event value out of range in %s (column %zu)",
                               span_quote(item->text).text, event_column(r->whole, item->name.at)) -
                       1;
        event = pmu_block_find_event(class, item->name.at, item->name.len);
        if (event)
                *ret_number = event->code;
        return event != NULL;
}

static bool set_field(const struct event_resolver *r, const struct event_item *item, const struct pmu *pmu,
                      const char *name, uint64_t value, struct perf_attr *attr)
{
        struct pmu_field field;
        int found = pmu_find_field(r->pmus->source, pmu, name, strlen(name), &field, r->err);

        if (found < 0)
                return false;
        if (!found)
                return err_set(r->err, ERR_UNSUPPORTED, "'%s' (column %zu): PMU '%s' has no field '%s'",
                               span_quote(item->text).text, event_column(r->whole, item->text.at), pmu->name,
                               name);
        if (value > pmu_field_max(&field))
                return err_set(r->err, ERR_USAGE, "extra event value out of range in %s (column %zu)",
                               span_quote(item->text).text, event_column(r->whole, item->name.at));
        pmu_field_set(&field, value, attr);
        return true;
}

/* Adds the event of one unit, by its name in sysfs if it has one. */
static bool add_unit(struct event_resolver *r, const struct pmu_block_class *class, struct event_item *item,
                     struct pmu *pmu)
{
        AUTO_RELEASE(buf) name = {0};
        struct event *event;
        uint64_t number = 0;
        int found;

        if (!pmu_load(r->pmus->source, pmu, r->err))
                return false;
        event = event_resolver_add(r, item, pmu, pmu->type, 0);
        if (!event)
                return false;
        found = find_number(r, class, item, &number);
        if (found < 0)
                return false;
        if (pmu_block_linux_event(r->pmus->source, pmu, class, item->name.at, item->name.len, &name))
                return event_terms_apply_alias(r->pmus->source, pmu, name.data, &event->attr, &item->extras,
                                               r->err);
        if (!found)
                return fail_name(r, class, item);
        if (!pmu_block_takes_numbers(r->pmus->source, pmu))
                return err_set(r->err, ERR_UNSUPPORTED,
                               "'%s' (column %zu): PMU '%s' of this machine does not have this event",
                               span_quote(item->text).text, event_column(r->whole, item->text.at), pmu->name);
        return set_field(r, item, pmu, "event", number, &event->attr) &&
               (!class->linux_field ||
                set_field(r, item, pmu, class->linux_field, class->linux_value, &event->attr));
}

static bool fail_machine(const struct event_resolver *r, const struct event_item *item,
                         const struct pmu_block *block)
{
        AUTO_RELEASE(buf) why = {0};

        buf_printf(&why, "this machine has no %s PMU (%s*)", block->unit, block->pmu);
        if (r->refusal)
                text_copy(r->refusal->text, sizeof(r->refusal->text), buf_text(&why));
        return err_set(r->err, ERR_UNSUPPORTED, "'%s' (column %zu): %s", span_quote(item->text).text,
                       event_column(r->whole, item->text.at), buf_text(&why));
}

/* Adds the event of each unit of the machine that has the class `prefix`; sets *ret_n_units. */
static bool add_units(struct event_resolver *r, struct span prefix, const struct pmu_block *block,
                      struct event_item *item, size_t *ret_n_units)
{
        *ret_n_units = 0;
        for (size_t i = 0; i < r->pmus->n_items; i++) {
                struct pmu *pmu = &r->pmus->items[i];
                const struct pmu_block_class *class;

                if (!text_starts(pmu->name, block->pmu))
                        continue;
                class = pmu_block_find_class(pmu_block_of(r->pmus->source, pmu, r->kinds), prefix.at,
                                             prefix.len);
                if (!class)
                        continue;
                (*ret_n_units)++;
                if (r->only_kind <= 0 && !add_unit(r, class, item, pmu))
                        return false;
        }
        return true;
}

bool count_resolve_prefixed(struct count_builder *b, struct event_resolver *r, struct event_item *item)
{
        const char *at = item->text.at, *end = at + item->text.len;
        const char *second = memchr(at + 1, '/', item->text.len - 1), *colon;
        struct span prefix = {at + 1, (size_t)(second - at - 1)};
        const struct pmu_block *block = NULL;
        size_t n_units;

        colon = memchr(second, ':', (size_t)(end - second));
        colon = colon ? colon : end;
        item->name = (struct span){second + 1, (size_t)(colon - second - 1)};
        item->suffix = (struct span){colon, (size_t)(end - colon)};
        if (!pmu_block_find_class_anywhere(prefix.at, prefix.len, &block))
                return fail_prefix(r, prefix);
        if (!item->name.len)
                return err_set(r->err, ERR_USAGE, "no event specified (column %zu)",
                               event_column(r->whole, second + 1));
        if (!add_units(r, prefix, block, item, &n_units))
                return false;
        if (!n_units)
                return fail_machine(r, item, block);
        if (!strcmp(block->pmu, DMC_PMU) && b->text->dmc != UINT32_MAX && b->text->dmc >= n_units)
                return err_set(r->err, ERR_USAGE, "--dmc %" PRIu32 ": no such controller, use 0-%zu",
                               b->text->dmc, n_units - 1);
        return true;
}
