/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of event texts, for the parsers that read them: pieces of text, names as data, terms between
 * slashes. */
#ifndef EVENT_GRAMMAR_H
#define EVENT_GRAMMAR_H

#include "core_kind.h"
#include "event.h"
#include "extra_event.h"
#include "pmu.h"

enum {
        EVENT_TEXT_MAX_BYTES = 65536,
        EVENT_ITEMS_MAX = 4096, /* events in one text */
};

/* A piece of the user's text or of a file; not terminated by NUL. */
struct span {
        const char *at;
        size_t len;
};

struct span span_of(const char *text);
bool span_equal_nocase(struct span span, const char *text);
/* false, and nothing is copied, if it does not fit */
bool span_copy(char *to, size_t size, struct span span);

enum number_result { NUMBER_OK, NUMBER_BAD, NUMBER_RANGE };

/* Parses a C number. With `octal` false, a leading 0 is decimal: perf reads terms this way. *ret_value is set
 * only for NUMBER_OK. */
enum number_result span_to_u64(struct span span, bool octal, uint64_t *ret_value);

/* A text for messages: control bytes are escaped and long texts truncated. */
struct quoted {
        char text[80];
};
struct quoted span_quote(struct span span);

/* Finds type and config of a generic hardware, software or hardware cache event by name, in any case. */
bool event_name_find(struct span name, uint32_t *ret_type, uint64_t *ret_config);

/* Appends perf's name of a generic event; appends nothing if there is none. */
void event_name_add(uint32_t type, uint64_t config, struct buf *out);

/* Calls `each` with every generic name and alias until it returns false. */
void event_name_each(bool (*each)(void *ctx, const char *name), void *ctx);

/* Terms that do not belong to the attribute's config words. */
struct term_extras {
        bool has_period, has_freq;
        uint64_t period, freq;
        struct span name;
};

/* Applies `terms` ("event=0x3c,umask=1") to the config words of `attr`. A term may be the name of an event of
 * the PMU. Errors name the column in `whole`. */
bool event_terms_apply(const struct pmu_source *source, const struct pmu *pmu, const char *whole,
                       struct span terms, struct perf_attr *attr, struct term_extras *extras,
                       struct err *err);

/* Applies the terms of the PMU's event `name`, a file name of its events folder. */
bool event_terms_apply_alias(const struct pmu_source *source, const struct pmu *pmu, const char *name,
                             struct perf_attr *attr, struct term_extras *extras, struct err *err);

/* The column of `at` in `whole`, from 1, in characters of UTF-8. */
size_t event_column(const char *whole, const char *at);

/* One event of the text, split. */
struct event_item {
        struct span text;
        struct span shown;  /* without the interval */
        struct span name;   /* of the event; of the PMU if there are terms */
        struct span terms;  /* the text between the slashes */
        struct span suffix; /* the rest after the name or the second slash, from its ':' if it has one */
        bool has_terms;
        struct span modifiers, interval;
        size_t first; /* index in the list of the first event that this item became */
        struct term_extras extras;
};

/* Splits the item's text into name, terms and suffix; a slash must have its second slash. */
void event_split_item(struct event_item *item);

/* Splits `suffix` into modifiers and interval, and sets `shown`. */
bool event_split_suffix(const char *whole, struct event_item *item, struct err *err);

/* Applies modifiers, interval and defaults to one of the events that the item became. */
bool event_apply_suffix(const char *whole, const struct event_item *item,
                        const struct event_defaults *defaults, struct event *event, struct err *err);

/* True if `text` consists of modifiers. */
bool event_check_modifiers(const char *whole, struct span text, struct err *err);

/* The exclude flags for these modifiers. Without u, k and h: no flags, or kernel and hypervisor if
 * `by_default`. */
uint64_t event_exclude_bits(struct span modifiers, bool by_default);
uint64_t event_precise_level(struct span modifiers);

/* Why this machine can't count an event that exists: "this needs a PMU of the cores, which ..."; "" if not
 * set. */
struct refusal {
        char text[200];
};

/* Resolves the items of one text. */
struct event_resolver {
        const char *whole;
        /* Also accept uncore PMUs, PMUs without an interrupt, and Arm events that the cores may not have. */
        bool counting;
        /* resolve for this kind of core; -1 for all. Events that no core counts resolve for kind 0 only */
        int only_kind;
        struct pmu_table *pmus;
        const struct core_kinds *kinds;  /* of `pmus`, in the same order */
        const struct extra_names *extra; /* NULL for none */
        struct event_list *list;
        struct refusal *refusal; /* NULL if not wanted */
        struct err *err;
};

/* Appends the item's event, or one for each kind of core, and sets `first`. */
bool event_resolve(struct event_resolver *r, struct event_item *item);

/* Appends an event of `pmu` (NULL if the kernel chooses the PMU). Returns NULL and sets the error if there
 * are too many. */
struct event *event_resolver_add(struct event_resolver *r, const struct event_item *item,
                                 const struct pmu *pmu, uint32_t type, uint64_t config);

/* Sets the event's name: "cycles:u", the value of name=, or "cpu_core/cycles/u" if the item became several
 * events. */
bool event_set_name(const struct event_resolver *r, const struct event_item *item, struct event *event);

/* Parses rNN or a C number; NUMBER_BAD if the name is neither. */
enum number_result event_raw_number(struct span name, uint64_t *ret_number);

/* Sets the error for an event that exists but can't be counted or sampled on this machine: "event 'x' (column
 * N)" and the text of `format` ("needs ..."), ERR_UNSUPPORTED. Fills the refusal. Always returns false. */
bool event_refuse(const struct event_resolver *r, const char *name, size_t column, const char *format, ...)
        __attribute__((format(printf, 4, 5)));

/* Sets the error for an unknown event: what the name is, if that can be found out, else the nearest known
 * name. `name` ends before the first ':', `text` is complete. Always returns false. */
bool event_explain_unknown(const struct event_resolver *r, struct span name, struct span text);

/* Whether `text` begins with SYSTEM:NAME; `system` is the part of it before the first ':'. */
bool event_split_tracepoint(struct span system, struct span text, struct span *ret_name);

/* The same for NAME/.../ if no PMU has that name. */
bool event_explain_unknown_pmu(const struct event_resolver *r, struct span name, struct span text);

/* True if `pmu` (loaded) can sample, or count if `counting`; else sets the error. */
bool event_pmu_is_usable(const struct pmu *pmu, bool counting, const char *whole, struct span text,
                         struct err *err);

/* True for the name of an SPE PMU (arm_spe_0) and for arm_spe, which means all of them. */
bool event_name_is_spe(struct span name);

/* Applies the terms of the item, which are SPE filters, to an event of an SPE PMU that is loaded. Errors
 * are those of WindowsPerf, with the column. */
bool event_spe_apply(const struct event_resolver *r, struct event_item *item, const struct pmu *pmu,
                     struct event *event);

/* Whether the machine's CPUs are Arm's. */
bool event_spe_is_arm(const struct pmu_source *source);

/* Returns why a machine shows no SPE PMU and what to do about it, as the second part of a sentence.
 * `source` may be NULL. */
const char *event_spe_why_missing(const struct pmu_source *source);

/* Sets the period to `asked`, rounded down to a multiple of 256 as the hardware does; 0 means the default. */
bool event_spe_set_period(const char *whole, const struct event_item *item, uint64_t asked,
                          struct event *event, struct err *err);

/* Describes the kinds of cores of `pmus`, in the order of pmus->cores. */
void core_kinds_from_table(const struct pmu_table *pmus, struct core_kinds *ret);

/* True if Linux lists the event in sysfs on cores that have it. */
bool core_code_is_advertised(uint32_t code);

#endif
