/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks change only while the thread of their loop runs. So a task that was read while the thread waited was
 * in that state for all of the wait. */
#include "wall_tasks.h"

#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "mem.h"
#include "task_chains.h"
#include "task_kind.h"
#include "text.h"
#include "wait_threads.h"

enum {
        MOST_NAMED = 3,  /* tasks of a function in which more of them wait are a group, */
        MUCH_LONGER = 2, /* without those that wait more than so many times as long as their mean */
};

struct task_making {
        struct wall_tasks tasks;
        size_t cap_rows;
        const struct wall_pieces *pieces;
        const struct task_section *section;
        struct map rows;           /* what distinguishes rows to index + 1 */
        struct map loops;          /* tid to struct loop_time * */
        struct map names;          /* process and name of a task */
        struct task_chains chains; /* of one reading */
        struct arena texts;
};

/* The readings of a loop's thread. */
struct loop_time {
        uint64_t read_ns; /* those whose tasks were read */
        uint64_t all_ns;  /* the others, too */
};

static const struct task_function *function_of(const struct task_making *m, const struct task_reading *task,
                                               uint32_t i)
{
        return &m->section->functions[m->section->frames[task->first_frame + i].function];
}

/* --- Rows --- */

static void set_stack(struct task_making *m, size_t task, struct wall_task_row *row)
{
        uint32_t frames[TASK_CHAIN_MAX], *kept;
        size_t n = task_chains_stack(&m->chains, task, frames);

        kept = arena_alloc(&m->texts, (n + 1) * sizeof(*kept));
        memcpy(kept, frames, n * sizeof(*kept));
        row->frames = kept;
        row->n_frames = n;
}

static uint64_t hash_of(const char *text, uint64_t before)
{
        return map_mix(before + map_hash_bytes(text, strlen(text)));
}

static uint64_t hash_of_function(const struct wall_task_row *row)
{
        return hash_of(row->awaited,
                       hash_of(row->function->file,
                               hash_of(row->function->name, (uint64_t)row->line << 8 | row->state)));
}

static void add_row(struct task_making *m, size_t index, struct wall_task_row *made)
{
        const struct task_reading *task = &m->section->tasks[index];
        struct wall_tasks *t = &m->tasks;
        bool is_new;
        uint64_t *at =
                map_put(&m->rows, hash_of(task->name, hash_of_function(made) + (uint32_t)task->pid), &is_new);

        if (is_new) {
                made->task = task->name;
                made->n_tasks = 1;
                set_stack(m, index, made);
                ARRAY_PUSH(t->rows, t->n_rows, m->cap_rows, *made);
                *at = t->n_rows;
        } else {
                t->rows[*at - 1].ns += made->ns;
        }
        map_put(&m->names, hash_of(task->name, (uint32_t)task->pid), NULL);
}

/* The outermost function of asyncio, from frame `i` on, that is not part of a with statement. */
static const char *awaited_of(const struct task_making *m, const struct task_reading *task, uint32_t i)
{
        const char *name = function_of(m, task, i)->name;

        if (i + 1 < task->n_frames && (text_ends(name, "__aenter__") || text_ends(name, "__aexit__")))
                return function_of(m, task, i + 1)->name;
        return name;
}

static void add_task(struct task_making *m, size_t index, uint64_t ns)
{
        const struct task_reading *task = &m->section->tasks[index];
        struct wall_task_row row = {.awaited = "", .ns = ns};
        uint32_t i = task->n_frames;
        enum wait_kind kind;

        if (!task_chains_waits(&m->chains, index, &kind))
                return;
        while (i && task->n_frames - i < TASK_CHAIN_MAX &&
               task_kind_is_of_asyncio(function_of(m, task, i - 1)))
                i--;
        if (i && i < task->n_frames)
                row.awaited = awaited_of(m, task, i);
        i = i ? i - 1 : task->n_frames - 1;
        row.function = function_of(m, task, i);
        row.line = m->section->frames[task->first_frame + i].line;
        row.state = (uint8_t)kind;
        add_row(m, index, &row);
}

/* --- Readings --- */

static struct loop_time *loop_of(struct task_making *m, int32_t tid)
{
        bool is_new;
        uint64_t *at = map_put(&m->loops, (uint64_t)(uint32_t)tid, &is_new);

        if (is_new)
                *at = (uint64_t)(uintptr_t)arena_alloc(&m->texts, sizeof(struct loop_time));
        return (struct loop_time *)(uintptr_t)*at;
}

static const struct wall_piece *piece_of(const struct task_making *m, const struct task_reading *task)
{
        size_t i = wall_pieces_find(m->pieces, task->tid, task->time_ns, true);

        return i < m->pieces->n && m->pieces->items[i].is_taken ? &m->pieces->items[i] : NULL;
}

/* Readings without tasks, because those had been read shortly before, are stood for by the others. */
static void see_loops(struct task_making *m)
{
        for (size_t i = 0, n; i < m->section->n_tasks; i += n) {
                const struct wall_piece *piece = piece_of(m, &m->section->tasks[i]);

                n = task_kind_n_at_once(m->section, i);
                if (!piece)
                        continue;
                loop_of(m, piece->tid)->read_ns += piece->ns;
                loop_of(m, piece->tid)->all_ns += piece->ns;
        }
        for (size_t i = 0; i < m->pieces->n; i++) {
                const struct wall_piece *piece = &m->pieces->items[i];

                if (piece->is_taken && piece->lacks_tasks)
                        loop_of(m, piece->tid)->all_ns += piece->ns;
        }
}

static void add_reading(struct task_making *m, size_t first, size_t n)
{
        const struct task_section *s = m->section;
        const struct wall_piece *piece = piece_of(m, &s->tasks[first]);
        const struct loop_time *loop = piece ? loop_of(m, piece->tid) : NULL;
        double part = loop && loop->read_ns ? (double)loop->all_ns / (double)loop->read_ns : 1;
        double ns = piece ? part * (double)piece->ns : 0;

        if (!piece)
                return;
        task_chains_begin(&m->chains, first);
        for (size_t i = first; i < first + n; i++)
                add_task(m, i, ns < 0x1p63 ? (uint64_t)ns : 0); /* else the session is damaged */
}

/* --- Results --- */

/* The rows of one function. */
struct function_rows {
        size_t n;
        uint64_t ns;
        size_t group; /* index + 1 of the group that they become; 0: none so far */
};

static struct function_rows *function_rows_of(struct task_making *m, struct map *functions,
                                              const struct wall_task_row *row)
{
        bool is_new;
        uint64_t *at = map_put(functions, hash_of_function(row), &is_new);

        if (is_new)
                *at = (uint64_t)(uintptr_t)arena_alloc(&m->texts, sizeof(struct function_rows));
        return (struct function_rows *)(uintptr_t)*at;
}

static void add_to_group(struct task_making *m, struct wall_task_row *group, const struct wall_task_row *row)
{
        group->task = wait_threads_common_name(&m->texts, group->task, row->task);
        group->n_tasks++;
        group->ns += row->ns;
}

/* A task that waits much longer than the others of its function stays a row of its own. */
static void make_groups(struct task_making *m)
{
        struct wall_tasks *t = &m->tasks;
        struct map functions = {0};

        t->groups = mem_new(t->n_rows + 1, sizeof(*t->groups));
        for (size_t i = 0; i < t->n_rows; i++) {
                struct function_rows *rows = function_rows_of(m, &functions, &t->rows[i]);

                rows->n++;
                rows->ns += t->rows[i].ns;
        }
        for (size_t i = 0; i < t->n_rows; i++) {
                struct function_rows *rows = function_rows_of(m, &functions, &t->rows[i]);
                bool is_alone = rows->n <= MOST_NAMED || t->rows[i].ns > MUCH_LONGER * (rows->ns / rows->n);

                if (!is_alone && rows->group) {
                        add_to_group(m, &t->groups[rows->group - 1], &t->rows[i]);
                        continue;
                }
                t->groups[t->n_groups++] = t->rows[i];
                rows->group = is_alone ? rows->group : t->n_groups;
        }
        map_release(&functions);
}

static int compare_rows(const void *a, const void *b)
{
        const struct wall_task_row *x = a, *y = b;
        bool x_idle = x->state == WAIT_KIND_IDLE, y_idle = y->state == WAIT_KIND_IDLE;
        int order;

        if (x_idle != y_idle)
                return x_idle - y_idle;
        if (x->ns != y->ns)
                return x->ns < y->ns ? 1 : -1;
        order = strcmp(x->task, y->task);
        return order ? order : strcmp(x->function->name, y->function->name);
}

static void sort(struct wall_task_row *rows, size_t n)
{
        if (n)
                qsort(rows, n, sizeof(*rows), compare_rows);
}

static void finish(struct task_making *m)
{
        struct wall_tasks *t = &m->tasks;

        for (size_t i = 0; i < t->n_rows; i++) {
                uint64_t *sum = t->rows[i].state == WAIT_KIND_IDLE ? &t->idle_ns : &t->waited_ns;

                *sum += t->rows[i].ns;
        }
        t->n_tasks = m->names.n_used;
        make_groups(m);
        sort(t->rows, t->n_rows);
        sort(t->groups, t->n_groups);
        task_chains_release(&m->chains);
        map_release(&m->rows);
        map_release(&m->loops);
        map_release(&m->names);
}

struct wall_tasks *wall_tasks_new(const struct wall_pieces *pieces, const struct task_section *section)
{
        struct task_making *m;

        if (!section || !section->n_tasks)
                return NULL;
        m = mem_new(1, sizeof(*m));
        m->pieces = pieces;
        m->section = m->chains.section = section;
        see_loops(m);
        for (size_t i = 0, n; i < section->n_tasks; i += n) {
                n = task_kind_n_at_once(section, i);
                add_reading(m, i, n);
        }
        finish(m);
        return &m->tasks;
}

void wall_tasks_free(struct wall_tasks *tasks)
{
        struct task_making *m = (struct task_making *)tasks;

        if (!m)
                return;
        free(m->tasks.rows);
        free(m->tasks.groups);
        arena_release(&m->texts);
        free(m);
}
