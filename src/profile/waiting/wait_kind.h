/* SPDX-License-Identifier: BSD-3-Clause */
/* What a thread waits for: from its system call, the object of the call, and the functions that wait. */
#ifndef WAIT_KIND_H
#define WAIT_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "wait_section.h"

/* States of a thread, and kinds of waiting. */
enum wait_kind {
        WAIT_KIND_ON_CPU, /* it runs, or waits for a CPU: `is_runnable` */
        WAIT_KIND_IDLE,   /* it waits for work */
        WAIT_KIND_GIL,
        WAIT_KIND_LOCK,
        WAIT_KIND_DISK,
        WAIT_KIND_FAULT,
        WAIT_KIND_NETWORK,
        WAIT_KIND_PIPE,
        WAIT_KIND_CHILD,
        WAIT_KIND_SLEEP,
        WAIT_KIND_TERMINAL,
        WAIT_KIND_OTHER,
        WAIT_KIND_UNKNOWN, /* what it waits for was not recognised */
        WAIT_N_KINDS,
};

/* The word for tables and JSON, as "network". */
const char *wait_kind_word(enum wait_kind kind);

/* A function of a thread's stack; names are never NULL. */
struct wait_function {
        const char *name; /* without arguments */
        const char *file; /* of Python: its source; else the module's path */
        uint32_t line;    /* of Python; 0: not known */
        bool is_python, is_kernel;
};

struct wait_verdict {
        enum wait_kind kind;
        int32_t owner;      /* tid of the thread that has the lock; 0: none is known */
        bool owner_is_gone; /* the owner's thread does not exist any more */
        bool is_runnable;   /* with WAIT_KIND_ON_CPU: it is ready to run, and waits for a CPU */
        /* Of WAIT_KIND_LOCK and WAIT_KIND_GIL: */
        const char *lock; /* what is waited for, as "mutex"; a Python function, if that says it; else NULL */
        uint64_t lock_address; /* 0: not known */
};

/* What a thread waits for. `functions` are innermost first. `find_thread` gives the tid of the thread that
 * its process knows by the number `inner_tid`; 0 if there is none; NULL: not asked for.
 * Appends what it does in words, as "waits
 * for a mutex, held by 4714". */
struct wait_verdict wait_kind_decide(const struct wait_reading *reading,
                                     const struct wait_function *functions, size_t n,
                                     int32_t (*find_thread)(void *ctx, int32_t inner_tid), void *ctx,
                                     struct buf *text);

#endif
