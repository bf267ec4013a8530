/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples interpreters by stopping the thread: an event with attr.sigtrap stops a traced thread when it
 * overflows, its registers and stack are copied, and the thread continues. The samples have the layout of
 * the ring's event, whose samples they replace. The tracing is done by another process, the guardian
 * (stop_guardian.h). */
#ifndef STOP_ENGINE_H
#define STOP_ENGINE_H

#include "collect_request.h"
#include "deep_stack.h"
#include "linux_events.h"
#include "linux_processes.h"
#include "stop_counts.h"
#include "stop_thread.h"

struct stop_engine;
struct stop_python; /* stop_python.h */

/* Whether samples of an event with this attribute can be taken by stops. */
bool stop_engine_serves(const struct perf_attr *attr);

/* Why its stacks can't have Python frames, whatever the engine; NULL if they can. */
const char *stop_engine_lacks_stacks(const struct collect_request *request);

/* Makes an engine if the request may need one. Otherwise returns NULL, and appends the reason to `note`,
 * unless the request names another engine. */
struct stop_engine *stop_engine_prepare(const struct collect_request *request, struct buf *note);

/* Call before the command is started, which must happen by way of stop_engine_parent. */
struct stop_engine *stop_engine_new(struct err *err);
struct spawn_parent stop_engine_parent(struct stop_engine *engine);

/* Call instead of stop_engine_parent, before the events are opened, if processes that run already are
 * measured. `target` must outlive the engine. */
bool stop_engine_start(struct stop_engine *engine, const struct target *target, struct err *err);

/* Attaches to the interpreters among them; call when the ring's events are enabled. Without events it
 * attaches to all, and sets an error if it can attach to none. */
bool stop_engine_attach(struct stop_engine *engine, struct err *err);

/* Traces the command, which does not run yet, if the opened events and the machine allow it. Otherwise
 * returns false, and appends the reason to `note`. */
bool stop_engine_choose(struct stop_engine *engine, const struct collect_request *request,
                        const struct opened *opened, struct stop_python *python, struct buf *note);

/* Begins to trace. Sets an error of one sentence if the kernel or the machine does not allow it. `python`
 * takes what is read of interpreters. */
bool stop_engine_begin(struct stop_engine *engine, const struct opened_event *event, bool is_on,
                       struct stop_python *python, struct err *err);

/* The same without events, for all programs; sets an error of one sentence. */
bool stop_engine_choose_pace(struct stop_engine *engine, const struct collect_request *request,
                             const struct opened *opened, struct stop_python *python, struct err *err);

/* Appends to the note for the report's header what was traced. */
void stop_engine_tell(struct stop_engine *engine, struct buf *note);

/* The part of it about processes that could not be traced; also while it runs. */
void stop_engine_tell_refused(struct stop_engine *engine, struct buf *note);

/* Ends the tracing. Samples that wait are still to be taken. */
void stop_engine_end(struct stop_engine *engine, struct child *child);

/* The guardian ends with the command, if it has not ended yet; without one, when all threads run untraced. */
void stop_engine_free(struct stop_engine *engine);
AUTO_DEFINE(stop_engine)

/* Enables or disables the events. */
void stop_engine_switch(struct stop_engine *engine, bool on);

/* A filter that drops the ring's samples that stops replace: those of the same event, in user mode, of
 * processes that were traced at that time, as far as stop_engine_take has told. */
struct ring_filter stop_engine_filter(struct stop_engine *engine);

/* Takes what the guardian has told since the last call. Call it for each round, before the rings are
 * drained up to positions that were read before. */
void stop_engine_take(struct stop_engine *engine);

/* Readable when stop_engine_take should be called soon, because stack copies are large; -1 for none. */
int stop_engine_fd(const struct stop_engine *engine);

/* The next sample of the round, a record; NULL at the end. Valid until the next round. */
const uint8_t *stop_engine_next(struct stop_engine *engine, size_t *ret_bytes);

/* Stack copies that do not fit into the sample's record; they belong to the engine. */
struct deep_stacks *stop_engine_stacks(struct stop_engine *engine);

/* Why Python programs that the command starts are not traced; "" if they are. */
const char *stop_engine_watch_note(struct stop_engine *engine);

/* Reports a map record of the ring, to find a Python library. */
void stop_engine_see_map(struct stop_engine *engine, struct cursor record);

/* Names of programs that may have run without their privilege, and of Python programs that could not be
 * traced, separated by commas. Valid until the engine is freed; call after its end. */
const char *stop_engine_unprivileged(struct stop_engine *engine);
const char *stop_engine_refused(struct stop_engine *engine);

/* Why the first of the latter could not be traced. */
const char *stop_engine_why_refused(struct stop_engine *engine);

/* Of the samples that the ring lost, which the kernel only counts: how many no stop replaces, by the share
 * of those that came. */
uint64_t stop_engine_own_losses(const struct stop_engine *engine, uint64_t lost);

struct stop_counts stop_engine_counts(struct stop_engine *engine);

#endif
