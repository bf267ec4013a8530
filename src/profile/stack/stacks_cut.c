/* SPDX-License-Identifier: BSD-3-Clause */
/* Marks stacks as cut after all samples were added, because it is known only then where they end. */
#include <string.h>

#include "mem.h"
#include "stacks_internal.h"

void stacks_put_below_cut(struct stacks *stacks, const bool *wanted)
{
        struct stack_node mark = {.parent = STACKS_NONE, .place = (uint32_t)stacks->places.n};
        const struct code_place place = {.module = MODULE_NONE, .is_cut = true};

        ARRAY_PUSH(stacks->places.items, stacks->places.n, stacks->places.cap, place);
        ARRAY_PUSH(stacks->nodes, stacks->n_nodes, stacks->cap_nodes, mark);
        memmove(stacks->nodes + 1, stacks->nodes, (stacks->n_nodes - 1) * sizeof(*stacks->nodes));
        stacks->nodes[0] = mark;
        for (size_t i = 1; i < stacks->n_nodes; i++) {
                uint32_t *parent = &stacks->nodes[i].parent;

                if (*parent != STACKS_NONE)
                        ++*parent;
                else if (wanted[i - 1])
                        *parent = 0;
        }
        for (size_t i = 0; i < stacks->n_series; i++) {
                for (size_t k = 0; k < stacks->series[i].n_ends; k++)
                        stacks->series[i].ends[k].node++;
        }
}
