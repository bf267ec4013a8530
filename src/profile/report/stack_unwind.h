/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds user frames of samples that have more than a call chain: registers and a copy of the stack (perf
 * record --call-graph dwarf), unwound with the files of the session's modules or when the session was
 * archived; or the hardware's record of calls (lbr). */
#ifndef STACK_UNWIND_H
#define STACK_UNWIND_H

#include "attributes.h"
#include "module_source.h"
#include "stack_archive.h"
#include "stacks.h"
#include "unwind.h"

struct stack_unwind;

/* Keeps pointers to its arguments. */
struct stack_unwind *stack_unwind_new(struct world *world, struct module_source *modules,
                                      const struct perfdata_reader *reader);
void stack_unwind_free(struct stack_unwind *unwind);
AUTO_DEFINE(stack_unwind)

/* Stacks that were packed into the session are used before files; kept by the caller. */
void stack_unwind_use_archive(struct stack_unwind *unwind, const struct stack_archive *archive);

/* Ends that were packed into the session (FEATURE_WPERF_ENDS) are used before files. */
void stack_unwind_use_ends(struct stack_unwind *unwind, struct cursor section);

/* Adds the end of every later chain to a section; kept by the caller. */
void stack_unwind_pack_ends(struct stack_unwind *unwind, struct buf *section);

/* Adds every later stack to the archive; kept by the caller. */
void stack_unwind_pack(struct stack_unwind *unwind, struct stack_archive_writer *writer);

/* Whether samples of the event have more than a call chain. */
bool stack_unwind_can(const struct perf_attr *attr);

struct stack_sample {
        const struct perf_attr *attr;
        const struct sample *sample;
        uint64_t number; /* index among the samples of all events, in the order of the file */
};

/* Adds the user frames of a sample to the `n` frames of its chain, up to STACKS_MAX_FRAMES; returns the new
 * number of frames. has_user: the chain contains user code.  *ret_cut: the outermost frame was not
 * reached. */
size_t stack_unwind_add(struct stack_unwind *unwind, const struct stack_sample *of,
                        struct stack_frame *frames, size_t n, bool has_user, bool *ret_cut);

/* Whether a stack is complete. */
enum stack_whole {
        STACK_WHOLE,    /* where processes and threads begin */
        STACK_CUT,      /* its outermost frame has a caller that is missing */
        STACK_UNJUDGED, /* not known: the file of the last module can't be read */
};

/* Judges by the place of the outermost frame; is_return: the place is the byte before a return address. */
enum stack_whole stack_unwind_judge(struct stack_unwind *unwind, module_id module, uint64_t offset,
                                    bool is_return);

/* Numbers of frames by method (enum unwind_way), and of walks by end (enum unwind_end). */
struct stack_unwind_counts {
        uint64_t by_way[UNWIND_N_WAYS];
        uint64_t by_end[STACK_ARCHIVE_MAX_KINDS]; /* including ends that only a later version knows */
};
struct stack_unwind_counts stack_unwind_get_counts(const struct stack_unwind *unwind);

#endif
