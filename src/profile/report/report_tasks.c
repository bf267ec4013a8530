/* SPDX-License-Identifier: BSD-3-Clause */
#include "report_tasks.h"

#include <stdlib.h>

#include "mem.h"
#include "python_section.h"
#include "task_kind.h"

/* A loop: its tasks at the last reading that has them. */
struct loop_tasks {
        struct task_chains chains;
        size_t *waiting; /* indices of those that wait */
        size_t n_waiting;
        size_t turn;                    /* counts readings that lack tasks */
        const struct wall_piece *piece; /* of that reading; of a damaged session it may be that of many */
};

struct report_tasks {
        const struct task_section *section;
        struct map readings; /* hash of thread and time to index of the first task + 1 */
        struct map loops;    /* tid to struct loop_tasks * */

        /* the piece */
        const struct loop_tasks *loop;
        size_t next, end; /* in loop->waiting */
        uint64_t left_ns;
};

static uint64_t key_of(int32_t tid, uint64_t time_ns)
{
        return map_mix(time_ns) + (uint32_t)tid;
}

static bool has_places(const struct task_section *section)
{
        for (size_t i = 0; i < section->n_frames; i++) {
                if (section->frames[i].place)
                        return true;
        }
        return false;
}

struct report_tasks *report_tasks_new(const struct task_section *section)
{
        struct report_tasks *t;

        if (!section || !has_places(section))
                return NULL;
        t = mem_new(1, sizeof(*t));
        t->section = section;
        for (size_t i = 0; i < section->n_tasks; i += task_kind_n_at_once(section, i))
                *map_put(&t->readings, key_of(section->tasks[i].tid, section->tasks[i].time_ns), NULL) =
                        i + 1;
        return t;
}

static void free_loop(void *ctx, uint64_t tid, uint64_t *at)
{
        struct loop_tasks *loop = (struct loop_tasks *)(uintptr_t)*at;

        (void)ctx, (void)tid;
        task_chains_release(&loop->chains);
        free(loop->waiting);
        free(loop);
}

void report_tasks_free(struct report_tasks *t)
{
        if (!t)
                return;
        map_each(&t->loops, free_loop, NULL);
        map_release(&t->loops);
        map_release(&t->readings);
        free(t);
}

/* Every frame needs a place, or the stack would lack callers. */
static bool has_stack(const struct task_section *s, const struct task_chains *chains, size_t task)
{
        uint32_t frames[TASK_CHAIN_MAX];
        size_t n = task_chains_stack(chains, task, frames);

        for (size_t i = 0; i < n; i++) {
                if (!s->frames[frames[i]].place)
                        return false;
        }
        return n > 0;
}

static void begin_loop(struct report_tasks *t, struct loop_tasks *loop, size_t first)
{
        enum wait_kind kind;

        loop->chains.section = t->section;
        task_chains_begin(&loop->chains, first);
        free(loop->waiting);
        loop->waiting = mem_new(loop->chains.n, sizeof(*loop->waiting));
        loop->n_waiting = 0;
        for (size_t i = first; i < first + loop->chains.n; i++) {
                if (task_chains_waits(&loop->chains, i, &kind) && has_stack(t->section, &loop->chains, i))
                        loop->waiting[loop->n_waiting++] = i;
        }
}

/* NULL: no tasks are known of the thread. */
static struct loop_tasks *loop_of(struct report_tasks *t, const struct wall_piece *piece)
{
        struct loop_tasks *loop;
        const uint64_t *reading = map_find(&t->readings, key_of(piece->tid, piece->time_ns));
        uint64_t *at = map_find(&t->loops, (uint32_t)piece->tid);

        if (!at && reading) {
                at = map_put(&t->loops, (uint32_t)piece->tid, NULL);
                *at = (uint64_t)(uintptr_t)mem_new(1, sizeof(struct loop_tasks));
        }
        loop = at ? (struct loop_tasks *)(uintptr_t)*at : NULL;
        if (!loop || !reading)
                return piece->lacks_tasks ? loop : NULL;
        if (loop->chains.n && loop->chains.first == *reading - 1 && loop->piece != piece)
                return NULL;
        begin_loop(t, loop, *reading - 1);
        loop->piece = piece;
        return loop;
}

/* A reading that lacks tasks, because they had been read shortly before, counts for one of those; they take
 * turns. */
bool report_tasks_begin(struct report_tasks *t, const struct wall_piece *piece)
{
        bool waits = piece->is_reading && piece->is_poll && piece->state < WAIT_N_KINDS;
        struct loop_tasks *loop = waits ? loop_of(t, piece) : NULL;

        if (!loop || !loop->n_waiting)
                return false;
        t->loop = loop;
        t->next = 0;
        t->end = loop->n_waiting;
        if (piece->lacks_tasks) {
                t->next = loop->turn++ % loop->n_waiting;
                t->end = t->next + 1;
        }
        t->left_ns = piece->ns;
        return true;
}

bool report_tasks_next(struct report_tasks *t, struct report_task_part *ret)
{
        uint32_t frames[TASK_CHAIN_MAX];
        size_t task;

        if (t->next == t->end)
                return false;
        task = t->loop->waiting[t->next];
        task_chains_waits(&t->loop->chains, task, &ret->kind);
        ret->n_frames = task_chains_stack(&t->loop->chains, task, frames);
        for (size_t i = 0; i < ret->n_frames; i++)
                ret->frames[i] = (struct stack_frame){
                        .addr = PYTHON_PLACES_BASE +
                                PYTHON_PLACE_BYTES * (uint64_t)t->section->frames[frames[i]].place,
                        .misc = PERF_MISC_USER,
                        .is_return = i > 0};
        ret->ns = t->left_ns / (t->end - t->next);
        t->left_ns -= ret->ns;
        t->next++;
        return true;
}
