/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads Python frames in the kernel: a BPF program runs at each sample of the ring's event and copies what
 * the thread's frames need, so that nothing stops.  The samples are the ring's. */
#ifndef BPF_ENGINE_H
#define BPF_ENGINE_H

#include "linux_events.h"
#include "linux_processes.h"
#include "stop_python.h"

struct bpf_engine;

/* Loads the program; `python` takes what it reads.  NULL with the reason, one sentence.  Starts no thread, so
 * that the command can be forked afterwards. */
struct bpf_engine *bpf_engine_new(struct stop_python *python, struct err *err);

/* Finds who has the GIL at each sample, too.  Call before bpf_engine_attach. */
void bpf_engine_want_holder(struct bpf_engine *engine);

/* Samples only this process, which does not run yet, and its descendants; otherwise all that the events
 * see. */
void bpf_engine_follow(struct bpf_engine *engine, int32_t pid);

/* Attaches it to the events, which are not enabled yet, and starts a thread.  The interpreters of the watched
 * processes are found before their first sample. */
bool bpf_engine_attach(struct bpf_engine *engine, const struct opened *opened,
                       const struct watched_list *watched, struct err *err);
void bpf_engine_free(struct bpf_engine *engine);
AUTO_DEFINE(bpf_engine)

/* Takes what the program has sent.  Call it for each round, after the positions of the rings were read. */
void bpf_engine_take(struct bpf_engine *engine);

/* Readable when bpf_engine_take should be called soon, because much has been sent. */
int bpf_engine_fd(const struct bpf_engine *engine);

/* Stacks that do not fit into the sample's record; they belong to the engine. */
struct deep_stacks *bpf_engine_stacks(struct bpf_engine *engine);

/* Appends to the note for the report's header what was lost, and why. Call at the end. */
void bpf_engine_tell(const struct bpf_engine *engine, struct buf *note);

#endif
