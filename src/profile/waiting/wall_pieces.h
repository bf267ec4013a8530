/* SPDX-License-Identifier: BSD-3-Clause */
/* All of wall time in pieces: each sample and each reading of a session stands for a part of its thread's
 * time in a state. Times on and off a CPU are exact, from the kernel's switches. What threads waited for is
 * known of the waits that were read: long ones whole, short ones as a sample. */
#ifndef WALL_PIECES_H
#define WALL_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "attributes.h"
#include "cpu_spans.h"
#include "lock_rows.h"
#include "named_stacks.h"
#include "sample_list.h"
#include "sched_log.h"
#include "strips.h"
#include "syscall_rows.h"
#include "task_section.h"
#include "waker_rows.h"
#include "wall_states.h"

/* A function that pieces count for. */
struct wall_name {
        const char *name; /* never NULL */
        const char *file; /* of Python: its source; else the module's path */
        bool is_python;
};

struct wall_piece {
        uint64_t time_ns; /* of its sample or reading */
        uint64_t ns;      /* what it stands for */
        /* When that was: of a wait that was read whole, its time; of others the time around. */
        uint64_t from_ns, to_ns;
        int32_t pid, tid;
        uint32_t function; /* index + 1; 0: not known */
        uint32_t line;     /* of a function of Python; 0: not known */
        uint32_t holder;   /* of state GIL: the function that had the GIL, index + 1; 0: not known */
        uint8_t state;
        uint8_t idle_call; /* what an idle thread does, index + 1; 0: not known */
        bool is_reading;
        bool is_sampled;  /* a short wait, which stands for all short ones of its thread */
        bool has_gil;     /* the thread has the GIL; of samples only if knows_gil */
        bool is_timed;    /* without sample or reading, and yet at known times */
        bool is_cut;      /* without callers: the thread went on while it was read */
        bool lacks_tasks; /* of its loop, which were not read */
        bool is_poll;     /* a loop of events waits for them */
        /* For the reader of the session: it has been read, and its sample passed the filter. */
        bool is_seen, is_taken;
        bool is_shown; /* and its state did, too */
};

enum { WALL_MAX_IDLE_CALLS = 8 };

struct wall_pieces {
        struct wall_piece *items; /* by thread, then time; of a sample one for each state */
        size_t n;
        struct wall_piece *stackless; /* by time: what has neither sample nor reading; with is_timed its
                                         times, else the sum of a thread, at its first time */
        size_t n_stackless;
        struct wall_name *functions;
        size_t n_functions;
        const char *idle_calls[WALL_MAX_IDLE_CALLS];
        size_t n_idle_calls;
        uint64_t elapsed_ns;       /* of the session */
        bool knows_gil;            /* it was recorded at samples who has the GIL */
        struct waker_rows *wakers; /* if they were asked for; so are: */
        struct syscall_rows *syscalls;
        struct lock_rows *locks;
        struct arena texts;
};

/* Rows of waits, besides pieces. */
enum {
        WALL_WANTS_WAKERS = 1,
        WALL_WANTS_SYSCALLS = 2,
        WALL_WANTS_LOCKS = 4,
};

struct wall_request {
        const struct wait_section *waits;  /* NULL: wperf did not record it */
        const struct task_section *tasks;  /* of asyncio; NULL: none */
        const struct sched_events *events; /* of the session; whether its samples are waits */
        const struct sched_waking *wakings;
        size_t n_wakings;
        const struct named_stacks *named;
        const struct sample_list *samples; /* all of the session */
        struct cpu_spans *spans;           /* are grouped by thread */
        uint32_t waiting_event;            /* the event of the readings; all others are on a CPU */
        uint32_t cpu_event;                /* the event whose samples divide the time on CPUs */
        bool is_paced; /* switches were not recorded: times are those between looks at a thread */
        /* Where the scheduler's switches are not recorded, the time for which a sample stands: this, or
         * its weight if it is 0. */
        uint64_t cpu_sample_ns;
        unsigned wants; /* a set of WALL_WANTS_...; for these: */
        /* Whether these waits of a thread are to count. */
        bool (*counts_wait)(void *ctx, int32_t pid, int32_t tid, unsigned state);
        const char *(*thread_name)(void *ctx, int32_t pid, int32_t tid); /* never NULL */
        void *ctx;
        uint64_t rows_from_ns, rows_to_ns; /* only in these times; 0: all */
        enum waiters_by waiters_by;        /* whose rows those of system calls and locks are */
        enum arch_id arch;                 /* of the machine that recorded them */
        uint64_t elapsed_ns;               /* of the recording; 0: not known */
};

/* The time for which each sample of an event stands; 0: its weight. */
uint64_t wall_pieces_sample_ns(const struct perf_attr *attr);

/* NULL if the session has neither switches nor readings. Keeps nothing of the request. */
struct wall_pieces *wall_pieces_new(const struct wall_request *request);
void wall_pieces_free(struct wall_pieces *pieces);
AUTO_DEFINE(wall_pieces)

/* When threads waited or were ready to run, by thread, then time. free() it. */
struct strip_state *wall_pieces_states(const struct wall_pieces *pieces, bool only_shown, size_t *ret_n);

/* The first piece of the thread's samples, or of its readings, at this time; n if there is none. */
size_t wall_pieces_find(const struct wall_pieces *pieces, int32_t tid, uint64_t time_ns, bool is_reading);

#endif
