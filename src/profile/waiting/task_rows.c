/* SPDX-License-Identifier: BSD-3-Clause */
#include "task_rows.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "map.h"
#include "mem.h"

struct made_tasks {
        struct task_rows rows;
        size_t cap_rows;
        struct map by_id; /* process and id to index + 1 */
        struct arena texts;
};

static uint64_t key_of(int32_t pid, uint64_t id)
{
        return map_mix((uint64_t)(uint32_t)pid) ^ id;
}

static const struct task_reading *find_task(const struct made_tasks *m, int32_t pid, uint64_t id)
{
        const uint64_t *at = map_find(&m->by_id, key_of(pid, id));
        const struct task_reading *task = at ? m->rows.rows[*at - 1].task : NULL;

        return task && task->pid == pid && task->id == id ? task : NULL;
}

/* --- Rows --- */

/* Threads that were read several times are shown as they were last. */
static void add_rows(struct made_tasks *m, const struct wait_threads *threads)
{
        const struct task_section *s = m->rows.section;
        struct map by_time = {0};

        for (size_t i = 0; i < threads->n_rows; i++) {
                if (threads->rows[i].is_shown)
                        *map_put(&by_time, threads->rows[i].reading->time_ns, NULL) = i + 1;
        }
        for (size_t i = 0; i < s->n_tasks; i++) {
                const uint64_t *at = map_find(&by_time, s->tasks[i].time_ns);
                struct task_row row = {.task = &s->tasks[i], .name = s->tasks[i].name, .n_same = 1};

                if (!at || threads->rows[*at - 1].reading->tid != s->tasks[i].tid ||
                    s->tasks[i].flags & TASK_IS_THREAD)
                        continue;
                row.thread = &threads->rows[*at - 1];
                ARRAY_PUSH(m->rows.rows, m->rows.n_rows, m->cap_rows, row);
                *map_put(&m->by_id, key_of(row.task->pid, row.task->id), NULL) = m->rows.n_rows;
        }
        map_release(&by_time);
}

/* Tasks cannot await each other in a circle, but what was read may say so. */
static void set_chain(struct made_tasks *m, struct task_row *row)
{
        const struct task_reading *task = row->task;

        while (task && task->n_awaiters == 1 && row->n_chain < TASK_MAX_CHAIN) {
                task = find_task(m, task->pid, m->rows.section->awaiters[task->first_awaiter]);
                row->chain[row->n_chain++] = task;
        }
        row->is_chain_cut = task && row->n_chain && task->n_awaiters;
}

/* --- Tasks that are alike --- */

static bool is_same(const struct task_section *s, const struct task_row *x, const struct task_row *y)
{
        const struct task_reading *a = x->task, *b = y->task;

        if (x->thread != y->thread || a->flags != b->flags || a->n_frames != b->n_frames ||
            a->n_awaiters != b->n_awaiters)
                return false;
        return !memcmp(s->frames + a->first_frame, s->frames + b->first_frame,
                       a->n_frames * sizeof(*s->frames)) &&
               !memcmp(s->awaiters + a->first_awaiter, s->awaiters + b->first_awaiter,
                       a->n_awaiters * sizeof(*s->awaiters));
}

static uint64_t hash_of(const struct task_section *s, const struct task_row *row)
{
        const struct task_reading *t = row->task;

        return map_mix(map_hash_bytes((const char *)(s->frames + t->first_frame),
                                      t->n_frames * sizeof(*s->frames)) +
                       t->tid) ^
               map_hash_bytes((const char *)(s->awaiters + t->first_awaiter),
                              t->n_awaiters * sizeof(*s->awaiters));
}

static void merge_same(struct made_tasks *m)
{
        struct map by_hash = {0};

        for (size_t i = 0; i < m->rows.n_rows; i++) {
                struct task_row *row = &m->rows.rows[i], *first;
                bool is_new;
                uint64_t *at = map_put(&by_hash, hash_of(m->rows.section, row), &is_new);

                first = &m->rows.rows[*at];
                if (is_new) {
                        *at = i;
                } else if (is_same(m->rows.section, first, row)) {
                        first->name = wait_threads_common_name(&m->texts, first->name, row->name);
                        first->n_same++;
                        row->n_same = 0;
                }
        }
        map_release(&by_hash);
}

struct task_rows *task_rows_new(const struct task_section *section, const struct wait_threads *threads,
                                bool merges_same)
{
        struct made_tasks *m = mem_new(1, sizeof(*m));

        m->rows.section = section;
        add_rows(m, threads);
        for (size_t i = 0; i < m->rows.n_rows; i++)
                set_chain(m, &m->rows.rows[i]);
        if (merges_same)
                merge_same(m);
        return &m->rows;
}

void task_rows_free(struct task_rows *rows)
{
        struct made_tasks *m = (struct made_tasks *)rows;

        if (!m)
                return;
        free(m->rows.rows);
        map_release(&m->by_id);
        arena_release(&m->texts);
        free(m);
}
