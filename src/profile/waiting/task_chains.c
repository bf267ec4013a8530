/* SPDX-License-Identifier: BSD-3-Clause */
#include "task_chains.h"

#include "task_kind.h"

enum { MAX_TASKS = 8 }; /* that await each other, of a chain */

void task_chains_begin(struct task_chains *c, size_t first)
{
        const struct task_section *s = c->section;

        task_chains_release(c);
        c->first = first;
        c->n = task_kind_n_at_once(s, first);
        for (size_t i = first; i < first + c->n; i++) {
                *map_put(&c->at_once, s->tasks[i].id, NULL) = i + 1;
                for (uint32_t k = 0; k < s->tasks[i].n_awaiters && c->n_awaiters < s->n_awaiters;
                     k++, c->n_awaiters++)
                        map_put(&c->awaiters, s->awaiters[s->tasks[i].first_awaiter + k], NULL);
        }
}

void task_chains_release(struct task_chains *c)
{
        map_release(&c->at_once);
        map_release(&c->awaiters);
}

bool task_chains_waits(const struct task_chains *c, size_t task, enum wait_kind *ret_kind)
{
        const struct task_reading *t = &c->section->tasks[task];

        if (t->flags & (TASK_RUNS | TASK_IS_THREAD) || !t->n_frames)
                return false;
        *ret_kind = task_kind_of(c->section, t);
        /* one that awaits others waits for what these wait for */
        return *ret_kind != WAIT_KIND_OTHER || !map_find(&c->awaiters, t->id);
}

size_t task_chains_stack(const struct task_chains *c, size_t task, uint32_t *ret_frames)
{
        const struct task_section *s = c->section;
        const struct task_reading *t = &s->tasks[task];
        size_t n = 0;

        for (int i = 0; t && i < MAX_TASKS; i++) {
                const uint64_t *at = NULL;

                for (uint32_t k = t->n_frames; k-- && n < TASK_CHAIN_MAX;)
                        ret_frames[n++] = t->first_frame + k;
                if (t->n_awaiters == 1)
                        at = map_find(&c->at_once, s->awaiters[t->first_awaiter]);
                t = at ? &s->tasks[*at - 1] : NULL;
        }
        return n;
}
