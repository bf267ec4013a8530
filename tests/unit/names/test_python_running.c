/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks that run in CPython 3.8 to 3.13, and in damaged memory. */
#include "python_made_running.h"
#include "python_running.h"
#include "tap.h"

enum { MAX_READS = 1 << 12 };

static struct program program;

static void see(void *ctx, const struct python_task *task)
{
        char *text = ctx;
        size_t len = strlen(text);

        EXPECT_TRUE(task->is_running && task->is_alone && !task->n_frames);
        snprintf(text + len, 256 - len, "%s%.40s", len ? ", " : "", task->name);
}

/* The names, as "a, b". */
static const char *read_running(void)
{
        static char text[256];
        struct python_objects objects;
        struct python_running running;

        text[0] = '\0';
        program.image.memory.n_reads = 0;
        python_objects_init(&objects, &program.image.runtime.layout, &program.image.memory);
        objects.n_left = MAX_READS;
        python_running_find(&program.image.runtime, &objects, &running);
        python_running_each(&objects, &running, RUNNING_THREAD, see, text);
        EXPECT_CMP(program.image.memory.n_reads, <=, 2 * MAX_READS);
        return text;
}

static void make(unsigned layout)
{
        program_init(&program, layout);
        const struct program_pair members[] = {
                {program_text(&program, "_current_tasks"), running_make(&program)}, {0, 0}};
        const struct program_pair modules[] = {
                {program_text(&program, "sys"), program_int(&program, 1)},
                {program_text(&program, "asyncio.tasks"), program_module(&program, members)},
                {0, 0}};

        program_set_modules(&program, modules);
}

TEST(tasks_that_run)
{
        for (unsigned i = 0; i < N_LAYOUTS; i++) {
                make(i);
                EXPECT_STR(read_running(),
                           program.image.runtime.layout.minor > 13 ? "" : "fetch, Task-12, in Python");
        }
}

TEST(program_without_asyncio)
{
        const struct program_pair modules[] = {{0, 0}};

        for (unsigned i = 0; i < N_LAYOUTS; i++) {
                program_init(&program, i);
                EXPECT_STR(read_running(), "");
                program_set_modules(&program, modules);
                EXPECT_STR(read_running(), "");
        }
}

/* Each word is another one once: what is read ends, and has names. */
TEST(damaged_memory)
{
        for (uint64_t addr = IMAGE_BASE, end = UINT64_MAX; addr < end; addr += 8) {
                make(0);
                end = program.image.used;
                program_word(&program, addr, addr);
                read_running();
        }
}

TAP_MAIN
