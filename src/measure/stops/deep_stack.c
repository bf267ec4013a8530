/* SPDX-License-Identifier: BSD-3-Clause */
#include "deep_stack.h"

#include <stdlib.h>

#include "mem.h"
#include "os.h"

enum {
        MOST_BYTES = 64 << 20, /* of all copies that wait */
        LATE_NS = 1000000,     /* copies of several CPUs are so much out of order, at most */
};

struct waiting_stack {
        int32_t tid;
        uint64_t time_ns;
        struct deep_stack copy;
        struct waiting_stack *next;
};

struct deep_stacks {
        struct os_lock *lock;                /* for the following */
        struct waiting_stack *first, **last; /* nearly in order of time */
        size_t n_bytes;
};

struct deep_stacks *deep_stacks_new(void)
{
        struct deep_stacks *s = mem_new(1, sizeof(*s));

        s->lock = os_lock_new();
        s->last = &s->first;
        return s;
}

void deep_stacks_add(struct deep_stacks *s, int32_t tid, uint64_t time_ns, struct deep_stack *stack)
{
        struct waiting_stack *waiting = mem_new(1, sizeof(*waiting));

        waiting->tid = tid;
        waiting->time_ns = time_ns;
        waiting->copy = *stack;
        os_lock_enter(s->lock);
        if (s->n_bytes + stack->bytes.len > MOST_BYTES) {
                waiting->copy.is_left_out = true;
                waiting->copy.used_size = stack->used_size ? stack->used_size : stack->bytes.len;
                buf_release(&waiting->copy.bytes);
        }
        s->n_bytes += waiting->copy.bytes.len;
        *s->last = waiting;
        s->last = &waiting->next;
        os_lock_leave(s->lock);
        *stack = (struct deep_stack){0};
}

/* Removes the stack that `at` points to. */
static void drop(struct deep_stacks *s, struct waiting_stack **at)
{
        struct waiting_stack *waiting = *at;

        *at = waiting->next;
        if (s->last == &waiting->next)
                s->last = at;
        s->n_bytes -= waiting->copy.bytes.len;
        buf_release(&waiting->copy.bytes);
        free(waiting);
}

static bool is_of(const struct waiting_stack *waiting, int32_t tid, uint64_t time_ns)
{
        return waiting->tid == tid && waiting->time_ns == time_ns;
}

bool deep_stacks_take(struct deep_stacks *s, int32_t tid, uint64_t time_ns, struct deep_stack *ret)
{
        struct waiting_stack **at;
        bool is_found;

        os_lock_enter(s->lock);
        /* Those before it belong to samples that were not unwound. */
        while (s->first && s->first->time_ns + LATE_NS < time_ns)
                drop(s, &s->first);
        at = &s->first;
        while (*at && (*at)->time_ns <= time_ns + LATE_NS && !is_of(*at, tid, time_ns))
                at = &(*at)->next;
        is_found = *at && is_of(*at, tid, time_ns);
        if (is_found) {
                *ret = (*at)->copy;
                s->n_bytes -= ret->bytes.len;
                (*at)->copy = (struct deep_stack){0};
                drop(s, at);
        }
        os_lock_leave(s->lock);
        return is_found;
}

void deep_stacks_free(struct deep_stacks *s)
{
        if (!s)
                return;
        while (s->first)
                drop(s, &s->first);
        os_lock_free(s->lock);
        free(s);
}
