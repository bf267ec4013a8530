/* SPDX-License-Identifier: BSD-3-Clause */
/* Merges the native frames and the Python frames of a sample to one chain, in which the line of each Python
 * frame has an address: python_section.h. */
#ifndef STOP_MERGE_H
#define STOP_MERGE_H

#include "buf.h"
#include "python_section.h"
#include "record.h"
#include "stop_python.h"
#include "unwind.h"

struct stop_merge;

/* `symbols_path` is the absolute path of FILE.pysyms; both arguments belong to the caller. */
struct stop_merge *stop_merge_new(struct stop_python *python, const char *symbols_path);
void stop_merge_free(struct stop_merge *merge);
AUTO_DEFINE(stop_merge)

/* Call before the sample's record is written: takes its Python frames, and appends the record that maps
 * FILE.pysyms if the process does not have it yet, and one with the thread's name in its program if that is
 * new. Samples must come in order of time. */
void stop_merge_begin(struct stop_merge *merge, const struct perf_attr *attr, const struct sample *sample,
                      struct buf *out);

/* The time by which the sample's deep stack is known: stop_merge_begin may have taken a stack whose time is
 * not exactly that of its sample. */
uint64_t stop_merge_time(const struct stop_merge *merge, uint64_t sample_ns);

/* Call after the walk of each native stack, also of samples that no stop has made: what is counted is every
 * sample of a process that runs CPython, but for stopped threads without Python frames. `in_user` is false
 * for samples in the kernel; `is_in_python`: a frame is in the file of an interpreter. */
void stop_merge_see(struct stop_merge *merge, bool in_user, bool is_in_python);

/* A process executes another program, or is forked. */
void stop_merge_see_exec(struct stop_merge *merge, int32_t pid);
void stop_merge_see_fork(struct stop_merge *merge, int32_t pid, int32_t parent);

/* Appends at most `max_words` addresses: `n` native frames, innermost first, and the Python frames that they
 * run. `walk_end` says whether the native frames reach the outermost one, or why not. False if the outermost
 * frames did not fit. */
bool stop_merge_add(struct stop_merge *merge, const struct unwind_frame *natives, size_t n,
                    enum unwind_end walk_end, size_t max_words, struct buf *out);

/* Sets what tells the path of the file that an address of a process is in; NULL if it is in none. */
void stop_merge_set_paths(struct stop_merge *merge,
                          const char *(*path_of)(void *ctx, int32_t pid, uint64_t addr), void *ctx);

/* Samples with this id have their stacks in `waits`, which belongs to the caller. */
void stop_merge_set_waits(struct stop_merge *merge, struct stop_python *waits, uint64_t id);

/* Sets what sees the stack of each sample that has one, but for the samples of stop_merge_set_waits. */
void stop_merge_on_stack(struct stop_merge *merge,
                         void (*see)(void *ctx, const struct sample *sample,
                                     const struct stop_python_stack *stack),
                         void *ctx);

/* The stacks come from the kernel's event itself: stop_python_take_near. */
void stop_merge_set_near(struct stop_merge *merge);

/* Whether the last chain ends where a coroutine was started, so that it is whole whatever `walk_end` was. */
bool stop_merge_is_bounded(const struct stop_merge *merge);

/* For the session; valid until the next sample. */
struct python_places *stop_merge_places(struct stop_merge *merge);
const struct python_counts *stop_merge_counts(struct stop_merge *merge);

#endif
