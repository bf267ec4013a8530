/* SPDX-License-Identifier: BSD-3-Clause */
/* Matching goes from the strongest evidence to the weakest; a function that was matched takes no part in
 * the next steps. */
#include "code_match.h"

#include <stdlib.h>
#include <string.h>

#include "code_body.h"
#include "demangle.h"
#include "map.h"
#include "mem.h"

enum {
        /* Shorter functions with different names have the same code by chance. */
        MIN_RENAMED_INSNS = 8,
        MAX_GROUP_CELLS = 1 << 16, /* functions with one key that are compared each with each */
        MAX_CODE_ROUNDS = 32,      /* wrappers of wrappers need one each */
        MAX_SAME_BLOCKS = 16,      /* a block that more functions have does not tell them apart */
};

enum side { SIDE_A, SIDE_B, N_SIDES };

/* A function that takes part in a step, and what it is matched by. */
struct match_candidate {
        uint64_t key;
        uint32_t function;
};

struct match_list {
        struct match_candidate *items;
        size_t n, cap;
};

struct code_content {
        bool is_known;
        bool is_followed; /* functions to which it refers were matched with those of its counterpart */
        uint64_t hash, blank;
        size_t n_insns;
        /* functions of the module that had no key yet, in the order of instructions; CODE_NO_FUNCTION: not
         * listed, such as functions without unwind information in a stripped program */
        uint32_t *callees;
        size_t n_callees;
};

struct matching {
        struct code_image *images[N_SIDES];
        struct code_content *contents[N_SIDES]; /* of functions, made at need */
        bool has_names;                         /* both modules name their functions */
        bool is_mixed; /* one of them does, and has functions that the other one does not list */
};

static bool is_free(const struct code_function *f)
{
        return !f->is_part && f->match == CODE_NO_FUNCTION;
}

static void match(struct matching *m, uint32_t a, uint32_t b, uint64_t key)
{
        struct code_function *x = code_image_get(m->images[SIDE_A], a);
        struct code_function *y = code_image_get(m->images[SIDE_B], b);

        x->match = b;
        y->match = a;
        x->key = y->key = key;
}

/* --- Steps --- */

static int compare_candidates(const void *a, const void *b)
{
        const struct match_candidate *x = a, *y = b;

        if (x->key != y->key)
                return x->key < y->key ? -1 : 1;
        return (x->function > y->function) - (x->function < y->function);
}

/* What a function is matched by; false: it does not take part. */
typedef bool candidate_key(struct matching *m, enum side side, uint32_t function, uint64_t *ret);

static struct match_list list_candidates(struct matching *m, enum side side, candidate_key *key_of)
{
        struct match_list list = {0};

        for (uint32_t i = 0; i < code_image_n_functions(m->images[side]); i++) {
                struct match_candidate candidate = {.function = i};

                if (is_free(code_image_get(m->images[side], i)) && key_of(m, side, i, &candidate.key))
                        ARRAY_PUSH(list.items, list.n, list.cap, candidate);
        }
        if (list.n)
                qsort(list.items, list.n, sizeof(*list.items), compare_candidates);
        return list;
}

static size_t same_keys(const struct match_list *list, size_t first)
{
        size_t n = first;

        while (n < list->n && list->items[n].key == list->items[first].key)
                n++;
        return n - first;
}

static uint64_t hash_with_callees(struct matching *m, enum side side, uint32_t function);

/* Functions with one key: those with equal code first, then in the order of their addresses. */
static void match_group(struct matching *m, const struct match_candidate *as, size_t n,
                        const struct match_candidate *bs, size_t n_b, uint64_t key)
{
        for (size_t i = 0; i < n && (n > 1 || n_b > 1) && n <= MAX_GROUP_CELLS / n_b; i++) {
                uint64_t hash = hash_with_callees(m, SIDE_A, as[i].function);

                for (size_t k = 0; k < n_b; k++) {
                        if (!is_free(code_image_get(m->images[SIDE_B], bs[k].function)) ||
                            hash_with_callees(m, SIDE_B, bs[k].function) != hash)
                                continue;
                        match(m, as[i].function, bs[k].function, key);
                        break;
                }
        }
        for (size_t i = 0, k = 0; i < n && k < n_b;) {
                if (!is_free(code_image_get(m->images[SIDE_A], as[i].function)))
                        i++;
                else if (!is_free(code_image_get(m->images[SIDE_B], bs[k].function)))
                        k++;
                else
                        match(m, as[i].function, bs[k].function, key);
        }
}

/* Calls of a matched function are compared by the name of its kind, or by its code if it has no name. */
static uint64_t key_of_group(struct matching *m, const struct match_candidate *a, size_t n, size_t n_b)
{
        const char *name = code_image_get(m->images[SIDE_A], a->function)->name;

        return name[0] && n == 1 && n_b == 1 ? code_hash_name(name) : code_hash_join(a->key, 1);
}

enum match_kind { BY_NAME, BY_CODE, BY_UNIQUE_CODE };

/* Returns whether functions were matched. */
static bool match_by(struct matching *m, candidate_key *key_of, enum match_kind kind)
{
        struct match_list a = list_candidates(m, SIDE_A, key_of), b = list_candidates(m, SIDE_B, key_of);
        size_t i = 0, k = 0;
        bool any = false;

        while (i < a.n && k < b.n) {
                size_t n = same_keys(&a, i), n_b = same_keys(&b, k);

                if (a.items[i].key < b.items[k].key) {
                        i += n;
                } else if (a.items[i].key > b.items[k].key) {
                        k += n_b;
                } else {
                        const char *name = code_image_get(m->images[SIDE_A], a.items[i].function)->name;
                        bool is_wanted = kind != BY_UNIQUE_CODE || (n == 1 && n_b == 1);

                        if (is_wanted)
                                match_group(m, &a.items[i], n, &b.items[k], n_b,
                                            kind == BY_NAME ? code_hash_name(name)
                                                            : key_of_group(m, &a.items[i], n, n_b));
                        any |= is_wanted;
                        i += n;
                        k += n_b;
                }
        }
        free(a.items);
        free(b.items);
        return any;
}

/* --- Names --- */

/* The length of a name without the number of a clone: `f.constprop.0` and `f.constprop.1` are clones of one
 * kind. */
static size_t length_without_number(const char *name)
{
        size_t len = strlen(name), digits = len;

        while (digits && name[digits - 1] >= '0' && name[digits - 1] <= '9')
                digits--;
        return digits < len && digits > 1 && name[digits - 1] == '.' ? digits - 1 : len;
}

static bool key_of_name(struct matching *m, enum side side, uint32_t function, uint64_t *ret)
{
        const char *name = code_image_get(m->images[side], function)->name;

        *ret = code_hash_bytes(name, strlen(name));
        return name[0];
}

static bool key_of_kind(struct matching *m, enum side side, uint32_t function, uint64_t *ret)
{
        const char *name = code_image_get(m->images[side], function)->name;

        *ret = code_hash_bytes(name, length_without_number(name));
        return name[0];
}

static bool key_of_clone(struct matching *m, enum side side, uint32_t function, uint64_t *ret)
{
        const char *name = code_image_get(m->images[side], function)->name;

        *ret = code_hash_name(name);
        return name[0];
}

/* --- Code --- */

/* Whether the function that is referred to gets its key only when it is matched. */
static bool may_have_key(const struct code_image *image, const struct code_referent *to)
{
        return to->index == CODE_NO_FUNCTION ? !image->naming.functions && code_referent_is_unlisted(to)
                                             : !image->functions[to->index].key;
}

/* Functions to which code refers, by calls and otherwise. */
static void list_callees(const struct code_body *body, struct code_content *content)
{
        size_t cap = 0;

        for (size_t i = 0; i < body->n_insns; i++) {
                for (size_t k = 0; k < body->insns[i].n_refs; k++) {
                        const struct code_referent *to = &body->insns[i].referents[k];

                        if (to->kind == CODE_REFERS_FUNCTION && may_have_key(body->image, to))
                                ARRAY_PUSH(content->callees, content->n_callees, cap, to->index);
                }
        }
}

static const struct code_content *content_of(struct matching *m, enum side side, uint32_t function)
{
        struct code_content *content;

        if (!m->contents[side])
                m->contents[side] =
                        mem_new(code_image_n_functions(m->images[side]), sizeof(*m->contents[side]));
        content = &m->contents[side][function];
        if (!content->is_known) {
                struct code_body body;

                code_body_make(m->images[side], code_image_get(m->images[side], function), &body);
                *content = (struct code_content){
                        .is_known = true, .hash = body.hash, .blank = body.blank, .n_insns = body.n_insns};
                list_callees(&body, content);
                code_body_release(&body);
        }
        return content;
}

static bool may_be_renamed(struct matching *m, enum side side, uint32_t function)
{
        return content_of(m, side, function)->n_insns >= (m->has_names ? MIN_RENAMED_INSNS : 1);
}

static uint64_t key_of_callee(struct matching *m, enum side side, uint32_t callee)
{
        return callee == CODE_NO_FUNCTION ? 0 : code_image_get(m->images[side], callee)->key;
}

/* Hash of the code and of the functions to which it refers, as far as they are matched. */
static uint64_t hash_with_callees(struct matching *m, enum side side, uint32_t function)
{
        const struct code_content *content = content_of(m, side, function);
        uint64_t hash = content->hash;

        for (size_t i = 0; i < content->n_callees; i++)
                hash = code_hash_join(hash, key_of_callee(m, side, content->callees[i]));
        return hash;
}

static bool key_of_code(struct matching *m, enum side side, uint32_t function, uint64_t *ret)
{
        *ret = hash_with_callees(m, side, function);
        return may_be_renamed(m, side, function);
}

/* Only if all of its callees are matched. */
static bool key_of_settled_code(struct matching *m, enum side side, uint32_t function, uint64_t *ret)
{
        const struct code_content *content = content_of(m, side, function);

        for (size_t i = 0; i < content->n_callees; i++) {
                if (!key_of_callee(m, side, content->callees[i]))
                        return false;
        }
        return key_of_code(m, side, function, ret);
}

/* A short function that calls one without a counterpart is a wrapper of anything. */
static bool is_wrapper_of_unknown(struct matching *m, enum side side, uint32_t function)
{
        const struct code_content *content = content_of(m, side, function);

        if (m->is_mixed || content->n_insns >= MIN_RENAMED_INSNS)
                return false;
        for (size_t i = 0; i < content->n_callees; i++) {
                if (content->callees[i] != CODE_NO_FUNCTION && !key_of_callee(m, side, content->callees[i]))
                        return true;
        }
        return false;
}

static bool key_of_known_code(struct matching *m, enum side side, uint32_t function, uint64_t *ret)
{
        return key_of_code(m, side, function, ret) && !is_wrapper_of_unknown(m, side, function);
}

static bool key_of_blank(struct matching *m, enum side side, uint32_t function, uint64_t *ret)
{
        *ret = content_of(m, side, function)->blank;
        return may_be_renamed(m, side, function) && !is_wrapper_of_unknown(m, side, function);
}

static void forget_contents(struct matching *m)
{
        for (int side = 0; side < N_SIDES; side++) {
                for (size_t i = 0; m->contents[side] && i < code_image_n_functions(m->images[side]); i++)
                        free(m->contents[side][i].callees);
                free(m->contents[side]);
                m->contents[side] = NULL;
        }
}

/* --- Callees --- */

/* Functions to which two equal functions refer in the same place. */
static bool match_callees(struct matching *m, const struct code_content *a, const struct code_content *b)
{
        bool any = false;

        for (size_t i = 0; i < a->n_callees && i < b->n_callees; i++) {
                const struct code_function *x, *y;

                if (a->callees[i] == CODE_NO_FUNCTION || b->callees[i] == CODE_NO_FUNCTION)
                        continue;
                x = code_image_get(m->images[SIDE_A], a->callees[i]);
                y = code_image_get(m->images[SIDE_B], b->callees[i]);
                if (!is_free(x) || !is_free(y) || (x->name[0] && y->name[0]))
                        continue;
                match(m, a->callees[i], b->callees[i],
                      x->name[0] ? code_hash_name(x->name) : code_hash_join(a->callees[i], b->callees[i]));
                any = true;
        }
        return any;
}

static bool follow_matches(struct matching *m)
{
        bool any = false;

        for (uint32_t i = 0; i < code_image_n_functions(m->images[SIDE_A]); i++) {
                uint32_t b = code_image_get(m->images[SIDE_A], i)->match;
                struct code_content *x = m->contents[SIDE_A] ? &m->contents[SIDE_A][i] : NULL;
                struct code_content *y =
                        b != CODE_NO_FUNCTION && m->contents[SIDE_B] ? &m->contents[SIDE_B][b] : NULL;

                if (!x || !y || !x->is_known || !y->is_known || x->is_followed ||
                    x->n_insns < MIN_RENAMED_INSNS || x->hash != y->hash || x->n_callees != y->n_callees)
                        continue;
                x->is_followed = true;
                any |= match_callees(m, x, y);
        }
        return any;
}

/* First functions whose code no other one has, and their callees, which tell wrappers with the same code
 * apart; then those that remain equal. */
static void match_by_code(struct matching *m)
{
        bool any = true;

        for (int round = 0; round < MAX_CODE_ROUNDS && any; round++) {
                any = match_by(m, key_of_known_code, BY_UNIQUE_CODE);
                any |= follow_matches(m);
                if (!any)
                        any = match_by(m, key_of_settled_code, BY_CODE);
        }
        match_by(m, key_of_known_code, BY_CODE);
        match_by(m, key_of_blank, BY_CODE);
}

static size_t count_free(const struct code_image *image)
{
        size_t n = 0;

        for (size_t i = 0; i < code_image_n_functions(image); i++)
                n += is_free(code_image_get(image, i));
        return n;
}

/* --- Likeness --- */

/* A block of a function of one side: `function` has it. */
struct owned_block {
        uint64_t hash;
        uint32_t function, n_insns;
};

struct owned_blocks {
        struct owned_block *items;
        size_t n, cap;
};

struct like_pair {
        uint32_t a, b;
        uint64_t score; /* instructions in equal blocks */
};

static int compare_owned(const void *a, const void *b)
{
        const struct owned_block *x = a, *y = b;

        if (x->hash != y->hash)
                return x->hash < y->hash ? -1 : 1;
        return (x->function > y->function) - (x->function < y->function);
}

static void add_blocks(struct matching *m, enum side side, uint32_t function, struct owned_blocks *list,
                       size_t *ret_n_insns)
{
        struct code_body body;

        code_body_make(m->images[side], code_image_get(m->images[side], function), &body);
        *ret_n_insns = body.n_insns;
        for (size_t i = 0; i < body.n_blocks && body.n_insns >= CODE_MATCH_MIN_LIKE_INSNS; i++)
                ARRAY_PUSH(list->items, list->n, list->cap,
                           (struct owned_block){body.blocks[i].hash, function, (uint32_t)body.blocks[i].n});
        code_body_release(&body);
}

static struct owned_blocks list_blocks(struct matching *m, enum side side, size_t *n_insns)
{
        struct owned_blocks list = {0};

        for (uint32_t i = 0; i < code_image_n_functions(m->images[side]); i++) {
                if (is_free(code_image_get(m->images[side], i)))
                        add_blocks(m, side, i, &list, &n_insns[i]);
        }
        if (list.n)
                qsort(list.items, list.n, sizeof(*list.items), compare_owned);
        return list;
}

static size_t same_hashes(const struct owned_blocks *list, size_t first)
{
        size_t n = first;

        while (n < list->n && list->items[n].hash == list->items[first].hash)
                n++;
        return n - first;
}

static void vote(const struct owned_block *as, size_t n, const struct owned_block *bs, size_t n_b,
                 struct map *scores)
{
        if (n > MAX_SAME_BLOCKS || n_b > MAX_SAME_BLOCKS)
                return;
        for (size_t i = 0; i < n; i++) {
                for (size_t k = 0; k < n_b; k++)
                        *map_put(scores, (uint64_t)as[i].function << 32 | bs[k].function, NULL) +=
                                as[i].n_insns;
        }
}

struct like_list {
        struct like_pair *items;
        size_t n, cap;
        const size_t *n_insns[N_SIDES];
};

static void add_like(void *ctx, uint64_t key, uint64_t *value)
{
        struct like_list *list = ctx;
        struct like_pair pair = {(uint32_t)(key >> 32), (uint32_t)key, *value};

        if (4 * *value >= list->n_insns[SIDE_A][pair.a] + list->n_insns[SIDE_B][pair.b])
                ARRAY_PUSH(list->items, list->n, list->cap, pair);
}

static int compare_like(const void *a, const void *b)
{
        const struct like_pair *x = a, *y = b;

        if (x->score != y->score)
                return x->score > y->score ? -1 : 1;
        if (x->a != y->a)
                return x->a < y->a ? -1 : 1;
        return (x->b > y->b) - (x->b < y->b);
}

/* Two functions with different names are not the same function, however like they are. */
static bool may_be_like(const struct code_function *a, const struct code_function *b)
{
        return is_free(a) && is_free(b) && !(a->name[0] && b->name[0]);
}

/* Matches functions of which half of the instructions are in equal blocks, the most like ones first. */
static void match_like(struct matching *m)
{
        size_t *n_insns[N_SIDES];
        struct owned_blocks blocks[N_SIDES];
        struct like_list likes = {0};
        struct map scores = {0};

        for (int side = 0; side < N_SIDES; side++) {
                n_insns[side] = mem_new(code_image_n_functions(m->images[side]), sizeof(size_t));
                blocks[side] = list_blocks(m, (enum side)side, n_insns[side]);
                likes.n_insns[side] = n_insns[side];
        }
        for (size_t i = 0, k = 0; i < blocks[SIDE_A].n && k < blocks[SIDE_B].n;) {
                const struct owned_block *a = &blocks[SIDE_A].items[i], *b = &blocks[SIDE_B].items[k];
                size_t n = same_hashes(&blocks[SIDE_A], i), n_b = same_hashes(&blocks[SIDE_B], k);

                if (a->hash == b->hash)
                        vote(a, n, b, n_b, &scores);
                i += a->hash <= b->hash ? n : 0;
                k += a->hash >= b->hash ? n_b : 0;
        }
        map_each(&scores, add_like, &likes);
        if (likes.n)
                qsort(likes.items, likes.n, sizeof(*likes.items), compare_like);
        for (size_t i = 0; i < likes.n; i++) {
                const struct like_pair *pair = &likes.items[i];
                const struct code_function *a = code_image_get(m->images[SIDE_A], pair->a);

                if (may_be_like(a, code_image_get(m->images[SIDE_B], pair->b)))
                        match(m, pair->a, pair->b,
                              a->name[0] ? code_hash_name(a->name) : code_hash_join(pair->a, pair->b));
        }
        map_release(&scores);
        free(likes.items);
        for (int side = 0; side < N_SIDES; side++) {
                free(n_insns[side]);
                free(blocks[side].items);
        }
}

/* --- Interface --- */

static struct code_naming choose_naming(struct code_image *a, struct code_image *b)
{
        struct code_naming x = code_image_can_name(a), y = code_image_can_name(b);
        const struct code_naming both = {x.functions && y.functions, x.variables && y.variables,
                                         x.contents && y.contents, x.tables && y.tables};

        code_image_set_naming(a, both);
        code_image_set_naming(b, both);
        return both;
}

bool code_match(struct code_image *a, struct code_image *b)
{
        struct matching m = {.images = {a, b}};
        size_t n, n_b;

        m.is_mixed = code_image_can_name(a).functions != code_image_can_name(b).functions;
        m.has_names = choose_naming(a, b).functions;
        match_by(&m, key_of_name, BY_NAME);
        match_by(&m, key_of_kind, BY_NAME);
        match_by(&m, key_of_clone, BY_NAME);
        forget_contents(&m);
        match_by_code(&m);
        n = count_free(a);
        n_b = count_free(b);
        if (n && n_b && n <= CODE_MATCH_MAX_LIKE && n_b <= CODE_MATCH_MAX_LIKE)
                match_like(&m);
        match_by_code(&m); /* wrappers of functions that were matched by likeness */
        forget_contents(&m);
        return !n || !n_b || (n <= CODE_MATCH_MAX_LIKE && n_b <= CODE_MATCH_MAX_LIKE);
}
