/* SPDX-License-Identifier: BSD-3-Clause */
#include "tree_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "err.h"
#include "stack_branches.h"
#include "stack_unwind.h"
#include "text_match.h"

#define DEFAULT_MIN_PERCENT 0.5

static const struct option tree_list[] = {
        {
                .name = "stacks",
                .letter = 'g',
                .offset = offsetof(struct tree_options, stacks),
                .help = "show the call tree, from callers to callees; '-g callee' shows it from callees to "
                        "callers",
        },
        {
                .name = "inverted",
                .letter = 'G',
                .offset = offsetof(struct tree_options, callers),
                .help = "same as -g caller",
        },
        {
                .name = "call-graph",
                .kind = OPTION_STRING,
                .arg = "HOW",
                .offset = offsetof(struct tree_options, how),
                .help = "show the call tree: caller (from the outermost function down to the sampled "
                        "functions), callee (from the sampled functions up to their callers), or none (only "
                        "the table)",
        },
        {
                .name = "percent-limit",
                .kind = OPTION_STRING,
                .arg = "PERCENT",
                .offset = offsetof(struct tree_options, min_percent),
                .help = "hide call tree rows below PERCENT of all samples; default 0.5",
        },
        {
                .name = "max-stack",
                .kind = OPTION_U64,
                .arg = "LEVELS",
                .min = 1,
                .max = 1 << 20,
                .offset = offsetof(struct tree_options, max_depth),
                .help = "show at most LEVELS levels of the call tree; default all",
        },
        {
                .name = "children",
                .offset = offsetof(struct tree_options, children),
                .help = "accepted for compatibility: the call tree's shares always include callees",
        },
        {
                .name = "no-children",
                .offset = offsetof(struct tree_options, no_children),
                .help = "same as -g callee",
        },
        {
                .name = "no-inlines",
                .aliases = "no-inline",
                .offset = offsetof(struct tree_options, no_inlines),
                .help = "do not show inlined functions in the call tree; count their samples in the function "
                        "that contains them",
        },
        {
                .name = "lines",
                .offset = offsetof(struct tree_options, lines),
                .help = "show each line of a Python function separately in the call tree; the same as --sort line "
                        "with -g",
        },
        {0},
};

const struct option_group tree_group = {"Call tree", tree_list};

/* --- Words of -g --- */

/* Words for other forms of perf's tree, which are accepted without effect. */
static bool is_form(const char *word)
{
        static const char *const forms[] = {"graph",    "fractal", "flat",   "folded",
                                            "function", "percent", "period", "count"};

        for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
                if (!strcmp(forms[i], word))
                        return true;
        }
        return false;
}

/* "0.5": digits and at most one point, in any locale. */
static bool parse_percent(const char *text, double *ret)
{
        size_t whole = strspn(text, "0123456789");
        size_t part = text[whole] == '.' ? strspn(text + whole + 1, "0123456789") : 0;
        double value = 0, unit = 1;

        if (!whole || whole > 3 || part > 9 || text[whole + (text[whole] == '.') + part])
                return false;
        for (size_t i = 0; i < whole; i++)
                value = value * 10 + (text[i] - '0');
        for (size_t i = 0; i < part; i++)
                value += (text[whole + 1 + i] - '0') * (unit /= 10);
        if (value > 100)
                return false;
        *ret = value;
        return true;
}

/* Parses one word; false: it is unknown. */
static bool take_word(const char *word, struct tree_output *output)
{
        double ignored;

        if (!strcmp(word, "caller")) {
                output->is_inverted = false;
                return true;
        }
        if (!strcmp(word, "callee")) {
                output->is_inverted = true;
                return true;
        }
        if (!strcmp(word, "none")) {
                output->is_wanted = false;
                return true;
        }
        if (is_form(word))
                return true;
        /* The first number is the limit; further numbers belong to perf's grammar and are ignored. */
        return parse_percent(word, output->min_percent < 0 ? &output->min_percent : &ignored);
}

static bool take_words(const char *text, struct tree_output *output, char *ret_bad, size_t bad_size)
{
        while (*text) {
                size_t len = strcspn(text, ",");
                char word[32];

                snprintf(word, sizeof(word), "%.*s", (int)len, text);
                if (len >= sizeof(word) || !take_word(word, output)) {
                        snprintf(ret_bad, bad_size, "%s", word);
                        return false;
                }
                text += len + (text[len] == ',');
        }
        return true;
}

bool tree_output_is_word(const char *word)
{
        struct tree_output output = {.min_percent = -1};
        double number;
        char bad[32];

        /* A session may have the name 5. */
        return *word && !parse_percent(word, &number) && take_words(word, &output, bad, sizeof(bad));
}

static bool bad_word(const char *word, struct err *err)
{
        static const char *const words[] = {"caller", "callee", "none"};
        const char *near = text_nearest(word, words, sizeof(words) / sizeof(*words));

        return err_set(err, ERR_USAGE, "--call-graph takes caller, callee or none, not '%s'%s%s%s", word,
                       near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}

bool tree_output_init(const struct tree_options *options, struct tree_output *ret, struct err *err)
{
        struct tree_output output = {
                .is_wanted = options->stacks || options->how || options->no_children || options->callers,
                .is_inverted = options->no_children && !options->callers,
                .max_depth = (unsigned)options->max_depth,
                .min_percent = -1,
                .no_inlines = options->no_inlines,
        };
        char bad[32];

        if (options->how && !take_words(options->how, &output, bad, sizeof(bad)))
                return bad_word(bad, err);
        if (options->min_percent && !parse_percent(options->min_percent, &output.min_percent))
                return err_set(err, ERR_USAGE, "--percent-limit takes a number from 0 to 100, not '%.40s'",
                               options->min_percent);
        if (output.min_percent < 0)
                output.min_percent = DEFAULT_MIN_PERCENT;
        *ret = output;
        return true;
}

/* --- Sessions without stacks --- */

/* Whether samples were recorded with a call chain, or with registers and a copy of the stack. */
static bool has_stacks(const struct report *report)
{
        for (size_t i = 0; i < report->n_events; i++) {
                const struct perf_attr *attr = &report->events[i].attr;

                if (attr->sample_type & PERF_SAMPLE_CALLCHAIN || stack_unwind_can(attr))
                        return true;
        }
        return false;
}

/* Branch records of any kind; they are not call stacks. */
static bool has_branches(const struct report *report)
{
        for (size_t i = 0; i < report->n_events; i++) {
                if (stack_branches_only(&report->events[i].attr))
                        return true;
        }
        return false;
}

void tree_output_note_missing(const struct report *report, enum stacks_python python, struct buf *note)
{
        if (python == STACKS_PYTHON_ONLY && !report->quality.python.n_merged)
                buf_add_str(note,
                            "the session has no Python frames, so --python only shows the native stacks; "
                            "to record Python frames write wperf record -g\n");
        if (has_stacks(report))
                return;
        if (has_branches(report))
                buf_add_str(note, "the session has branches but no call stacks, so the tree has no callers; "
                                  "wperf report -b shows the branches\n");
        else
                buf_add_str(
                        note,
                        "the session has no call stacks, so the tree has no callers; record it with -g\n");
}
