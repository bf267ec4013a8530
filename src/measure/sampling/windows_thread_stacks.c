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

void thread_stacks_free(struct thread_stacks *stacks)
{
        (void)stacks;
}
