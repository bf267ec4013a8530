/* SPDX-License-Identifier: BSD-3-Clause */
/* Selects the rows of `list` by its arguments. */
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "err.h"
#include "listing_internal.h"
#include "mem.h"
#include "text_match.h"

/* perf's words for types. They match all rows of that type, whatever their names. */
static const struct {
        const char *word;
        const char *type;
} type_words[] = {
        {"hw", "[hardware event]"},
        {"hardware", "[hardware event]"},
        {"sw", "[software event]"},
        {"software", "[software event]"},
        {"pmu", "[Kernel PMU event]"},
        {"pmu", "[core PMU event]"},
        {"hwcache", "[hardware cache event]"},
        {"cache", "[hardware cache event]"},
        {"metric", "metric"},
        {"metrics", "metric"},
        {"metricgroup", "group"},
        {"metricgroups", "group"},
};

static bool is_wanted(const char *name, const char *type, char *const *patterns, size_t n)
{
        AUTO_RELEASE(buf) part = {0};

        for (size_t i = 0; i < n; i++) {
                for (size_t w = 0; w < N_ELEMENTS(type_words); w++) {
                        if (text_equal_nocase(patterns[i], type_words[w].word) &&
                            !strcmp(type, type_words[w].type))
                                return true;
                }
                buf_clear(&part);
                buf_printf(&part, "*%s*", patterns[i]);
                if (text_match_glob(strpbrk(patterns[i], "*?") ? patterns[i] : part.data, name))
                        return true;
        }
        return false;
}

static void collect_names(const struct event_listing *listing, const char ***ret_names, size_t *ret_n)
{
        size_t n = listing->n_events + listing->n_metrics + listing->n_groups;
        const char **names = mem_new(n, sizeof(*names));

        n = 0;
        for (size_t i = 0; i < listing->n_events; i++)
                names[n++] = listing->events[i].name;
        for (size_t i = 0; i < listing->n_metrics; i++)
                names[n++] = listing->metrics[i].name;
        for (size_t i = 0; i < listing->n_groups; i++)
                names[n++] = listing->groups[i].name;
        *ret_names = names;
        *ret_n = n;
}

/* NULL: nothing is known of it. */
static const char *why_none(const char *pattern)
{
        if (text_equal_nocase(pattern, "tracepoint") || strchr(pattern, ':'))
                return "tracepoints are not listed; write SYSTEM:NAME, as in sched:sched_switch";
        for (size_t i = 0; i < N_ELEMENTS(type_words); i++) {
                if (text_equal_nocase(pattern, type_words[i].word))
                        return "this machine has no events of this kind";
        }
        return NULL;
}

static bool explain_nothing(const char **names, size_t n_names, char *const *patterns, size_t n,
                            struct err *err)
{
        const char *why = n == 1 ? why_none(patterns[0]) : NULL;
        const char *nearest = n == 1 ? text_nearest(patterns[0], names, n_names) : NULL;

        if (why)
                return err_set(err, ERR_MISSING, "no event, metric or group of metrics matches '%.60s'; %s",
                               patterns[0], why);
        return err_set(err, ERR_MISSING, "no event, metric or group of metrics matches '%.60s'%s%s%s%s",
                       patterns[0], n > 1 ? " or the other patterns" : "", nearest ? "; did you mean '" : "",
                       nearest ? nearest : "", nearest ? "'?" : "");
}

bool event_listing_filter(struct event_listing *listing, char *const *patterns, size_t n, struct err *err)
{
        const char **names;
        size_t n_names, kept = 0;
        bool ok;

        if (!n)
                return true;
        collect_names(listing, &names, &n_names);
        for (size_t i = 0; i < listing->n_events; i++) {
                if (is_wanted(listing->events[i].name, listing->events[i].type, patterns, n))
                        listing->events[kept++] = listing->events[i];
        }
        listing->n_events = kept;
        kept = 0;
        for (size_t i = 0; i < listing->n_metrics; i++) {
                if (is_wanted(listing->metrics[i].name, "metric", patterns, n))
                        listing->metrics[kept++] = listing->metrics[i];
        }
        listing->n_metrics = kept;
        kept = 0;
        for (size_t i = 0; i < listing->n_groups; i++) {
                if (is_wanted(listing->groups[i].name, "group", patterns, n))
                        listing->groups[kept++] = listing->groups[i];
        }
        listing->n_groups = kept;
        ok = listing->n_events || listing->n_metrics || listing->n_groups ||
             explain_nothing(names, n_names, patterns, n, err);
        free(names);
        return ok;
}
