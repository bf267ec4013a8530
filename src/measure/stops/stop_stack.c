/* SPDX-License-Identifier: BSD-3-Clause */
/* Stack copies that do not fit into a record, whose size has 16 bits. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "os.h"
#include "stop_engine_internal.h"

enum { MOST_BYTES = 64 << 20 }; /* of all copies that wait */

void stop_stack_add(struct stop_engine *e, int32_t tid, uint64_t time_ns, struct cursor message)
{
        const void *at = cursor_bytes(&message, sizeof(struct stop_deep_message));
        struct stop_deep_message head;
        struct stop_stack *stack;
        size_t size = cursor_left(&message);

        if (!at)
                return;
        memcpy(&head, at, sizeof(head));
        stack = mem_new(1, sizeof(*stack));
        stack->tid = tid;
        stack->time_ns = time_ns;
        os_lock_enter(e->lock);
        stack->copy.is_left_out = head.is_left_out || e->stack_bytes + size > MOST_BYTES;
        stack->copy.is_whole = head.is_whole;
        stack->copy.used_size = head.used_size || !stack->copy.is_left_out ? head.used_size : size;
        if (!stack->copy.is_left_out)
                buf_add(&stack->copy.bytes, message.at, size);
        e->stack_bytes += stack->copy.bytes.len;
        if (!e->stacks)
                e->stacks_end = &e->stacks;
        *e->stacks_end = stack;
        e->stacks_end = &stack->next;
        os_lock_leave(e->lock);
}

/* Frees the first copy. Copies before the requested one belong to samples that were not unwound. */
static void free_first(struct stop_engine *e)
{
        struct stop_stack *stack = e->stacks;

        e->stacks = stack->next;
        e->stack_bytes -= stack->copy.bytes.len;
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
                e->stack_bytes -= ret->bytes.len;
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
