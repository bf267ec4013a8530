/* SPDX-License-Identifier: BSD-3-Clause */
#include "run_facts.h"

#include <string.h>

#include "text_printable.h"

enum { MAX_SHOWN = 3, MAX_BYTES = 300 };

/* The text of a fact in a run; NULL: the run does not have it. */
static const char *find_fact(const struct run_values *v, size_t run, const char *wanted)
{
        for (size_t i = 0; i < run_values_n_facts(v, run); i++) {
                const char *key, *text;

                run_values_get_fact(v, run, i, &key, &text);
                if (!strcmp(key, wanted))
                        return text;
        }
        return NULL;
}

static bool has_text(const struct run_fact *f, const char *text)
{
        for (size_t i = 0; i < f->n; i++) {
                if (!strcmp(f->texts[i], text))
                        return true;
        }
        return false;
}

struct run_fact run_facts_get(const struct run_values *v, enum run_side side, const char *key)
{
        struct run_fact f = {0};

        for (size_t r = run_values_first(v, side); r < run_values_end(v, side); r++) {
                const char *text = find_fact(v, r, key);

                if (text && f.n < RUN_FACT_MAX_TEXTS && !has_text(&f, text))
                        f.texts[f.n++] = text;
        }
        return f;
}

static void add_cut(const char *text, struct buf *out)
{
        AUTO_RELEASE(buf) cut = {0};

        buf_add(&cut, text, strnlen(text, MAX_BYTES));
        text_add_printable(out, buf_text(&cut));
        buf_add_str(out, text[cut.len] ? "..." : "");
}

void run_facts_add_texts(const struct run_fact *f, struct buf *out)
{
        for (size_t i = 0; i < f->n && i < MAX_SHOWN; i++) {
                buf_add_str(out, i ? " and " : "");
                add_cut(f->texts[i], out);
        }
        if (f->n > MAX_SHOWN)
                buf_printf(out, " and %zu more", f->n - MAX_SHOWN);
        if (!f->n)
                buf_add_str(out, "unknown");
}

bool run_facts_are_equal(const struct run_fact *a, const struct run_fact *b)
{
        for (size_t i = 0; i < a->n; i++) {
                if (!has_text(b, a->texts[i]))
                        return false;
        }
        return a->n == b->n;
}

static bool is_known_and_other(const struct run_values *v, const char *key, struct run_fact *ret_a,
                               struct run_fact *ret_b)
{
        *ret_a = run_facts_get(v, RUN_A, key);
        *ret_b = run_facts_get(v, RUN_B, key);
        return ret_a->n && ret_b->n && !run_facts_are_equal(ret_a, ret_b);
}

bool run_facts_check(const struct run_values *v, struct err *err)
{
        struct run_fact a, b;
        AUTO_RELEASE(buf) texts = {0};

        if (is_known_and_other(v, "architecture", &a, &b))
                return err_set(err, ERR_MISSING,
                               "A was recorded on %.40s, B on %.40s: they can't be compared", a.texts[0],
                               b.texts[0]);
        if (!is_known_and_other(v, "code", &a, &b))
                return true;
        buf_add_str(&texts, "A has samples of ");
        run_facts_add_texts(&a, &texts);
        buf_add_str(&texts, ", B of ");
        run_facts_add_texts(&b, &texts);
        return err_set(err, ERR_MISSING, "%s: record both with -k, or both without", buf_text(&texts));
}

const char *run_facts_doubt(const struct run_values *v)
{
        struct run_fact a, b;

        return is_known_and_other(v, "processor", &a, &b) ? "another CPU model" : NULL;
}
