/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks of asyncio in made memory: their frames and awaiters, and damaged lists, sets and coroutines. */
#include "python_program.h"
#include "python_tasks.h"
#include "tap.h"

enum { TASK_BYTES = 168, NODE_AT = 152, MAX_READS = 1 << 15 };

/* As in 3.14.10. */
static const uint64_t offsets[PYTHON_TASK_WORDS] = {168,    136,   96,  108, 109, 128, 152,
                                                    225864, 10880, 936, 864, 872, 880};
static struct program program;
static struct python_task_layout layout;
static uint64_t state, coroutine_type, future_type;

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

static bool is_14(void)
{
        return program.image.runtime.layout.minor == 14;
}

/* A coroutine at `instr` that awaits an object; 0: it has not begun. */
static uint64_t coroutine(int32_t instr, uint64_t awaited)
{
        const struct python_layout *l = &program.image.runtime.layout;
        uint64_t addr = image_alloc(&program.image, 512), stack = image_alloc(&program.image, 64);
        int state_of = awaited ? (is_14() ? -1 : 2) : is_14() ? -3 : 0;

        program_set_type(&program, addr, coroutine_type);
        image_byte(&program.image, addr + l->gen_state, (uint8_t)state_of);
        image_fill(&program.image, addr + l->gen_frame, image_code(&program.image, "f", 1), instr, 0);
        image_byte(&program.image, addr + l->gen_frame + l->frame_owner, 1);
        program_word(&program, addr + l->gen_frame + l->frame_stack, stack + 48);
        program_word(&program, stack + 48 - (is_14() ? 8 : 16), awaited);
        return addr;
}

/* A task at the end of the list. */
static uint64_t task(uint64_t name, uint64_t coro, uint64_t awaited_by, bool has_set)
{
        uint64_t addr = image_alloc(&program.image, TASK_BYTES), head = state + layout.thread_tasks;
        uint64_t last = image_get(&program.image, head + 8);

        program_word(&program, addr + layout.task_name, name);
        program_word(&program, addr + layout.task_coro, coro);
        program_word(&program, addr + layout.task_awaited_by, awaited_by);
        image_byte(&program.image, addr + layout.task_is_task, 1);
        image_byte(&program.image, addr + layout.task_has_set, has_set);
        program_word(&program, addr + NODE_AT, head);
        program_word(&program, last, addr + NODE_AT);
        program_word(&program, head + 8, addr + NODE_AT);
        return addr;
}

static uint64_t set_of(uint64_t a, uint64_t b)
{
        uint64_t addr = image_alloc(&program.image, 256), table = image_alloc(&program.image, 8 * 16);
        uint32_t header = program_header(&program);

        program_word(&program, addr + header + 16, 7);
        program_word(&program, addr + header + 24, table);
        program_word(&program, table + 16, a);
        program_word(&program, table + 24, 1);
        program_word(&program, table + 48, b);
        program_word(&program, table + 56, 2);
        program_word(&program, table + 80, program.text_type); /* was removed */
        program_word(&program, table + 88, UINT64_MAX);
        return addr;
}

/* Layouts 6 and 7 are 3.14 and 3.15, 9 and 10 their free-threaded builds. */
static void make_tasks(unsigned layout_at)
{
        uint64_t future, first, second, head;

        program_init(&program, layout_at);
        EXPECT_TRUE(python_task_layout_read(offsets, sizeof(offsets), &layout));
        coroutine_type = program_type(&program, "coroutine", 0);
        future_type = program_type(&program, "_asyncio.FutureIter", 0);
        future = image_alloc(&program.image, 64);
        program_set_type(&program, future, future_type);
        state = image_alloc(&program.image, 1024);
        head = state + layout.thread_tasks;
        program_word(&program, head, head);
        program_word(&program, head + 8, head);
        first = task(program_text(&program, "first"), coroutine(2, coroutine(4, future)), 0, false);
        second = task(program_int(&program, 12), coroutine(-1, 0), first, false);
        task(program_text(&program, "third"), coroutine(6, future), set_of(first, second), true);
        program_word(&program, state + layout.thread_task, second);
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
                first = image_get(&program.image, state + layout.thread_tasks) - NODE_AT;
                awaiting = image_get(&program.image, first + layout.task_coro);
                stack = image_get(&program.image, awaiting + l->gen_frame + l->frame_stack);
                program_word(&program, stack - (is_14() ? 8 : 16), awaiting);
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
