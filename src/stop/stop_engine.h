/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples interpreters by stopping the thread: an event with attr.sigtrap stops a traced thread when it
 * overflows, its registers and stack are copied, and the thread continues. The samples have the layout of the
 * ring's event, whose samples they replace.
 *
 * Between open and end, only the engine's thread may wait for children of this process; otherwise it would
 * miss the stops of traced threads. */
#ifndef STOP_ENGINE_H
#define STOP_ENGINE_H

#include "linux_events.h"
#include "linux_processes.h"
#include "stop_counts.h"
#include "stop_thread.h"

struct stop_engine;
struct stop_frames; /* stop_frames.h */

struct stop_request {
        /* the ring's event whose samples are taken by stops; belongs to the caller */
        const struct opened_event *event;
        const struct child *child; /* a command that does not run yet; belongs to the caller */
        bool is_on;                /* whether the events are enabled at first */
        /* Called on the engine's thread, with its lock held, while `thread` is stopped. May be NULL. */
        void (*on_stop)(void *ctx, const struct stop_thread *thread);
        /* Called on the same thread, without the lock, when no thread runs the image any more, because its
         * process ended or executed another program. May be NULL. */
        void (*on_end)(void *ctx, uint32_t image);
        void *ctx;
};

/* Whether samples of an event with this attribute can be taken by stops. */
bool stop_engine_serves(const struct perf_attr *attr);

/* Traces the command. Returns NULL and sets an error of one sentence if the kernel or the machine does not
 * allow it. */
struct stop_engine *stop_engine_open(const struct stop_request *request, struct err *err);

/* Opens the engine if `request` asks for it and the opened events allow it. Otherwise returns NULL, and
 * appends the reason to `note` if the user asked for the engine. */
struct stop_engine *stop_engine_choose(const struct collect_request *request, const struct opened *opened,
                                       const struct child *child, struct stop_frames *frames,
                                       struct buf *note);

/* Appends to the note for the report's header what was traced. `engine` may be NULL. */
void stop_engine_tell(struct stop_engine *engine, struct buf *note);

/* Lets all traced threads continue and ends the engine's threads. Samples and counts remain valid. If the
 * command has ended, stores its status in `child`. */
void stop_engine_end(struct stop_engine *engine, struct child *child);

/* Call after stop_engine_end. */
void stop_engine_free(struct stop_engine *engine);
AUTO_DEFINE(stop_engine)

/* Enables or disables the events. */
void stop_engine_switch(struct stop_engine *engine, bool on);

/* True if the command has ended; then its status is in `child`. */
bool stop_engine_reap(struct stop_engine *engine, struct child *child);

/* A filter that drops the ring's samples that stops replace: those of the same event, in user mode, of
 * processes that were traced at that time. */
struct ring_filter stop_engine_filter(struct stop_engine *engine);

/* Puts the samples since the last call into `records`, in order of time, in place of its content. */
void stop_engine_take(struct stop_engine *engine, struct buf *records);

/* A stack copy that does not fit into the sample's record. */
struct deep_stack {
        bool is_left_out; /* not copied, because too many stack copies waited to be unwound */
        struct buf bytes; /* from the stack pointer on */
        bool is_whole;
        uint64_t used_size; /* size of the stack if it was not copied or exceeds DEEP_STACK_LIMIT; else 0 */
};

/* Takes the stack copy of a sample; call in order of time. False if there is none. For unwinder_set_stacks;
 * `ctx` is the engine. Release ret->bytes. */
bool stop_engine_take_stack(void *ctx, int32_t tid, uint64_t time_ns, struct deep_stack *ret);

/* Why Python programs that the command starts are not traced; "" if they are. */
const char *stop_engine_watch_note(const struct stop_engine *engine);

/* Reports a map record of the ring, to find a Python library. */
void stop_engine_see_map(struct stop_engine *engine, struct cursor record);

/* Names of programs that may have run without their privilege, and of Python programs that could not be
 * traced, separated by commas. Valid until the engine is freed, complete after its end. */
const char *stop_engine_unprivileged(const struct stop_engine *engine);
const char *stop_engine_refused(const struct stop_engine *engine);

struct stop_counts stop_engine_counts(struct stop_engine *engine);

#endif
