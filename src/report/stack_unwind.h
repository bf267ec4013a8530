/* SPDX-License-Identifier: BSD-3-Clause */
/* User frames of samples that hold more than a chain: registers and a copy of the stack (perf record --call-graph dwarf), walked
 * over the files of the session's modules or as they were when the session was archived, or hardware's stack of calls (lbr). */
#ifndef STACK_UNWIND_H
#define STACK_UNWIND_H

#include "attributes.h"
#include "module_source.h"
#include "stack_archive.h"
#include "stacks.h"
#include "unwind.h"

struct stack_unwind;

/* Keeps its arguments. */
struct stack_unwind *stack_unwind_new(struct world *world, struct module_source *modules,
                                      const struct perfdata_reader *reader);
void stack_unwind_free(struct stack_unwind *unwind);
AUTO_DEFINE(stack_unwind)

/* Walks that were packed into the session come before files; kept by the caller. */
void stack_unwind_use_archive(struct stack_unwind *unwind, const struct stack_archive *archive);

/* Verdicts that were packed into the session (FEATURE_WPERF_ENDS) come before files. */
void stack_unwind_use_ends(struct stack_unwind *unwind, struct cursor section);

/* Adds every verdict to come to a section; kept by the caller. */
void stack_unwind_pack_ends(struct stack_unwind *unwind, struct buf *section);

/* Adds every walk to come to what is packed; kept by the caller. */
void stack_unwind_pack(struct stack_unwind *unwind, struct stack_archive_writer *writer);

/* Whether samples of the event have more than a chain. */
bool stack_unwind_can(const struct perf_attr *attr);

struct stack_sample {
        const struct perf_attr *attr;
        const struct sample *sample;
        uint64_t number; /* of all events, in the order of the file, from 0 on */
};

/* Adds the user frames of a sample to the `n` of its chain, of which there is room for STACKS_MAX_FRAMES; returns how many
 * there are then.  has_user: some of the chain are of user code.  *ret_cut: the outermost frame was not reached. */
size_t stack_unwind_add(struct stack_unwind *unwind, const struct stack_sample *of,
                        struct stack_frame *frames, size_t n, bool has_user, bool *ret_cut);

/* What is known of where a stack ends. */
enum stack_whole {
        STACK_WHOLE,    /* where processes and threads begin */
        STACK_CUT,      /* its outermost frame was called by something */
        STACK_UNJUDGED, /* in a module whose file can't be read */
};

/* By the place of its outermost frame; is_return: a call before it returns behind the place. */
enum stack_whole stack_unwind_judge(struct stack_unwind *unwind, module_id module, uint64_t offset,
                                    bool is_return);

/* How the frames so far were found (enum unwind_way), and how the walks ended (enum unwind_end). */
struct stack_unwind_counts {
        uint64_t by_way[UNWIND_N_WAYS];
        uint64_t by_end[STACK_ARCHIVE_MAX_KINDS]; /* also of ends that only a later version knows */
};
struct stack_unwind_counts stack_unwind_get_counts(const struct stack_unwind *unwind);

#endif
