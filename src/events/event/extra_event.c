/* SPDX-License-Identifier: BSD-3-Clause */
/* Splits texts at lines and commas. Checks braces and empty items in the events of metrics, so that the error
 * names the line; the counting grammar resolves the names. */
#include "extra_event.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event_grammar.h"
#include "mem.h"
#include "pmu_block.h"

struct extra_event_reader {
        const char *file; /* NULL for the text of an option */
        const char *whole;
        size_t line; /* from 1 */
        struct extra_names *names;
        struct err *err;
};

/* --- Pieces of a text --- */

static const char *span_end(struct span span)
{
        return span.at + span.len;
}

static bool is_space(char c)
{
        return c && strchr(" \t\n\v\f\r", c);
}

static struct span trim(struct span span)
{
        for (; span.len && is_space(*span.at); span.len--)
                span.at++;
        while (span.len && is_space(span.at[span.len - 1]))
                span.len--;
        return span;
}

/* Returns the piece up to `mark` or the end, and sets *rest to the text after `mark`; rest->at is NULL at the
 * end. */
static struct span cut(struct span *rest, char mark)
{
        const char *found = memchr(rest->at, mark, rest->len);
        struct span piece = {rest->at, found ? (size_t)(found - rest->at) : rest->len};

        *rest = found ? (struct span){found + 1, rest->len - piece.len - 1} : (struct span){NULL, 0};
        return piece;
}

static const char *find_space(struct span span)
{
        for (const char *at = span.at; at < span_end(span); at++) {
                if (is_space(*at))
                        return at;
        }
        return NULL;
}

static char *copy_lower(struct extra_names *names, struct span span)
{
        char *copy = arena_copy(&names->texts, span.at, span.len);

        for (char *c = copy; *c; c++)
                *c = (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
        return copy;
}

/* A name that can be typed in a list of events and metrics, where a number is not a name. */
static bool is_name(struct span span)
{
        for (size_t i = 0; i < span.len; i++) {
                char c = span.at[i];
                bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';

                if (!letter && (!i || !((c >= '0' && c <= '9') || c == '.' || c == '-')))
                        return false;
        }
        return span.len;
}

/* Appends the column of `at` to the message, and puts file and line before it. */
static PRINTF_LIKE(3, 4) bool fail(const struct extra_event_reader *r, const char *at, const char *fmt, ...)
{
        char text[sizeof(r->err->text)];
        va_list args;

        va_start(args, fmt);
        vsnprintf(text, sizeof(text), fmt, args);
        va_end(args);
        err_set(r->err, r->file ? ERR_FORMAT : ERR_USAGE, "%s (column %zu)", text,
                event_column(r->whole, at));
        return r->file ? err_in(r->err, "%s:%zu", r->file, r->line) : false;
}

static bool check_name(const struct extra_event_reader *r, struct span name)
{
        if (name.len > EXTRA_NAME_MAX_BYTES)
                return fail(r, name.at, "the name '%s' is longer than %d bytes", span_quote(name).text,
                            EXTRA_NAME_MAX_BYTES);
        return is_name(name) ||
               fail(r, name.at,
                    "'%s' is not a name: a name has letters, digits, '_', '.' and '-', and begins "
                    "with a letter or '_'",
                    span_quote(name).text);
}

static bool check_size(const struct extra_event_reader *r, const char *text)
{
        if (strlen(text) <= EXTRA_TEXT_MAX_BYTES)
                return true;
        return err_set(r->err, ERR_LIMIT, "%s is longer than %d bytes",
                       r->file ? r->file : "the text of the extra events", EXTRA_TEXT_MAX_BYTES);
}

static bool is_full(const struct extra_event_reader *r, const char *at, size_t n)
{
        if (n < EXTRA_ITEMS_MAX)
                return false;
        fail(r, at, "more than %d names", EXTRA_ITEMS_MAX);
        if (r->err)
                r->err->code = ERR_LIMIT;
        return true;
}

/* --- Events of -E --- */

static bool parse_value(const struct extra_event_reader *r, struct span token, struct span value,
                        uint16_t *ret)
{
        static const char digits[] = "0123456789abcdef0123456789ABCDEF";
        uint32_t code = 0;
        size_t i = 0;

        if (value.len >= 2 && value.at[0] == '0' && (value.at[1] == 'x' || value.at[1] == 'X'))
                i = 2;
        if (i == value.len)
                return fail(r, span_end(token), "missing extra event value after ':' in %s",
                            span_quote(token).text);
        for (; i < value.len; i++) {
                const char *found = strchr(digits, value.at[i]);

                if (!found)
                        return fail(r, value.at + i, "extra event value is not hexadecimal in %s",
                                    span_quote(token).text);
                code = code << 4 | (uint32_t)((found - digits) % 16);
                if (code > UINT16_MAX)
                        return fail(r, value.at, "extra event value out of range in %s",
                                    span_quote(token).text);
        }
        *ret = (uint16_t)code;
        return true;
}

/* Removes "/dsu/" from the name. */
static bool cut_prefix(const struct extra_event_reader *r, struct span token, struct span *name,
                       const char **ret)
{
        struct span rest = {name->at + 1, name->len - 1}, prefix;
        const struct pmu_block_class *class;
        const struct pmu_block *block;
        AUTO_RELEASE(buf) known = {0};

        *ret = "";
        if (*name->at != '/')
                return true;
        prefix = cut(&rest, '/');
        class = rest.at ? pmu_block_find_class_anywhere(prefix.at, prefix.len, &block) : NULL;
        if (class) {
                *ret = class->name;
                *name = rest;
                return rest.len ||
                       fail(r, rest.at, "missing extra event name before ':' in %s", span_quote(token).text);
        }
        pmu_block_add_prefixes(&known);
        return fail(r, name->at, "unknown prefix of an extra event in %s: prefixes are %s",
                    span_quote(token).text, buf_text(&known));
}

static bool add_event(const struct extra_event_reader *r, struct span name, const char *prefix, uint16_t code)
{
        struct extra_names *names = r->names;
        struct extra_event event = {.prefix = prefix, .code = code};

        if (is_full(r, name.at, names->n_events))
                return false;
        for (size_t i = 0; i < names->n_events; i++) {
                const struct extra_event *other = &names->events[i];

                if (strcmp(other->prefix, prefix))
                        continue;
                if (other->code == code)
                        return true;
                if (span_equal_nocase(name, other->name))
                        return fail(r, name.at, "extra event '%s' has two values: 0x%x and 0x%x", other->name,
                                    other->code, code);
        }
        event.name = copy_lower(names, name);
        ARRAY_PUSH(names->events, names->n_events, names->cap_events, event);
        return true;
}

static bool parse_event(const struct extra_event_reader *r, struct span token)
{
        struct span value = token, name = cut(&value, ':');
        const char *prefix;
        uint16_t code = 0;

        if (!value.at)
                return fail(r, span_end(token), "missing extra event delimiter ':' in %s",
                            span_quote(token).text);
        if (memchr(value.at, ':', value.len))
                return fail(r, memchr(value.at, ':', value.len), "too many delimiters in %s",
                            span_quote(token).text);
        if (!name.len)
                return fail(r, name.at, "missing extra event name before ':' in %s", span_quote(token).text);
        return cut_prefix(r, token, &name, &prefix) && check_name(r, name) &&
               parse_value(r, token, value, &code) && add_event(r, name, prefix, code);
}

static bool parse_events(const struct extra_event_reader *r, struct span list)
{
        struct span rest = list;
        const char *space = find_space(list);

        if (space)
                return fail(r, space, "whitespace not allowed in extra event string in '%s'",
                            span_quote(list).text);
        while (rest.at) {
                struct span token = cut(&rest, ',');

                if (!token.len)
                        return fail(r, token.at, "empty token in '%s'", span_quote(list).text);
                if (!parse_event(r, token))
                        return false;
        }
        return true;
}

/* --- Metrics of -C --- */

/* Checks braces, commas and whitespace. */
static bool check_events(const struct extra_event_reader *r, struct span events)
{
        const struct quoted shown = span_quote(events);
        const char *open = NULL, *item = events.at;
        bool closed = false;

        for (const char *at = events.at;; at++) {
                bool end = at == span_end(events);

                if (end || *at == ',' || *at == '}') {
                        if (!end && *at == '}' && !open)
                                return fail(r, at, "missing '{' for event group %s", shown.text);
                        if (at == item && !closed)
                                return fail(r, at, "no event specified in '%s'", shown.text);
                        if (end)
                                break;
                        closed = *at == '}';
                        open = closed ? NULL : open;
                        item = at + 1;
                } else if (closed) {
                        return fail(r, at, "missing ',' behind '}' in %s", shown.text);
                } else if (*at == '{') {
                        if (open)
                                return fail(r, at, "nested group is not supported %s", shown.text);
                        if (at != item)
                                return fail(r, at, "missing ',' before '{' in %s", shown.text);
                        open = at;
                        item = at + 1;
                } else if (is_space(*at)) {
                        return fail(r, at, "whitespace not allowed in %s", shown.text);
                }
        }
        return !open || fail(r, open, "missing '}' for event group %s", shown.text);
}

static bool parse_metric(const struct extra_event_reader *r, struct span line)
{
        struct extra_names *names = r->names;
        struct span rest = line, name = trim(cut(&rest, ':')), events;
        struct extra_metric metric;

        if (!rest.at)
                return fail(r, span_end(line), "missing ':' between metric and events in %s",
                            span_quote(line).text);
        events = trim(cut(&rest, ':'));
        if (rest.at) {
                struct span third = trim(cut(&rest, ':'));

                return fail(r, third.at, "unrecognized config component '%s'", span_quote(third).text);
        }
        if (!name.len)
                return fail(r, line.at, "missing metric name before ':' in %s", span_quote(line).text);
        if (!check_name(r, name) || !check_events(r, events) || is_full(r, name.at, names->n_metrics))
                return false;
        for (size_t i = 0; i < names->n_metrics; i++) {
                if (span_equal_nocase(name, names->metrics[i].name))
                        return fail(r, name.at, "metric '%s' is defined twice", names->metrics[i].name);
        }
        metric.name = arena_copy(&names->texts, name.at, name.len);
        metric.events = arena_copy(&names->texts, events.at, events.len);
        ARRAY_PUSH(names->metrics, names->n_metrics, names->cap_metrics, metric);
        return true;
}

/* --- Texts and files --- */

static bool parse_lines(struct extra_event_reader *r, const char *text,
                        bool (*parse_line)(const struct extra_event_reader *r, struct span line))
{
        static const char mark[] = "\xef\xbb\xbf"; /* byte order mark; Windows editors write it */
        struct span rest = span_of(text);

        if (!check_size(r, text))
                return false;
        if (!strncmp(text, mark, strlen(mark)))
                rest = span_of(text + strlen(mark));
        for (r->line = 1; rest.at; r->line++) {
                struct span line = cut(&rest, '\n');

                r->whole = line.at;
                line = trim(line);
                if (line.len && *line.at != '#' && !parse_line(r, line))
                        return false;
        }
        return true;
}

void extra_names_release(struct extra_names *names)
{
        free(names->events);
        free(names->metrics);
        arena_release(&names->texts);
        *names = (struct extra_names){0};
}

/* Removes what a text added if the text has an error. */
static bool keep(struct extra_names *names, size_t n_events, size_t n_metrics, bool ok)
{
        if (!ok) {
                names->n_events = n_events;
                names->n_metrics = n_metrics;
        }
        return ok;
}

bool extra_events_parse(const char *text, struct extra_names *names, struct err *err)
{
        struct extra_event_reader r = {.whole = text, .names = names, .err = err};
        size_t n_events = names->n_events;

        if (!check_size(&r, text))
                return false;
        if (!*text)
                return fail(&r, text, "nothing to parse!");
        return keep(names, n_events, names->n_metrics, parse_events(&r, span_of(text)));
}

bool extra_events_parse_file(const char *text, const char *file, struct extra_names *names, struct err *err)
{
        struct extra_event_reader r = {.file = file, .names = names, .err = err};
        size_t n_events = names->n_events;

        return keep(names, n_events, names->n_metrics, parse_lines(&r, text, parse_events));
}

bool extra_metrics_parse_file(const char *text, const char *file, struct extra_names *names, struct err *err)
{
        struct extra_event_reader r = {.file = file, .names = names, .err = err};
        size_t n_metrics = names->n_metrics;

        return keep(names, names->n_events, n_metrics, parse_lines(&r, text, parse_metric));
}
