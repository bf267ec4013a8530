/* SPDX-License-Identifier: BSD-3-Clause */
#include "module_pairs.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "mem.h"

/* A module and the groups that have it. */
struct seen_module {
        str_id name;
        bool is_of[RUN_N_SIDES], is_program_of[RUN_N_SIDES];
        bool is_paired;
};

struct module_pairing {
        const struct run_values *values;
        struct seen_module *modules;
        size_t n, cap;
        struct map numbers; /* name to index */
        struct module_pair *pairs;
        size_t n_pairs, cap_pairs;
};

static struct seen_module *see(struct module_pairing *p, str_id name)
{
        bool is_new;
        uint64_t *index = map_put(&p->numbers, name, &is_new);

        if (is_new) {
                *index = p->n;
                ARRAY_PUSH(p->modules, p->n, p->cap, (struct seen_module){.name = name});
        }
        return &p->modules[*index];
}

static void see_all(struct module_pairing *p)
{
        const struct run_values *v = p->values;

        for (size_t r = 0; r < v->n_runs; r++) {
                const struct stored_run *run = &v->runs[r];

                for (size_t i = 0; i < run->n_samples; i++)
                        see(p, v->names[run->samples[i].name].module)->is_of[run->side] = true;
                if (run->program)
                        see(p, run->program)->is_program_of[run->side] = true;
        }
}

static bool is_only_of(const struct seen_module *m, enum run_side side)
{
        return m->is_of[side] && !m->is_of[!side] && !m->is_paired && m->name;
}

static void add_pair(struct module_pairing *p, struct seen_module *a, struct seen_module *b)
{
        a->is_paired = true;
        b->is_paired = true;
        ARRAY_PUSH(p->pairs, p->n_pairs, p->cap_pairs, (struct module_pair){a->name, b->name});
}

/* The name without digits, dots and dashes. */
static void add_letters(const char *name, struct buf *out)
{
        for (; *name; name++) {
                if (!isdigit((unsigned char)*name) && *name != '.' && *name != '-')
                        buf_add_char(out, *name);
        }
}

static bool differ_in_numbers(const struct module_pairing *p, const struct seen_module *x,
                              const struct seen_module *y)
{
        AUTO_RELEASE(buf) one = {0};
        AUTO_RELEASE(buf) two = {0};

        add_letters(strpool_get(p->values->texts, x->name), &one);
        add_letters(strpool_get(p->values->texts, y->name), &two);
        return one.len && !strcmp(buf_text(&one), buf_text(&two));
}

static bool are_programs(const struct module_pairing *p, const struct seen_module *x,
                         const struct seen_module *y)
{
        (void)p;
        return (x->is_program_of[RUN_A] || x->is_program_of[RUN_B]) &&
               (y->is_program_of[RUN_A] || y->is_program_of[RUN_B]);
}

typedef bool are_same_fn(const struct module_pairing *p, const struct seen_module *x,
                         const struct seen_module *y);

/* The only module of `side` alone that is the same as `m`; NULL if there is none, or several. */
static struct seen_module *find_only(struct module_pairing *p, const struct seen_module *m,
                                     enum run_side side, are_same_fn *are_same)
{
        struct seen_module *found = NULL;

        for (size_t i = 0; i < p->n; i++) {
                struct seen_module *other = &p->modules[i];

                if (!is_only_of(other, side) || (other != m && !are_same(p, m, other)))
                        continue;
                if (found)
                        return NULL;
                found = other;
        }
        return found;
}

static void pair_all(struct module_pairing *p, are_same_fn *are_same)
{
        for (size_t i = 0; i < p->n; i++) {
                struct seen_module *a = &p->modules[i], *b;

                if (!is_only_of(a, RUN_A))
                        continue;
                b = find_only(p, a, RUN_B, are_same);
                if (b && find_only(p, b, RUN_A, are_same) == a)
                        add_pair(p, a, b);
        }
}

struct module_pair *module_pairs_make(const struct run_values *values, size_t *ret_n)
{
        struct module_pairing p = {.values = values};

        see_all(&p);
        pair_all(&p, are_programs);
        pair_all(&p, differ_in_numbers);
        free(p.modules);
        map_release(&p.numbers);
        *ret_n = p.n_pairs;
        return p.pairs;
}

str_id module_pairs_find(const struct module_pair *pairs, size_t n, str_id module)
{
        assert(pairs || !n);
        for (size_t i = 0; i < n; i++) {
                if (pairs[i].b == module)
                        return pairs[i].a;
        }
        return module;
}
