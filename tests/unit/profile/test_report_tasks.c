/* SPDX-License-Identifier: BSD-3-Clause */
/* The time of a loop is divided among its tasks, with the stacks of their awaits. */
#include "report_tasks.h"

#include <string.h>

#include "attributes.h"
#include "python_section.h"
#include "tap.h"

enum { LOOP = 10, MAIN_ID = 1, A_ID, B_ID, QUEUED_ID };
enum { MAIN, FETCH, SLEEP, GET, N_FRAMES };

static struct task_function functions[N_FRAMES] = {
        [MAIN] = {"main", "/app.py", 9},
        [FETCH] = {"fetch", "/app.py", 4},
        [SLEEP] = {"sleep", "/usr/lib/python3.14/asyncio/tasks.py", 700},
        [GET] = {"Queue.get", "/usr/lib/python3.14/asyncio/queues.py", 180},
};
static struct task_frame frames[] = {{MAIN, 11, 1}, {FETCH, 5, 2}, {SLEEP, 702, 3}, {GET, 183, 4}};
static uint64_t awaiters[] = {MAIN_ID};

/* main awaits a and b, which sleep; another task waits for work. */
static struct task_reading tasks[] = {
        {.id = MAIN_ID, .time_ns = 100, .pid = LOOP, .tid = LOOP, .name = "main", .n_frames = 1},
        {.id = A_ID,
         .time_ns = 100,
         .tid = LOOP,
         .name = "a",
         .first_frame = 1,
         .n_frames = 2,
         .n_awaiters = 1},
        {.id = B_ID,
         .time_ns = 100,
         .tid = LOOP,
         .name = "b",
         .first_frame = 1,
         .n_frames = 2,
         .n_awaiters = 1},
        {.id = QUEUED_ID, .time_ns = 100, .tid = LOOP, .name = "c", .first_frame = 3, .n_frames = 1},
};

static struct task_section section_of(void)
{
        return (struct task_section){.tasks = tasks,
                                     .n_tasks = N_ELEMENTS(tasks),
                                     .functions = functions,
                                     .n_functions = N_FRAMES,
                                     .frames = frames,
                                     .n_frames = N_ELEMENTS(frames),
                                     .awaiters = awaiters,
                                     .n_awaiters = 1};
}

static struct wall_piece piece_at(uint64_t time_ns, uint64_t ns)
{
        return (struct wall_piece){.time_ns = time_ns,
                                   .ns = ns,
                                   .pid = LOOP,
                                   .tid = LOOP,
                                   .state = WAIT_KIND_SLEEP,
                                   .is_reading = true,
                                   .is_poll = true};
}

static uint64_t place_of(const struct report_task_part *part, size_t i)
{
        return (part->frames[i].addr - PYTHON_PLACES_BASE) / PYTHON_PLACE_BYTES;
}

TEST(parts_are_all_of_the_time)
{
        const struct task_section section = section_of();
        struct report_tasks *t = report_tasks_new(&section);
        const struct wall_piece piece = piece_at(100, 1000);
        struct report_task_part part;
        uint64_t sum = 0;
        size_t n = 0;

        EXPECT_TRUE(report_tasks_begin(t, &piece));
        for (; report_tasks_next(t, &part); n++) {
                sum += part.ns;
                if (n == 2) {
                        EXPECT_INT(part.kind, WAIT_KIND_IDLE);
                        EXPECT_INT(part.n_frames, 1);
                        continue;
                }
                EXPECT_INT(part.kind, WAIT_KIND_SLEEP);
                ASSERT_TRUE(part.n_frames == 3);
                EXPECT_INT(place_of(&part, 0), 3);
                EXPECT_INT(place_of(&part, 1), 2);
                EXPECT_INT(place_of(&part, 2), 1);
                EXPECT_TRUE(!part.frames[0].is_return && part.frames[1].is_return);
        }
        EXPECT_INT(n, 3);
        EXPECT_INT(sum, 1000);
        report_tasks_free(t);
}

TEST(tasks_take_turns_where_they_were_not_read_again)
{
        const struct task_section section = section_of();
        struct report_tasks *t = report_tasks_new(&section);
        struct wall_piece piece = piece_at(50, 10);
        struct report_task_part part;
        enum wait_kind kinds[3];

        piece.lacks_tasks = true;
        EXPECT_TRUE(!report_tasks_begin(t, &piece)); /* none was read so far */
        piece = piece_at(100, 10);
        EXPECT_TRUE(report_tasks_begin(t, &piece));
        piece.lacks_tasks = true;
        for (size_t i = 0; i < N_ELEMENTS(kinds); i++) {
                piece.time_ns = 200 + i;
                EXPECT_TRUE(report_tasks_begin(t, &piece));
                ASSERT_TRUE(report_tasks_next(t, &part));
                EXPECT_INT(part.ns, 10);
                kinds[i] = part.kind;
                EXPECT_TRUE(!report_tasks_next(t, &part));
        }
        EXPECT_INT(kinds[0], WAIT_KIND_SLEEP);
        EXPECT_INT(kinds[2], WAIT_KIND_IDLE);
        report_tasks_free(t);
}

TEST(others_count_for_their_own_stack)
{
        const struct task_section section = section_of();
        struct report_tasks *t = report_tasks_new(&section);
        struct wall_piece piece = piece_at(101, 10);

        EXPECT_TRUE(!report_tasks_begin(t, &piece)); /* another reading, whose loop has no tasks */
        piece = piece_at(100, 10);
        piece.state = WALL_RUNNABLE;
        EXPECT_TRUE(!report_tasks_begin(t, &piece));
        piece.state = WAIT_KIND_SLEEP;
        piece.is_poll = false; /* a task reads a file */
        EXPECT_TRUE(!report_tasks_begin(t, &piece));
        piece.is_poll = true;
        piece.tid = LOOP + 1;
        EXPECT_TRUE(!report_tasks_begin(t, &piece));
        report_tasks_free(t);
        EXPECT_TRUE(!report_tasks_new(NULL));
}

/* Of a damaged session: the work is that of the tasks, not of the tasks for each sample. */
TEST(a_reading_counts_once)
{
        const struct task_section section = section_of();
        struct report_tasks *t = report_tasks_new(&section);
        const struct wall_piece pieces[] = {piece_at(100, 10), piece_at(100, 10), piece_at(100, 10)};

        EXPECT_TRUE(report_tasks_begin(t, &pieces[0]));
        EXPECT_TRUE(!report_tasks_begin(t, &pieces[1]) && !report_tasks_begin(t, &pieces[2]));
        EXPECT_TRUE(report_tasks_begin(t, &pieces[0])); /* in another pass */
        report_tasks_free(t);
}

TEST(frames_without_places_are_no_stacks)
{
        struct task_section section = section_of();
        struct task_frame without[N_ELEMENTS(frames)];

        memcpy(without, frames, sizeof(frames));
        for (size_t i = 0; i < N_ELEMENTS(without); i++)
                without[i].place = 0;
        section.frames = without;
        EXPECT_TRUE(!report_tasks_new(&section));
}

TAP_MAIN
