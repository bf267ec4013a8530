/* SPDX-License-Identifier: BSD-3-Clause */
#include "run_notes.h"

#include <stdlib.h>
#include <string.h>

#include "attributes.h"
#include "map.h"
#include "run_facts.h"
#include "run_pairs.h"
#include "text_printable.h"

enum { MAX_RENAMED = 5 };

void run_notes_add_label(const struct run_values *v, enum run_side side, struct buf *out)
{
        size_t from = run_values_first(v, side), end = run_values_end(v, side), head, tail = 0;
        AUTO_RELEASE(buf) label = {0};
        const char *first;

        if (from == end)
                return;
        first = run_values_path(v, from);
        head = strlen(first);
        for (size_t r = from + 1; r < end; r++) {
                const char *path = run_values_path(v, r);
                size_t same = 0;

                while (same < head && path[same] && path[same] == first[same])
                        same++;
                tail = r == from + 1 ? strlen(first) - same : tail;
                head = same;
        }
        for (size_t r = from + 1; r < end; r++) {
                const char *path = run_values_path(v, r);
                size_t len = strlen(path), first_len = strlen(first), same = 0;

                while (same < tail && same < len - head && same < first_len - head &&
                       path[len - 1 - same] == first[first_len - 1 - same])
                        same++;
                tail = same;
        }
        buf_add(&label, first, head);
        if (end - from > 1) {
                buf_add_char(&label, '*');
                buf_add_str(&label, first + strlen(first) - tail);
        }
        text_add_printable(out, buf_text(&label));
}

static void add_fact_note(const struct run_values *v, const char *key, struct buf *out)
{
        struct run_fact a = run_facts_get(v, RUN_A, key), b = run_facts_get(v, RUN_B, key);

        /* A library that only one group uses shows in its functions. */
        if ((!a.n || !b.n) && !strncmp(key, "build of ", strlen("build of ")))
                return;
        if (run_facts_are_equal(&a, &b))
                return;
        text_add_printable(out, key);
        buf_add_str(out, ": A ");
        run_facts_add_texts(&a, out);
        buf_add_str(out, ", B ");
        run_facts_add_texts(&b, out);
        buf_add_char(out, '\n');
}

static void add_fact_notes(const struct run_values *v, struct buf *out)
{
        struct map seen = {0}; /* hashes of keys */

        for (size_t r = 0; r < run_values_n_all_runs(v); r++) {
                for (size_t i = 0; i < run_values_n_facts(v, r); i++) {
                        const char *key, *text;
                        bool is_new;

                        run_values_get_fact(v, r, i, &key, &text);
                        map_put(&seen, map_hash_bytes(key, strlen(key)), &is_new);
                        if (is_new)
                                add_fact_note(v, key, out);
                }
        }
        map_release(&seen);
}

/* --- The heading --- */

static void add_n_runs(const struct run_values *v, struct buf *out)
{
        size_t n_a = run_values_n_runs(v, RUN_A), n_b = run_values_n_runs(v, RUN_B);
        size_t *pairs = run_pairs_make(v);

        if (n_a == n_b)
                buf_printf(out, "%zu run%s each", n_a, n_a == 1 ? "" : "s");
        else
                buf_printf(out, "%zu run%s before, %zu after", n_a, n_a == 1 ? "" : "s", n_b);
        if (pairs)
                buf_add_str(out, ", in turn");
        free(pairs);
}

static bool is_same(const struct run_values *v, const char *key)
{
        struct run_fact a = run_facts_get(v, RUN_A, key), b = run_facts_get(v, RUN_B, key);

        return a.n == 1 && run_facts_are_equal(&a, &b);
}

void run_notes_add_same(const struct run_values *v, struct buf *out)
{
        static const char *const facts[][2] = {{"machine", "machine"},
                                               {"processor", "CPU"},
                                               {"kernel", "kernel"},
                                               {"Python", "Python"},
                                               {"events", "events"}};
        const char *before = "; same ";

        for (size_t i = 0; i < N_ELEMENTS(facts); i++) {
                /* a machine has one CPU model */
                if (!is_same(v, facts[i][0]) || (i == 1 && is_same(v, "machine")))
                        continue;
                buf_printf(out, "%s%s", before, facts[i][1]);
                before = ", ";
        }
}

void run_notes_add_heading(const struct run_values *v, struct buf *out)
{
        add_n_runs(v, out);
        run_notes_add_same(v, out);
        buf_add_char(out, '\n');
}

/* --- Differences --- */

static bool is_before(const struct run_values *v, enum run_side first)
{
        double last_start = 0;

        for (size_t r = run_values_first(v, first); r < run_values_end(v, first); r++) {
                if (run_values_start(v, r) < 0)
                        return false;
                if (run_values_start(v, r) > last_start)
                        last_start = run_values_start(v, r);
        }
        for (size_t r = run_values_first(v, !first); r < run_values_end(v, !first); r++) {
                if (run_values_start(v, r) < last_start)
                        return false;
        }
        return true;
}

/* Most machines change their speed in the course of minutes. */
static void add_order_note(const struct run_values *v, struct buf *out)
{
        bool a_first = is_before(v, RUN_A);

        if (run_values_n_runs(v, RUN_A) < 2 || run_values_n_runs(v, RUN_B) < 2 ||
            (!a_first && !is_before(v, RUN_B)))
                return;
        buf_printf(
                out,
                "order: all runs of %s were recorded before those of %s, so a change of the machine's speed "
                "looks like a change of the program; wperf record --vs records them in turn\n",
                a_first ? "A" : "B", a_first ? "B" : "A");
}

static void add_renamed(const struct run_values *v, struct buf *out)
{
        size_t n = 0;

        for (size_t i = 0; i < run_values_n_names(v); i++) {
                size_t a = run_values_renamed(v, i);

                if (a == SIZE_MAX || ++n > MAX_RENAMED)
                        continue;
                text_printf(out, "function: %s of A is compared with %s of B, which has the same code\n",
                            run_values_name(v, a).name, run_values_name(v, i).name);
        }
        if (n > MAX_RENAMED)
                buf_printf(out, "and %zu more functions with another name and the same code\n",
                           n - MAX_RENAMED);
}

void run_notes_add(const struct run_values *v, struct buf *out)
{
        add_fact_notes(v, out);
        for (size_t i = 0; i < run_values_n_pairs(v); i++) {
                const char *a, *b;

                run_values_get_pair(v, i, &a, &b);
                buf_add_str(out, run_values_has_files(v) ? "file: " : "module: ");
                text_add_printable(out, a);
                buf_add_str(out, " of A is compared with ");
                text_add_printable(out, b);
                buf_add_str(out, " of B\n");
        }
        add_renamed(v, out);
        add_order_note(v, out);
}
