/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups: which events are scheduled together, which number the group has in tables, and whether there are
 * enough counters. */
#include <assert.h>
#include <string.h>

#include "count_internal.h"

/* Every Arm core has these counters; a hypervisor may reserve further ones. */
enum { ALWAYS_THERE = 4 };

static bool is_counted_by(const struct count_event *e, int32_t kind)
{
        return e->class == COUNT_CORE && e->kind == kind && e->event.attr.type != PERF_TYPE_SOFTWARE;
}

static bool is_cycles(const struct core_kind *kind, const struct count_event *e)
{
        if (e->event.attr.type == PERF_TYPE_HARDWARE)
                return (uint32_t)e->event.attr.config == PERF_COUNT_HW_CPU_CYCLES;
        return kind->vendor == CORE_ARM && e->code == COUNT_CPU_CYCLES;
}

/* The number of general-purpose counters that the group needs on a kind of core; one event of cycles uses the
 * cycle counter. */
static size_t count_needed(const struct count_builder *b, size_t first, int32_t kind)
{
        bool has_cycles = false;
        size_t n = 0;

        for (size_t i = first; i < b->list.n_items; i++) {
                const struct count_event *e = &b->list.items[i];

                if (!is_counted_by(e, kind))
                        continue;
                n++;
                has_cycles |= is_cycles(&b->list.kinds.items[kind], e);
        }
        return n - has_cycles;
}

/* Checks Arm cores only: on other cores some counters count only some events, so that the kernel has to
 * decide. */
static bool is_too_large(struct count_builder *b, size_t first, int32_t index, size_t *ret_n)
{
        struct core_kind *kind = &b->list.kinds.items[index];

        *ret_n = count_needed(b, first, index);
        if (kind->vendor != CORE_ARM)
                return false;
        if (*ret_n > ALWAYS_THERE && !kind->n_counters_measured && b->text->measure_counters) {
                unsigned n = b->text->measure_counters(kind);

                kind->n_counters = n ? n : kind->n_counters;
                kind->n_counters_measured = n > 0;
        }
        return kind->n_counters && *ret_n > kind->n_counters;
}

/* A metric's events may be counted one by one; a group of the user's stays a group. */
static void warn(struct count_builder *b, const struct count_scope *scope, const struct core_kind *kind,
                 size_t n, const char *at)
{
        if (scope->metric)
                buf_printf(
                        &b->list.warnings,
                        "metric '%s' has %zu events, '%s' has %u counters: they are counted one by one, not "
                        "as a group\n",
                        scope->metric, n, kind->pmu, kind->n_counters);
        else
                buf_printf(
                        &b->list.warnings,
                        "the group in column %zu can never be counted on this CPU: event group size(%zu) exceeds "
                        "number of hardware PMU counters(%u)\n",
                        event_column(scope->whole, at), n, kind->n_counters);
}

/* Whether `a` and `b` can be in one group of the kernel. */
static bool go_together(const struct count_event *a, const struct count_event *b)
{
        return a->class == b->class && a->kind == b->kind && a->unit == b->unit &&
               (a->class != COUNT_OTHER || !strcmp(a->event.pmu, b->event.pmu));
}

static bool is_software(const struct count_event *e)
{
        return e->event.attr.type == PERF_TYPE_SOFTWARE;
}

/* The first event that is not a software event, or the first event if all are; it decides what the group
 * counts. Returns NULL and sets the error if the group has events of several classes, or of several PMUs of
 * COUNT_OTHER. */
static const struct count_event *find_leader(struct count_builder *b, const struct count_scope *scope,
                                             size_t first, const char *at)
{
        const struct count_event *leader = NULL;

        for (size_t i = first; i < b->list.n_items; i++) {
                const struct count_event *e = &b->list.items[i];

                if (is_software(e))
                        continue;
                leader = leader ? leader : e;
                if (e->class == leader->class &&
                    (e->class != COUNT_OTHER || !strcmp(e->event.pmu, leader->event.pmu)))
                        continue;
                err_set(b->err, ERR_USAGE,
                        "the group in column %zu has events of different PMUs, '%s' and '%s': only events of one PMU "
                        "can be counted together",
                        event_column(scope->whole, at), leader->event.name, e->event.name);
                return NULL;
        }
        return leader ? leader : &b->list.items[first];
}

static void join(struct count_builder *b, size_t first, int32_t number)
{
        for (size_t i = first; i < b->list.n_items; i++) {
                struct count_event *e = &b->list.items[i];

                e->group = number;
                for (size_t j = first; j < i && !e->together && !is_software(e); j++) {
                        if (!is_software(&b->list.items[j]) && go_together(&b->list.items[j], e))
                                e->together = b->list.items[j].together;
                }
                if (!e->together && !is_software(e))
                        e->together = ++b->n_together;
        }
}

/* Adds the software events to the first group of hardware events; without one, they form a group of their
 * own. */
static void join_software(struct count_builder *b, size_t first)
{
        uint32_t together = 0;

        for (size_t i = first; i < b->list.n_items && !together; i++)
                together = b->list.items[i].together;
        together = together ? together : ++b->n_together;
        for (size_t i = first; i < b->list.n_items; i++) {
                if (is_software(&b->list.items[i]))
                        b->list.items[i].together = together;
        }
}

static bool is_memory_controller(enum count_class class)
{
        return class == COUNT_DMC_CLK || class == COUNT_DMC_CLKDIV2;
}

bool count_make_group(struct count_builder *b, const struct count_scope *scope, size_t first, const char *at,
                      int32_t *number)
{
        const struct count_event *leader = NULL;
        enum count_class class;
        size_t n;

        assert(first <= b->list.n_items);
        if (first == b->list.n_items)
                return true;
        leader = find_leader(b, scope, first, at);
        if (!leader)
                return false;
        class = leader->class;
        if (is_memory_controller(class)) {
                buf_printf(
                        &b->list.warnings,
                        "the group in column %zu: the kernel counts events of memory controllers one by one\n",
                        event_column(scope->whole, at));
                return true;
        }
        for (size_t i = 0; i < b->list.kinds.n_items; i++) {
                if (!is_too_large(b, first, (int32_t)i, &n))
                        continue;
                warn(b, scope, &b->list.kinds.items[i], n, at);
                if (scope->metric)
                        return true;
        }
        if (*number == COUNT_LOOSE)
                *number = b->n_groups[class]++;
        join(b, first, *number);
        join_software(b, first);
        return true;
}
