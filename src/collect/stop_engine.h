/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of interpreters by stopping the thread: an event with attr.sigtrap stops a traced thread where it overflows, its
 * registers and stack are copied, and the thread goes on.  Its samples have the layout of the ring's first event, in whose
 * place they stand.
 *
 * All waiting for children of this process is done by the engine's thread between open and end, since it would otherwise take
 * the stops of traced threads from it. */
#ifndef STOP_ENGINE_H
#define STOP_ENGINE_H

#include "linux_internal.h"
#include "stop_thread.h"

struct stop_engine;
struct stop_python; /* stop_python.h */
struct deep_stack;  /* linux_unwinder.h */

struct stop_request {
        const struct opened_event
                *event;            /* kept by the caller: the ring's event whose samples are taken by stops */
        const struct child *child; /* kept by the caller: a command that has not begun */
        bool is_on;                /* the events, at first */
        /* Called on the engine's thread while the thread stands.  NULL: nobody wants it. */
        void (*on_stop)(void *ctx, const struct stop_thread *thread);
        /* On the same thread, when no thread runs the image any more: its process has ended, or runs another program.  NULL too. */
        void (*on_end)(void *ctx, uint32_t image);
        void *ctx;
};

/* Whether samples of an event with this attribute can be taken by stops. */
bool stop_engine_serves(const struct perf_attr *attr);

/* Traces the command.  NULL: the kernel or the machine does not allow it; one sentence why. */
struct stop_engine *stop_engine_open(const struct stop_request *request, struct err *err);

/* The same where `request` asks for it and the events that were opened allow it.  NULL: not, and `note` says why unless nobody
 * asked. */
struct stop_engine *stop_engine_choose(const struct collect_request *request, const struct opened *opened,
                                       const struct child *child, struct stop_python *python,
                                       struct buf *note);

/* Appends to a heading that something was traced; NULL: nothing was. */
void stop_engine_tell(struct stop_engine *engine, struct buf *note);

/* Lets all threads that are traced go on, and waits for the engine's threads.  Samples and counts stay valid.  The status of
 * the command, if it has ended, goes to `child`. */
void stop_engine_end(struct stop_engine *engine, struct child *child);

/* After the end. */
void stop_engine_free(struct stop_engine *engine);
AUTO_DEFINE(stop_engine)

/* Turns the events on or off. */
void stop_engine_switch(struct stop_engine *engine, bool on);

/* True when the command has ended: its status is in `child` then. */
bool stop_engine_reap(struct stop_engine *engine, struct child *child);

/* Leaves out the samples of the ring for which there are stops: those of the same event, in user mode, of processes that were traced
 * at their time. */
struct ring_filter stop_engine_filter(struct stop_engine *engine);

/* Appends the samples since the last call, in order of time. */
void stop_engine_take(struct stop_engine *engine, struct buf *records);

/* The stack of a sample whose record had no room for it; asked for in order of time.  False: there is none.  For
 * unwinder_set_stacks; `ctx` is the engine. */
bool stop_engine_take_stack(void *ctx, int32_t tid, uint64_t time_ns, struct deep_stack *ret);

/* Why interpreters that the command starts are not traced; "" where they are. */
const char *stop_engine_watch_note(const struct stop_engine *engine);

/* A process has mapped a Python library, as the ring says. */
void stop_engine_see_map(struct stop_engine *engine, struct cursor record);

/* Names of programs that may have run without their privilege, comma separated; valid until the engine is freed, whole after its
 * end. */
const char *stop_engine_unprivileged(struct stop_engine *engine);

struct stop_counts stop_engine_counts(struct stop_engine *engine);

#endif
