/* SPDX-License-Identifier: BSD-3-Clause */
/* The sampling grammar: cuts the text at its commas and resolves each name to one event or, where cores are of
 * several kinds, to one for each.  What follows the name is event_suffix.c's. */
#include <inttypes.h>
#include <string.h>

#include "arena.h"
#include "catalogue.h"
#include "event_internal.h"
#include "text.h"

struct parser {
        const char *whole;
        const struct event_defaults *defaults;
        struct pmu_table pmus;
        struct event_list list;
        struct err *err;
};

static size_t column(const struct parser *p, const char *at)
{
        return event_column(p->whole, at);
}

static bool fail_group(const struct parser *p, struct span text)
{
        const char *open = memchr(text.at, '{', text.len), *close = memchr(text.at, '}', text.len);

        if (open)
                return err_set(p->err, ERR_UNSUPPORTED,
                               "event groups are not sampled (column %zu): write the events without braces",
                               column(p, open));
        return err_set(p->err, ERR_USAGE, "missing '{' for event group %s (column %zu)",
                       span_quote(text).text, column(p, close));
}

/* Up to the comma that ends the event; commas between slashes do not. */
static bool cut_item(const struct parser *p, const char *at, struct span *ret)
{
        const char *slash = NULL, *end = at;

        for (; *end && (slash || *end != ','); end++) {
                if (*end == '/')
                        slash = slash ? NULL : end;
        }
        *ret = (struct span){at, (size_t)(end - at)};
        if (slash)
                return err_set(p->err, ERR_USAGE, "the slash in column %zu has no second one",
                               column(p, slash));
        if (!ret->len)
                return err_set(p->err, ERR_USAGE, "no event specified (column %zu)", column(p, at));
        return true;
}

static bool split_item(const struct parser *p, struct event_item *item)
{
        struct span text = item->text;
        const char *end = text.at + text.len, *slash = memchr(text.at, '/', text.len), *after;

        if (!slash && (memchr(text.at, '{', text.len) || memchr(text.at, '}', text.len)))
                return fail_group(p, text);
        if (*text.at == '{')
                return fail_group(p, text);
        item->has_terms = slash != NULL;
        after = slash ? slash : memchr(text.at, ':', text.len);
        after = after ? after : end;
        item->name = (struct span){text.at, (size_t)(after - text.at)};
        if (slash) {
                const char *second = memchr(slash + 1, '/', (size_t)(end - slash - 1));

                item->terms = (struct span){slash + 1, (size_t)(second - slash - 1)};
                after = second + 1;
        }
        item->suffix = (struct span){after, (size_t)(end - after)};
        return true;
}

static bool add_event(struct parser *p, const struct event_item *item, const struct pmu *pmu, uint32_t type,
                      uint64_t config)
{
        struct event event = {.attr = {.type = type, .config = config}};

        if (p->list.n_items == EVENT_ITEMS_MAX)
                return err_set(p->err, ERR_LIMIT, "more than %d events (column %zu)", EVENT_ITEMS_MAX,
                               column(p, item->text.at));
        if (pmu) {
                text_copy(event.pmu, sizeof(event.pmu), pmu->name);
                event.uncore = pmu->uncore;
                if (pmu->n_cpus) {
                        event.cpus = mem_new(pmu->n_cpus, sizeof(*event.cpus));
                        memcpy(event.cpus, pmu->cpus, pmu->n_cpus * sizeof(*event.cpus));
                        event.n_cpus = pmu->n_cpus;
                }
        }
        ARRAY_PUSH(p->list.items, p->list.n_items, p->list.cap, event);
        return true;
}

static struct event *last_event(struct parser *p)
{
        return &p->list.items[p->list.n_items - 1];
}

static bool has_precise(const struct parser *p, const struct pmu *pmu)
{
        uint64_t level = 1;

        if (pmu->arm)
                return false;
        pmu_find_cap(p->pmus.source, pmu, "max_precise", &level);
        return level > 0;
}

static bool need_core_pmu(const struct parser *p, const struct event_item *item)
{
        return err_set(
                p->err, ERR_UNSUPPORTED,
                "event '%s' (column %zu) needs a PMU of the cores, which this machine does not have: use "
                "cpu-clock",
                span_quote(item->name).text, column(p, item->name.at));
}

/* A hardware event by a number that all kinds of cores understand. */
static bool add_core_events(struct parser *p, const struct event_item *item, uint32_t type, uint64_t config)
{
        struct pmu_table *pmus = &p->pmus;

        if (!pmus->known) {
                if (!add_event(p, item, NULL, type, config))
                        return false;
                last_event(p)->precise_max = true;
                return true;
        }
        if (!pmus->n_cores)
                return need_core_pmu(p, item);
        for (size_t i = 0; i < pmus->n_cores; i++) {
                const struct pmu *pmu = pmus->cores[i];
                bool several = pmus->n_cores > 1, raw = type == PERF_TYPE_RAW;

                if (!several && !add_event(p, item, NULL, type, config))
                        return false;
                if (several && !add_event(p, item, pmu, raw ? pmu->type : type,
                                          raw ? config : config | (uint64_t)pmu->type << 32))
                        return false;
                last_event(p)->precise_max = has_precise(p, pmu);
        }
        return true;
}

static bool add_generic(struct parser *p, const struct event_item *item, struct span name, bool *ret_found)
{
        uint64_t config;
        uint32_t type;

        *ret_found = event_name_find(name, &type, &config);
        if (!*ret_found)
                return true;
        if (type == PERF_TYPE_SOFTWARE)
                return add_event(p, item, NULL, type, config);
        return add_core_events(p, item, type, config);
}

/* rNN, and WindowsPerf's plain numbers. */
static bool add_raw(struct parser *p, const struct event_item *item, bool *ret_found)
{
        struct span name = item->name;
        struct pmu_field field;
        char hex[24] = "0x";
        enum number_result result = NUMBER_BAD;
        uint64_t config = 0;

        if (name.len > 1 && (*name.at == 'r' || *name.at == 'R') &&
            span_copy(hex + 2, sizeof(hex) - 2, (struct span){name.at + 1, name.len - 1}))
                result = span_to_u64(span_of(hex), false, &config);
        else if (*name.at >= '0' && *name.at <= '9')
                result = span_to_u64(name, true, &config);
        *ret_found = result != NUMBER_BAD;
        if (!*ret_found)
                return true;
        for (size_t i = 0; i < p->pmus.n_cores && result == NUMBER_OK; i++) {
                const struct pmu *pmu = p->pmus.cores[i];

                /* Arm's driver would cut the number without a word. */
                if (pmu->arm && pmu_find_field(p->pmus.source, pmu, "event", 5, &field, NULL) > 0 &&
                    config > pmu_field_max(&field))
                        result = NUMBER_RANGE;
        }
        if (result == NUMBER_RANGE)
                return err_set(p->err, ERR_USAGE, "extra event value out of range in %s (column %zu)",
                               span_quote(name).text, column(p, name.at));
        return add_core_events(p, item, PERF_TYPE_RAW, config);
}

/* The event of that name of one PMU. */
static bool add_pmu_event(struct parser *p, struct event_item *item, struct pmu *pmu, bool *ret_found)
{
        AUTO_RELEASE(buf) name = {0};

        if (!pmu_find_event(p->pmus.source, pmu, item->name.at, item->name.len, &name))
                return true;
        *ret_found = true;
        if (!pmu_load(p->pmus.source, pmu, p->err) ||
            !event_pmu_can_sample(pmu, p->whole, item->text, p->err) ||
            !add_event(p, item, pmu, pmu->type, 0))
                return false;
        last_event(p)->precise_max = pmu->core && has_precise(p, pmu);
        return event_terms_apply_alias(p->pmus.source, pmu, name.data, &last_event(p)->attr, &item->extras,
                                       p->err);
}

/* An architectural Arm event that the kernel does not describe; PMCEID tells of 0-0x3f and 0x4000-0x403f, so that
 * one of these is known not to be there. */
static bool add_arm_event(struct parser *p, const struct event_item *item, bool *ret_found)
{
        const struct catalogue_cpu *cpu;
        const struct catalogue_event *event = catalogue_find_anywhere(item->name.at, item->name.len, &cpu);

        if (!event || cpu->implementer || (event->code & ~0x4000u) <= 0x3f)
                return true;
        for (size_t i = 0; i < p->pmus.n_cores; i++) {
                const struct pmu *pmu = p->pmus.cores[i];
                struct pmu_field field;

                if (!pmu->arm || pmu_find_field(p->pmus.source, pmu, "event", 5, &field, NULL) <= 0 ||
                    event->code > pmu_field_max(&field))
                        continue;
                if (!add_event(p, item, pmu, pmu->type, 0))
                        return false;
                pmu_field_set(&field, event->code, &last_event(p)->attr);
                *ret_found = true;
        }
        return true;
}

/* Arm's spelling of a generic event (cpu_cycles) on a machine that has no event of this name. */
static bool add_other_spelling(struct parser *p, struct event_item *item, bool *ret_found)
{
        char name[sizeof(((struct event *)0)->name)];

        if (!span_copy(name, sizeof(name), item->name))
                return true;
        for (char *c = name; *c; c++)
                *c = *c == '_' ? '-' : *c;
        return add_generic(p, item, span_of(name), ret_found);
}

static bool add_other_pmu_event(struct parser *p, struct event_item *item, bool *ret_found)
{
        pmu_list_others(&p->pmus);
        for (size_t i = 0; i < p->pmus.n_others; i++) {
                if (span_equal_nocase(item->name, p->pmus.others[i].name))
                        return add_pmu_event(p, item, p->pmus.others[i].pmu, ret_found);
        }
        return true;
}

static bool resolve_name(struct parser *p, struct event_item *item)
{
        bool found = false;

        if (!add_raw(p, item, &found) || (!found && !add_generic(p, item, item->name, &found)))
                return false;
        if (found)
                return true;
        for (size_t i = 0; i < p->pmus.n_cores; i++) {
                if (!add_pmu_event(p, item, p->pmus.cores[i], &found))
                        return false;
        }
        if (!found && !add_arm_event(p, item, &found))
                return false;
        if (!found && !add_other_pmu_event(p, item, &found))
                return false;
        if (!found && !add_other_spelling(p, item, &found))
                return false;
        return found || event_explain_unknown(&p->pmus, p->whole, item->name, item->text, p->err);
}

static bool resolve_terms(struct parser *p, struct event_item *item)
{
        struct pmu *pmu = pmu_find(&p->pmus, item->name.at, item->name.len);

        if (!pmu)
                return event_explain_unknown_pmu(&p->pmus, p->whole, item->name, item->text, p->err);
        if (!pmu_load(p->pmus.source, pmu, p->err) ||
            !event_pmu_can_sample(pmu, p->whole, item->text, p->err) ||
            !add_event(p, item, pmu, pmu->type, 0))
                return false;
        last_event(p)->precise_max = pmu->core && has_precise(p, pmu);
        return event_terms_apply(p->pmus.source, pmu, p->whole, item->terms, &last_event(p)->attr,
                                 &item->extras, p->err);
}

/* "cycles:u", "my name" of name=, or "cpu_core/cycles/u" where one name became several events. */
static bool name_event(const struct parser *p, const struct event_item *item, struct event *event)
{
        struct span shown = item->extras.name.len ? item->extras.name : item->shown;
        AUTO_RELEASE(buf) name = {0};

        if (p->pmus.n_cores > 1 && event->pmu[0] && !item->has_terms) {
                buf_printf(&name, "%s/", event->pmu);
                buf_add(&name, item->name.at, item->name.len);
                buf_add_char(&name, '/');
                buf_add(&name, item->modifiers.at, item->modifiers.len);
        } else {
                buf_add(&name, shown.at, shown.len);
        }
        if (!text_copy(event->name, sizeof(event->name), buf_text(&name)))
                return err_set(p->err, ERR_LIMIT,
                               "the event in column %zu is longer than %zu bytes: give it a name with name=",
                               column(p, item->text.at), sizeof(event->name) - 1);
        return true;
}

static bool parse_item(struct parser *p, struct span text)
{
        struct event_item item = {.text = text, .first = p->list.n_items};

        if (!split_item(p, &item))
                return false;
        if (!(item.has_terms ? resolve_terms(p, &item) : resolve_name(p, &item)) ||
            !event_split_suffix(p->whole, &item, p->err))
                return false;
        for (size_t i = item.first; i < p->list.n_items; i++) {
                if (!event_apply_suffix(p->whole, &item, p->defaults, &p->list.items[i], p->err) ||
                    !name_event(p, &item, &p->list.items[i]))
                        return false;
        }
        return true;
}

static bool parse_all(struct parser *p)
{
        const char *at = p->whole;

        if (strlen(at) > EVENT_TEXT_MAX_BYTES)
                return err_set(p->err, ERR_LIMIT, "the events are longer than %d bytes",
                               EVENT_TEXT_MAX_BYTES);
        for (;;) {
                struct span text;

                if (!cut_item(p, at, &text) || !parse_item(p, text))
                        return false;
                at += text.len;
                if (!*at++)
                        return true;
        }
}

bool event_parse_sampling(const char *text, const struct event_defaults *defaults,
                          const struct pmu_source *source, struct event_list *ret, struct err *err)
{
        struct parser p = {.whole = text, .defaults = defaults, .err = err};
        bool ok;

        pmu_table_load(&p.pmus, source);
        ok = parse_all(&p);
        if (ok)
                *ret = p.list;
        else
                event_list_release(&p.list);
        pmu_table_release(&p.pmus);
        return ok;
}
