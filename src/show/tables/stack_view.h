/* SPDX-License-Identifier: BSD-3-Clause */
/* The threads of processes with their stacks and what they wait for, as text and as JSON. */
#ifndef STACK_VIEW_H
#define STACK_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "json.h"
#include "task_rows.h"
#include "wait_threads.h"

/* A process of the view. */
struct stack_process {
        int32_t pid;
        const char *name;   /* of its program; of a script, if an interpreter runs one */
        const char *comm;   /* the kernel's name of it */
        const char *python; /* "3.12"; NULL: it runs no CPython */
};

struct stack_view {
        const struct wait_threads *threads;
        const struct task_rows *tasks;
        const struct stack_process *processes;
        size_t n_processes;
        uint64_t took_ns;     /* how long the last reading took */
        unsigned n_read;      /* number of readings */
        size_t n_refused;     /* processes that may not be read */
        unsigned max_columns; /* of the screen; 0: no limit */
        bool no_lines;
};

void stack_view_text(const struct stack_view *view, struct buf *out);

/* The document of schemas/stack.json. */
void stack_view_json(const struct stack_view *view, struct buf *out);

#endif
