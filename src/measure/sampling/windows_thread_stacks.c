/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows has no /proc; threads there have to be suspended to be read. */
#include "thread_stacks.h"

struct thread_stacks *thread_stacks_new(bool may_stop, struct err *err)
{
        (void)may_stop;
        err_set(err, ERR_UNSUPPORTED,
                "stacks of running threads can be read on Linux only; on Windows sample them: "
                "wperf sample -g -p PID --timeout 1");
        return NULL;
}

/* The others are never called: there is no object. */

void thread_stacks_free(struct thread_stacks *stacks)
{
        (void)stacks;
}

size_t thread_stacks_n_events(const struct thread_stacks *stacks)
{
        (void)stacks;
        return 0;
}

struct collect_event thread_stacks_get_event(const struct thread_stacks *stacks, size_t index)
{
        (void)stacks;
        (void)index;
        return (struct collect_event){0};
}

bool thread_stacks_begin(struct thread_stacks *stacks, int32_t pid, const struct record_sink *sink,
                         struct err *err)
{
        (void)stacks;
        (void)pid;
        (void)sink;
        (void)err;
        return false;
}

bool thread_stacks_take(struct thread_stacks *stacks, const struct record_sink *sink, struct err *err)
{
        (void)stacks;
        (void)sink;
        (void)err;
        return false;
}

const struct wait_reading *thread_stacks_readings(const struct thread_stacks *stacks, size_t *ret_n)
{
        (void)stacks;
        *ret_n = 0;
        return NULL;
}

const struct task_section *thread_stacks_tasks(const struct thread_stacks *stacks)
{
        (void)stacks;
        return NULL;
}

const struct collect_result *thread_stacks_result(struct thread_stacks *stacks)
{
        (void)stacks;
        return NULL;
}
