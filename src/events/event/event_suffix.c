/* SPDX-License-Identifier: BSD-3-Clause */
/* Splits an event's text into name, terms and suffix [:modifiers][:interval]. An interval begins with a
 * digit, modifiers are letters. */
#include <string.h>

#include "event_grammar.h"

#define KNOWN_MODIFIERS "modifiers are u, k, h, p, pp, ppp, G and H"

static bool is_modifier(char c)
{
        return c && strchr("ukhpGH", c);
}

static size_t count(struct span modifiers, char modifier)
{
        size_t n = 0;

        for (size_t i = 0; i < modifiers.len; i++)
                n += modifiers.at[i] == modifier;
        return n;
}

bool event_check_modifiers(const char *whole, struct span text, struct err *err)
{
        for (size_t i = 0; i < text.len; i++) {
                struct span letter = {text.at + i, 1};

                if (!is_modifier(*letter.at))
                        return err_set(err, ERR_USAGE, "unknown modifier '%s' (column %zu); " KNOWN_MODIFIERS,
                                       span_quote(letter).text, event_column(whole, letter.at));
        }
        if (count(text, 'p') > 3)
                return err_set(err, ERR_USAGE, "more than three 'p' (column %zu); " KNOWN_MODIFIERS,
                               event_column(whole, text.at));
        return true;
}

static bool take_piece(const char *whole, struct event_item *item, struct span piece, struct err *err)
{
        size_t column = event_column(whole, piece.at);

        if (!piece.len)
                return err_set(
                        err, ERR_USAGE,
                        "no modifier or interval after ':' (column %zu): add an interval such as :100000 or "
                        "modifiers such as :u",
                        column - 1);
        if (item->interval.at)
                return err_set(err, ERR_USAGE,
                               "'%s' (column %zu) stands after the interval: write the interval last",
                               span_quote(piece).text, column);
        if (*piece.at >= '0' && *piece.at <= '9') {
                item->interval = piece;
                return true;
        }
        if (item->modifiers.at)
                return err_set(err, ERR_USAGE, "event interval: %s is invalid! (column %zu)",
                               span_quote(piece).text, column);
        item->modifiers = piece;
        item->shown.len = (size_t)(piece.at + piece.len - item->text.at);
        if (!is_modifier(*piece.at))
                return err_set(
                        err, ERR_USAGE,
                        "event interval: %s is invalid! (column %zu: neither a number nor modifiers; " KNOWN_MODIFIERS
                        ")",
                        span_quote(piece).text, column);
        return event_check_modifiers(whole, piece, err);
}

void event_split_item(struct event_item *item)
{
        const char *at = item->text.at, *end = at + item->text.len, *slash = memchr(at, '/', item->text.len);
        const char *after = slash ? slash : memchr(at, ':', item->text.len);

        item->has_terms = slash != NULL;
        after = after ? after : end;
        item->name = (struct span){at, (size_t)(after - at)};
        if (slash) {
                const char *second = memchr(slash + 1, '/', (size_t)(end - slash - 1));

                item->terms = (struct span){slash + 1, (size_t)(second - slash - 1)};
                after = second + 1;
        }
        item->suffix = (struct span){after, (size_t)(end - after)};
}

bool event_split_suffix(const char *whole, struct event_item *item, struct err *err)
{
        const char *at = item->suffix.at, *end = at + item->suffix.len;

        item->shown = (struct span){item->text.at, (size_t)(at - item->text.at)};
        if (at == end)
                return true;
        /* After a slash the modifiers need no ':'. */
        if (*at == ':')
                at++;
        else if (*at >= '0' && *at <= '9')
                return err_set(err, ERR_USAGE, "':' is missing before the interval (column %zu)",
                               event_column(whole, at));
        for (;;) {
                const char *colon = memchr(at, ':', (size_t)(end - at));

                if (!take_piece(whole, item, (struct span){at, (size_t)((colon ? colon : end) - at)}, err))
                        return false;
                if (!colon)
                        return true;
                at = colon + 1;
        }
}

static bool fail_interval(const char *whole, struct span text, const char *what, struct err *err)
{
        return err_set(err, ERR_USAGE, "event interval: %s is %s! (column %zu)", span_quote(text).text, what,
                       event_column(whole, text.at));
}

/* The kernel refuses the highest bit. */
static const char *complain(enum number_result result, uint64_t value)
{
        if (result == NUMBER_RANGE || (result == NUMBER_OK && value > INT64_MAX))
                return "out of range";
        return result == NUMBER_BAD || !value ? "invalid" : NULL;
}

static bool read_interval(const char *whole, struct span text, uint64_t *ret_period, struct err *err)
{
        uint64_t value = 0;
        enum number_result result = span_to_u64(text, true, &value);
        const char *what = complain(result, value);

        if (what)
                return fail_interval(whole, text, what, err);
        *ret_period = value;
        return true;
}

/* Events that happen only in the kernel; the default does not exclude the kernel from them. */
static bool happens_in_kernel(const struct perf_attr *attr)
{
        return attr->type == PERF_TYPE_TRACEPOINT ||
               (attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
                                                     attr->config == PERF_COUNT_SW_CPU_MIGRATIONS ||
                                                     attr->config == PERF_COUNT_SW_CGROUP_SWITCHES));
}

uint64_t event_exclude_bits(struct span modifiers, bool by_default)
{
        bool u = count(modifiers, 'u'), k = count(modifiers, 'k'), h = count(modifiers, 'h');
        bool host = count(modifiers, 'H'), guest = count(modifiers, 'G');
        uint64_t bits = 0;

        if (u || k || h)
                bits = (u ? 0 : PERF_ATTR_EXCLUDE_USER) | (k ? 0 : PERF_ATTR_EXCLUDE_KERNEL) |
                       (h ? 0 : PERF_ATTR_EXCLUDE_HV);
        else if (by_default)
                bits = PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_EXCLUDE_HV;
        if (host != guest)
                bits |= host ? PERF_ATTR_EXCLUDE_GUEST : PERF_ATTR_EXCLUDE_HOST;
        return bits;
}

uint64_t event_precise_level(struct span modifiers)
{
        return count(modifiers, 'p');
}

static uint64_t event_default_hz(const struct event_defaults *defaults)
{
        enum { DEFAULT_HZ = 999 };

        return defaults && defaults->default_hz ? defaults->default_hz : DEFAULT_HZ;
}

/* Sets *ret_value to a frequency if *ret_is_freq, else to a period. */
static bool read_timing(const char *whole, const struct event_item *item,
                        const struct event_defaults *defaults, uint64_t *ret_value, bool *ret_is_freq,
                        struct err *err)
{
        const struct term_extras *extras = &item->extras;
        const char *what;

        *ret_is_freq = false;
        if (item->interval.at)
                return read_interval(whole, item->interval, ret_value, err);
        *ret_is_freq = extras->has_freq || !extras->has_period;
        *ret_value = extras->has_freq                ? extras->freq
                     : extras->has_period            ? extras->period
                     : defaults && defaults->freq_hz ? defaults->freq_hz
                                                     : event_default_hz(defaults);
        what = complain(NUMBER_OK, *ret_value);
        return !what || fail_interval(whole, item->terms.at ? item->terms : item->name, what, err);
}

/* SPE cannot be sampled by frequency: with -F it uses its default period. */
static bool apply_spe_suffix(const char *whole, const struct event_item *item, bool kernel,
                             struct event *event, struct err *err)
{
        uint64_t period = item->extras.has_period ? item->extras.period : 0;

        if (item->interval.at && !read_interval(whole, item->interval, &period, err))
                return false;
        if (event_precise_level(item->modifiers))
                return err_set(err, ERR_USAGE,
                               "'%s' (column %zu): SPE has no precise levels, its samples are always precise",
                               span_quote(item->modifiers).text, event_column(whole, item->modifiers.at));
        event->attr.flags = event_exclude_bits(item->modifiers, !kernel);
        return event_spe_set_period(whole, item, period, event, err);
}

bool event_apply_suffix(const char *whole, const struct event_item *item,
                        const struct event_defaults *defaults, struct event *event, struct err *err)
{
        bool kernel = defaults && defaults->kernel, is_freq;
        uint64_t n_precise = event_precise_level(item->modifiers), value = 0;

        if (event->is_spe)
                return apply_spe_suffix(whole, item, kernel, event, err);
        if (!read_timing(whole, item, defaults, &value, &is_freq, err))
                return false;
        /* Sample each hit of a tracepoint: each one has its own field values. */
        if (event->attr.type == PERF_TYPE_TRACEPOINT && !item->interval.at &&
            !(defaults && defaults->freq_hz)) {
                value = 1;
                is_freq = false;
        }
        event->attr.sample_period_or_freq = value;
        event->attr.flags = event_exclude_bits(item->modifiers, !kernel && !happens_in_kernel(&event->attr));
        event->attr.flags |= n_precise << PERF_ATTR_PRECISE_SHIFT | (is_freq ? PERF_ATTR_FREQ : 0);
        event->precise_max &= !n_precise;
        return true;
}
