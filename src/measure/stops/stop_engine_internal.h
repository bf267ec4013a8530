/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of the recorder's side of the engine. Used by the thread that drains the rings,
 * except where it says otherwise. */
#ifndef STOP_ENGINE_INTERNAL_H
#define STOP_ENGINE_INTERNAL_H

#include "map.h"
#include "stop_channel.h"
#include "stop_engine.h"
#include "stop_guardian.h"

/* How long after the end of a process or thread the ring may still hold samples of it. */
#define STOP_RING_NS 10000000000ull

/* What is known about a traced thread. */
struct stop_seen {
        uint64_t stopped_ns;  /* its last sample; 0 for none */
        uint64_t asked_ns;    /* when the guardian was last asked to check it */
        uint64_t ended_ns;    /* 0 while it runs */
        unsigned n_unstopped; /* samples of the ring since its last stop */
        /* The ring's samples of these times are kept. kept_to_ns is UINT64_MAX while it does not stop; both
         * 0: none. */
        uint64_t kept_from_ns, kept_to_ns;
};

/* A time in which a process was traced; the ring's samples of this time are dropped. */
struct stop_span {
        uint64_t from_ns, to_ns; /* to_ns is UINT64_MAX while it is traced */
        struct stop_span *older;
};

struct stop_engine {
        struct stop_channel *channel;
        int socket;
        struct stop_guardian_request guardian;
        pid_t apart; /* the guardian's process, without a command; 0 if it starts the command, or has ended */
        struct stop_python *python;
        bool has_ended;
        bool is_paced;                /* threads are stopped without events */
        uint64_t paced_ns;            /* since when */
        unsigned n_switches;          /* STOP_SWITCH commands that were sent */
        struct cursor round;          /* the messages that stop_engine_next goes through */
        struct map ids;               /* ids of the ring's event */
        struct map spans;             /* pid to its newest struct stop_span * */
        uint64_t swept_ns;            /* when old spans were last freed */
        uint64_t seen_swept_ns;       /* when old threads were */
        struct map seen;              /* tid to struct stop_seen * */
        uint64_t n_dropped, n_passed; /* samples of the ring's event that stops replace, and others */
        bool counts_losses;           /* the kernel counts what each event lost */
        struct deep_stacks *stacks;
};

/* --- stop_engine.c --- */

/* Asks the guardian to look at a thread of which the ring has samples and that does not stop. */
void stop_engine_check(struct stop_engine *engine, int32_t tid);

/* --- stop_refusal.c --- */

/* Sets the error for ptrace that the kernel refuses for the command. */
bool stop_refusal_say(int error, struct err *err);

/* --- stop_span.c: the ring's samples of traced processes --- */

void stop_span_begin(struct stop_engine *engine, int32_t pid, uint64_t time_ns);
void stop_span_end(struct stop_engine *engine, int32_t pid, uint64_t time_ns);
void stop_span_release(struct stop_engine *engine);

/* --- stop_seen.c: threads that do not stop --- */

/* Called when a thread begins, and when it has ended. */
void stop_seen_begin(struct stop_engine *engine, int32_t tid);
void stop_seen_end(struct stop_engine *engine, int32_t tid, uint64_t time_ns);

void stop_seen_stop(struct stop_engine *engine, int32_t tid, uint64_t time_ns);
void stop_seen_keep(struct stop_engine *engine, int32_t tid, uint64_t from_ns);
void stop_seen_keep_end(struct stop_engine *engine, int32_t tid, uint64_t to_ns);

/* Whether a sample of the ring has to be kept because the thread does not stop. */
bool stop_seen_keeps(struct stop_engine *engine, int32_t tid, uint64_t time_ns);
void stop_seen_release(struct stop_engine *engine);

#endif
