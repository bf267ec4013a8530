/* SPDX-License-Identifier: BSD-3-Clause */
/* Units that are larger than a core: which PMUs are the clusters (DSU) and memory controllers (DMC-620) of
 * WindowsPerf's prefixes, and what a name is on them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "count_internal.h"
#include "err.h"
#include "text.h"
#include "text_match.h"

#define DSU_PMU "arm_dsu_"
#define DMC_PMU "arm_dmc620_"

/* drivers/perf/arm_dmc620_pmu.c: events are clk_NAME and clkdiv2_NAME, told apart by the field clkdiv2. */
static const struct family {
        const char *prefix; /* of the text, between slashes */
        const char *pmu;
        const char *events;
        const char *unit; /* in messages */
        enum count_class class;
} families[] = {
        {"dsu", DSU_PMU, "", "cluster (DSU)", COUNT_DSU},
        {"dmc_clk", DMC_PMU, "clk_", "memory controller (DMC-620)", COUNT_DMC_CLK},
        {"dmc_clkdiv2", DMC_PMU, "clkdiv2_", "memory controller (DMC-620)", COUNT_DMC_CLKDIV2},
};

/* Names end in the address of the controller in hexadecimal. */
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

static const struct family *find_family(struct span prefix)
{
        for (size_t i = 0; i < N_ELEMENTS(families); i++) {
                if (span_equal_nocase(prefix, families[i].prefix))
                        return &families[i];
        }
        return NULL;
}

static bool fail_prefix(const struct event_resolver *r, struct span prefix)
{
        return err_set(r->err, ERR_USAGE,
                       "unknown prefix '/%s/' (column %zu): prefixes are /dsu/, /dmc_clk/ and /dmc_clkdiv2/",
                       span_quote(prefix).text, event_column(r->whole, prefix.at));
}

static bool fail_name(const struct event_resolver *r, const struct family *family,
                      const struct event_item *item)
{
        const char *names[64], *nearest;
        const struct catalogue_event *all;
        size_t n;

        all = catalogue_uncore_events((enum catalogue_uncore)(family->class - COUNT_DSU), &n);
        n = n < N_ELEMENTS(names) ? n : N_ELEMENTS(names);
        for (size_t i = 0; i < n; i++)
                names[i] = all[i].name;
        nearest = text_nearest(span_quote(item->name).text, names, n);
        return err_set(r->err, ERR_USAGE, "unknown event name: %s (column %zu)%s%s%s%s%s",
                       span_quote(item->text).text, event_column(r->whole, item->name.at),
                       nearest ? "; did you mean '/" : "", nearest ? family->prefix : "", nearest ? "/" : "",
                       nearest ? nearest : "", nearest ? "'?" : "");
}

/* -E names, numbers and the tables of the catalogue; 1: found, 0: not, -1: error. */
static int find_number(const struct event_resolver *r, const struct family *family,
                       const struct event_item *item, uint64_t *ret_number)
{
        enum number_result result = event_raw_number(item->name, ret_number);
        const struct catalogue_event *all;
        size_t n;

        for (size_t i = 0; r->extra && i < r->extra->n_events; i++) {
                const struct extra_event *extra = &r->extra->events[i];

                if (strcmp(extra->prefix, family->prefix) || !span_equal_nocase(item->name, extra->name))
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
        all = catalogue_uncore_events((enum catalogue_uncore)(family->class - COUNT_DSU), &n);
        for (size_t i = 0; i < n; i++) {
                if (!span_equal_nocase(item->name, all[i].name))
                        continue;
                *ret_number = all[i].code;
                return 1;
        }
        return 0;
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

/* The event of one unit, by its sysfs name where there is one. */
static bool add_unit(struct event_resolver *r, const struct family *family, struct event_item *item,
                     struct pmu *pmu)
{
        AUTO_RELEASE(buf) wanted = {0};
        AUTO_RELEASE(buf) name = {0};
        struct event *event;
        uint64_t number = 0;
        int found;

        if (!pmu_load(r->pmus->source, pmu, r->err))
                return false;
        event = event_resolver_add(r, item, pmu, pmu->type, 0);
        if (!event)
                return false;
        found = find_number(r, family, item, &number);
        if (found < 0)
                return false;
        buf_add_str(&wanted, family->events);
        buf_add(&wanted, item->name.at, item->name.len);
        if (pmu_find_event(r->pmus->source, pmu, wanted.data, wanted.len, &name))
                return event_terms_apply_alias(r->pmus->source, pmu, name.data, &event->attr, &item->extras,
                                               r->err);
        if (!found)
                return fail_name(r, family, item);
        return set_field(r, item, pmu, "event", number, &event->attr) &&
               (family->class == COUNT_DSU ||
                set_field(r, item, pmu, "clkdiv2", family->class == COUNT_DMC_CLKDIV2, &event->attr));
}

bool count_resolve_prefixed(struct count_builder *b, struct event_resolver *r, struct event_item *item)
{
        const char *at = item->text.at, *end = at + item->text.len;
        const char *second = memchr(at + 1, '/', item->text.len - 1), *colon;
        struct span prefix = {at + 1, (size_t)(second - at - 1)};
        const struct family *family = find_family(prefix);
        size_t n_units = 0;

        colon = memchr(second, ':', (size_t)(end - second));
        colon = colon ? colon : end;
        item->name = (struct span){second + 1, (size_t)(colon - second - 1)};
        item->suffix = (struct span){colon, (size_t)(end - colon)};
        if (!family)
                return fail_prefix(r, prefix);
        if (!item->name.len)
                return err_set(r->err, ERR_USAGE, "no event specified (column %zu)",
                               event_column(r->whole, second + 1));
        for (size_t i = 0; i < r->pmus->n_items; i++) {
                struct pmu *pmu = &r->pmus->items[i];

                if (!text_starts(pmu->name, family->pmu))
                        continue;
                n_units++;
                if (r->only_kind <= 0 && !add_unit(r, family, item, pmu))
                        return false;
        }
        if (!n_units && r->refusal)
                snprintf(r->refusal->text, sizeof(r->refusal->text), "this machine has no %s PMU (%s*)",
                         family->unit, family->pmu);
        if (!n_units)
                return err_set(r->err, ERR_UNSUPPORTED, "'%s' (column %zu): this machine has no %s PMU (%s*)",
                               span_quote(item->text).text, event_column(r->whole, at), family->unit,
                               family->pmu);
        if (family->class != COUNT_DSU && b->text->dmc != UINT32_MAX && b->text->dmc >= n_units)
                return err_set(r->err, ERR_USAGE, "--dmc %" PRIu32 ": no such controller, use 0-%zu",
                               b->text->dmc, n_units - 1);
        return true;
}
