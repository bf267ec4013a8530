/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds the list that `stat` counts: the cycle counters, then -e and -m, or the default. */
#include "count_list.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "count_internal.h"
#include "err.h"
#include "mem.h"
#include "text.h"

#define DEFAULT_SOFTWARE "task-clock,context-switches,cpu-migrations,page-faults"
#define DEFAULT_HARDWARE "instructions,branches,branch-misses"

const char *count_class_name(enum count_class class)
{
        static const char *const names[COUNT_CLASSES] = {"core", "dsu", "dmc_clk", "dmc_clkdiv2", "other"};

        assert(class < COUNT_CLASSES);
        return names[class];
}

void count_event_add_note(const struct count_event *event, struct buf *out)
{
        if (event->group == COUNT_LOOSE)
                buf_add_char(out, 'e');
        else
                buf_printf(out, "g%d", (int)event->group);
        if (event->metric)
                buf_printf(out, ",%s", event->metric);
}

void count_list_release(struct count_list *list)
{
        for (size_t i = 0; i < list->n_items; i++)
                free(list->items[i].event.cpus);
        free(list->items);
        free(list->metrics);
        core_kinds_release(&list->kinds);
        buf_release(&list->warnings);
        arena_release(&list->texts);
        *list = (struct count_list){0};
}

static struct count_event make_cycles(const struct count_builder *b, size_t index)
{
        const struct core_kind *kind = &b->list.kinds.items[index];
        const struct pmu *pmu = b->pmus.cores[index];
        struct count_event e = {
                .plain = "cpu_cycles",
                .class = COUNT_CORE,
                .index = "fixed",
                .code = kind->vendor == CORE_ARM ? COUNT_CPU_CYCLES : -1,
                .kind = (int32_t)index,
                .group = COUNT_LOOSE,
                .is_cycle = true,
                .event = {.name = "cycle",
                          .attr = {.size = sizeof(e.event.attr),
                                   .type = PERF_TYPE_HARDWARE,
                                   .config = PERF_COUNT_HW_CPU_CYCLES,
                                   .flags = event_exclude_bits((struct span){"", 0}, !b->text->kernel)}},
        };
        struct pmu_field field;

        /* Use the event number: kernels before 6.6 have no generic event for one of several PMUs. */
        if (kind->vendor == CORE_ARM && pmu_find_field(b->pmus.source, pmu, "event", 5, &field, NULL) > 0 &&
            pmu_field_max(&field) >= COUNT_CPU_CYCLES) {
                e.event.attr.type = kind->type;
                e.event.attr.config = 0;
                pmu_field_set(&field, COUNT_CPU_CYCLES, &e.event.attr);
        } else if (b->list.kinds.n_items > 1) {
                e.event.attr.config |= (uint64_t)kind->type << 32;
        }
        text_copy(e.event.pmu, sizeof(e.event.pmu), kind->pmu);
        if (kind->n_cpus) {
                e.event.cpus = mem_new(kind->n_cpus, sizeof(*e.event.cpus));
                memcpy(e.event.cpus, kind->cpus, kind->n_cpus * sizeof(*e.event.cpus));
                e.event.n_cpus = kind->n_cpus;
        }
        return e;
}

static bool counts_on(const struct count_list *list, size_t kind)
{
        for (size_t i = 0; i < list->n_items; i++) {
                if (list->items[i].class == COUNT_CORE && list->items[i].kind == (int32_t)kind)
                        return true;
        }
        return false;
}

bool count_add_cycles(struct count_builder *b)
{
        struct count_list *list = &b->list;
        size_t n_cycles = 0;

        for (size_t kind = 0; kind < list->kinds.n_items; kind++) {
                if (!counts_on(list, kind))
                        continue;
                if (list->n_items == COUNT_ITEMS_MAX)
                        return err_set(b->err, ERR_LIMIT, "more than %d events", COUNT_ITEMS_MAX);
                ARRAY_PUSH(list->items, list->n_items, list->cap_items, make_cycles(b, kind));
                n_cycles++;
        }
        /* Move them to the front, in their order. */
        for (size_t i = 0; i < n_cycles; i++) {
                struct count_event cycles = list->items[list->n_items - n_cycles + i];

                memmove(list->items + i + 1, list->items + i,
                        (list->n_items - n_cycles) * sizeof(*list->items));
                list->items[i] = cycles;
        }
        for (size_t i = 0; i < list->n_metrics; i++) {
                for (size_t j = 0; j < list->metrics[i].n_events; j++)
                        list->metrics[i].events[j] += n_cycles;
        }
        return true;
}

static bool parse_default(struct count_builder *b)
{
        struct count_scope scope = {.whole = b->list.kinds.n_items ? DEFAULT_SOFTWARE "," DEFAULT_HARDWARE
                                                                   : DEFAULT_SOFTWARE,
                                    .only_kind = -1};

        return count_parse_text(b, &scope);
}

/* The lists of perf stat -d. */
static bool parse_detail(struct count_builder *b)
{
        static const char *const more[] = {
                "L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
                "L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,iTLB-load-misses",
                "L1-dcache-prefetches,L1-dcache-prefetch-misses",
        };

        for (size_t i = 0; i < N_ELEMENTS(more) && i < b->text->detail; i++) {
                const struct count_scope scope = {.whole = more[i], .only_kind = -1};

                if (!count_parse_text(b, &scope))
                        return false;
        }
        return true;
}

static bool is_anything_left(const struct count_list *list)
{
        for (size_t i = 0; i < list->n_items; i++) {
                if (!list->items[i].refused)
                        return true;
        }
        return list->n_metrics > 0;
}

static bool parse(struct count_builder *b)
{
        const struct count_scope scope = {.whole = b->text->events, .only_kind = -1};

        if (!b->text->events && !b->text->metrics && !parse_default(b))
                return false;
        if (b->text->events && !count_parse_text(b, &scope))
                return false;
        if (!parse_detail(b))
                return false;
        if (b->text->metrics && !count_parse_metrics(b, b->text->metrics))
                return false;
        if (b->first_refusal.code != ERR_NONE && !is_anything_left(&b->list)) {
                *b->err = b->first_refusal;
                return false;
        }
        return count_add_cycles(b);
}

/* Names of metrics may belong to the caller, so the list copies them. */
static void own_texts(struct count_list *list)
{
        for (size_t i = 0; i < list->n_items; i++) {
                struct count_event *e = &list->items[i];

                if (e->metric)
                        e->metric = arena_copy(&list->texts, e->metric, strlen(e->metric));
        }
        for (size_t i = 0; i < list->n_metrics; i++) {
                struct count_metric *m = &list->metrics[i];

                m->name = arena_copy(&list->texts, m->name, strlen(m->name));
                m->title = arena_copy(&list->texts, m->title, strlen(m->title));
        }
}

bool count_list_parse(const struct count_text *text, const struct pmu_source *source, struct count_list *ret,
                      struct err *err)
{
        struct err own = {0};
        struct count_builder b = {.text = text, .err = err ? err : &own};
        bool ok;

        pmu_table_load(&b.pmus, source);
        core_kinds_from_table(&b.pmus, &b.list.kinds);
        ok = parse(&b);
        if (ok) {
                own_texts(&b.list);
                *ret = b.list;
        } else {
                count_list_release(&b.list);
        }
        pmu_table_release(&b.pmus);
        return ok;
}
