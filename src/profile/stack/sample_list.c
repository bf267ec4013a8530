/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples are stored in blocks, so that a list of millions need not be copied when it grows. */
#include "sample_list.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "budget.h"
#include "mem.h"
#include "strpool.h"

enum {
        BLOCK_SAMPLES = 1 << 12,
        SAMPLE_BYTES = 64, /* memory for one sample, including its place in the order of its thread */
};

_Static_assert(sizeof(struct listed_sample) == 48, "memory of a sample");

struct sample_list {
        struct listed_sample **blocks;
        size_t n_blocks, cap_blocks;
        uint64_t **begins; /* of the samples of each block, 0: not known; NULL: of none is it known */
        size_t n_begins, cap_begins;
        size_t n;
        struct strpool *texts;
        str_id last; /* the text that was added last */
        struct budget_share share;
        uint64_t text_bytes; /* part of the share that texts use */
};

struct sample_list *sample_list_new(void)
{
        struct sample_list *list = mem_new(1, sizeof(*list));

        list->texts = strpool_new();
        return list;
}

void sample_list_free(struct sample_list *list)
{
        if (!list)
                return;
        for (size_t i = 0; i < list->n_blocks; i++) {
                free(list->blocks[i]);
                free(list->begins[i]);
        }
        free(list->blocks);
        free(list->begins);
        strpool_free(list->texts);
        budget_share_keep(&list->share, 0);
        free(list);
}

void sample_list_set_budget(struct sample_list *list, struct budget *budget)
{
        list->share.budget = budget;
}

bool sample_list_make_room(struct sample_list *list)
{
        uint64_t text_bytes = strpool_bytes(list->texts) - list->text_bytes;

        if (!budget_share_take(&list->share, BUDGET_SAMPLES, text_bytes + SAMPLE_BYTES))
                return false;
        list->text_bytes += text_bytes;
        return true;
}

uint32_t sample_list_add_text(struct sample_list *list, const char *text)
{
        if (strcmp(text, strpool_get(list->texts, list->last)) != 0)
                list->last = strpool_add(list->texts, text);
        return list->last;
}

const char *sample_list_text(const struct sample_list *list, uint32_t text)
{
        return strpool_get(list->texts, text);
}

void sample_list_add(struct sample_list *list, const struct listed_sample *sample)
{
        if (list->n / BLOCK_SAMPLES == list->n_blocks) {
                ARRAY_PUSH(list->blocks, list->n_blocks, list->cap_blocks,
                           mem_new(BLOCK_SAMPLES, sizeof(**list->blocks)));
                ARRAY_PUSH(list->begins, list->n_begins, list->cap_begins, NULL);
        }
        list->blocks[list->n / BLOCK_SAMPLES][list->n % BLOCK_SAMPLES] = *sample;
        list->n++;
}

void sample_list_set_begin(struct sample_list *list, uint64_t begin_ns)
{
        size_t last = list->n - 1;
        uint64_t **begins;

        assert(list->n);
        begins = &list->begins[last / BLOCK_SAMPLES];
        if (!*begins &&
            budget_share_take(&list->share, BUDGET_SAMPLES, BLOCK_SAMPLES * sizeof(**list->begins)))
                *begins = mem_new(BLOCK_SAMPLES, sizeof(**begins));
        if (*begins)
                (*begins)[last % BLOCK_SAMPLES] = begin_ns;
}

void sample_list_shift_nodes(struct sample_list *list)
{
        for (size_t i = 0; i < list->n; i++)
                list->blocks[i / BLOCK_SAMPLES][i % BLOCK_SAMPLES].node++;
}

void sample_list_move_nodes(struct sample_list *list, const uint32_t *to)
{
        for (size_t i = 0; i < list->n; i++) {
                uint32_t *node = &list->blocks[i / BLOCK_SAMPLES][i % BLOCK_SAMPLES].node;

                *node = to[*node];
        }
}

size_t sample_list_n(const struct sample_list *list)
{
        return list->n;
}

const struct listed_sample *sample_list_get(const struct sample_list *list, size_t index)
{
        assert(index < list->n);
        return &list->blocks[index / BLOCK_SAMPLES][index % BLOCK_SAMPLES];
}

bool sample_list_knows_begin(const struct sample_list *list, size_t index)
{
        const uint64_t *begins;

        assert(index < list->n);
        begins = list->begins[index / BLOCK_SAMPLES];
        return begins && begins[index % BLOCK_SAMPLES];
}

uint64_t sample_list_begin(const struct sample_list *list, size_t index)
{
        const struct listed_sample *sample = sample_list_get(list, index);

        if (sample_list_knows_begin(list, index))
                return list->begins[index / BLOCK_SAMPLES][index % BLOCK_SAMPLES];
        return sample->time_ns > sample->weight ? sample->time_ns - sample->weight : 0;
}
