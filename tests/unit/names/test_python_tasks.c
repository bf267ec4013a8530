/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks of asyncio in made memory: their frames and awaiters, and damaged lists, sets and coroutines. */
#include "python_made_tasks.h"
#include "tap.h"

enum { MAX_READS = 1 << 15 };

/* As in 3.14.10. */
static const uint64_t offsets[PYTHON_TASK_WORDS] = {168,    136,   96,  108, 109, 128, 152,
                                                    225864, 10880, 936, 864, 872, 880};
static struct program program;
static struct python_task_layout layout;
static uint64_t state;

struct seen {
        char text[512];
        unsigned n;
};

static void see(void *ctx, const struct python_task *task)
{
        struct seen *seen = ctx;
        size_t at = strlen(seen->text);

        seen->n++;
        at += (size_t)snprintf(seen->text + at, sizeof(seen->text) - at, "%s%s%s%s:", at ? "; " : "",
                               task->name, task->is_running ? " runs" : "", task->is_cut ? " cut" : "");
        for (size_t i = 0; i < task->n_frames && at < sizeof(seen->text); i++)
                at += (size_t)snprintf(seen->text + at, sizeof(seen->text) - at, " %d",
                                       task->frames[i].instr_bytes);
        if (task->n_awaiters && at < sizeof(seen->text))
                snprintf(seen->text + at, sizeof(seen->text) - at, " <%zu", task->n_awaiters);
}

static struct seen read_tasks(void)
{
        struct python_objects objects;
        struct seen seen = {0};

        program.image.memory.n_reads = 0;
        python_objects_init(&objects, &program.image.runtime.layout, &program.image.memory);
        objects.n_left = MAX_READS;
        python_tasks_each(&program.image.runtime, &objects, &layout, state, see, &seen);
        python_runtime_release(&program.image.runtime);
        EXPECT_CMP(program.image.memory.n_reads, <=, 3 * MAX_READS);
        return seen;
}

static void make_tasks(unsigned layout_at)
{
        program_init(&program, layout_at);
        layout = tasks_layout;
        state = tasks_make(&program);
}

static const unsigned with_tasks[] = {6, 7, 9, 10};

TEST(tasks)
{
        for (size_t i = 0; i < N_ELEMENTS(with_tasks); i++) {
                make_tasks(with_tasks[i]);
                EXPECT_STR(read_tasks().text, "first: 2 4; Task-12 runs: -1 <1; third: 6 <2");
        }
}

TEST(older_versions)
{
        make_tasks(6);
        program.image.runtime.layout.gen_state = PYTHON_NO_FIELD;
        EXPECT_INT(read_tasks().n, 0);
        make_tasks(6);
        layout = (struct python_task_layout){0};
        EXPECT_INT(read_tasks().n, 0);
}

/* Offsets outside of the struct, structs that are too long, a short table. */
TEST(offsets)
{
        for (size_t i = 0; i < PYTHON_TASK_WORDS; i++) {
                uint64_t words[PYTHON_TASK_WORDS];

                memcpy(words, offsets, sizeof(words));
                words[i] = i ? UINT64_MAX : 5000;
                EXPECT_TRUE(!python_task_layout_read(words, sizeof(words), &layout));
                EXPECT_INT(layout.task_bytes, 0);
        }
        EXPECT_TRUE(!python_task_layout_read(offsets, sizeof(offsets) - 8, &layout));
}

/* A list of tasks and a coroutine that lead back to themselves. */
TEST(loops)
{
        uint64_t awaiting;

        for (size_t i = 0; i < N_ELEMENTS(with_tasks); i++) {
                const struct python_layout *l = &program.image.runtime.layout;
                uint64_t first, stack;

                make_tasks(with_tasks[i]);
                first = image_get(&program.image, state + layout.thread_tasks);
                program_word(&program, image_get(&program.image, first), first);
                EXPECT_CMP(read_tasks().n, <=, 8);
                make_tasks(with_tasks[i]);
                first = image_get(&program.image, state + layout.thread_tasks) - layout.task_node;
                awaiting = image_get(&program.image, first + layout.task_coro);
                stack = image_get(&program.image, awaiting + l->gen_frame + l->frame_stack);
                program_word(&program, stack - (tasks_are_14(&program) ? 8 : 16), awaiting);
                EXPECT_TRUE(!strncmp(read_tasks().text, "first cut: 2 2 2", 16));
        }
}

TEST(damaged_words)
{
        for (size_t i = 0; i < N_ELEMENTS(with_tasks); i++) {
                static struct program whole;

                make_tasks(with_tasks[i]);
                whole = program;
                for (uint64_t addr = state; addr < whole.image.used; addr += 8) {
                        const uint64_t words[] = {UINT64_MAX, addr, 1};

                        if (!image_get(&whole.image, addr))
                                continue;
                        for (size_t k = 0; k < N_ELEMENTS(words); k++) {
                                program_word(&program, addr, words[k]);
                                read_tasks();
                        }
                        program_word(&program, addr, image_get(&whole.image, addr));
                }
        }
}

TAP_MAIN
