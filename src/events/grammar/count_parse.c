/* SPDX-License-Identifier: BSD-3-Clause */
/* The counting grammar: splits the text at commas and braces. event_resolve.c resolves the names. */
#include <string.h>

#include "arena.h"
#include "count_internal.h"

static size_t column(const struct count_scope *scope, const char *at)
{
        return event_column(scope->whole, at);
}

static bool fail_brace(struct count_builder *b, const struct count_scope *scope, struct span text,
                       const char *at, bool in_group)
{
        size_t place = column(scope, at);

        if (*at == '}')
                return err_set(b->err, ERR_USAGE, "missing '{' for event group %s (column %zu)",
                               span_quote(text).text, place);
        if (in_group)
                return err_set(b->err, ERR_USAGE, "nested group is not supported %s (column %zu)",
                               span_quote(text).text, place);
        return err_set(b->err, ERR_USAGE, "a comma is missing before the group in column %zu", place);
}

/* Finds the end of the event: `end`, or a comma that is not between slashes. */
static bool cut_item(struct count_builder *b, const struct count_scope *scope, const char *at,
                     const char *end, bool in_group, struct span *ret)
{
        const char *slash = NULL, *brace = NULL, *stop = at;

        for (; stop < end && (slash || *stop != ','); stop++) {
                if (*stop == '/')
                        slash = slash ? NULL : stop;
                if (!slash && !brace && (*stop == '{' || *stop == '}'))
                        brace = stop;
        }
        *ret = (struct span){at, (size_t)(stop - at)};
        if (slash)
                return err_set(b->err, ERR_USAGE, "no closing '/' after column %zu", column(scope, slash));
        if (brace)
                return fail_brace(b, scope, *ret, brace, in_group);
        return ret->len || err_set(b->err, ERR_USAGE, "no event specified (column %zu)", column(scope, at));
}

/* Reads [:]modifiers; an interval is an error. */
static bool read_modifiers(struct count_builder *b, const struct count_scope *scope, struct span suffix,
                           struct span *ret)
{
        size_t place = column(scope, suffix.at);

        *ret = (struct span){suffix.at, 0};
        if (!suffix.len)
                return true;
        if (*suffix.at == ':')
                suffix = (struct span){suffix.at + 1, suffix.len - 1};
        if (!suffix.len)
                return err_set(b->err, ERR_USAGE, "no modifier after ':' (column %zu): add one, such as :u",
                               place);
        if (*suffix.at >= '0' && *suffix.at <= '9')
                return err_set(b->err, ERR_USAGE,
                               "'%s' (column %zu) is an interval: stat counts every event; only record and "
                               "sample take intervals",
                               span_quote(suffix).text, column(scope, suffix.at));
        *ret = suffix;
        return event_check_modifiers(scope->whole, suffix, b->err);
}

/* Joins the event's own modifiers and those of its group. */
static struct span join(struct count_builder *b, struct span own, struct span group)
{
        char *text;

        if (!own.len || !group.len)
                return own.len ? own : group;
        text = arena_alloc(&b->list.texts, own.len + group.len + 1);
        memcpy(text, own.at, own.len);
        memcpy(text + own.len, group.at, group.len);
        return (struct span){text, own.len + group.len};
}

static bool take_events(struct count_builder *b, const struct count_scope *scope,
                        const struct event_item *item, struct event_list *events)
{
        for (size_t i = 0; i < events->n_items; i++) {
                if (!count_add_event(b, scope, item, &events->items[i]))
                        return false;
        }
        return true;
}

static bool parse_item(struct count_builder *b, const struct count_scope *scope, struct span text,
                       struct span group_modifiers)
{
        AUTO_RELEASE(event_list) events = {0};
        struct event_item item = {.text = text};
        struct refusal refusal = {0};
        struct event_resolver r = {
                .whole = scope->whole,
                .counting = true,
                .only_kind = scope->only_kind,
                .pmus = &b->pmus,
                .kinds = &b->list.kinds,
                .extra = b->text->extra,
                .list = &events,
                .refusal = &refusal,
                .err = b->err,
        };
        bool found;

        if (*text.at == '/') {
                found = count_resolve_prefixed(b, &r, &item);
        } else {
                event_split_item(&item);
                found = event_resolve(&r, &item);
        }
        if (!found)
                return count_refuse_event(b, scope, &item, refusal.text);
        item.shown = (struct span){text.at, (size_t)(item.suffix.at - text.at)};
        if (!read_modifiers(b, scope, item.suffix, &item.modifiers))
                return false;
        item.modifiers = join(b, item.modifiers, group_modifiers);
        return take_events(b, scope, &item, &events);
}

static bool parse_members(struct count_builder *b, const struct count_scope *scope, const char *at,
                          const char *end, struct span modifiers, size_t *ret_n)
{
        for (*ret_n = 1;; ++*ret_n) {
                struct span text;

                if (!cut_item(b, scope, at, end, true, &text) || !parse_item(b, scope, text, modifiers))
                        return false;
                at += text.len;
                if (at == end)
                        return true;
                at++;
        }
}

/* Parses {a,b}[:modifiers] and moves *at after it. */
static bool parse_group(struct count_builder *b, const struct count_scope *scope, const char **at)
{
        const char *open = *at, *close = strchr(open, '}'), *inner;
        size_t first = b->list.n_items, n_members = 0;
        struct span suffix, modifiers;
        int32_t number = COUNT_LOOSE;

        if (!close)
                return err_set(b->err, ERR_USAGE, "missing '}' for event group %s (column %zu)",
                               span_quote(span_of(open)).text, column(scope, open));
        inner = memchr(open + 1, '{', (size_t)(close - open - 1));
        if (inner)
                return fail_brace(b, scope, (struct span){inner, (size_t)(close + 1 - inner)}, inner, true);
        suffix = (struct span){close + 1, strcspn(close + 1, ",")};
        if (suffix.len && *suffix.at != ':')
                return *suffix.at == '}'
                               ? fail_brace(b, scope, (struct span){open, (size_t)(suffix.at + 1 - open)},
                                            suffix.at, false)
                               : err_set(b->err, ERR_USAGE,
                                         "'%s' (column %zu) can't follow a group: write a comma or modifiers "
                                         "such as :u",
                                         span_quote(suffix).text, column(scope, suffix.at));
        if (!read_modifiers(b, scope, suffix, &modifiers) ||
            !parse_members(b, scope, open + 1, close, modifiers, &n_members))
                return false;
        *at = suffix.at + suffix.len;
        return n_members < 2 || count_make_group(b, scope, first, open, &number);
}

bool count_parse_text(struct count_builder *b, const struct count_scope *scope)
{
        const char *at = scope->whole;

        if (strlen(at) > EVENT_TEXT_MAX_BYTES)
                return err_set(b->err, ERR_LIMIT, "the events are longer than %d bytes",
                               EVENT_TEXT_MAX_BYTES);
        for (;;) {
                struct span text;

                if (*at == '{') {
                        if (!parse_group(b, scope, &at))
                                return false;
                } else {
                        if (!cut_item(b, scope, at, at + strlen(at), false, &text) ||
                            !parse_item(b, scope, text, (struct span){text.at, 0}))
                                return false;
                        at += text.len;
                }
                if (!*at++)
                        return true;
        }
}
