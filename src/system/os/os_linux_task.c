/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "mem.h"
#include "os.h"

struct os_task {
        pthread_t thread;
        bool has_thread;
        void (*run)(void *ctx);
        void *ctx;
};

static void *begin(void *ctx)
{
        struct os_task *task = ctx;

        task->run(task->ctx);
        return NULL;
}

struct os_task *os_task_start(void (*run)(void *ctx), void *ctx)
{
        struct os_task *task = mem_new(1, sizeof(*task));

        task->run = run;
        task->ctx = ctx;
        task->has_thread = !pthread_create(&task->thread, NULL, begin, task);
        if (!task->has_thread)
                run(ctx);
        return task;
}

void os_task_join(struct os_task *task)
{
        if (!task)
                return;
        if (task->has_thread)
                pthread_join(task->thread, NULL);
        free(task);
}

void os_name_thread(const char *name)
{
        prctl(PR_SET_NAME, name);
}
