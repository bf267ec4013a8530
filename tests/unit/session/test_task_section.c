/* SPDX-License-Identifier: BSD-3-Clause */
/* What is written is read again; a damaged section is refused. */
#include <string.h>

#include "tap.h"
#include "task_section.h"

static struct task_function functions[] = {{"work", "/a/app.py", 10}, {"sleep", "/lib/tasks.py", 0}};
static struct task_frame frames[] = {{0, 12, 1}, {1, 716, 0}, {0, 0, 7}};
static uint64_t awaiters[] = {0x7f0000001000, 0x7f0000002000};
static struct task_reading tasks[] = {
        {.id = 0x7f0000001000, .time_ns = 5, .pid = 7, .tid = 8, .name = "main", .n_frames = 2},
        {.id = 0x7f0000002000,
         .time_ns = 6,
         .pid = 7,
         .tid = 9,
         .flags = TASK_RUNS | TASK_IS_CUT,
         .name = "",
         .first_frame = 2,
         .n_frames = 1,
         .n_awaiters = 2},
};

static void write_section(struct buf *out)
{
        const struct task_section section = {.tasks = tasks,
                                             .n_tasks = N_ELEMENTS(tasks),
                                             .functions = functions,
                                             .n_functions = N_ELEMENTS(functions),
                                             .frames = frames,
                                             .n_frames = N_ELEMENTS(frames),
                                             .awaiters = awaiters,
                                             .n_awaiters = N_ELEMENTS(awaiters)};

        task_section_write(&section, out);
}

static struct task_section *read_section(const void *bytes, size_t size)
{
        return task_section_new(cursor_make(bytes, size));
}

TEST(frames_have_places_among_those_of_the_session)
{
        struct task_frame placed[N_ELEMENTS(frames)];
        struct task_section section = {.functions = functions,
                                       .n_functions = N_ELEMENTS(functions),
                                       .frames = placed,
                                       .n_frames = N_ELEMENTS(placed)};
        AUTO(python_places) places = python_places_new();

        memcpy(placed, frames, sizeof(frames));
        python_places_add(places, "main", "/a/app.py", 20, 21);
        python_places_add(places, "work", "/a/app.py", 10, 12);
        task_section_add_places(&section, places);
        EXPECT_INT(placed[0].place, 2);
        EXPECT_INT(placed[1].place, 3);
        EXPECT_INT(placed[2].place, 4);
        EXPECT_INT(python_places_n(places), 4);
}

TEST(what_is_written_is_read)
{
        AUTO_RELEASE(buf) bytes = {0};
        AUTO(task_section) s = NULL;

        write_section(&bytes);
        s = read_section(bytes.data, bytes.len);
        ASSERT_TRUE(s);
        EXPECT_INT(s->n_tasks, 2);
        EXPECT_STR(s->tasks[0].name, "main");
        EXPECT_INT(s->tasks[0].tid, 8);
        EXPECT_INT(s->tasks[0].time_ns, 5);
        EXPECT_INT(s->tasks[1].id, 0x7f0000002000);
        EXPECT_INT(s->tasks[1].flags, TASK_RUNS | TASK_IS_CUT);
        EXPECT_INT(s->tasks[1].first_frame, 2);
        EXPECT_STR(s->functions[s->frames[1].function].name, "sleep");
        EXPECT_STR(s->functions[s->frames[1].function].file, "/lib/tasks.py");
        EXPECT_INT(s->functions[0].first_line, 10);
        EXPECT_INT(s->frames[1].line, 716);
        EXPECT_INT(s->frames[2].place, 7);
        EXPECT_INT(s->awaiters[1], 0x7f0000002000);
}

TEST(cut_sections)
{
        AUTO_RELEASE(buf) bytes = {0};

        write_section(&bytes);
        for (size_t n = 0; n < bytes.len; n++)
                EXPECT_TRUE(!read_section(bytes.data, n));
}

/* Each byte in turn has other values: what is read stays inside of the section. */
TEST(damaged_sections)
{
        AUTO_RELEASE(buf) bytes = {0};

        write_section(&bytes);
        for (size_t i = 0; i < bytes.len; i++) {
                const char was = bytes.data[i];

                for (int value = 0; value < 256; value += 15) {
                        AUTO(task_section) s = NULL;

                        bytes.data[i] = (char)value;
                        s = read_section(bytes.data, bytes.len);
                        for (size_t k = 0; s && k < s->n_tasks; k++)
                                EXPECT_TRUE(s->tasks[k].first_frame + s->tasks[k].n_frames <= s->n_frames &&
                                            s->tasks[k].first_awaiter + s->tasks[k].n_awaiters <=
                                                    s->n_awaiters);
                        for (size_t k = 0; s && k < s->n_frames; k++)
                                EXPECT_CMP(s->frames[k].function, <, s->n_functions);
                        if (i < 8 && value != was)
                                EXPECT_TRUE(!s);
                }
                bytes.data[i] = was;
        }
}

TAP_MAIN
