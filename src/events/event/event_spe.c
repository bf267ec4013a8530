/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of the Arm Statistical Profiling Extension: arm_spe_0/FILTER=VALUE,.../. Filters have
 * WindowsPerf's long and short names, and those of the kernel's driver. The driver's `format` files define
 * which filters there are, and the bits of their values. */
#include <inttypes.h>
#include <string.h>

#include "err.h"
#include "event_grammar.h"
#include "text.h"

enum { SPE_PERIOD_STEP = 256, SPE_PERIOD_DEFAULT = 65536 };
#define SPE_PERIOD_MAX 0xffffff00u /* PMSIRR_EL1.INTERVAL has bits 8 to 31 */

static const struct {
        const char *name, *brief;
} filters[] = {
        {"load_filter", "ld"},  {"store_filter", "st"},     {"branch_filter", "b"}, {"ts_enable", "ts"},
        {"min_latency", "min"}, {"pa_enable", "pa"},        {"pct_enable", "pct"},  {"jitter", NULL},
        {"event_filter", NULL}, {"inv_event_filter", NULL}, {"discard", NULL},
};

/* Bits of PMSEVFR_EL1 and of an events packet. The names are WindowsPerf's if it has one, a short name, and
 * perf's. */
static const struct {
        const char *names[3];
        uint8_t bit;
} spe_events[] = {
        {{"retired"}, 1},
        {{"level1-data-cache-access", "l1d-access"}, 2},
        {{"level1-data-cache-refill", "l1d-refill", "l1d-miss"}, 3},
        {{"tlb_access", "tlb-access"}, 4},
        {{"tlb-walk", NULL, "tlb-refill"}, 5},
        {{"not-taken"}, 6},
        {{"mispredicted", NULL, "mispred"}, 7},
        {{"last-level-cache-access", "llc-access"}, 8},
        {{"last-level-cache-miss", "llc-miss", "llc-refill"}, 9},
        {{"remote-access"}, 10},
        {{"alignment"}, 11},
        {{"sve-partial-predicate"}, 17},
        {{"sve-empty-predicate"}, 18},
        {{"l2d-access"}, 19},
        {{"l2d-miss"}, 20},
        {{"cache-data-modified"}, 21},
        {{"recently-fetched"}, 22},
        {{"data-snooped"}, 23},
};

struct spe_reader {
        const struct event_resolver *r;
        const struct event_item *item;
        const struct pmu *pmu;
        struct event *event;
        struct term_extras *extras;
        bool has_ts;
};

struct spe_term {
        struct span text, key, value;
        bool has_value;
};

bool event_name_is_spe(struct span name)
{
        static const char prefix[] = "arm_spe";

        return name.len >= sizeof(prefix) - 1 &&
               span_equal_nocase((struct span){name.at, sizeof(prefix) - 1}, prefix) &&
               (name.len == sizeof(prefix) - 1 || name.at[sizeof(prefix) - 1] == '_');
}

static size_t column_of(const struct spe_reader *s, struct span span)
{
        return event_column(s->r->whole, span.at);
}

static struct spe_term cut_spe_term(struct span *rest)
{
        const char *comma = memchr(rest->at, ',', rest->len);
        struct span text = {rest->at, comma ? (size_t)(comma - rest->at) : rest->len};
        const char *equals = memchr(text.at, '=', text.len);
        struct spe_term term = {.text = text, .key = text, .has_value = equals != NULL};

        if (equals) {
                term.key.len = (size_t)(equals - text.at);
                term.value = (struct span){equals + 1, text.len - term.key.len - 1};
        }
        rest->at += text.len + (comma != NULL);
        rest->len -= text.len + (comma != NULL);
        return term;
}

/* The kernel's name of a filter; NULL if it is unknown. */
static const char *filter_of(struct span key)
{
        for (size_t i = 0; i < N_ELEMENTS(filters); i++) {
                if (span_equal_nocase(key, filters[i].name) ||
                    (filters[i].brief && span_equal_nocase(key, filters[i].brief)))
                        return filters[i].name;
        }
        return NULL;
}

static bool unknown_filter(const struct spe_reader *s, const struct spe_term *term)
{
        AUTO_RELEASE(buf) names = {0};

        for (size_t i = 0; i < N_ELEMENTS(filters); i++)
                buf_printf(&names, "%s, ", filters[i].name);
        return err_set(s->r->err, ERR_USAGE, "SPE filter '%s' unknown, use: %speriod (column %zu)",
                       span_quote(term->key).text, buf_text(&names), column_of(s, term->key));
}

static bool bad_value(const struct spe_reader *s, const struct spe_term *term)
{
        return err_set(s->r->err, ERR_USAGE, "incorrect SPE filter value: %s='%s' (column %zu)",
                       span_quote(term->key).text, span_quote(term->value).text, column_of(s, term->text));
}

static bool unknown_spe_event(const struct spe_reader *s, struct span name)
{
        enum { LAST_OF_V1 = 11 };
        AUTO_RELEASE(buf) names = {0};

        for (size_t i = 0; spe_events[i].bit <= LAST_OF_V1; i++)
                buf_printf(&names, ", %s",
                           spe_events[i].names[1] ? spe_events[i].names[1] : spe_events[i].names[0]);
        return err_set(s->r->err, ERR_USAGE, "no SPE event is called '%s' (column %zu): use a number%s",
                       span_quote(name).text, column_of(s, name), buf_text(&names));
}

static uint64_t bit_of_event(struct span name)
{
        for (size_t i = 0; i < N_ELEMENTS(spe_events); i++) {
                for (size_t k = 0; k < N_ELEMENTS(spe_events[i].names); k++) {
                        if (spe_events[i].names[k] && span_equal_nocase(name, spe_events[i].names[k]))
                                return 1ull << spe_events[i].bit;
                }
        }
        return 0;
}

/* mispredicted+retired */
static bool read_spe_events(const struct spe_reader *s, struct span names, uint64_t *ret_bits)
{
        const char *end = names.at + names.len;

        *ret_bits = 0;
        for (const char *at = names.at; at <= end;) {
                const char *plus = memchr(at, '+', (size_t)(end - at));
                struct span name = {at, (size_t)((plus ? plus : end) - at)};
                uint64_t bit = bit_of_event(name);

                if (!bit)
                        return unknown_spe_event(s, name);
                *ret_bits |= bit;
                at = name.at + name.len + 1;
        }
        return true;
}

/* True if the filter's value may be names of events. */
static bool takes_events(const char *filter)
{
        return filter && text_ends(filter, "event_filter");
}

static bool read_value(const struct spe_reader *s, const struct spe_term *term, const char *filter,
                       uint64_t *ret_value)
{
        *ret_value = 1;
        if (!term->has_value)
                return true;
        switch (span_to_u64(term->value, true, ret_value)) {
        case NUMBER_OK: return true;
        case NUMBER_RANGE: return bad_value(s, term);
        case NUMBER_BAD: break;
        }
        if (takes_events(filter) && term->value.len)
                return read_spe_events(s, term->value, ret_value);
        return bad_value(s, term);
}

static bool apply_filter(struct spe_reader *s, const struct spe_term *term, const char *filter,
                         const struct pmu_field *field)
{
        uint64_t value;

        if (!read_value(s, term, filter, &value))
                return false;
        /* WindowsPerf accepts values of 16 bits. A latency counter of 12 bits stops at its maximum. */
        if (filter && !strcmp(filter, "min_latency") && value <= UINT16_MAX && value > pmu_field_max(field))
                value = pmu_field_max(field);
        if (value > pmu_field_max(field))
                return err_set(s->r->err, ERR_USAGE,
                               "SPE filter '%s' value out of range, use: 0-%" PRIu64 " (column %zu)",
                               span_quote(term->key).text, pmu_field_max(field), column_of(s, term->value));
        pmu_field_set(field, value, &s->event->attr);
        s->has_ts |= filter && !strcmp(filter, "ts_enable");
        return true;
}

/* Terms that exist for all PMUs. */
static bool is_general(struct span key)
{
        static const char *const names[] = {"period", "name", "config", "config1", "config2", "config3"};

        for (size_t i = 0; i < N_ELEMENTS(names); i++) {
                if (span_equal_nocase(key, names[i]))
                        return true;
        }
        return false;
}

static bool apply_spe_term(struct spe_reader *s, const struct spe_term *term)
{
        const struct pmu_source *source = s->r->pmus->source;
        const char *filter = filter_of(term->key);
        struct pmu_field field;
        int found;

        if (!term->key.len)
                return err_set(s->r->err, ERR_USAGE,
                               term->has_value ? "incorrect SPE filter name: '%s' (column %zu)"
                                               : "incorrect SPE filter: '%s' (column %zu)",
                               span_quote(term->key).text, column_of(s, term->key));
        if (is_general(term->key) && term->has_value)
                return event_terms_apply(source, s->pmu, s->r->whole, term->text, &s->event->attr, s->extras,
                                         s->r->err);
        found = filter ? pmu_find_field(source, s->pmu, filter, strlen(filter), &field, s->r->err)
                       : pmu_find_field(source, s->pmu, term->key.at, term->key.len, &field, s->r->err);
        if (found > 0)
                return apply_filter(s, term, filter, &field);
        if (found < 0)
                return false;
        if (filter)
                return err_set(
                        s->r->err, ERR_UNSUPPORTED,
                        "SPE filter '%s' (column %zu) is not known to this kernel: %s has no format/%s",
                        span_quote(term->key).text, column_of(s, term->key), s->pmu->name, filter);
        if (!term->has_value)
                return err_set(s->r->err, ERR_USAGE, "incorrect SPE filter: '%s' in %s (column %zu)",
                               span_quote(term->key).text, span_quote(s->item->terms).text,
                               column_of(s, term->key));
        return unknown_filter(s, term);
}

/* Time stamps are needed to find the thread of a sample. */
static bool enable_times(struct spe_reader *s)
{
        struct pmu_field field;
        int found = pmu_find_field(s->r->pmus->source, s->pmu, "ts_enable", strlen("ts_enable"), &field,
                                   s->r->err);

        if (found > 0 && !s->has_ts)
                pmu_field_set(&field, 1, &s->event->attr);
        return found >= 0;
}

bool event_spe_apply(const struct event_resolver *r, struct event_item *item, const struct pmu *pmu,
                     struct event *event)
{
        struct spe_reader s = {r, item, pmu, event, &item->extras, false};
        struct span rest = item->terms;
        bool more = rest.len > 0;

        event->is_spe = true;
        event->uncore = false; /* its PMU has a list of CPUs as those of uncore events have */
        if (!pmu_find_cap(r->pmus->source, pmu, "min_interval", &event->spe_min_period))
                event->spe_min_period = 0;
        while (more) {
                struct spe_term term = cut_spe_term(&rest);

                more = rest.len || term.text.at + term.text.len < rest.at;
                if (!apply_spe_term(&s, &term))
                        return false;
        }
        return enable_times(&s);
}

bool event_spe_set_period(const char *whole, const struct event_item *item, uint64_t asked,
                          struct event *event, struct err *err)
{
        uint64_t period = asked ? asked : SPE_PERIOD_DEFAULT;
        const char *at = item->interval.at ? item->interval.at : item->text.at;

        if (!asked && period < event->spe_min_period)
                period = event->spe_min_period;
        if (period < event->spe_min_period)
                return err_set(err, ERR_USAGE,
                               "the interval %" PRIu64
                               " (column %zu) is too short: SPE of this CPU takes a sample of "
                               "every %" PRIu64 " operations at most",
                               period, event_column(whole, at), event->spe_min_period);
        if (period > SPE_PERIOD_MAX)
                return err_set(err, ERR_USAGE,
                               "the interval %" PRIu64 " (column %zu) is too long: at most %u", period,
                               event_column(whole, at), SPE_PERIOD_MAX);
        if (period >= SPE_PERIOD_STEP)
                period -= period % SPE_PERIOD_STEP;
        event->attr.sample_period_or_freq = period;
        return true;
}
