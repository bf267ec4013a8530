/* SPDX-License-Identifier: BSD-3-Clause */
/* The sampling grammar: splits the text at its commas. event_resolve.c resolves the names, event_suffix.c
 * parses the rest. */
#include <string.h>

#include "event_grammar.h"

static bool fail_group(const struct event_resolver *r, struct span text)
{
        const char *open = memchr(text.at, '{', text.len), *close = memchr(text.at, '}', text.len);

        if (open)
                return err_set(r->err, ERR_UNSUPPORTED,
                               "events cannot be sampled as a group (column %zu): write them without braces",
                               event_column(r->whole, open));
        return err_set(r->err, ERR_USAGE, "missing '{' for event group %s (column %zu)",
                       span_quote(text).text, event_column(r->whole, close));
}

/* Finds the end of the event: a comma that is not between slashes. */
static bool cut_item(const struct event_resolver *r, const char *at, struct span *ret)
{
        const char *slash = NULL, *end = at;

        for (; *end && (slash || *end != ','); end++) {
                if (*end == '/')
                        slash = slash ? NULL : end;
        }
        *ret = (struct span){at, (size_t)(end - at)};
        if (slash)
                return err_set(r->err, ERR_USAGE, "no closing '/' after column %zu",
                               event_column(r->whole, slash));
        if (!ret->len)
                return err_set(r->err, ERR_USAGE, "no event specified (column %zu)",
                               event_column(r->whole, at));
        return true;
}

static bool split_item(const struct event_resolver *r, struct event_item *item)
{
        struct span text = item->text;

        if (!memchr(text.at, '/', text.len) &&
            (memchr(text.at, '{', text.len) || memchr(text.at, '}', text.len)))
                return fail_group(r, text);
        if (*text.at == '{')
                return fail_group(r, text);
        event_split_item(item);
        return true;
}

static bool parse_item(struct event_resolver *r, const struct event_defaults *defaults, struct span text)
{
        struct event_item item = {.text = text};

        if (!split_item(r, &item) || !event_resolve(r, &item) || !event_split_suffix(r->whole, &item, r->err))
                return false;
        for (size_t i = item.first; i < r->list->n_items; i++) {
                struct event *event = &r->list->items[i];

                if (!event_apply_suffix(r->whole, &item, defaults, event, r->err) ||
                    !event_set_name(r, &item, event))
                        return false;
        }
        return true;
}

static bool parse_all(struct event_resolver *r, const struct event_defaults *defaults)
{
        const char *at = r->whole;

        if (strlen(at) > EVENT_TEXT_MAX_BYTES)
                return err_set(r->err, ERR_LIMIT, "the events are longer than %d bytes",
                               EVENT_TEXT_MAX_BYTES);
        for (;;) {
                struct span text;

                if (!cut_item(r, at, &text) || !parse_item(r, defaults, text))
                        return false;
                at += text.len;
                if (!*at++)
                        return true;
        }
}

bool event_parse_sampling(const char *text, const struct event_defaults *defaults,
                          const struct pmu_source *source, struct event_list *ret, struct err *err)
{
        struct event_list list = {0};
        struct core_kinds kinds;
        struct pmu_table pmus;
        struct event_resolver r = {
                .whole = text, .only_kind = -1, .pmus = &pmus, .kinds = &kinds, .list = &list, .err = err};
        bool ok;

        pmu_table_load(&pmus, source);
        core_kinds_from_table(&pmus, &kinds);
        ok = parse_all(&r, defaults);
        if (ok)
                *ret = list;
        else
                event_list_release(&list);
        core_kinds_release(&kinds);
        pmu_table_release(&pmus);
        return ok;
}

/* For an unknown name, the text after ':' may be part of the name. */
static bool is_known(const struct event_item *item)
{
        const struct catalogue_cpu *cpu;
        uint64_t number;
        uint32_t type;

        return event_name_find(item->name, &type, &number) ||
               event_raw_number(item->name, &number) == NUMBER_OK ||
               catalogue_find_anywhere(item->name.at, item->name.len, &cpu);
}

static bool is_counted_by_cpus(const struct event_item *item)
{
        uint64_t number;
        uint32_t type;

        return !event_name_find(item->name, &type, &number) || type != PERF_TYPE_SOFTWARE;
}

bool event_check_intervals(const char *text, uint64_t longest, struct err *err)
{
        const struct event_resolver r = {.whole = text, .err = err};
        const struct event_defaults defaults = {0};
        const char *at = text;

        for (;;) {
                struct event_item item = {0};
                struct event event = {0};

                if (!cut_item(&r, at, &item.text))
                        return false;
                if (!memchr(item.text.at, '/', item.text.len))
                        event_split_item(&item);
                if (item.name.len && is_known(&item) &&
                    (!event_split_suffix(text, &item, err) ||
                     !event_apply_suffix(text, &item, &defaults, &event, err)))
                        return false;
                if (item.interval.at && event.attr.sample_period_or_freq > longest &&
                    is_counted_by_cpus(&item))
                        return err_set(err, ERR_USAGE, "event interval: %s is out of range! (column %zu)",
                                       span_quote(item.interval).text, event_column(text, item.interval.at));
                at += item.text.len;
                if (!*at++)
                        return true;
        }
}
