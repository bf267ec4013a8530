/* SPDX-License-Identifier: BSD-3-Clause */
#include <windows.h>

#include <stdlib.h>

#include "mem.h"
#include "os.h"

struct os_task {
        HANDLE thread; /* NULL: it ran at once */
        void (*run)(void *ctx);
        void *ctx;
};

static DWORD WINAPI begin(void *ctx)
{
        struct os_task *task = ctx;

        task->run(task->ctx);
        return 0;
}

struct os_task *os_task_start(void (*run)(void *ctx), void *ctx)
{
        struct os_task *task = mem_new(1, sizeof(*task));

        task->run = run;
        task->ctx = ctx;
        task->thread = CreateThread(NULL, 0, begin, task, 0, NULL);
        if (!task->thread)
                run(ctx);
        return task;
}

void os_task_join(struct os_task *task)
{
        if (!task)
                return;
        if (task->thread) {
                WaitForSingleObject(task->thread, INFINITE);
                CloseHandle(task->thread);
        }
        free(task);
}

void os_name_thread(const char *name)
{
}
