/* SPDX-License-Identifier: BSD-3-Clause */
/* The instructions that are not equal are aligned by their operations.  Pairs then differ in a number, a
 * condition or what they refer to; the rest is on one side alone. */
#include "code_change.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "code_align.h"
#include "disasm_form.h"
#include "map.h"
#include "mem.h"

enum {
        /* Of a function that is inlined, parts are dropped because arguments are known. */
        MIN_INLINED_PERCENT = 60,
        MAX_INLINED_BYTES = 4096, /* compilers inline no larger ones */
        MAX_INLINED_TRIES = 64,   /* callees of a function */
        MIN_SPILLS = 2,           /* one may be the same access by another instruction */
        MAX_DECIMAL = 1000000000, /* larger numbers are masks or factors of a division */
};

struct changed_insn {
        const struct code_insn *insn;
        struct disasm_form form;
};

struct changed_list {
        struct changed_insn *items;
        size_t n, cap;
        size_t n_vectors; /* of the whole function */
        bool frame_pointer;
};

/* What was found, in order of what it says about the source. */
struct change_evidence {
        const struct changed_insn *bound[2], *constant[2]; /* the first pairs with different numbers */
        bool is_text;                                      /* `constant` are texts or constants in memory */
        bool has_condition;                                /* a pair has another condition */
        size_t n_stack;                                    /* on one side alone: stack slots, */
        size_t n_other;                                    /* and everything but moves */
};

/* --- Instructions --- */

static bool get_form(const struct code_body *body, const struct code_insn *insn, bool frame_pointer,
                     struct disasm_form *ret)
{
        return disasm_form_get(body->arch, insn->bytes, insn->size_bytes, frame_pointer, ret);
}

/* `mov %rsp, %rbp`; code for AArch64 uses x29 for nothing else. */
static bool has_frame_pointer(const struct code_body *body)
{
        static const uint8_t code[] = {0x48, 0x89, 0xe5};

        for (size_t i = 0; i < body->n_insns; i++) {
                if (body->insns[i].size_bytes == sizeof(code) &&
                    !memcmp(body->insns[i].bytes, code, sizeof(code)))
                        return true;
        }
        return body->arch == DISASM_AARCH64;
}

static void begin_list(const struct code_body *body, struct changed_list *ret)
{
        struct disasm_form form;

        *ret = (struct changed_list){.frame_pointer = has_frame_pointer(body)};
        for (size_t i = 0; i < body->n_insns; i++) {
                get_form(body, &body->insns[i], ret->frame_pointer, &form);
                ret->n_vectors += form.is_vector;
        }
}

static void add_insn(const struct code_body *body, const struct code_insn *insn, struct changed_list *list)
{
        struct changed_insn item = {.insn = insn};

        if (!insn || insn->is_padding)
                return;
        get_form(body, insn, list->frame_pointer, &item.form);
        for (size_t k = 0; k < insn->n_refs; k++) /* an address, and no number */
                item.form.has_number &= insn->referents[k].kind == CODE_REFERS_NUMBER;
        ARRAY_PUSH(list->items, list->n, list->cap, item);
}

static void add_pair(const struct code_comparison *c, const struct code_block_pair *pair,
                     struct changed_list lists[CODE_N_SIDES])
{
        struct code_line *lines;
        size_t n = code_comparison_lines(c, pair, &lines);

        for (size_t i = 0; i < n; i++) {
                if (lines[i].mark == ' ')
                        continue;
                add_insn(&c->a, lines[i].a, &lists[CODE_A]);
                add_insn(&c->b, lines[i].b, &lists[CODE_B]);
        }
        free(lines);
}

static size_t *align(const struct changed_list lists[CODE_N_SIDES])
{
        size_t n = lists[CODE_A].n, m = lists[CODE_B].n;
        uint64_t *hashes = mem_new(n + m + 1, sizeof(*hashes));
        struct code_align align = {.a = hashes, .b = hashes + n, .to_b = code_align_new(n)};

        for (size_t i = 0; i < n + m; i++)
                hashes[i] = i < n ? lists[CODE_A].items[i].form.operation
                                  : lists[CODE_B].items[i - n].form.operation;
        code_align_range(&align, 0, n, 0, m);
        free(hashes);
        return align.to_b;
}

/* --- Calls --- */

/* The function that an instruction calls, or NULL.  A jump to a function is a call at the end. */
static const struct code_referent *callee_of(const struct code_insn *insn)
{
        for (size_t k = 0; k < insn->n_refs; k++) {
                const struct code_referent *to = &insn->referents[k];

                if (insn->flow != DISASM_NEXT &&
                    (to->kind == CODE_REFERS_FUNCTION || to->kind == CODE_REFERS_SLOT))
                        return to;
        }
        return NULL;
}

static uint64_t key_of_call(const struct code_insn *insn)
{
        const struct code_referent *to = callee_of(insn);

        if (to && to->key)
                return to->key;
        return insn->flow == DISASM_CALL ? 1 : 0; /* by a register or a pointer */
}

/* Two numbers of calls in one word. */
struct call_counts {
        uint32_t n[CODE_N_SIDES];
};

static struct call_counts counts_of(uint64_t value)
{
        return (struct call_counts){{(uint32_t)value, (uint32_t)(value >> 32)}};
}

static void count_calls(const struct code_body *body, int side, struct map *calls)
{
        for (size_t i = 0; i < body->n_insns; i++) {
                uint64_t key = key_of_call(&body->insns[i]);

                if (key)
                        *map_put(calls, key, NULL) += side == CODE_A ? 1 : 1ull << 32;
        }
}

static const struct code_body *body_of(const struct code_comparison *c, int side)
{
        return side == CODE_A ? &c->a : &c->b;
}

/* How often each operation is in a list. */
static struct map count_operations(const struct changed_list *list)
{
        struct map operations = {0};

        for (size_t i = 0; i < list->n; i++)
                ++*map_put(&operations, list->items[i].form.operation, NULL);
        return operations;
}

/* Whether most of what a function computes is in the list. */
static bool is_in_list(const struct code_image *image, uint32_t function, const struct changed_list *list)
{
        struct map left = count_operations(list);
        struct code_body body;
        size_t n = 0, n_found = 0;

        code_body_make(image, &image->functions[function], &body);
        for (size_t i = 0; i < body.n_insns; i++) {
                struct disasm_form form;
                uint64_t *n_left;

                get_form(&body, &body.insns[i], list->frame_pointer, &form);
                if (form.is_move || form.is_stack || form.is_condition || body.insns[i].is_padding ||
                    body.insns[i].flow != DISASM_NEXT)
                        continue;
                n++;
                n_left = map_put(&left, form.operation, NULL);
                if (*n_left) {
                        --*n_left;
                        n_found++;
                }
        }
        map_release(&left);
        code_body_release(&body);
        return n && 100 * n_found >= MIN_INLINED_PERCENT * n;
}

/* The first call of `side` of a function that the other side calls less often and has in its code; NULL:
 * none. */
static const struct code_insn *find_inlined(const struct code_comparison *c, int side,
                                            const struct map *calls, const struct changed_list *other)
{
        const struct code_body *body = body_of(c, side);
        const struct code_insn *found = NULL;
        struct map tried = {0};
        size_t n_tries = 0;

        for (size_t i = 0; i < body->n_insns && n_tries < MAX_INLINED_TRIES && !found; i++) {
                const struct code_referent *to = callee_of(&body->insns[i]);
                struct call_counts counts;
                bool is_new;

                if (!to || !to->key || to->kind != CODE_REFERS_FUNCTION || to->index == CODE_NO_FUNCTION)
                        continue;
                counts = counts_of(*map_find(calls, key_of_call(&body->insns[i])));
                if (counts.n[!side] >= counts.n[side] ||
                    body->image->functions[to->index].size_bytes > MAX_INLINED_BYTES)
                        continue;
                map_put(&tried, to->index, &is_new);
                if (!is_new)
                        continue;
                n_tries++;
                if (is_in_list(body->image, to->index, other))
                        found = &body->insns[i];
        }
        map_release(&tried);
        return found;
}

/* The first call that one side has more often; NULL: none. */
static const struct code_insn *find_other_call(const struct code_comparison *c, const struct map *calls,
                                               int *ret_side)
{
        for (int side = CODE_A; side < CODE_N_SIDES; side++) {
                const struct code_body *body = body_of(c, !side);

                for (size_t i = 0; i < body->n_insns; i++) {
                        uint64_t key = key_of_call(&body->insns[i]);
                        struct call_counts counts;

                        if (!key)
                                continue;
                        counts = counts_of(*map_find(calls, key));
                        if (counts.n[!side] <= counts.n[side])
                                continue;
                        *ret_side = !side;
                        return &body->insns[i];
                }
        }
        return NULL;
}

/* --- Pairs --- */

static bool is_constant(const struct code_referent *to)
{
        return to->kind == CODE_REFERS_CONTENT;
}

static void judge_pair(const struct changed_insn *x, const struct changed_insn *y, struct change_evidence *e)
{
        bool has_number = x->form.has_number && y->form.has_number && x->form.number != y->form.number;

        e->has_condition |= x->form.is_condition && x->form.condition != y->form.condition;
        if (has_number && x->form.compares && !e->bound[0]) {
                e->bound[CODE_A] = x;
                e->bound[CODE_B] = y;
        } else if (has_number && !x->form.compares && !e->constant[0]) {
                e->constant[CODE_A] = x;
                e->constant[CODE_B] = y;
        }
        for (size_t k = 0; k < x->insn->n_refs && k < y->insn->n_refs; k++) {
                const struct code_referent *from = &x->insn->referents[k], *to = &y->insn->referents[k];

                if (from->key == to->key || callee_of(x->insn) || from->kind == CODE_REFERS_NUMBER)
                        continue;
                if (!is_constant(from) || !is_constant(to)) {
                        e->n_other++;
                } else if (!e->constant[0]) {
                        e->constant[CODE_A] = x;
                        e->constant[CODE_B] = y;
                        e->is_text = true;
                }
        }
}

static void judge_single(const struct changed_insn *x, struct change_evidence *e)
{
        e->n_stack += x->form.is_stack;
        e->n_other += !x->form.is_stack && !x->form.is_move;
}

/* Operations that both sides have, in another order, count for nothing. */
static void judge(const struct changed_list lists[CODE_N_SIDES], const size_t *to_b,
                  struct change_evidence *e)
{
        bool *is_paired = mem_new(lists[CODE_B].n + 1, sizeof(*is_paired));
        struct map left = {0};

        for (size_t i = 0; i < lists[CODE_A].n; i++) {
                if (to_b[i] == CODE_ALIGN_NONE) {
                        ++*map_put(&left, lists[CODE_A].items[i].form.operation, NULL);
                        continue;
                }
                is_paired[to_b[i]] = true;
                judge_pair(&lists[CODE_A].items[i], &lists[CODE_B].items[to_b[i]], e);
        }
        for (size_t i = 0; i < lists[CODE_B].n; i++) {
                uint64_t *n = map_put(&left, lists[CODE_B].items[i].form.operation, NULL);

                if (is_paired[i])
                        continue;
                if (*n)
                        --*n;
                else
                        judge_single(&lists[CODE_B].items[i], e);
        }
        for (size_t i = 0; i < lists[CODE_A].n; i++) {
                uint64_t *n = map_put(&left, lists[CODE_A].items[i].form.operation, NULL);

                if (to_b[i] != CODE_ALIGN_NONE || !*n)
                        continue;
                --*n;
                judge_single(&lists[CODE_A].items[i], e);
        }
        map_release(&left);
        free(is_paired);
}

/* --- Texts --- */

static void add_callee(const struct code_body *body, const struct code_insn *insn, struct buf *out)
{
        const struct code_referent *to = callee_of(insn);
        size_t len = out->len;

        if (to)
                code_referent_add_name(body->image, to, out);
        if (out->len == len)
                buf_add_str(out, to ? "a function" : "a function by its address");
}

static void add_number(const struct code_body *body, const struct changed_insn *x, bool is_text,
                       struct buf *out)
{
        size_t len = out->len;

        for (size_t k = 0; k < x->insn->n_refs && is_text; k++)
                code_referent_add_name(body->image, &x->insn->referents[k], out);
        if (is_text && out->len == len)
                buf_add_str(out, "in memory");
        else if (!is_text && x->form.number > -MAX_DECIMAL && x->form.number < MAX_DECIMAL)
                buf_printf(out, "%" PRId64, x->form.number);
        else if (!is_text)
                buf_printf(out, "0x%" PRIx64, (uint64_t)x->form.number);
}

static void add_numbers(const struct code_comparison *c, const struct changed_insn *const pair[CODE_N_SIDES],
                        bool is_text, struct buf *out)
{
        if (!is_text && (pair[CODE_A]->form.is_encoded || pair[CODE_B]->form.is_encoded))
                return;
        add_number(&c->a, pair[CODE_A], is_text, out);
        buf_add_str(out, " -> ");
        add_number(&c->b, pair[CODE_B], is_text, out);
}

/* --- Interface --- */

static enum code_change find_by_numbers(const struct code_comparison *c,
                                        const struct changed_list lists[CODE_N_SIDES], struct buf *detail)
{
        struct change_evidence e = {0};
        size_t *to_b = align(lists);

        judge(lists, to_b, &e);
        free(to_b);
        if (e.n_stack >= MIN_SPILLS && e.n_other <= e.n_stack) {
                buf_printf(detail, "%zu stack loads and stores on one side only", e.n_stack);
                return CODE_CHANGE_SPILL;
        }
        if (e.bound[CODE_A] && e.n_other <= 2) {
                add_numbers(c, e.bound, false, detail);
                return CODE_CHANGE_BOUND;
        }
        if (e.constant[CODE_A] && e.n_other <= 1) {
                add_numbers(c, e.constant, e.is_text, detail);
                return CODE_CHANGE_CONSTANT;
        }
        if (e.has_condition && !e.n_other) {
                buf_add_str(detail, "another condition");
                return CODE_CHANGE_BOUND;
        }
        if (!lists[CODE_A].n && !lists[CODE_B].n && c->n_entries_changed)
                buf_add_str(detail, "elements of a jump table");
        return CODE_CHANGE_OTHER;
}

static enum code_change find_by_calls(const struct code_comparison *c,
                                      const struct changed_list lists[CODE_N_SIDES], struct buf *detail)
{
        bool is_vectorised = !lists[CODE_A].n_vectors != !lists[CODE_B].n_vectors;
        const struct code_insn *call = NULL;
        struct map calls = {0};
        enum code_change kind = CODE_CHANGE_OTHER;
        int side;

        count_calls(&c->a, CODE_A, &calls);
        count_calls(&c->b, CODE_B, &calls);
        for (side = CODE_A; side < CODE_N_SIDES && !call; side++)
                call = find_inlined(c, side, &calls, &lists[!side]);
        if (call) {
                add_callee(body_of(c, side - 1), call, detail);
                buf_printf(detail, " is inlined in %c", side - 1 == CODE_A ? 'B' : 'A');
                kind = CODE_CHANGE_INLINED;
        } else if (is_vectorised) {
                buf_printf(detail, "%zu -> %zu instructions", lists[CODE_A].n_vectors,
                           lists[CODE_B].n_vectors);
                kind = CODE_CHANGE_VECTORS;
        } else if ((call = find_other_call(c, &calls, &side)) != NULL) {
                struct call_counts counts = counts_of(*map_find(&calls, key_of_call(call)));

                add_callee(body_of(c, side), call, detail);
                buf_printf(detail, ": %" PRIu32 " -> %" PRIu32, counts.n[CODE_A], counts.n[CODE_B]);
                kind = CODE_CHANGE_CALLS;
        }
        map_release(&calls);
        return kind;
}

enum code_change code_change_find(const struct code_comparison *c, struct buf *detail)
{
        struct changed_list lists[CODE_N_SIDES];
        enum code_change kind;

        begin_list(&c->a, &lists[CODE_A]);
        begin_list(&c->b, &lists[CODE_B]);
        for (size_t i = 0; i < c->n_pairs; i++) {
                enum code_block_state state = c->pairs[i].state;

                if (state != CODE_BLOCK_SAME && state != CODE_BLOCK_ORDER && state != CODE_BLOCK_REGISTERS)
                        add_pair(c, &c->pairs[i], lists);
        }
        kind = find_by_calls(c, lists, detail);
        if (kind == CODE_CHANGE_OTHER)
                kind = find_by_numbers(c, lists, detail);
        free(lists[CODE_A].items);
        free(lists[CODE_B].items);
        return kind;
}
