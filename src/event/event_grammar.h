/* SPDX-License-Identifier: BSD-3-Clause */
/* What event texts are made of, for whoever reads a grammar of them: pieces of a text, names as data, terms between slashes. */
#ifndef EVENT_GRAMMAR_H
#define EVENT_GRAMMAR_H

#include "core_kind.h"
#include "event.h"
#include "extra_event.h"
#include "pmu.h"

enum {
        EVENT_TEXT_MAX_BYTES = 65536,
        EVENT_ITEMS_MAX = 4096, /* events of one text */
};

/* A piece of the user's text or of a file. */
struct span {
        const char *at;
        size_t len;
};

struct span span_of(const char *text);
bool span_equal_nocase(struct span span, const char *text);
bool span_copy(char *to, size_t size, struct span span); /* false, and nothing copied, when it does not fit */

enum number_result { NUMBER_OK, NUMBER_BAD, NUMBER_RANGE };

/* A C number; with `octal` false a leading 0 is decimal, as perf reads it between slashes. */
enum number_result span_to_u64(struct span span, bool octal, uint64_t *ret_value);

/* What fits into a message: control bytes written out, long pieces cut. */
struct quoted {
        char text[80];
};
struct quoted span_quote(struct span span);

/* The attribute type and config of a generic hardware, software or hardware cache event, any case. */
bool event_name_find(struct span name, uint32_t *ret_type, uint64_t *ret_config);

/* Appends perf's name for a generic event, or nothing. */
void event_name_add(uint32_t type, uint64_t config, struct buf *out);

/* Calls `each` with every generic name and alias until it returns false. */
void event_name_each(bool (*each)(void *ctx, const char *name), void *ctx);

/* What terms say beyond the attribute's config words. */
struct term_extras {
        bool has_period, has_freq;
        uint64_t period, freq;
        struct span name;
};

/* Applies `terms` ("event=0x3c,umask=1") to the config words of `attr`; a term may name an event of the PMU.
 * Errors name the column within `whole`. */
bool event_terms_apply(const struct pmu_source *source, const struct pmu *pmu, const char *whole,
                       struct span terms, struct perf_attr *attr, struct term_extras *extras,
                       struct err *err);

/* Applies the terms of the PMU's event `name`, a file name of its events folder. */
bool event_terms_apply_alias(const struct pmu_source *source, const struct pmu *pmu, const char *name,
                             struct perf_attr *attr, struct term_extras *extras, struct err *err);

/* The column of `at`, from 1, in characters of UTF-8. */
size_t event_column(const char *whole, const char *at);

/* One event of the text, in pieces. */
struct event_item {
        struct span text;
        struct span shown;  /* without the interval */
        struct span name;   /* of the event; with terms, of the PMU */
        struct span terms;  /* between the slashes */
        struct span suffix; /* behind name or slashes, from its ':' if it has one */
        bool has_terms;
        struct span modifiers, interval;
        size_t first; /* of its events in the list */
        struct term_extras extras;
};

/* Cuts the item's text into name, terms and suffix; slashes come in pairs. */
void event_split_item(struct event_item *item);

/* Cuts `suffix` into modifiers and interval and sets `shown`. */
bool event_split_suffix(const char *whole, struct event_item *item, struct err *err);

/* Gives modifiers, interval and defaults to one of the events that the name became. */
bool event_apply_suffix(const char *whole, const struct event_item *item,
                        const struct event_defaults *defaults, struct event *event, struct err *err);

/* True when all of `text` are modifiers. */
bool event_check_modifiers(const char *whole, struct span text, struct err *err);

/* The attribute's flags for modifiers; without u, k and h nothing is left out, or kernel and hypervisor
 * `by_default`. */
uint64_t event_exclude_bits(struct span modifiers, bool by_default);
uint64_t event_precise_level(struct span modifiers);

/* Why this machine can't count an event that exists: "this needs a PMU of the cores, which ..."; "": not said. */
struct refusal {
        char text[200];
};

/* Resolves the items of one text. */
struct event_resolver {
        const char *whole;
        /* Uncore PMUs and those without an interrupt are taken, and Arm events that the cores may not have. */
        bool counting;
        int only_kind; /* index of the kind of core to resolve for; -1: all.  What no core counts is for kind 0 */
        struct pmu_table *pmus;
        const struct core_kinds *kinds;  /* of `pmus`, in its order */
        const struct extra_names *extra; /* NULL: none */
        struct event_list *list;
        struct refusal *refusal; /* NULL: not asked for */
        struct err *err;
};

/* Appends the event, or one for each kind of core, and sets `first`. */
bool event_resolve(struct event_resolver *r, struct event_item *item);

/* Appends an event of `pmu` (NULL: the kernel places it); NULL when there are too many. */
struct event *event_resolver_add(struct event_resolver *r, const struct event_item *item,
                                 const struct pmu *pmu, uint32_t type, uint64_t config);

/* Sets the name: "cycles:u", "my name" of name=, or "cpu_core/cycles/u" where one name became several events. */
bool event_set_name(const struct event_resolver *r, const struct event_item *item, struct event *event);

/* rNN or a C number; NUMBER_BAD where the name is neither. */
enum number_result event_raw_number(struct span name, uint64_t *ret_number);

/* Writes the error for an event that exists and that this machine can't count or sample: «event 'x' (column N)» and what
 * `format` says of it ("needs ..."), ERR_UNSUPPORTED; and the refusal.  Always returns false. */
bool event_refuse(const struct event_resolver *r, const char *name, size_t column, const char *format, ...)
        __attribute__((format(printf, 4, 5)));

/* Writes the error for an event that nothing knows: what it is where that can be told, else the nearest name.
 * `name` is without what follows its first ':', `text` is all of it.  Always returns false. */
bool event_explain_unknown(const struct event_resolver *r, struct span name, struct span text);

/* Whether the text is SYSTEM:NAME and more, where `system` is what stands before its first ':'. */
bool event_split_tracepoint(struct span system, struct span text, struct span *ret_name);

/* The same for NAME/.../ where no PMU has that name. */
bool event_explain_unknown_pmu(const struct event_resolver *r, struct span name, struct span text);

/* True when `pmu` (loaded) can sample, or count; else writes why not. */
bool event_pmu_is_usable(const struct pmu *pmu, bool counting, const char *whole, struct span text,
                         struct err *err);

/* The kinds of a table's cores, in its order. */
void core_kinds_from_table(const struct pmu_table *pmus, struct core_kinds *ret);

/* True when Linux lists the event in sysfs where the core has it. */
bool core_code_is_advertised(uint32_t code);

#endif
