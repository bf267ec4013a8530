/* SPDX-License-Identifier: BSD-3-Clause */
/* Wall time of asyncio's tasks from readings that no recorder made. */
#include "wall_tasks.h"

#include <stdio.h>
#include <string.h>

#include "attributes.h"
#include "tap.h"

enum { LOOP = 10, MS = 1000000, MOST = 40 };
enum { SLEEP, FETCH, GET, MAIN, READ, N_FUNCTIONS };

static struct task_function functions[N_FUNCTIONS] = {
        [SLEEP] = {"sleep", "/usr/lib/python3.14/asyncio/tasks.py"},
        [FETCH] = {"fetch", "/app.py"},
        [GET] = {"Queue.get", "/usr/lib/python3.14/asyncio/queues.py"},
        [MAIN] = {"main", "/app.py"},
        [READ] = {"StreamReader.read", "/usr/lib/python3.14/asyncio/streams.py"},
};

/* Each task has frames of its own. */
struct fixture {
        struct task_frame frames[2 * MOST];
        struct task_reading readings[MOST];
        uint64_t awaiters[MOST];
        struct task_section section;
        struct wall_piece items[MOST];
        struct wall_pieces pieces;
};

static void begin(struct fixture *f)
{
        *f = (struct fixture){
                .section = {.tasks = f->readings,
                            .functions = functions,
                            .n_functions = N_FUNCTIONS,
                            .frames = f->frames,
                            .awaiters = f->awaiters},
                .pieces = {.items = f->items},
        };
}

static void add_piece(struct fixture *f, uint64_t time_ns, uint64_t ns)
{
        f->items[f->pieces.n++] = (struct wall_piece){.time_ns = time_ns,
                                                      .ns = ns,
                                                      .pid = LOOP,
                                                      .tid = LOOP,
                                                      .state = WAIT_KIND_SLEEP,
                                                      .is_reading = true,
                                                      .is_taken = true};
}

/* A task whose `outer` function, at line `line`, awaits `inner`. */
static struct task_reading *add_task(struct fixture *f, uint64_t time_ns, const char *name, uint32_t outer,
                                     uint32_t line, uint32_t inner)
{
        struct task_section *s = &f->section;
        struct task_reading *task = &f->readings[s->n_tasks++];

        *task = (struct task_reading){.id = 0x1000 + s->n_tasks,
                                      .time_ns = time_ns,
                                      .pid = LOOP,
                                      .tid = LOOP,
                                      .name = name,
                                      .first_frame = (uint32_t)s->n_frames};
        f->frames[s->n_frames++] = (struct task_frame){outer, line};
        if (inner != outer)
                f->frames[s->n_frames++] = (struct task_frame){inner, 700};
        task->n_frames = (uint32_t)s->n_frames - task->first_frame;
        return task;
}

static void await(struct fixture *f, struct task_reading *task, const struct task_reading *by)
{
        task->first_awaiter = (uint32_t)f->section.n_awaiters;
        task->n_awaiters = 1;
        f->awaiters[f->section.n_awaiters++] = by->id;
}

TEST(a_task_waits_as_long_as_its_loop_at_its_readings)
{
        struct fixture f;
        struct wall_tasks *t;

        begin(&f);
        add_piece(&f, 10, 300 * MS);
        add_piece(&f, 20, 100 * MS);
        add_task(&f, 10, "a", FETCH, 5, SLEEP);
        add_task(&f, 20, "a", FETCH, 5, SLEEP);
        add_task(&f, 20, "b", FETCH, 6, READ);
        add_task(&f, 20, "c", FETCH, 7, GET);
        t = wall_tasks_new(&f.pieces, &f.section);
        EXPECT_INT(t->n_rows, 3);
        EXPECT_INT(t->n_tasks, 3);
        EXPECT_STR(t->rows[0].task, "a");
        EXPECT_STR(t->rows[0].function->name, "fetch");
        EXPECT_INT(t->rows[0].line, 5);
        EXPECT_STR(t->rows[0].awaited, "sleep");
        EXPECT_INT(t->rows[0].state, WAIT_KIND_SLEEP);
        EXPECT_INT(t->rows[0].ns, 400 * MS);
        EXPECT_INT(t->rows[1].state, WAIT_KIND_NETWORK);
        EXPECT_INT(t->rows[1].ns, 100 * MS);
        EXPECT_INT(t->rows[2].state, WAIT_KIND_IDLE);
        EXPECT_INT(t->waited_ns, 500 * MS);
        EXPECT_INT(t->idle_ns, 100 * MS);
        wall_tasks_free(t);
}

/* Their loop waited as long as before, and it is not known what for. */
TEST(readings_stand_for_those_that_lack_tasks)
{
        struct fixture f;
        struct wall_tasks *t;

        begin(&f);
        add_piece(&f, 10, 300 * MS);
        add_piece(&f, 20, 100 * MS);
        add_piece(&f, 30, 500 * MS);
        f.items[1].lacks_tasks = true;
        add_task(&f, 10, "a", FETCH, 5, SLEEP);
        t = wall_tasks_new(&f.pieces, &f.section);
        EXPECT_INT(t->n_rows, 1);
        EXPECT_INT(t->rows[0].ns, 400 * MS);
        wall_tasks_free(t);
}

TEST(tasks_that_run_or_await_tasks_do_not_wait_themselves)
{
        struct fixture f;
        struct wall_tasks *t;
        struct task_reading *outer;

        begin(&f);
        add_piece(&f, 10, 100 * MS);
        outer = add_task(&f, 10, "main", MAIN, 9, MAIN);
        await(&f, add_task(&f, 10, "a", FETCH, 5, SLEEP), outer);
        add_task(&f, 10, "blocks", FETCH, 8, FETCH)->flags = TASK_RUNS;
        t = wall_tasks_new(&f.pieces, &f.section);
        EXPECT_INT(t->n_rows, 1);
        EXPECT_STR(t->rows[0].task, "a");
        ASSERT_TRUE(t->rows[0].n_frames == 3);
        EXPECT_STR(functions[f.frames[t->rows[0].frames[0]].function].name, "sleep");
        EXPECT_STR(functions[f.frames[t->rows[0].frames[2]].function].name, "main");
        wall_tasks_free(t);
}

TEST(many_tasks_of_a_function_are_a_group)
{
        char names[4][16];
        struct fixture f;
        struct wall_tasks *t;

        begin(&f);
        add_piece(&f, 10, 100 * MS);
        for (unsigned i = 0; i < N_ELEMENTS(names); i++) {
                snprintf(names[i], sizeof(names[i]), "worker-%u", i);
                add_task(&f, 10, names[i], FETCH, 5, SLEEP);
        }
        add_piece(&f, 20, 900 * MS);
        add_task(&f, 20, "worker-9", FETCH, 5, SLEEP);
        add_task(&f, 20, "other", FETCH, 6, SLEEP);
        t = wall_tasks_new(&f.pieces, &f.section);
        EXPECT_INT(t->n_rows, 6);
        EXPECT_INT(t->n_groups, 3);
        EXPECT_STR(t->groups[0].task, "other");
        EXPECT_STR(t->groups[1].task, "worker-9");
        EXPECT_STR(t->groups[2].task, "worker-*");
        EXPECT_INT(t->groups[2].n_tasks, 4);
        EXPECT_INT(t->groups[2].ns, 400 * MS);
        wall_tasks_free(t);
}

TEST(times_that_are_left_out_do_not_count)
{
        struct fixture f;
        struct wall_tasks *t;

        begin(&f);
        add_piece(&f, 10, 300 * MS);
        f.items[0].is_taken = false;
        add_task(&f, 10, "a", FETCH, 5, SLEEP);
        t = wall_tasks_new(&f.pieces, &f.section);
        EXPECT_INT(t->n_rows, 0);
        wall_tasks_free(t);
}

TAP_MAIN
