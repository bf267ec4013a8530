/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacks of samples whose branch stack is hardware's stack of calls (perf record --call-graph lbr). */
#ifndef STACK_BRANCHES_H
#define STACK_BRANCHES_H

#include "perfdata_reader.h"
#include "stacks.h"
#include "unwind.h"

/* The event's branches are calls that have not returned. */
bool stack_branches_can(const struct perf_attr *attr);

/* They are of any kind, and its samples have neither that nor a call chain nor a copy of the stack. */
bool stack_branches_only(const struct perf_attr *attr);

/* Entries of the machine's branch stack, as the session's list of its capabilities says; 32 where it does not. */
size_t stack_branches_depth(const struct perfdata_reader *reader);

/* Puts the sample's user frames in the place of those among the `n` that are there; returns how many there are then.  Adds to
 * by_way (enum unwind_way).  *ret_cut: the outermost frame was not reached. */
size_t stack_branches_join(const struct sample *sample, size_t depth, struct stack_frame *frames, size_t n,
                           uint64_t *by_way, bool *ret_cut);

#endif
