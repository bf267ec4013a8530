/* SPDX-License-Identifier: BSD-3-Clause */
/* A pair of blocks is the same if its instructions are equal, and its jumps lead to blocks that are a
 * pair. */
#include "code_compare.h"

#include <stdlib.h>
#include <string.h>

#include "code_align.h"
#include "code_ends.h"
#include "code_pairing.h"
#include "code_registers.h"
#include "mem.h"

struct comparing {
        struct code_comparison *c;
        struct code_pairing pairing;
        bool *is_changed; /* by blocks of `a` */
        bool *is_renamed; /* by blocks of `a`: changed, but only in registers */
};

/* --- Where jumps lead --- */

static bool is_paired(const struct code_comparison *c, size_t a, size_t b)
{
        if (a >= c->a.n_blocks || b >= c->b.n_blocks)
                return a >= c->a.n_blocks && b >= c->b.n_blocks;
        return c->to_b[a] == b;
}

/* Whether jumps of two equal instructions lead to blocks that are a pair.  Jump tables are data, and
 * compared alone. */
static bool leads_to_pair(const struct code_comparison *c, const struct code_insn *a,
                          const struct code_insn *b)
{
        if (a->n_refs != b->n_refs)
                return false;
        for (size_t k = 0; k < a->n_refs; k++) {
                const struct code_referent *x = &a->referents[k], *y = &b->referents[k];

                if (x->kind == CODE_REFERS_BLOCK &&
                    (y->kind != CODE_REFERS_BLOCK || !is_paired(c, x->index, y->index)))
                        return false;
        }
        return true;
}

static bool are_equal(const struct code_comparison *c, const struct code_insn *a, const struct code_insn *b)
{
        return a->hash == b->hash && leads_to_pair(c, a, b);
}

static void check_jumps(struct comparing *p)
{
        const struct code_comparison *c = p->c;

        for (size_t i = 0; i < c->a.n_blocks; i++) {
                const struct code_block *x = &c->a.blocks[i], *y;

                if (p->c->to_b[i] == CODE_ALIGN_NONE)
                        continue;
                y = &c->b.blocks[p->c->to_b[i]];
                p->is_changed[i] = x->n != y->n;
                for (size_t k = 0; k < x->n && !p->is_changed[i]; k++)
                        p->is_changed[i] =
                                !are_equal(c, &c->a.insns[x->first + k], &c->b.insns[y->first + k]);
        }
}

/* Only jumps refer to blocks; a stack slot may be a field on one side alone. */
static bool are_loosely_equal(const struct code_comparison *c, const struct code_insn *a,
                              const struct code_insn *b)
{
        return a->loose == b->loose && (a->n_refs != b->n_refs || leads_to_pair(c, a, b));
}

/* Which changed blocks differ only in the names of registers. */
static void check_registers(struct comparing *p)
{
        const struct code_comparison *c = p->c;

        for (size_t i = 0; i < c->a.n_blocks && p->pairing.has_loose; i++) {
                const struct code_block *x = &c->a.blocks[i], *y;
                size_t k = 0;

                if (p->c->to_b[i] == CODE_ALIGN_NONE || !p->is_changed[i])
                        continue;
                y = &c->b.blocks[p->c->to_b[i]];
                while (x->n == y->n && k < x->n &&
                       are_loosely_equal(c, &c->a.insns[x->first + k], &c->b.insns[y->first + k]))
                        k++;
                p->is_renamed[i] = k == x->n && k == y->n && code_registers_are_renamed(&c->a, x, &c->b, y);
        }
}

static size_t count_changed_entries(const struct code_comparison *c, const struct code_table *a,
                                    const struct code_table *b)
{
        size_t n = a->n < b->n ? a->n : b->n, changed = (a->n > b->n ? a->n : b->n) - n;

        for (size_t i = 0; i < n; i++)
                changed += !is_paired(c, a->blocks[i], b->blocks[i]);
        return changed;
}

/* Compares each table of `a` with the one that the first pair of equal instructions refers to. */
static void check_tables(struct code_comparison *c)
{
        bool *is_done = mem_new(c->a.n_tables, sizeof(*is_done));

        for (size_t i = 0; i < c->a.n_blocks; i++) {
                const struct code_block *x = &c->a.blocks[i];
                const struct code_block *y = c->to_b[i] == CODE_ALIGN_NONE ? NULL : &c->b.blocks[c->to_b[i]];

                for (size_t k = 0; y && k < x->n && k < y->n; k++) {
                        const struct code_insn *from = &c->a.insns[x->first + k];
                        const struct code_insn *to = &c->b.insns[y->first + k];

                        for (size_t r = 0; from->hash == to->hash && r < from->n_refs; r++) {
                                const struct code_referent *table = &from->referents[r];

                                if (table->kind != CODE_REFERS_TABLE || is_done[table->index] ||
                                    to->referents[r].kind != CODE_REFERS_TABLE)
                                        continue;
                                is_done[table->index] = true;
                                c->n_entries_changed += count_changed_entries(
                                        c, &c->a.tables[table->index], &c->b.tables[to->referents[r].index]);
                        }
                }
        }
        free(is_done);
}

/* --- Results --- */

static void add_pair(struct comparing *p, enum code_block_state state, size_t a, size_t b)
{
        struct code_comparison *c = p->c;

        ARRAY_PUSH(c->pairs, c->n_pairs, c->cap_pairs, (struct code_block_pair){state, a, b});
        c->n_same += state == CODE_BLOCK_SAME || state == CODE_BLOCK_ORDER;
        c->n_reordered += state == CODE_BLOCK_ORDER;
        c->n_renamed += state == CODE_BLOCK_REGISTERS;
}

static void add_only_b(struct comparing *p, size_t *at_b, size_t end)
{
        for (; *at_b < end; ++*at_b) {
                if (p->pairing.to_a[*at_b] == CODE_ALIGN_NONE)
                        add_pair(p, CODE_BLOCK_ONLY_B, SIZE_MAX, *at_b);
        }
}

static void list_pairs(struct comparing *p)
{
        size_t at_b = 0;

        for (size_t i = 0; i < p->c->a.n_blocks; i++) {
                size_t b = p->c->to_b[i];

                if (b == CODE_ALIGN_NONE) {
                        add_pair(p, CODE_BLOCK_ONLY_A, i, SIZE_MAX);
                        continue;
                }
                if (!p->pairing.is_reordered[i])
                        add_only_b(p, &at_b, b);
                add_pair(p,
                         p->is_renamed[i]             ? CODE_BLOCK_REGISTERS
                         : p->is_changed[i]           ? CODE_BLOCK_CHANGED
                         : p->pairing.is_reordered[i] ? CODE_BLOCK_ORDER
                                                      : CODE_BLOCK_SAME,
                         i, b);
        }
        add_only_b(p, &at_b, p->c->b.n_blocks);
}

static bool are_bytes_equal(const struct code_body *a, const struct code_body *b)
{
        if (a->n_insns != b->n_insns)
                return false;
        for (size_t i = 0; i < a->n_insns; i++) {
                if (a->insns[i].size_bytes != b->insns[i].size_bytes ||
                    memcmp(a->insns[i].bytes, b->insns[i].bytes, a->insns[i].size_bytes) != 0)
                        return false;
        }
        return true;
}

/* In a relocatable object, addresses are distances from the start of the section. */
static uint64_t address_of(const struct code_body *body, size_t extent)
{
        uint64_t addr = body->function->extents[extent].start;
        const struct code_image_section *section =
                body->image->is_relocatable ? code_image_section(body->image, addr) : NULL;

        return section ? addr - section->start : addr;
}

static bool are_addresses_equal(const struct code_body *a, const struct code_body *b)
{
        if (a->function->n_extents != b->function->n_extents)
                return false;
        for (size_t i = 0; i < a->function->n_extents; i++) {
                if (address_of(a, i) != address_of(b, i))
                        return false;
        }
        return true;
}

static enum code_state state_of(const struct code_comparison *c)
{
        if (c->a.is_missing || c->b.is_missing)
                return CODE_UNKNOWN;
        if (c->n_same != c->a.n_blocks || c->n_same != c->b.n_blocks || c->n_reordered ||
            c->n_entries_changed)
                return CODE_CHANGED;
        if (!are_bytes_equal(&c->a, &c->b))
                return CODE_ADDRESSES;
        return are_addresses_equal(&c->a, &c->b) ? CODE_IDENTICAL : CODE_MOVED;
}

void code_compare(const struct code_image *a_image, const struct code_function *a,
                  const struct code_image *b_image, const struct code_function *b,
                  struct code_comparison *ret)
{
        struct comparing p = {.c = ret};

        *ret = (struct code_comparison){0};
        code_body_make(a_image, a, &ret->a);
        code_body_make(b_image, b, &ret->b);
        code_ends_settle(&ret->a, &ret->b);
        code_pairing_make(&ret->a, &ret->b, &p.pairing);
        ret->to_b = p.pairing.to_b;
        ret->is_too_large = p.pairing.is_too_large;
        p.is_changed = mem_new(ret->a.n_blocks, sizeof(bool));
        p.is_renamed = mem_new(ret->a.n_blocks, sizeof(bool));
        check_jumps(&p);
        check_registers(&p);
        check_tables(ret);
        list_pairs(&p);
        ret->state = state_of(ret);
        p.pairing.to_b = NULL; /* belongs to the comparison now */
        code_pairing_release(&p.pairing);
        free(p.is_changed);
        free(p.is_renamed);
}

void code_comparison_release(struct code_comparison *c)
{
        code_body_release(&c->a);
        code_body_release(&c->b);
        free(c->pairs);
        free(c->to_b);
        *c = (struct code_comparison){0};
}

/* --- Side by side --- */

static void add_line(struct code_line *lines, size_t *n, const struct code_insn *a, const struct code_insn *b)
{
        lines[(*n)++] = (struct code_line){a && b ? '|' : a ? '<' : '>', a, b};
}

/* Instructions that have no equal one: as many as possible are put side by side. */
static void add_different(const struct code_insn *as, size_t n, const struct code_insn *bs, size_t m,
                          struct code_line *lines, size_t *n_lines)
{
        for (size_t i = 0; i < n || i < m; i++)
                add_line(lines, n_lines, i < n ? &as[i] : NULL, i < m ? &bs[i] : NULL);
}

/* First equal instructions, then between them those that are equal without their registers. */
static void align_lines(const struct code_insn *as, size_t n, const struct code_insn *bs, size_t m,
                        size_t *to_b)
{
        uint64_t *hashes = mem_new(n + m, sizeof(*hashes));
        struct code_align align = {.a = hashes, .b = hashes + n, .to_b = to_b};
        size_t a0 = 0, b0 = 0;

        for (size_t i = 0; i < n + m; i++)
                hashes[i] = i < n ? as[i].hash : bs[i - n].hash;
        code_align_range(&align, 0, n, 0, m);
        for (size_t i = 0; i < n + m; i++)
                hashes[i] = i < n ? as[i].loose : bs[i - n].loose;
        for (size_t i = 0; i <= n; i++) {
                size_t b1 = i < n ? to_b[i] : m;

                if (b1 == CODE_ALIGN_NONE)
                        continue;
                code_align_range(&align, a0, i, b0, b1);
                a0 = i + 1;
                b0 = b1 + 1;
        }
        free(hashes);
}

static size_t list_lines(const struct code_comparison *c, const struct code_insn *as, size_t n,
                         const struct code_insn *bs, size_t m, struct code_line *lines)
{
        size_t *to_b = code_align_new(n), n_lines = 0, from_a = 0, from_b = 0;

        align_lines(as, n, bs, m, to_b);
        for (size_t i = 0; i < n; i++) {
                size_t k = to_b[i];

                if (k == CODE_ALIGN_NONE)
                        continue;
                add_different(as + from_a, i - from_a, bs + from_b, k - from_b, lines, &n_lines);
                add_line(lines, &n_lines, &as[i], &bs[k]);
                if (are_equal(c, &as[i], &bs[k]))
                        lines[n_lines - 1].mark = ' ';
                from_a = i + 1;
                from_b = k + 1;
        }
        add_different(n ? as + from_a : NULL, n - from_a, m ? bs + from_b : NULL, m - from_b, lines,
                      &n_lines);
        free(to_b);
        return n_lines;
}

size_t code_comparison_lines(const struct code_comparison *c, const struct code_block_pair *pair,
                             struct code_line **ret_lines)
{
        const struct code_block *x = pair->a == SIZE_MAX ? NULL : &c->a.blocks[pair->a];
        const struct code_block *y = pair->b == SIZE_MAX ? NULL : &c->b.blocks[pair->b];
        size_t n = x ? x->n : 0, m = y ? y->n : 0;

        *ret_lines = mem_new(n + m, sizeof(**ret_lines));
        return list_lines(c, x ? &c->a.insns[x->first] : NULL, n, y ? &c->b.insns[y->first] : NULL, m,
                          *ret_lines);
}
