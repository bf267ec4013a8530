/* SPDX-License-Identifier: BSD-3-Clause */
/* The threads of a reading as rows: what each does, its frames, and who waits for whom. */
#ifndef WAIT_THREADS_H
#define WAIT_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "attributes.h"
#include "named_stacks.h"
#include "sample_list.h"
#include "task_section.h"
#include "wait_kind.h"

/* A frame to be shown. */
struct wait_frame {
        const char *function;
        const char *file; /* source file, if its line is known; else the module's path, or "" */
        uint32_t line;    /* 0: not known */
        bool is_python;
        bool is_cut; /* stands for missing callers; the other fields are not used */
};

struct wait_row {
        const struct wait_reading *reading;
        /* Of rows that stand for threads with different names: what they begin with and a star, or "". */
        const char *name;        /* the kernel's name of the thread */
        const char *python_name; /* threading.Thread.name; "" for none */
        struct wait_verdict verdict;
        const char *what;             /* in words, as "waits for a mutex, held by 4714" */
        size_t first_frame, n_frames; /* innermost first */
        uint32_t n_same;  /* threads that wait like this one with the same frames, this one included; 0: it
                             is counted in a row before it, or not shown */
        uint32_t n_still; /* readings before this one since which it has not run; 0: none, or it has */
        bool is_deadlocked;
        bool is_approximate; /* its Python frames were read while it ran */
        bool is_shown;       /* it is one of the threads that were asked for */
};

struct wait_threads {
        struct wait_row *rows; /* of the last reading, in the order of the samples */
        size_t n_rows;
        struct wait_frame *frames;
        size_t n_frames;
        size_t n_deadlocks;              /* circles of owners */
        const struct wait_row **circles; /* their rows, circle by circle; each waits for the next */
        size_t *circle_ends;             /* index behind the last row of each circle */
};

struct wait_threads_request {
        const struct wait_section *waits;
        const struct task_section *tasks; /* for frames of threads that run; may be NULL */
        const struct named_stacks *named;
        const struct sample_list *samples;
        bool shows_waiting_code; /* native frames of the interpreter and libc, also where Python waits */
        const char *threads;     /* names or numbers of those to be shown, with commas; NULL: all */
        bool merges_same;        /* n_same; else each thread is a row of its own */
};

/* What the names of several threads or tasks begin with and a star; "" if they have nothing in common. */
const char *wait_threads_common_name(struct arena *texts, const char *a, const char *b);

struct wait_threads *wait_threads_new(const struct wait_threads_request *request);
void wait_threads_free(struct wait_threads *threads);
AUTO_DEFINE(wait_threads)

#endif
