/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks of asyncio as rows: those of the threads that are shown, with who awaits them. */
#ifndef TASK_ROWS_H
#define TASK_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "task_section.h"
#include "wait_threads.h"

enum { TASK_MAX_CHAIN = 8 };

struct task_row {
        const struct task_reading *task;
        const struct wait_row *thread; /* of its loop */
        const char *name;              /* of several tasks: what their names begin with and a star, or "" */
        uint32_t n_same; /* tasks with these frames and awaiters, this one included; 0: counted in a row
                            before it */
        /* Who awaits it, who awaits that task, and so on, as long as it is one task. Tasks that are not
         * known, such as those of a thread that moved, have no name and end the chain. */
        const struct task_reading *chain[TASK_MAX_CHAIN];
        uint32_t n_chain;
        bool is_chain_cut; /* the last task of the chain is awaited, too */
};

struct task_rows {
        const struct task_section *section;
        struct task_row *rows; /* by thread, in the order of the threads */
        size_t n_rows;
};

/* Both must outlive the result. With `merges_same` n_same is set, else each task is a row of its own. */
struct task_rows *task_rows_new(const struct task_section *section, const struct wait_threads *threads,
                                bool merges_same);
void task_rows_free(struct task_rows *rows);
AUTO_DEFINE(task_rows)

#endif
