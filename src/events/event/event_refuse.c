/* SPDX-License-Identifier: BSD-3-Clause */
/* The errors for events that are not accepted: what the name is, if that can be found out, what to write
 * instead, or the nearest known name. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "err.h"
#include "event_grammar.h"
#include "mem.h"
#include "os_paths.h"
#include "text.h"
#include "text_match.h"
#include "tracepoint.h"

enum { NAMES_MAX = 20000 };

struct refused_names {
        struct arena arena;
        const char **names;
        size_t n, cap;
};

static bool add_name(void *ctx, const char *name)
{
        struct refused_names *list = ctx;

        if (list->n == NAMES_MAX)
                return false;
        ARRAY_PUSH(list->names, list->n, list->cap, arena_copy(&list->arena, name, strlen(name)));
        return true;
}

static void name_list_release(struct refused_names *list)
{
        arena_release(&list->arena);
        free(list->names);
}

static void list_model(const struct core_kind *kind, struct refused_names *list)
{
        const struct catalogue_cpu *cpus[] = {kind->model, catalogue_find_cpu("armv8-a"),
                                              catalogue_find_cpu("armv9-a")};

        for (size_t i = kind->model ? 0 : 1; i < N_ELEMENTS(cpus); i++) {
                for (size_t j = 0; j < cpus[i]->n_events; j++)
                        add_name(list, catalogue_get_event(cpus[i], j)->name);
        }
}

static void list_known(const struct event_resolver *r, struct refused_names *list)
{
        const struct pmu_table *pmus = r->pmus;

        for (size_t i = 0; r->extra && i < r->extra->n_events; i++) {
                if (!*r->extra->events[i].prefix)
                        add_name(list, r->extra->events[i].name);
        }
        event_name_each(add_name, list);
        for (size_t i = 0; i < pmus->n_cores; i++) {
                pmu_each_event(pmus->source, pmus->cores[i], add_name, list);
                if (r->kinds->items[i].vendor == CORE_ARM)
                        list_model(&r->kinds->items[i], list);
        }
        for (size_t i = 0; i < pmus->n_others; i++)
                add_name(list, pmus->others[i].name);
}

static bool is_word(struct span span)
{
        for (size_t i = 0; i < span.len; i++) {
                char c = span.at[i];

                if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && c != '_' && c != '-' && c != '*' &&
                    !(c >= '0' && c <= '9' && i))
                        return false;
        }
        return span.len > 0;
}

/* SYSTEM:NAME, if NAME does not consist of modifiers. */
bool event_split_tracepoint(struct span name, struct span text, struct span *ret_name)
{
        struct span rest = {name.at + name.len + 1, 0};
        bool only_modifiers = true;

        if (text.len <= name.len + 1 || text.at[name.len] != ':' || !is_word(name))
                return false;
        for (const char *c = rest.at; c < text.at + text.len && *c != ':'; c++, rest.len++)
                only_modifiers &= strchr("ukhpGHP", *c) != NULL;
        *ret_name = rest;
        return is_word(rest) && !only_modifiers;
}

static bool explain_tracepoint(const struct event_resolver *r, struct span system, struct span name)
{
        return tracepoint_explain(r->pmus->source, span_quote(system).text, span_quote(name).text,
                                  event_column(r->whole, system.at), r->err);
}

/* The generic event that is nearest to an Arm event and that every core counts. */
static const char *generic_instead(const char *name)
{
        static const struct {
                const char *arm, *generic;
        } near[] = {
                {"inst_retired", "instructions"},
                {"inst_spec", "instructions"},
                {"br_retired", "branches"},
                {"br_mis_pred", "branch-misses"},
                {"br_mis_pred_retired", "branch-misses"},
                {"l1d_cache", "L1-dcache-loads"},
                {"l1d_cache_refill", "L1-dcache-load-misses"},
                {"l1i_cache_refill", "L1-icache-load-misses"},
                {"l1d_tlb_refill", "dTLB-load-misses"},
                {"l1i_tlb_refill", "iTLB-load-misses"},
                {"l3d_cache", "LLC-loads"},
                {"l3d_cache_refill", "LLC-load-misses"},
                {"ll_cache_rd", "LLC-loads"},
                {"ll_cache_miss_rd", "LLC-load-misses"},
                {"stall_frontend", "stalled-cycles-frontend"},
                {"stall_backend", "stalled-cycles-backend"},
        };

        for (size_t i = 0; i < N_ELEMENTS(near); i++) {
                if (!strcmp(near[i].arm, name))
                        return near[i].generic;
        }
        return "cycles or instructions";
}

bool event_refuse(const struct event_resolver *r, const char *name, size_t column, const char *format, ...)
{
        char what[200];
        va_list args;

        va_start(args, format);
        vsnprintf(what, sizeof(what), format, args);
        va_end(args);
        if (r->refusal)
                snprintf(r->refusal->text, sizeof(r->refusal->text), "this %.190s", what);
        return err_set(r->err, ERR_UNSUPPORTED, "event '%s' (column %zu) %s", name, column, what);
}

/* Sets the error for an event that belongs to other Arm cores. */
static bool explain_arm(const struct event_resolver *r, size_t column, const struct catalogue_event *event,
                        const struct catalogue_cpu *cpu)
{
        const struct core_kind *kind = r->kinds->n_items ? &r->kinds->items[0] : NULL;

        if (!kind)
                return event_refuse(r, event->name, column,
                                    "is an event of Arm cores (%s); this machine has no core PMU: use %s",
                                    event->title, r->counting ? "task-clock" : "cpu-clock");
        if (kind->vendor != CORE_ARM)
                return event_refuse(r, event->name, column,
                                    "is an event of Arm cores (%s); this machine's core PMU is '%s': use %s",
                                    event->title, kind->pmu, generic_instead(event->name));
        if (cpu->implementer)
                return event_refuse(
                        r, event->name, column,
                        "belongs to %s, and the PMU '%s' does not list it; write r%x to open it anyway",
                        cpu->name, kind->pmu, event->code);
        return event_refuse(
                r, event->name, column,
                "is not counted by these cores (the PMU '%s' does not list it); write r%x to open it anyway",
                kind->pmu, event->code);
}

static bool is_metric(const struct event_resolver *r, struct span name)
{
        bool is = catalogue_find_metric(NULL, name.at, name.len) != NULL;

        for (size_t i = 0; i < r->kinds->n_items; i++)
                is |= r->kinds->items[i].model &&
                      catalogue_find_metric(r->kinds->items[i].model, name.at, name.len);
        return is;
}

bool event_explain_unknown(const struct event_resolver *r, struct span name, struct span text)
{
        __attribute__((cleanup(name_list_release))) struct refused_names list = {.n = 0};
        struct quoted shown = span_quote(name);
        size_t column = event_column(r->whole, name.at);
        const struct catalogue_cpu *cpu = NULL;
        const struct catalogue_event *event = catalogue_find_anywhere(name.at, name.len, &cpu);
        struct span tracepoint;
        const char *nearest;

        if (event)
                return explain_arm(r, column, event, cpu);
        if (is_metric(r, name))
                return err_set(r->err, ERR_USAGE,
                               r->counting ? "'%s' (column %zu) is a metric: count it with -m %s"
                                           : "'%s' (column %zu) is a metric: metrics are counted with stat "
                                             "-m, not sampled",
                               shown.text, column, shown.text);
        list_known(r, &list);
        nearest = text_nearest(shown.text, list.names, list.n);
        if (nearest)
                return err_set(r->err, ERR_USAGE, "unknown event name: %s (column %zu); did you mean '%s'?",
                               shown.text, column, nearest);
        if (event_split_tracepoint(name, text, &tracepoint))
                return explain_tracepoint(r, name, tracepoint);
        return err_set(r->err, ERR_USAGE, "unknown event name: %s (column %zu)", shown.text, column);
}

static bool uncore_event(const char *whole, struct span text, struct err *err)
{
        return err_set(err, ERR_UNSUPPORTED,
                       "'%s' (column %zu) is an uncore event: it counts for more than one core and cannot be "
                       "sampled; count it with stat",
                       span_quote(text).text, event_column(whole, text.at));
}

bool event_pmu_is_usable(const struct pmu *pmu, bool counting, const char *whole, struct span text,
                         struct err *err)
{
        static const struct {
                const char *prefix;
                const char *why;
                bool counts;
        } refused[] = {
                {"arm_spe", "SPE takes samples and counts nothing: use record or sample", false},
                {"intel_pt", "instruction traces are not implemented yet", false},
                {"intel_bts", "instruction traces are not implemented yet", false},
                {"cs_etm", "instruction traces are not implemented yet", false},
                {"tracepoint", "write a tracepoint as SYSTEM:NAME", false},
                {"kprobe", "create the probe with perf probe and write it as SYSTEM:NAME", false},
                {"uprobe", "create the probe with perf probe and write it as SYSTEM:NAME", false},
                {"breakpoint", "breakpoints are not supported yet", false},
                {"msr", "this PMU has no interrupt and cannot be sampled; count it with stat", true},
        };

        for (size_t i = 0; i < N_ELEMENTS(refused); i++) {
                if (text_starts(pmu->name, refused[i].prefix) && !(counting && refused[i].counts))
                        return err_set(err, ERR_UNSUPPORTED, "'%s' (column %zu): %s", span_quote(text).text,
                                       event_column(whole, text.at), refused[i].why);
        }
        return counting || !pmu->uncore || uncore_event(whole, text, err);
}

/* Whether `name` is a family of numbered PMUs: uncore_cbox or cbox for uncore_cbox_0, dsu for arm_dsu_0. */
static bool is_numbered(const struct pmu *pmu, struct span name)
{
        static const char *const families[] = {"", "uncore_", "arm_"};
        char plain[PMU_NAME_MAX_BYTES];

        if (!name.len || !span_copy(plain, sizeof(plain), name))
                return false;
        for (size_t i = 0; i < N_ELEMENTS(families); i++) {
                const char *rest = pmu->name + strlen(families[i]);

                if (!text_starts(pmu->name, families[i]) || strlen(rest) < name.len + 2 ||
                    !span_equal_nocase((struct span){rest, name.len}, plain))
                        continue;
                rest += name.len;
                if (*rest == '_' && !rest[1 + strspn(rest + 1, "0123456789")])
                        return true;
        }
        return false;
}

static bool nearest_pmu(const struct pmu_table *pmus, const char *whole, struct span name, struct err *err)
{
        __attribute__((cleanup(name_list_release))) struct refused_names list = {.n = 0};
        struct quoted shown = span_quote(name);
        const char *nearest;

        for (size_t i = 0; i < pmus->n_items; i++)
                add_name(&list, pmus->items[i].name);
        nearest = text_nearest(shown.text, list.names, list.n);
        if (!nearest && pmus->n_cores)
                nearest = pmus->cores[0]->name;
        return err_set(err, ERR_USAGE, "no PMU is called '%s' (column %zu)%s%s%s", shown.text,
                       event_column(whole, name.at), nearest ? "; did you mean '" : "",
                       nearest ? nearest : "", nearest ? "'?" : "");
}

static bool has_spe(const struct pmu_table *pmus)
{
        for (size_t i = 0; i < pmus->n_items; i++) {
                if (event_name_is_spe(span_of(pmus->items[i].name)))
                        return true;
        }
        return false;
}

bool event_explain_unknown_pmu(const struct event_resolver *r, struct span name, struct span text)
{
        const char *whole = r->whole;
        struct pmu_table *pmus = r->pmus;
        struct err *err = r->err;
        struct quoted shown = span_quote(name);
        size_t column = event_column(whole, text.at);
        uint32_t type;
        uint64_t config;

        if (event_name_is_spe(name) && !has_spe(pmus))
                return err_set(err, ERR_UNSUPPORTED,
                               "SPE is not supported by your hardware: %s (column %zu): %s",
                               span_quote(text).text, column, event_spe_why_missing(pmus->source));
        if (!name.len)
                return uncore_event(whole, text, err);
        if (event_name_find(name, &type, &config))
                return err_set(err, ERR_USAGE,
                               r->counting
                                       ? "'%s' (column %zu) is an event, not a PMU: write %s:u for modifiers"
                                       : "'%s' (column %zu) is an event, not a PMU: write %s:100000 for "
                                         "an interval",
                               shown.text, column, shown.text);
        if (!pmus->known)
                return err_set(err, ERR_UNSUPPORTED,
                               "'%s' (column %zu): this machine does not list its PMUs in %s",
                               span_quote(text).text, column, os_sysfs_pmus());
        for (size_t i = 0; i < pmus->n_items && !r->counting; i++) {
                struct pmu *pmu = &pmus->items[i];

                if (is_numbered(pmu, name) && pmu_load(pmus->source, pmu, NULL) && pmu->uncore)
                        return uncore_event(whole, text, err);
        }
        return nearest_pmu(pmus, whole, name, err);
}
