/* SPDX-License-Identifier: BSD-3-Clause */
/* Resolves an event's name on this machine: to one event, or to one for each kind of core. Both grammars use
 * it; struct event_resolver has their differences. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "err.h"
#include "event_grammar.h"
#include "mem.h"
#include "text.h"
#include "tracepoint.h"

static size_t column(const struct event_resolver *r, const char *at)
{
        return event_column(r->whole, at);
}

static bool wants_core(const struct event_resolver *r, size_t index)
{
        return r->only_kind < 0 || (size_t)r->only_kind == index;
}

struct event *event_resolver_add(struct event_resolver *r, const struct event_item *item,
                                 const struct pmu *pmu, uint32_t type, uint64_t config)
{
        struct event event = {.attr = {.size = sizeof(struct perf_attr), .type = type, .config = config}};

        assert(r->list->n_items <= EVENT_ITEMS_MAX);
        if (r->list->n_items == EVENT_ITEMS_MAX) {
                err_set(r->err, ERR_LIMIT, "more than %d events (column %zu)", EVENT_ITEMS_MAX,
                        column(r, item->text.at));
                return NULL;
        }
        if (pmu) {
                text_copy(event.pmu, sizeof(event.pmu), pmu->name);
                event.uncore = pmu->uncore;
                if (pmu->n_cpus) {
                        event.cpus = mem_new(pmu->n_cpus, sizeof(*event.cpus));
                        memcpy(event.cpus, pmu->cpus, pmu->n_cpus * sizeof(*event.cpus));
                        event.n_cpus = pmu->n_cpus;
                }
        }
        ARRAY_PUSH(r->list->items, r->list->n_items, r->list->cap, event);
        return &r->list->items[r->list->n_items - 1];
}

static bool has_precise(const struct event_resolver *r, const struct pmu *pmu)
{
        uint64_t level = 1;

        if (pmu->arm)
                return false;
        /* AMD's cores have no precise events, but the kernel gives those that ask for it to IBS. */
        if (pmu_find(r->pmus, "ibs_op", strlen("ibs_op")))
                return true;
        pmu_find_cap(r->pmus->source, pmu, "max_precise", &level);
        return level > 0;
}

static bool need_core_pmu(const struct event_resolver *r, const struct event_item *item)
{
        return event_refuse(r, span_quote(item->name).text, column(r, item->name.at),
                            "needs a PMU of the cores, which this machine does not have: use %s",
                            r->counting ? "task-clock" : "cpu-clock");
}

/* A hardware event by a number that is valid on all kinds of cores. */
static bool add_core_events(struct event_resolver *r, const struct event_item *item, uint32_t type,
                            uint64_t config)
{
        struct pmu_table *pmus = r->pmus;
        bool several = pmus->n_cores > 1, raw = type == PERF_TYPE_RAW;
        struct event *event;

        if (!pmus->known) {
                event = event_resolver_add(r, item, NULL, type, config);
                if (event)
                        event->precise_max = true;
                return event != NULL;
        }
        if (!pmus->n_cores)
                return need_core_pmu(r, item);
        for (size_t i = 0; i < pmus->n_cores; i++) {
                const struct pmu *pmu = pmus->cores[i];

                if (!wants_core(r, i))
                        continue;
                event = several ? event_resolver_add(r, item, pmu, raw ? pmu->type : type,
                                                     raw ? config : config | (uint64_t)pmu->type << 32)
                                : event_resolver_add(r, item, NULL, type, config);
                if (!event)
                        return false;
                event->precise_max = has_precise(r, pmu);
        }
        return true;
}

static bool add_generic(struct event_resolver *r, const struct event_item *item, struct span name,
                        bool *ret_found)
{
        uint64_t config;
        uint32_t type;

        *ret_found = event_name_find(name, &type, &config);
        if (!*ret_found)
                return true;
        if (type == PERF_TYPE_SOFTWARE)
                return r->only_kind > 0 || event_resolver_add(r, item, NULL, type, config);
        return add_core_events(r, item, type, config);
}

/* Arm's driver would truncate a larger number silently. */
static bool fits_cores(const struct event_resolver *r, uint64_t config)
{
        struct pmu_field field;

        for (size_t i = 0; i < r->pmus->n_cores; i++) {
                const struct pmu *pmu = r->pmus->cores[i];

                if (pmu->arm && pmu_find_field(r->pmus->source, pmu, "event", 5, &field, NULL) > 0 &&
                    config > pmu_field_max(&field))
                        return false;
        }
        return true;
}

enum number_result event_raw_number(struct span name, uint64_t *ret_number)
{
        char hex[24] = "0x";

        if (name.len > 1 && (*name.at == 'r' || *name.at == 'R') &&
            span_copy(hex + 2, sizeof(hex) - 2, (struct span){name.at + 1, name.len - 1}))
                return span_to_u64(span_of(hex), false, ret_number);
        if (name.len && *name.at >= '0' && *name.at <= '9')
                return span_to_u64(name, true, ret_number);
        return NUMBER_BAD;
}

/* rNN, and the plain numbers of WindowsPerf. */
static bool add_raw(struct event_resolver *r, const struct event_item *item, bool *ret_found)
{
        uint64_t config = 0;
        enum number_result result = event_raw_number(item->name, &config);

        *ret_found = result != NUMBER_BAD;
        if (!*ret_found)
                return true;
        if (result == NUMBER_RANGE || !fits_cores(r, config))
                return err_set(r->err, ERR_USAGE, "extra event value out of range in %s (column %zu)",
                               span_quote(item->name).text, column(r, item->name.at));
        return add_core_events(r, item, PERF_TYPE_RAW, config);
}

/* A name that -E defined as a number. */
static bool add_extra(struct event_resolver *r, const struct event_item *item, bool *ret_found)
{
        for (size_t i = 0; r->extra && i < r->extra->n_events; i++) {
                const struct extra_event *extra = &r->extra->events[i];

                if (*extra->prefix || !span_equal_nocase(item->name, extra->name))
                        continue;
                *ret_found = true;
                return add_core_events(r, item, PERF_TYPE_RAW, extra->code);
        }
        return true;
}

/* The event with the item's name on one PMU. */
static bool add_pmu_event(struct event_resolver *r, struct event_item *item, struct pmu *pmu, bool *ret_found)
{
        AUTO_RELEASE(buf) name = {0};
        struct event *event;

        if (!pmu_find_event(r->pmus->source, pmu, item->name.at, item->name.len, &name))
                return true;
        *ret_found = true;
        if (!pmu_load(r->pmus->source, pmu, r->err) ||
            !event_pmu_is_usable(pmu, r->counting, r->whole, item->text, r->err))
                return false;
        event = event_resolver_add(r, item, pmu, pmu->type, 0);
        if (!event)
                return false;
        event->precise_max = pmu->core && has_precise(r, pmu);
        return event_terms_apply_alias(r->pmus->source, pmu, name.data, &event->attr, &item->extras, r->err);
}

/* The number of an Arm event on a kind of core: from the model, else from the architecture. */
static bool find_code(const struct core_kind *kind, struct span name, uint32_t *ret_code)
{
        static const char *const architectures[] = {"armv8-a", "armv9-a"};
        const struct catalogue_event *event = NULL;

        if (kind->vendor != CORE_ARM)
                return false;
        if (kind->model)
                event = catalogue_find_event(kind->model, name.at, name.len);
        for (size_t i = 0; !event && i < N_ELEMENTS(architectures); i++) {
                const struct catalogue_cpu *cpu = catalogue_find_cpu(architectures[i]);

                event = cpu ? catalogue_find_event(cpu, name.at, name.len) : NULL;
        }
        if (event)
                *ret_code = event->code;
        return event != NULL;
}

/* An Arm event that the kernel does not list. If Linux would list the event on cores that have it, the event
 * is accepted for counting only. */
static bool add_catalogue_event(struct event_resolver *r, const struct event_item *item, size_t core,
                                bool *ret_found)
{
        const struct pmu *pmu = r->pmus->cores[core];
        struct pmu_field field;
        struct event *event;
        uint32_t code;

        if (!find_code(&r->kinds->items[core], item->name, &code) ||
            (!r->counting && core_code_is_advertised(code)) ||
            pmu_find_field(r->pmus->source, pmu, "event", 5, &field, NULL) <= 0 ||
            code > pmu_field_max(&field))
                return true;
        event = event_resolver_add(r, item, pmu, pmu->type, 0);
        if (!event)
                return false;
        pmu_field_set(&field, code, &event->attr);
        *ret_found = true;
        return true;
}

static bool add_named_core_events(struct event_resolver *r, struct event_item *item, bool *ret_found)
{
        for (size_t i = 0; i < r->pmus->n_cores; i++) {
                bool found = false;

                if (!wants_core(r, i))
                        continue;
                if (!add_pmu_event(r, item, r->pmus->cores[i], &found) ||
                    (!found && !add_catalogue_event(r, item, i, &found)))
                        return false;
                *ret_found |= found;
        }
        return true;
}

/* Arm's spelling of a generic event (cpu_cycles) on a machine that has no event with this name. */
static bool add_other_spelling(struct event_resolver *r, struct event_item *item, bool *ret_found)
{
        char name[sizeof(((struct event *)0)->name)];

        if (!span_copy(name, sizeof(name), item->name))
                return true;
        for (char *c = name; *c; c++)
                *c = *c == '_' ? '-' : *c;
        return add_generic(r, item, span_of(name), ret_found);
}

static bool add_other_pmu_event(struct event_resolver *r, struct event_item *item, bool *ret_found)
{
        pmu_list_others(r->pmus);
        for (size_t i = 0; i < r->pmus->n_others; i++) {
                if (!span_equal_nocase(item->name, r->pmus->others[i].name))
                        continue;
                *ret_found = true;
                return r->only_kind > 0 || add_pmu_event(r, item, r->pmus->others[i].pmu, ret_found);
        }
        return true;
}

/* An event name of the x86 vendor, on machines with one kind of core: the library does not say which kind a
 * name belongs to. */
static bool add_x86_event(struct event_resolver *r, const struct event_item *item, bool *ret_found)
{
        const struct pmu *pmu = r->pmus->n_cores == 1 ? r->pmus->cores[0] : NULL;
        const struct pmu_source *source = r->pmus->source;
        struct vendor_event found;
        char name[128];
        struct pmu_field field;
        struct event *event;

        if (!pmu || r->kinds->items[0].vendor != CORE_X86 || !source->find_vendor_event ||
            !span_copy(name, sizeof(name), item->name) ||
            !source->find_vendor_event(source->ctx, name, &found))
                return true;
        if (found.has_offcore && (pmu_find_field(source, pmu, "offcore_rsp", 11, &field, NULL) <= 0 ||
                                  found.offcore > pmu_field_max(&field)))
                return true;
        event = event_resolver_add(r, item, pmu, pmu->type, found.config);
        if (!event)
                return false;
        if (found.has_offcore)
                pmu_field_set(&field, found.offcore, &event->attr);
        event->precise_max = has_precise(r, pmu);
        *ret_found = true;
        return true;
}

/* A tracepoint SYSTEM:NAME of tracefs: its name continues after the first ':'. */
static bool add_tracepoint(struct event_resolver *r, struct event_item *item, bool *ret_found)
{
        char system[128], name[128];
        struct span rest;
        uint64_t id;

        if (!event_split_tracepoint(item->name, item->text, &rest) ||
            !span_copy(system, sizeof(system), item->name) || !span_copy(name, sizeof(name), rest) ||
            !tracepoint_find(r->pmus->source, system, name, &id))
                return true;
        *ret_found = true;
        item->name.len = (size_t)(rest.at + rest.len - item->name.at);
        item->suffix = (struct span){rest.at + rest.len,
                                     (size_t)(item->text.at + item->text.len - rest.at - rest.len)};
        return r->only_kind > 0 || event_resolver_add(r, item, NULL, PERF_TYPE_TRACEPOINT, id);
}

static bool resolve_name(struct event_resolver *r, struct event_item *item)
{
        bool found = false;

        if (!add_extra(r, item, &found) || (!found && !add_raw(r, item, &found)) ||
            (!found && !add_generic(r, item, item->name, &found)) ||
            (!found && !add_named_core_events(r, item, &found)) ||
            (!found && !add_other_spelling(r, item, &found)) ||
            (!found && !add_other_pmu_event(r, item, &found)) ||
            (!found && !add_x86_event(r, item, &found)) || (!found && !add_tracepoint(r, item, &found)))
                return false;
        return found || event_explain_unknown(r, item->name, item->text);
}

static bool add_spe(struct event_resolver *r, struct event_item *item, struct pmu *pmu)
{
        struct event *event;

        if (!pmu_load(r->pmus->source, pmu, r->err))
                return false;
        event = event_resolver_add(r, item, pmu, pmu->type, 0);
        return event && event_spe_apply(r, item, pmu, event);
}

/* `arm_spe` means all SPE PMUs: a machine with several kinds of cores has several. */
static bool resolve_spe(struct event_resolver *r, struct event_item *item)
{
        bool all = span_equal_nocase(item->name, "arm_spe"), found = false;

        for (size_t i = 0; i < r->pmus->n_items; i++) {
                struct pmu *pmu = &r->pmus->items[i];

                if (all ? !event_name_is_spe(span_of(pmu->name)) : !span_equal_nocase(item->name, pmu->name))
                        continue;
                found = true;
                if (!add_spe(r, item, pmu))
                        return false;
        }
        return found || event_explain_unknown_pmu(r, item->name, item->text);
}

static bool resolve_terms(struct event_resolver *r, struct event_item *item)
{
        struct pmu *pmu = pmu_find(r->pmus, item->name.at, item->name.len);
        struct event *event;

        if (event_name_is_spe(item->name) && !r->counting)
                return resolve_spe(r, item);
        if (!pmu)
                return event_explain_unknown_pmu(r, item->name, item->text);
        if (!pmu_load(r->pmus->source, pmu, r->err) ||
            !event_pmu_is_usable(pmu, r->counting, r->whole, item->text, r->err))
                return false;
        if (r->only_kind >= 0 && (pmu->core ? pmu != r->pmus->cores[r->only_kind] : r->only_kind > 0))
                return true;
        event = event_resolver_add(r, item, pmu, pmu->type, 0);
        if (!event)
                return false;
        event->precise_max = pmu->core && has_precise(r, pmu);
        return event_terms_apply(r->pmus->source, pmu, r->whole, item->terms, &event->attr, &item->extras,
                                 r->err);
}

bool event_resolve(struct event_resolver *r, struct event_item *item)
{
        item->first = r->list->n_items;
        return item->has_terms ? resolve_terms(r, item) : resolve_name(r, item);
}

bool event_set_name(const struct event_resolver *r, const struct event_item *item, struct event *event)
{
        struct span shown = item->extras.name.len ? item->extras.name : item->shown;
        AUTO_RELEASE(buf) name = {0};

        if (r->pmus->n_cores > 1 && event->pmu[0] && !item->has_terms) {
                buf_printf(&name, "%s/", event->pmu);
                buf_add(&name, item->name.at, item->name.len);
                buf_add_char(&name, '/');
                buf_add(&name, item->modifiers.at, item->modifiers.len);
        } else {
                buf_add(&name, shown.at, shown.len);
        }
        if (!text_copy(event->name, sizeof(event->name), buf_text(&name)))
                return err_set(r->err, ERR_LIMIT,
                               "the event in column %zu is longer than %zu bytes: give it a name with name=",
                               column(r, item->text.at), sizeof(event->name) - 1);
        return true;
}
