/* SPDX-License-Identifier: BSD-3-Clause */
/* Stack copies that do not fit into a record, whose size has 16 bits. */
#include <stdlib.h>

#include "mem.h"
#include "os.h"
#include "stop_internal.h"

enum { MOST_BYTES = 64 << 20 }; /* of all copies that wait */

struct stop_stack *stop_stack_new(struct stop_engine *e, const struct stop_thread *thread, size_t size)
{
        struct stop_stack *stack;

        if (e->stack_bytes + size > MOST_BYTES)
                size = 0;
        stack = mem_new(1, sizeof(*stack));
        stack->tid = thread->tid;
        stack->time_ns = thread->time_ns;
        stack->size_bytes = size;
        stack->copy.is_left_out = !size;
        buf_extend(&stack->copy.bytes, size);
        e->stack_bytes += size;
        if (!e->stacks)
                e->stacks_end = &e->stacks;
        *e->stacks_end = stack;
        e->stacks_end = &stack->next;
        return stack;
}

/* Frees the first copy. Copies before the requested one belong to samples that were not unwound. */
static void free_first(struct stop_engine *e)
{
        struct stop_stack *stack = e->stacks;

        e->stacks = stack->next;
        e->stack_bytes -= stack->size_bytes;
        buf_release(&stack->copy.bytes);
        free(stack);
}

bool stop_engine_take_stack(void *ctx, int32_t tid, uint64_t time_ns, struct deep_stack *ret)
{
        struct stop_engine *e = ctx;
        bool is_found;

        os_lock_enter(e->lock);
        while (e->stacks && e->stacks->time_ns < time_ns)
                free_first(e);
        is_found = e->stacks && e->stacks->time_ns == time_ns && e->stacks->tid == tid;
        if (is_found) {
                *ret = e->stacks->copy;
                e->stacks->copy = (struct deep_stack){0};
                free_first(e);
        }
        os_lock_leave(e->lock);
        return is_found;
}

void stop_stack_release(struct stop_engine *e)
{
        while (e->stacks)
                free_first(e);
}
