/* SPDX-License-Identifier: BSD-3-Clause */
/* The terms between slashes: config words, the PMU's format fields, names of its events, and period, freq and
 * name. Also parses the files in events/, which may not name another event. */
#include <inttypes.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "err.h"
#include "event_grammar.h"
#include "text_match.h"

enum { TERMS_MAX = 256, NAMES_MAX = 1024 };

struct term_reader {
        const struct pmu_source *source;
        const struct pmu *pmu;
        const char *whole; /* the user's text */
        const char *alias; /* the file in events/ that is being parsed, or NULL */
        struct perf_attr *attr;
        struct term_extras *extras;
        struct err *err;
};

struct term {
        struct span key;
        struct span value;
        bool has_value;
};

static void add_place(const struct term_reader *r, const char *at, struct buf *out)
{
        if (r->alias)
                buf_printf(out, "in the PMU's events/%s", r->alias);
        else
                buf_printf(out, "(column %zu)", event_column(r->whole, at));
}

static bool value_error(const struct term_reader *r, const struct term *term, const char *what)
{
        AUTO_RELEASE(buf) place = {0};

        add_place(r, term->value.at, &place);
        return err_set(r->err, r->alias ? ERR_FORMAT : ERR_USAGE, "'%s' %s %s", span_quote(term->value).text,
                       what, buf_text(&place));
}

static bool read_number(const struct term_reader *r, const struct term *term, uint64_t *ret_value)
{
        if (!term->has_value) {
                *ret_value = 1;
                return true;
        }
        switch (span_to_u64(term->value, false, ret_value)) {
        case NUMBER_OK: return true;
        case NUMBER_RANGE: return value_error(r, term, "is larger than 64 bits");
        case NUMBER_BAD: break;
        }
        return value_error(r, term, "is not a number");
}

static bool apply_word(const struct term_reader *r, const struct term *term, unsigned word)
{
        uint64_t value;

        if (!read_number(r, term, &value))
                return false;
        *pmu_config_word(r->attr, word) = value;
        return true;
}

static bool apply_field(const struct term_reader *r, const struct term *term, const struct pmu_field *field)
{
        uint64_t value, max = pmu_field_max(field);
        AUTO_RELEASE(buf) what = {0};

        if (!read_number(r, term, &value))
                return false;
        if (value > max) {
                buf_printf(&what, "is too large for '%s', at most 0x%" PRIx64, span_quote(term->key).text,
                           max);
                return value_error(r, term, what.data);
        }
        pmu_field_set(field, value, r->attr);
        return true;
}

/* 1: applied, 0: not one of these keys, -1: error. */
static int apply_general(const struct term_reader *r, const struct term *term)
{
        static const char *const words[] = {"config", "config1", "config2", "config3"};
        struct term_extras *extras = r->extras;

        for (unsigned i = 0; i < N_ELEMENTS(words); i++) {
                if (span_equal_nocase(term->key, words[i]))
                        return apply_word(r, term, i) ? 1 : -1;
        }
        if (!term->has_value)
                return 0;
        if (span_equal_nocase(term->key, "period")) {
                extras->has_period = true;
                return read_number(r, term, &extras->period) ? 1 : -1;
        }
        if (span_equal_nocase(term->key, "freq")) {
                extras->has_freq = true;
                return read_number(r, term, &extras->freq) ? 1 : -1;
        }
        if (span_equal_nocase(term->key, "name")) {
                extras->name = term->value;
                return 1;
        }
        return 0;
}

struct term_names {
        struct arena arena;
        const char *names[NAMES_MAX];
        size_t n;
};

static bool collect_name(void *ctx, const char *name)
{
        struct term_names *list = ctx;

        if (list->n == NAMES_MAX)
                return false;
        list->names[list->n++] = arena_copy(&list->arena, name, strlen(name));
        return true;
}

static bool unknown_term(const struct term_reader *r, const struct term *term)
{
        struct quoted key = span_quote(term->key);
        AUTO_RELEASE(buf) place = {0};
        struct term_names list = {.n = 0};
        const char *nearest;

        add_place(r, term->key.at, &place);
        if (!r->alias) {
                pmu_each_field(r->source, r->pmu, collect_name, &list);
                if (!term->has_value)
                        pmu_each_event(r->source, r->pmu, collect_name, &list);
        }
        nearest = text_nearest(key.text, list.names, list.n);
        err_set(r->err, r->alias ? ERR_FORMAT : ERR_USAGE, "PMU '%s' has no term or event '%s' %s%s%s%s",
                r->pmu->name, key.text, buf_text(&place), nearest ? "; did you mean '" : "",
                nearest ? nearest : "", nearest ? "'?" : "");
        arena_release(&list.arena);
        return false;
}

static bool apply_term(const struct term_reader *r, const struct term *term)
{
        int general = apply_general(r, term), found;
        AUTO_RELEASE(buf) event = {0};
        struct pmu_field field;

        if (general)
                return general > 0;
        found = pmu_find_field(r->source, r->pmu, term->key.at, term->key.len, &field, r->err);
        if (found)
                return found > 0 && apply_field(r, term, &field);
        if (!r->alias && !term->has_value &&
            pmu_find_event(r->source, r->pmu, term->key.at, term->key.len, &event))
                return event_terms_apply_alias(r->source, r->pmu, event.data, r->attr, r->extras, r->err);
        return unknown_term(r, term);
}

static struct term cut_term(struct span *rest)
{
        const char *comma = memchr(rest->at, ',', rest->len);
        struct span text = {rest->at, comma ? (size_t)(comma - rest->at) : rest->len};
        const char *equals = memchr(text.at, '=', text.len);
        struct term term = {.key = text, .has_value = equals != NULL};

        if (equals) {
                term.key.len = (size_t)(equals - text.at);
                term.value = (struct span){equals + 1, text.len - term.key.len - 1};
        }
        rest->at += text.len + (comma != NULL);
        rest->len -= text.len + (comma != NULL);
        return term;
}

static bool apply_all(const struct term_reader *r, struct span terms)
{
        bool more = terms.len > 0;

        for (size_t n = 0; more; n++) {
                const char *end = terms.at + terms.len;
                struct term term = cut_term(&terms);

                /* A comma at the end leaves an empty term, which is an error. */
                more = terms.len || (terms.at == end && end[-1] == ',' && term.key.at != end);
                if (n == TERMS_MAX)
                        return err_set(r->err, ERR_LIMIT, "an event of PMU '%s' has more than %d terms",
                                       r->pmu->name, TERMS_MAX);
                if (!apply_term(r, &term))
                        return false;
        }
        return true;
}

bool event_terms_apply(const struct pmu_source *source, const struct pmu *pmu, const char *whole,
                       struct span terms, struct perf_attr *attr, struct term_extras *extras, struct err *err)
{
        struct term_reader r = {source, pmu, whole, NULL, attr, extras, err};

        return apply_all(&r, terms);
}

bool event_terms_apply_alias(const struct pmu_source *source, const struct pmu *pmu, const char *name,
                             struct perf_attr *attr, struct term_extras *extras, struct err *err)
{
        AUTO_RELEASE(buf) text = {0};
        struct term_extras own = {0};
        struct term_reader r = {source, pmu, NULL, name, attr, &own, err};

        if (!pmu_read_event(source, pmu, name, &text, err) || !apply_all(&r, span_of(buf_text(&text))))
                return false;
        if (own.has_period) {
                extras->has_period = true;
                extras->period = own.period;
        }
        return true;
}

bool pmu_event_config(const struct pmu_source *source, const struct pmu *pmu, const char *name,
                      uint64_t *ret_config, struct err *err)
{
        struct term_extras extras = {0};
        struct perf_attr attr = {0};

        if (!event_terms_apply_alias(source, pmu, name, &attr, &extras, err))
                return false;
        *ret_config = attr.config;
        return true;
}
