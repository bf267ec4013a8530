/* SPDX-License-Identifier: BSD-3-Clause */
/* What wall_pieces.c divides: the spans, readings and samples of a session, by thread and time. */
#ifndef WALL_MAKING_H
#define WALL_MAKING_H

#include "map.h"
#include "wall_pieces.h"

/* The function that a stack counts for. */
struct wall_at {
        uint32_t function; /* the index + 1; 0: the stack has none */
        uint32_t line;
        bool is_gc;   /* CPython collects garbage */
        bool is_poll; /* an event loop waits for events */
};

/* A wait whose stack is known: one that was read, or a sample of the thread that left its CPU. */
struct wall_reading {
        uint64_t time_ns;
        uint64_t look_ns;        /* since the thread was looked at before; 0: all of its waits are known */
        uint64_t weight_ns;      /* of the wait */
        uint64_t ready_ns;       /* after it, or instead of it: the thread was ready to run */
        uint64_t from_ns, to_ns; /* of the wait */
        uint64_t n_waits;        /* for how many waits it stands, estimated */
        int32_t pid, tid;
        int32_t gil_holder; /* 0: not known */
        int32_t owner;      /* of the lock that is waited for; 0: not known */
        uint32_t node;
        struct wall_at at;
        const char *lock;      /* as in struct wait_verdict */
        uint64_t lock_address; /* 0: not known */
        uint8_t kind, idle_call;
        bool is_short;    /* the wait was shorter than the time between two looks */
        bool is_cut;      /* the thread went on while it was read */
        bool has_gil;     /* the thread has the GIL */
        bool lacks_tasks; /* of its loop, which were not read */
        bool is_switch;   /* a sample of the switch at the wait's beginning */
        bool is_given;    /* a sample with the wait's length */
};

struct wall_sample {
        int32_t tid, pid;
        uint64_t time_ns, weight;
        uint32_t node;
        struct wall_at at; /* of samples on a CPU */
        bool lacks_gil;    /* it is known that the thread did not have the GIL */
        bool has_gil;      /* it is known that it had it */
};

/* What waits with a stack are. */
struct wall_decided {
        uint8_t kind, idle_call;
        const char *lock; /* as in struct wait_verdict */
};

/* A wait until the thread was woken. */
struct wall_wait {
        uint64_t from_ns, to_ns;
        int32_t pid, tid;
        uint32_t node; /* NAMED_NONE: its stack is not recorded */
        uint8_t kind;
};

struct wall_making {
        struct wall_pieces *pieces;
        size_t cap_pieces, cap_stackless, cap_functions;
        const struct wall_request *request;
        const struct cpu_span *spans; /* by thread, then time; they belong to the request */
        size_t n_spans;
        struct wall_reading *readings; /* by thread, then time */
        size_t n_readings;
        struct wall_sample *samples; /* on a CPU, by thread, then time */
        size_t n_samples;
        struct wall_sample *wakes; /* stacks of those that woke others, by thread, then time */
        size_t n_wakes;
        struct wall_wait *waits; /* if it is asked who ended them */
        size_t n_waits, cap_waits;
        uint64_t from_ns, to_ns;
        struct map functions; /* hash of name and file to index + 1 */
        struct map nodes;     /* node << 1, with 1 if it waits, to the index of its function + 1 */
        struct map by_stack;  /* event << 32 | node to the index of what a wait is + 1: */
        struct wall_decided *decided;
        size_t n_decided, cap_decided;
};

/* The samples and readings of `making->request`, in addition to those that it has; and their functions. */
void wall_making_take(struct wall_making *making);
/* Before the samples of another request. */
void wall_making_forget_nodes(struct wall_making *making);
void wall_making_release(struct wall_making *making);

/* Forgets what was before `now_ns`, except the readings in `lasting`, which become readings at that time; `n`
 * of them. What they point to is copied. */
void wall_making_begin_anew(struct wall_making *making, uint64_t now_ns, const struct wall_reading *lasting,
                            size_t n);

/* Uses the spans, which are grouped by thread. */
void wall_making_set_spans(struct wall_making *making, const struct cpu_span *spans, size_t n);

/* Divides what was taken into pieces; wall_pieces.c. */
void wall_pieces_divide(struct wall_making *making);

/* The first reading or sample of the thread at or after a time, or one of another thread; n_readings or
 * n_samples if there is none. */
size_t wall_making_find_reading(const struct wall_making *making, int32_t tid, uint64_t ns);
size_t wall_making_find_sample(const struct wall_making *making, int32_t tid, uint64_t ns);

/* When the thread was woken in this time; `to_ns` if that is not recorded. */
uint64_t wall_making_find_waking(const struct wall_making *making, int32_t tid, uint64_t from_ns,
                                 uint64_t to_ns);

/* The waking at this time, and the last one before a time; NULL: there is none. */
const struct sched_waking *wall_making_waking(const struct wall_making *making, int32_t tid, uint64_t ns);
const struct sched_waking *wall_making_waking_before(const struct wall_making *making, int32_t tid,
                                                     uint64_t ns);

/* The stack of the thread that woke another one; NAMED_NONE: it is not recorded. */
uint32_t wall_making_waking_node(const struct wall_making *making, const struct sched_waking *waking);

/* The part of a wait's time in the request's rows_from_ns and rows_to_ns: of `ns`, which it has from
 * `from_ns` to `to_ns`. */
uint64_t wall_making_part(const struct wall_making *making, uint64_t from_ns, uint64_t to_ns, uint64_t ns);

struct wall_at wall_making_function_of(struct wall_making *making, uint32_t node, bool is_wait);

/* The function that a thread ran nearest to a time, index + 1; 0: not known. */
uint32_t wall_making_running_of(struct wall_making *making, int32_t tid, uint64_t ns);

/* The function that had the GIL during a reading, index + 1; 0: not known. */
uint32_t wall_making_holder_of(struct wall_making *making, const struct wall_reading *reading);

#endif
