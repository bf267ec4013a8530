/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of a process to the names of its threads, and to its tasks. Input: u8 number of a layout; u8 not
 * used; u16 offset of a thread state, or of a dict of tasks that run, in words; the memory from IMAGE_BASE
 * on, where _PyRuntime is. */
#include <stdlib.h>

#include "python_code.h"
#include "python_made_running.h"
#include "python_made_tasks.h"
#include "python_running.h"
#include "python_threads.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD_BYTES = 4, MAX_INPUT_BYTES = 1 << 16, MAX_READS = 4096, MOST_TASKS = 2 * MAX_READS };

struct memory {
        const uint8_t *bytes;
        size_t size;
        unsigned n_seen;
};

static bool read_memory(void *ctx, uint64_t addr, void *ret_bytes, size_t size)
{
        const struct memory *memory = ctx;
        uint64_t off = addr - IMAGE_BASE;

        if (addr < IMAGE_BASE || off > memory->size || size > memory->size - off)
                return false;
        memcpy(ret_bytes, memory->bytes + off, size);
        return true;
}

static void see_name(void *ctx, const struct python_named_thread *thread)
{
        struct memory *memory = ctx;

        if (strlen(thread->name) > 4 * PYTHON_MAX_NAME_CHARS || ++memory->n_seen > MAX_READS)
                abort();
}

static void see_task(void *ctx, const struct python_task *task)
{
        struct memory *memory = ctx;

        if (!task->name || task->n_frames > PYTHON_MAX_TASK_FRAMES ||
            task->n_awaiters > PYTHON_MAX_AWAITERS || ++memory->n_seen > MOST_TASKS)
                abort();
        for (size_t i = 0; i < task->n_frames; i++) {
                if (task->frames[i].kind != PYTHON_FRAME_CODE)
                        abort();
        }
}

static void see_running(void *ctx, const struct python_task *task)
{
        struct memory *memory = ctx;

        if (!task->name || !task->is_running || task->n_frames || ++memory->n_seen > MAX_READS)
                abort();
}

/* A dict of loops and tasks may be anywhere. */
static void read_running(struct python_runtime *runtime, struct python_objects *objects, uint64_t table,
                         struct memory *bytes)
{
        struct python_running running;

        bytes->n_seen = 0;
        objects->n_left = MAX_READS;
        python_running_find(runtime, objects, &running);
        python_running_each(objects, &running, RUNNING_THREAD, see_running, bytes);
        running = (struct python_running){{table}, 1};
        python_running_each(objects, &running, RUNNING_THREAD, see_running, bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct memory bytes = {data + HEAD_BYTES, size - HEAD_BYTES, 0};
        struct python_memory memory = {.read = read_memory, .ctx = &bytes};
        struct python_runtime runtime = {.addr = IMAGE_BASE};
        struct python_objects objects;
        uint16_t state;

        if (size < HEAD_BYTES || size > MAX_INPUT_BYTES || data[0] >= N_LAYOUTS)
                return 0;
        memcpy(&state, data + 2, sizeof(state));
        runtime.layout = program_layout(data[0]);
        python_objects_init(&objects, &runtime.layout, &memory);
        objects.n_left = MAX_READS;
        python_threads_each_name(&runtime, &objects, see_name, &bytes);
        python_objects_init(&objects, &runtime.layout, &memory);
        objects.n_left = MAX_READS;
        bytes.n_seen = 0;
        python_tasks_each(&runtime, &objects, &tasks_layout, IMAGE_BASE + 8 * (uint64_t)state, see_task,
                          &bytes);
        read_running(&runtime, &objects, IMAGE_BASE + 8 * (uint64_t)state, &bytes);
        python_runtime_release(&runtime);
        return 0;
}
