/* SPDX-License-Identifier: BSD-3-Clause */
/* Aligns the blocks of two functions: first with their successors, then by themselves, then in any order; what is left is paired by
 * likeness.  A pair is the same if its jumps also lead to blocks that are paired. */
#include "code_compare.h"

#include <stdlib.h>
#include <string.h>

#include "code_align.h"
#include "map.h"
#include "mem.h"

enum {
        MAX_GAP_CELLS = 1 << 14,      /* blocks of a gap that are compared each with each */
        MAX_LIKENESS_CELLS = 1 << 12, /* instructions of two blocks that are */
};

struct comparing {
        struct code_comparison *c;
        size_t *to_b, *to_a; /* paired blocks */
        bool *is_changed;    /* by blocks of `a` */
        bool *is_reordered;  /* by blocks of `a` */
        uint64_t *a_hashes, *b_hashes;
};

/* --- Equal blocks --- */

static void take_hashes(const struct code_body *body, bool wider, uint64_t *ret)
{
        for (size_t i = 0; i < body->n_blocks; i++)
                ret[i] = wider ? body->blocks[i].wider : body->blocks[i].hash;
}

/* Calls code_align_range for each gap between aligned blocks. */
static void align_gaps(struct comparing *p, struct code_align *align)
{
        size_t n = p->c->a.n_blocks, a0 = 0, b0 = 0;

        for (size_t i = 0; i <= n; i++) {
                size_t b1 = i < n ? p->to_b[i] : p->c->b.n_blocks;

                if (b1 == CODE_ALIGN_NONE)
                        continue;
                code_align_range(align, a0, i, b0, b1);
                a0 = i + 1;
                b0 = b1 + 1;
        }
}

static void align_blocks(struct comparing *p)
{
        struct code_align align = {.a = p->a_hashes, .b = p->b_hashes, .to_b = p->to_b};

        take_hashes(&p->c->a, true, p->a_hashes);
        take_hashes(&p->c->b, true, p->b_hashes);
        code_align_range(&align, 0, p->c->a.n_blocks, 0, p->c->b.n_blocks);
        take_hashes(&p->c->a, false, p->a_hashes);
        take_hashes(&p->c->b, false, p->b_hashes);
        align_gaps(p, &align);
        p->c->is_too_large = align.is_too_large;
        for (size_t i = 0; i < p->c->a.n_blocks; i++) {
                if (p->to_b[i] != CODE_ALIGN_NONE)
                        p->to_a[p->to_b[i]] = i;
        }
}

/* Pairs the remaining blocks with equal hashes in the order of their addresses. */
static void pair_reordered(struct comparing *p, bool wider)
{
        struct map first = {0}; /* hash to index + 1 of the first free block of `b` */
        size_t n_b = p->c->b.n_blocks, *next = mem_new(n_b, sizeof(*next));

        take_hashes(&p->c->a, wider, p->a_hashes);
        take_hashes(&p->c->b, wider, p->b_hashes);
        for (size_t k = n_b; k-- > 0;) {
                uint64_t *at;

                if (p->to_a[k] != CODE_ALIGN_NONE)
                        continue;
                at = map_put(&first, p->b_hashes[k], NULL);
                next[k] = *at;
                *at = k + 1;
        }
        for (size_t i = 0; i < p->c->a.n_blocks; i++) {
                uint64_t *at = p->to_b[i] == CODE_ALIGN_NONE ? map_find(&first, p->a_hashes[i]) : NULL;

                if (!at || !*at)
                        continue;
                p->to_b[i] = *at - 1;
                p->to_a[*at - 1] = i;
                p->is_reordered[i] = true;
                *at = next[*at - 1];
        }
        map_release(&first);
        free(next);
}

/* --- Like blocks --- */

/* How many instructions of two blocks are equal, in any order. */
static size_t likeness(const struct comparing *p, size_t a, size_t b)
{
        const struct code_block *x = &p->c->a.blocks[a], *y = &p->c->b.blocks[b];
        const struct code_insn *xs = &p->c->a.insns[x->first], *ys = &p->c->b.insns[y->first];
        bool *is_used;
        size_t n = 0;

        if (x->n > MAX_LIKENESS_CELLS / y->n) {
                for (size_t i = 0; i < x->n && i < y->n; i++)
                        n += xs[i].hash == ys[i].hash;
                return n;
        }
        is_used = mem_new(y->n, sizeof(*is_used));
        for (size_t i = 0; i < x->n; i++) {
                for (size_t k = 0; k < y->n; k++) {
                        if (is_used[k] || xs[i].hash != ys[k].hash)
                                continue;
                        is_used[k] = true;
                        n++;
                        break;
                }
        }
        free(is_used);
        return n;
}

/* At least half of the instructions are equal. */
static bool is_like(const struct comparing *p, size_t a, size_t b, size_t n_equal)
{
        return 4 * n_equal >= p->c->a.blocks[a].n + p->c->b.blocks[b].n;
}

static void pair(struct comparing *p, size_t a, size_t b)
{
        p->to_b[a] = b;
        p->to_a[b] = a;
        p->is_changed[a] = true;
}

struct gap {
        size_t *as, *bs; /* free blocks between two aligned ones */
        size_t n, m;
};

/* Pairs the blocks of a gap in order, so that the most instructions are equal. */
static void pair_gap_by_table(struct comparing *p, const struct gap *gap)
{
        size_t n = gap->n, m = gap->m;
        uint32_t *best = mem_new((n + 1) * (m + 1), sizeof(*best));
        uint32_t *equal = mem_new(n * m, sizeof(*equal));

        for (size_t i = n; i-- > 0;) {
                for (size_t k = m; k-- > 0;) {
                        uint32_t like = (uint32_t)likeness(p, gap->as[i], gap->bs[k]);
                        uint32_t skip_a = best[(i + 1) * (m + 1) + k], skip_b = best[i * (m + 1) + k + 1];

                        equal[i * m + k] = is_like(p, gap->as[i], gap->bs[k], like) ? like + 1 : 0;
                        like = equal[i * m + k] ? equal[i * m + k] + best[(i + 1) * (m + 1) + k + 1] : 0;
                        best[i * (m + 1) + k] = skip_a > skip_b ? skip_a : skip_b;
                        if (like > best[i * (m + 1) + k])
                                best[i * (m + 1) + k] = like;
                }
        }
        for (size_t i = 0, k = 0; i < n && k < m;) {
                uint32_t here = best[i * (m + 1) + k];

                if (equal[i * m + k] && here == equal[i * m + k] + best[(i + 1) * (m + 1) + k + 1])
                        pair(p, gap->as[i++], gap->bs[k++]);
                else if (here == best[(i + 1) * (m + 1) + k])
                        i++;
                else
                        k++;
        }
        free(best);
        free(equal);
}

static void pair_gap(struct comparing *p, const struct gap *gap)
{
        if (!gap->n || !gap->m)
                return;
        if (gap->n == gap->m && gap->n == 1) {
                pair(p, gap->as[0], gap->bs[0]);
                return;
        }
        if (gap->n <= MAX_GAP_CELLS / gap->m) {
                pair_gap_by_table(p, gap);
                return;
        }
        for (size_t i = 0; i < gap->n && i < gap->m; i++) {
                if (is_like(p, gap->as[i], gap->bs[i], likeness(p, gap->as[i], gap->bs[i])))
                        pair(p, gap->as[i], gap->bs[i]);
        }
}

/* The free blocks of `a` up to the next aligned one, and those of `b` up to its counterpart. */
static void pair_like(struct comparing *p)
{
        size_t n = p->c->a.n_blocks, m = p->c->b.n_blocks, at_b = 0;
        struct gap gap = {.as = mem_new(n, sizeof(size_t)), .bs = mem_new(m, sizeof(size_t))};

        for (size_t i = 0; i <= n; i++) {
                size_t b1 = i < n ? p->to_b[i] : m;

                if (b1 == CODE_ALIGN_NONE) {
                        gap.as[gap.n++] = i;
                        continue;
                }
                if (i < n && p->is_reordered[i])
                        continue;
                for (; at_b < b1; at_b++) {
                        if (p->to_a[at_b] == CODE_ALIGN_NONE)
                                gap.bs[gap.m++] = at_b;
                }
                pair_gap(p, &gap);
                gap.n = gap.m = 0;
        }
        free(gap.as);
        free(gap.bs);
}

/* --- Where jumps lead --- */

static bool is_paired(const struct code_comparison *c, size_t a, size_t b)
{
        if (a >= c->a.n_blocks || b >= c->b.n_blocks)
                return a >= c->a.n_blocks && b >= c->b.n_blocks;
        return c->to_b[a] == b;
}

/* Whether jumps of two equal instructions lead to blocks that are a pair.  Jump tables are data, and compared alone. */
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

                if (p->to_b[i] == CODE_ALIGN_NONE || p->is_changed[i])
                        continue;
                y = &c->b.blocks[p->to_b[i]];
                for (size_t k = 0; k < x->n && k < y->n && !p->is_changed[i]; k++)
                        p->is_changed[i] =
                                !are_equal(c, &c->a.insns[x->first + k], &c->b.insns[y->first + k]);
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
}

static void add_only_b(struct comparing *p, size_t *at_b, size_t end)
{
        for (; *at_b < end; ++*at_b) {
                if (p->to_a[*at_b] == CODE_ALIGN_NONE)
                        add_pair(p, CODE_BLOCK_ONLY_B, SIZE_MAX, *at_b);
        }
}

static void list_pairs(struct comparing *p)
{
        size_t at_b = 0;

        for (size_t i = 0; i < p->c->a.n_blocks; i++) {
                size_t b = p->to_b[i];

                if (b == CODE_ALIGN_NONE) {
                        add_pair(p, CODE_BLOCK_ONLY_A, i, SIZE_MAX);
                        continue;
                }
                if (!p->is_reordered[i])
                        add_only_b(p, &at_b, b);
                add_pair(p,
                         p->is_changed[i]     ? CODE_BLOCK_CHANGED
                         : p->is_reordered[i] ? CODE_BLOCK_ORDER
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

static size_t *new_links(size_t n)
{
        size_t *links = mem_new(n, sizeof(*links));

        for (size_t i = 0; i < n; i++)
                links[i] = CODE_ALIGN_NONE;
        return links;
}

void code_compare(const struct code_image *a_image, const struct code_function *a,
                  const struct code_image *b_image, const struct code_function *b,
                  struct code_comparison *ret)
{
        struct comparing p = {.c = ret};

        *ret = (struct code_comparison){0};
        code_body_make(a_image, a, &ret->a);
        code_body_make(b_image, b, &ret->b);
        ret->to_b = p.to_b = new_links(ret->a.n_blocks);
        p.to_a = new_links(ret->b.n_blocks);
        p.is_changed = mem_new(ret->a.n_blocks, sizeof(bool));
        p.is_reordered = mem_new(ret->a.n_blocks, sizeof(bool));
        p.a_hashes = mem_new(ret->a.n_blocks, sizeof(uint64_t));
        p.b_hashes = mem_new(ret->b.n_blocks, sizeof(uint64_t));
        align_blocks(&p);
        pair_reordered(&p, true);
        pair_reordered(&p, false);
        pair_like(&p);
        check_jumps(&p);
        check_tables(ret);
        list_pairs(&p);
        ret->state = state_of(ret);
        free(p.to_a);
        free(p.is_changed);
        free(p.is_reordered);
        free(p.a_hashes);
        free(p.b_hashes);
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

static size_t list_lines(const struct code_comparison *c, const struct code_insn *as, size_t n,
                         const struct code_insn *bs, size_t m, struct code_line *lines)
{
        uint64_t *hashes = mem_new(n + m, sizeof(*hashes));
        size_t *to_b = new_links(n), n_lines = 0, from_a = 0, from_b = 0;
        struct code_align align = {.a = hashes, .b = hashes + n, .to_b = to_b};

        for (size_t i = 0; i < n; i++)
                hashes[i] = as[i].hash;
        for (size_t i = 0; i < m; i++)
                hashes[n + i] = bs[i].hash;
        code_align_range(&align, 0, n, 0, m);
        for (size_t i = 0; i < n; i++) {
                size_t k = to_b[i];

                if (k == CODE_ALIGN_NONE)
                        continue;
                add_different(as + from_a, i - from_a, bs + from_b, k - from_b, lines, &n_lines);
                add_line(lines, &n_lines, &as[i], &bs[k]);
                if (leads_to_pair(c, &as[i], &bs[k]))
                        lines[n_lines - 1].mark = ' ';
                from_a = i + 1;
                from_b = k + 1;
        }
        add_different(n ? as + from_a : NULL, n - from_a, m ? bs + from_b : NULL, m - from_b, lines,
                      &n_lines);
        free(hashes);
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
