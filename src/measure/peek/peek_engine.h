/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads Python frames while the program runs, by process_vm_readv: for processes that another program traces.
 * The samples are the ring's. The frames are approximate: they may be of a moment after the sample, and what
 * has changed between two readings is left out. */
#ifndef PEEK_ENGINE_H
#define PEEK_ENGINE_H

#include "linux_events.h"
#include "stop_python.h"

struct peek_engine;

/* Why what is requested can't be served; NULL if it can. */
const char *peek_engine_lacks(const struct collect_request *request);

/* Why processes can't be stopped, but may be read: another program traces one of them, or the kernel refuses
 * ptrace, or has no events that stop threads. False if none is so. */
bool peek_engine_is_needed(const int32_t *pids, size_t n_pids, struct buf *ret_why);

/* `python` takes what is read. The rings and the events belong to the caller; linux_attr_make has made the
 * attributes for COLLECT_PEEK. */
struct peek_engine *peek_engine_new(struct stop_python *python, const struct opened *opened,
                                    const struct ring *rings);
void peek_engine_free(struct peek_engine *engine);
AUTO_DEFINE(peek_engine)

/* Starts a thread for each ring. */
bool peek_engine_start(struct peek_engine *engine, struct err *err);

/* Ends the threads, which look at what is in the rings for the last time. */
void peek_engine_end(struct peek_engine *engine);

/* Lets the threads look at what is in all rings now; waits some milliseconds for it at most. Only samples
 * wake them, and records of one ring may need those of another one, as a process that begins on two CPUs. */
void peek_engine_catch_up(struct peek_engine *engine);

/* The end of the records of a ring whose samples were read; only these may be freed. */
uint64_t peek_engine_seen(const struct peek_engine *engine, size_t ring);

/* Readable when the rings should be emptied soon. */
int peek_engine_fd(const struct peek_engine *engine);

/* Appends to the note for the report's header how late the frames were. Call at the end. */
void peek_engine_tell(const struct peek_engine *engine, struct buf *note);

#endif
