/* SPDX-License-Identifier: BSD-3-Clause */
#include "code_diff_hot.h"

#include <inttypes.h>
#include <stdlib.h>

#include "mem.h"
#include "text.h"

enum { MAX_HOT = 10 };

struct heated_pair {
        double heat;
        size_t index;
};

static const struct code_block *block_of(const struct code_body *body, size_t index)
{
        return index == SIZE_MAX ? NULL : &body->blocks[index];
}

/* The sum of the shares of both sides. */
static double heat_of(const struct code_comparison *c, const struct code_block_pair *pair,
                      const struct code_function_row *row)
{
        const struct code_block *blocks[] = {block_of(&c->a, pair->a), block_of(&c->b, pair->b)};
        double heat = 0;

        for (int side = 0; side < CODE_N_SIDES; side++) {
                if (blocks[side] && row->sides[side].weight)
                        heat += (double)blocks[side]->weight / (double)row->sides[side].weight;
        }
        return heat;
}

static int compare_heated(const void *a, const void *b)
{
        const struct heated_pair *x = a, *y = b;

        if (x->heat != y->heat)
                return x->heat > y->heat ? -1 : 1;
        return (x->index > y->index) - (x->index < y->index);
}

static void add_source(const struct code_body *body, uint64_t addr, struct buf *out)
{
        struct resolver *resolver = body->image->resolver;
        struct resolver_frames frames = {0};

        resolver_find_frames(resolver, body->image->id, &addr, 1, &frames);
        if (frames.spans[0].n && frames.frames[frames.spans[0].first].line) {
                const struct resolver_frame *frame = &frames.frames[frames.spans[0].first];

                buf_printf(out, "%s:%" PRIu32, text_base_name(resolver_text(resolver, frame->path)),
                           frame->line);
        }
        resolver_frames_release(&frames);
}

static void fill(const struct code_comparison *c, const struct code_block_pair *pair, struct arena *arena,
                 struct code_hot_row *ret)
{
        const struct code_body *bodies[] = {&c->a, &c->b};
        const size_t indexes[] = {pair->a, pair->b};
        AUTO_RELEASE(buf) source = {0};

        *ret = (struct code_hot_row){.state = pair->state};
        for (int side = 0; side < CODE_N_SIDES; side++) {
                const struct code_block *block = block_of(bodies[side], indexes[side]);

                if (!block)
                        continue;
                ret->numbers[side] = indexes[side] + 1;
                ret->sides[side] = (struct code_row_side){true, "", block->addr, block->count, block->weight};
                if (!source.len)
                        add_source(bodies[side], block->addr, &source);
        }
        ret->source = arena_copy(arena, buf_text(&source), source.len);
}

void code_diff_hot_add(const struct code_comparison *c, struct arena *arena, struct code_function_row *row)
{
        struct heated_pair *pairs;
        size_t n = 0;

        if (!row->sides[CODE_A].weight && !row->sides[CODE_B].weight)
                return;
        pairs = mem_new(c->n_pairs + 1, sizeof(*pairs));
        for (size_t i = 0; i < c->n_pairs; i++) {
                double heat = heat_of(c, &c->pairs[i], row);

                if (heat > 0)
                        pairs[n++] = (struct heated_pair){heat, i};
        }
        qsort(pairs, n, sizeof(*pairs), compare_heated);
        row->n_hot = n < MAX_HOT ? n : MAX_HOT;
        row->hot = arena_alloc(arena, (row->n_hot + 1) * sizeof(*row->hot));
        for (size_t i = 0; i < row->n_hot; i++)
                fill(c, &c->pairs[pairs[i].index], arena, &row->hot[i]);
        free(pairs);
}
