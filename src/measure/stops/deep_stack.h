/* SPDX-License-Identifier: BSD-3-Clause */
/* Stack copies that do not fit into the record of their sample, whose size has 16 bits. They wait for the
 * unwinder, which runs on another thread. */
#ifndef DEEP_STACK_H
#define DEEP_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"

enum { DEEP_STACK_LIMIT = 1 << 20 }; /* maximum size of the copy of a stack, in bytes */

struct deep_stack {
        bool is_left_out; /* not copied, because too many stack copies waited to be unwound */
        struct buf bytes; /* from the stack pointer on */
        size_t n_missing; /* the first bytes have to be copied from the sample's record */
        bool is_whole;
        uint64_t used_size; /* size of the stack if it was not copied or exceeds DEEP_STACK_LIMIT; else 0 */
};

struct deep_stacks;

struct deep_stacks *deep_stacks_new(void);
void deep_stacks_free(struct deep_stacks *stacks);
AUTO_DEFINE(deep_stacks)

/* Takes ownership of stack->bytes. If too many bytes wait, the stack is marked as left out. */
void deep_stacks_add(struct deep_stacks *stacks, int32_t tid, uint64_t time_ns, struct deep_stack *stack);

/* Takes the stack copy of a sample; call in order of time. False if there is none. Release ret->bytes. */
bool deep_stacks_take(struct deep_stacks *stacks, int32_t tid, uint64_t time_ns, struct deep_stack *ret);

#endif
