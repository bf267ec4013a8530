/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs are found by equal blocks in the same order; by the elements of jump tables; by where the jumps of
 * pairs lead; by blocks that are equal to one other only; and by likeness in the gaps between pairs.
 * Blocks are compared as they are and without registers, with and without the blocks to which they may
 * continue. */
#include "code_pairing.h"

#include <stdlib.h>

#include "code_align.h"
#include "code_registers.h"
#include "map.h"
#include "mem.h"
#include "search.h"

enum {
        /* of a gap whose blocks are compared each with each: pairs of blocks, and instructions that are
         * looked at */
        MAX_GAP_CELLS = 1 << 22,
        MAX_GAP_INSNS = 1 << 26,
        /* that are looked at to follow jumps and tables */
        MAX_FOLLOWED_INSNS = 1 << 26,
};

struct block_pairing {
        const struct code_body *a, *b;
        size_t *to_b, *to_a;
        bool *is_reordered; /* by blocks of `a` */
        bool is_too_large;
        uint64_t n_followed_insns;
        uint64_t *a_hashes, *b_hashes;
        uint64_t *a_sorted, *b_sorted; /* loose hashes of the instructions, sorted in each block */
};

/* --- Equal blocks --- */

static void pair(struct block_pairing *p, size_t a, size_t b)
{
        p->to_b[a] = b;
        p->to_a[b] = a;
}

/* What two blocks must have in common. */
enum hash_kind { EXACT_WIDER, EXACT, LOOSE_WIDER, LOOSE };

static uint64_t hash_of(const struct code_block *block, enum hash_kind kind)
{
        switch (kind) {
        case EXACT_WIDER: return block->wider;
        case EXACT: return block->hash;
        case LOOSE_WIDER: return block->loose_wider;
        default: return block->loose;
        }
}

/* Blocks that have a pair are equal to no other block. */
static void take_hashes(struct block_pairing *p, enum hash_kind kind)
{
        for (size_t i = 0; i < p->a->n_blocks; i++)
                p->a_hashes[i] = p->to_b[i] == CODE_ALIGN_NONE ? hash_of(&p->a->blocks[i], kind) : 2 * i;
        for (size_t k = 0; k < p->b->n_blocks; k++)
                p->b_hashes[k] = p->to_a[k] == CODE_ALIGN_NONE ? hash_of(&p->b->blocks[k], kind) : 2 * k + 1;
}

/* Aligns the blocks between those that are already aligned. */
static void align_blocks(struct block_pairing *p, enum hash_kind kind)
{
        size_t n = p->a->n_blocks, *to_b = code_align_new(n), a0 = 0, b0 = 0;
        struct code_align align = {.a = p->a_hashes, .b = p->b_hashes, .to_b = to_b};

        take_hashes(p, kind);
        for (size_t i = 0; i <= n; i++) {
                size_t b1 = i < n ? p->to_b[i] : p->b->n_blocks;

                if (b1 == CODE_ALIGN_NONE || (i < n && p->is_reordered[i]))
                        continue;
                code_align_range(&align, a0, i, b0, b1);
                a0 = i + 1;
                b0 = b1 + 1;
        }
        p->is_too_large |= align.is_too_large;
        for (size_t i = 0; i < n; i++) {
                if (to_b[i] != CODE_ALIGN_NONE)
                        pair(p, i, to_b[i]);
        }
        free(to_b);
}

/* Pairs blocks that are equal to no other one of their side, in any order. */
static void pair_unique(struct block_pairing *p, enum hash_kind kind)
{
        size_t n = p->a->n_blocks, *to_b = code_align_new(n);
        struct map in_a = {0}, in_b = {0};

        take_hashes(p, kind);
        for (size_t i = 0; i < n; i++)
                ++*map_put(&in_a, p->a_hashes[i], NULL);
        for (size_t k = 0; k < p->b->n_blocks; k++) {
                bool is_new;
                uint64_t *at = map_put(&in_b, p->b_hashes[k], &is_new);

                *at = is_new ? k : CODE_ALIGN_NONE;
        }
        for (size_t i = 0; i < n; i++) {
                const uint64_t *at = map_find(&in_b, p->a_hashes[i]);

                if (at && *at != CODE_ALIGN_NONE && *map_find(&in_a, p->a_hashes[i]) == 1)
                        to_b[i] = (size_t)*at;
        }
        for (size_t i = 0; i < n; i++) {
                if (to_b[i] != CODE_ALIGN_NONE)
                        pair(p, i, to_b[i]);
        }
        map_release(&in_a);
        map_release(&in_b);
        free(to_b);
}

/* Pairs the remaining blocks with equal hashes in the order of their addresses. */
static void pair_reordered(struct block_pairing *p, enum hash_kind kind)
{
        struct map first = {0}; /* hash to index + 1 of the first free block of `b` */
        size_t n_b = p->b->n_blocks, *next = mem_new(n_b, sizeof(*next));

        take_hashes(p, kind);
        for (size_t k = n_b; k-- > 0;) {
                uint64_t *at;

                if (p->to_a[k] != CODE_ALIGN_NONE)
                        continue;
                at = map_put(&first, p->b_hashes[k], NULL);
                next[k] = *at;
                *at = k + 1;
        }
        for (size_t i = 0; i < p->a->n_blocks; i++) {
                uint64_t *at = p->to_b[i] == CODE_ALIGN_NONE ? map_find(&first, p->a_hashes[i]) : NULL;

                if (!at || !*at)
                        continue;
                pair(p, i, *at - 1);
                *at = next[*at - 1];
        }
        map_release(&first);
        free(next);
}

/* --- Likeness --- */

static int compare_hashes(const void *a, const void *b)
{
        const uint64_t *x = a, *y = b;

        return (*x > *y) - (*x < *y);
}

static uint64_t *sort_hashes(const struct code_body *body)
{
        uint64_t *sorted = mem_new(body->n_insns, sizeof(*sorted));

        for (size_t i = 0; i < body->n_insns; i++)
                sorted[i] = body->insns[i].loose;
        for (size_t i = 0; i < body->n_blocks; i++)
                qsort(sorted + body->blocks[i].first, body->blocks[i].n, sizeof(*sorted), compare_hashes);
        return sorted;
}

/* How many instructions of two blocks are equal without their registers, in any order. */
static size_t likeness(const struct block_pairing *p, size_t a, size_t b)
{
        const struct code_block *x = &p->a->blocks[a], *y = &p->b->blocks[b];
        const uint64_t *xs = p->a_sorted + x->first, *ys = p->b_sorted + y->first;
        size_t n = 0;

        for (size_t i = 0, k = 0; i < x->n && k < y->n;) {
                n += xs[i] == ys[k];
                if (xs[i] == ys[k]) {
                        i++;
                        k++;
                } else if (xs[i] < ys[k]) {
                        i++;
                } else {
                        k++;
                }
        }
        return n;
}

/* At least half of the instructions are equal. */
static bool is_like(const struct block_pairing *p, size_t a, size_t b, size_t n_equal)
{
        return 4 * n_equal >= p->a->blocks[a].n + p->b->blocks[b].n;
}

/* --- Jumps of pairs --- */

struct block_pair {
        size_t a, b;
};

/* Pairs of blocks whose jumps have not been followed. */
struct followed {
        struct block_pair *pairs;
        size_t n, cap;
};

static void find_pair(struct block_pairing *p, size_t a, size_t b, struct followed *found)
{
        if (a >= p->a->n_blocks || b >= p->b->n_blocks || p->to_b[a] != CODE_ALIGN_NONE ||
            p->to_a[b] != CODE_ALIGN_NONE)
                return;
        p->n_followed_insns += p->a->blocks[a].n + p->b->blocks[b].n;
        p->is_too_large |= p->n_followed_insns > MAX_FOLLOWED_INSNS;
        if (p->n_followed_insns > MAX_FOLLOWED_INSNS || !is_like(p, a, b, likeness(p, a, b)))
                return;
        pair(p, a, b);
        ARRAY_PUSH(found->pairs, found->n, found->cap, (struct block_pair){a, b});
}

static const struct code_insn *last_of(const struct code_body *body, size_t block)
{
        return &body->insns[body->blocks[block].first + body->blocks[block].n - 1];
}

static void follow(struct block_pairing *p, size_t a, size_t b, struct followed *found)
{
        const struct code_insn *x = last_of(p->a, a), *y = last_of(p->b, b);

        for (size_t k = 0; k < x->n_refs && k < y->n_refs; k++) {
                if (x->referents[k].kind == CODE_REFERS_BLOCK && y->referents[k].kind == CODE_REFERS_BLOCK)
                        find_pair(p, x->referents[k].index, y->referents[k].index, found);
        }
        if (x->flow == y->flow &&
            (x->flow == DISASM_NEXT || x->flow == DISASM_CALL || x->flow == DISASM_BRANCH))
                find_pair(p, a + 1, b + 1, found);
}

/* Elements with the same number in jump tables of the same size, which are in the same order. */
static void follow_tables(struct block_pairing *p, struct followed *found)
{
        for (size_t i = 0; i < p->a->n_tables && i < p->b->n_tables; i++) {
                const struct code_table *x = &p->a->tables[i], *y = &p->b->tables[i];

                for (size_t k = 0; x->n == y->n && k < x->n; k++)
                        find_pair(p, x->blocks[k], y->blocks[k], found);
        }
}

static void follow_pairs(struct block_pairing *p)
{
        struct followed found = {0};

        follow_tables(p, &found);
        for (size_t i = 0; i < p->a->n_blocks; i++) {
                if (p->to_b[i] != CODE_ALIGN_NONE)
                        follow(p, i, p->to_b[i], &found);
        }
        while (found.n) {
                struct block_pair last = found.pairs[--found.n];

                follow(p, last.a, last.b, &found);
        }
        free(found.pairs);
}

/* --- Order --- */

/* The longest sequence of pairs in the order of both sides is in order; the others are not. */
static void find_order(struct block_pairing *p)
{
        size_t n = p->a->n_blocks, n_ends = 0, *before = code_align_new(n), *ends = mem_new(n, sizeof(*ends));

        for (size_t i = 0; i < n; i++) {
                size_t low = 0, high = n_ends;

                p->is_reordered[i] = p->to_b[i] != CODE_ALIGN_NONE;
                if (!p->is_reordered[i])
                        continue;
                SEARCH_FIRST(low, high, middle, p->to_b[ends[middle]] < p->to_b[i]);
                before[i] = low ? ends[low - 1] : CODE_ALIGN_NONE;
                ends[low] = i;
                n_ends += low == n_ends;
        }
        for (size_t i = n_ends ? ends[n_ends - 1] : CODE_ALIGN_NONE; i != CODE_ALIGN_NONE; i = before[i])
                p->is_reordered[i] = false;
        free(before);
        free(ends);
}

/* --- Gaps --- */

struct gap {
        size_t *as, *bs; /* free blocks between two aligned ones */
        size_t n, m;
        size_t a_insns, b_insns;
};

static bool is_small(const struct gap *gap)
{
        return gap->n <= MAX_GAP_CELLS / gap->m && gap->n <= MAX_GAP_INSNS / 2 / gap->b_insns &&
               gap->m <= MAX_GAP_INSNS / 2 / gap->a_insns;
}

/* Pairs the blocks of a gap in order, so that the most instructions are equal. */
static void pair_gap_by_table(struct block_pairing *p, const struct gap *gap)
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

static void pair_gap(struct block_pairing *p, const struct gap *gap)
{
        if (!gap->n || !gap->m)
                return;
        if (gap->n == gap->m && gap->n == 1) {
                pair(p, gap->as[0], gap->bs[0]);
                return;
        }
        if (is_small(gap)) {
                pair_gap_by_table(p, gap);
                return;
        }
        for (size_t i = 0; i < gap->n && i < gap->m; i++) {
                if (is_like(p, gap->as[i], gap->bs[i], likeness(p, gap->as[i], gap->bs[i])))
                        pair(p, gap->as[i], gap->bs[i]);
        }
}

/* The free blocks of `a` up to the next aligned one, and those of `b` up to its counterpart. */
static void pair_like(struct block_pairing *p)
{
        size_t n = p->a->n_blocks, m = p->b->n_blocks, at_b = 0;
        struct gap gap = {.as = mem_new(n, sizeof(size_t)), .bs = mem_new(m, sizeof(size_t))};

        for (size_t i = 0; i <= n; i++) {
                size_t b1 = i < n ? p->to_b[i] : m;

                if (b1 == CODE_ALIGN_NONE) {
                        gap.as[gap.n++] = i;
                        gap.a_insns += p->a->blocks[i].n;
                        continue;
                }
                if (i < n && p->is_reordered[i])
                        continue;
                for (; at_b < b1; at_b++) {
                        if (p->to_a[at_b] != CODE_ALIGN_NONE)
                                continue;
                        gap.bs[gap.m++] = at_b;
                        gap.b_insns += p->b->blocks[at_b].n;
                }
                pair_gap(p, &gap);
                gap.n = gap.m = gap.a_insns = gap.b_insns = 0;
        }
        free(gap.as);
        free(gap.bs);
}

/* --- Interface --- */

static bool has_free(const size_t *links, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                if (links[i] == CODE_ALIGN_NONE)
                        return true;
        }
        return false;
}

static void pair_different(struct block_pairing *p)
{
        p->a_sorted = sort_hashes(p->a);
        p->b_sorted = sort_hashes(p->b);
        follow_pairs(p);
        find_order(p);
        align_blocks(p, LOOSE_WIDER);
        follow_pairs(p);
        pair_unique(p, EXACT);
        pair_unique(p, LOOSE);
        follow_pairs(p);
        find_order(p);
        align_blocks(p, EXACT);
        align_blocks(p, LOOSE);
        pair_reordered(p, EXACT_WIDER);
        pair_reordered(p, EXACT);
        pair_reordered(p, LOOSE_WIDER);
        follow_pairs(p);
        find_order(p);
        pair_like(p);
        follow_pairs(p);
        find_order(p);
        free(p->a_sorted);
        free(p->b_sorted);
}

void code_pairing_make(struct code_body *a, struct code_body *b, struct code_pairing *ret)
{
        struct block_pairing p = {.a = a, .b = b};

        p.to_b = code_align_new(a->n_blocks);
        p.to_a = code_align_new(b->n_blocks);
        p.is_reordered = mem_new(a->n_blocks, sizeof(bool));
        p.a_hashes = mem_new(a->n_blocks, sizeof(uint64_t));
        p.b_hashes = mem_new(b->n_blocks, sizeof(uint64_t));
        align_blocks(&p, EXACT_WIDER);
        *ret = (struct code_pairing){.to_b = p.to_b, .to_a = p.to_a, .is_reordered = p.is_reordered};
        if (has_free(p.to_b, a->n_blocks) && has_free(p.to_a, b->n_blocks)) {
                code_registers_hash(a);
                code_registers_hash(b);
                pair_different(&p);
                ret->has_loose = true;
        }
        ret->is_too_large = p.is_too_large;
        free(p.a_hashes);
        free(p.b_hashes);
}

void code_pairing_release(struct code_pairing *pairing)
{
        free(pairing->to_b);
        free(pairing->to_a);
        free(pairing->is_reordered);
}
