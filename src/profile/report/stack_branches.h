/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacks of samples with the hardware's record of calls (LBR; perf record --call-graph lbr). */
#ifndef STACK_BRANCHES_H
#define STACK_BRANCHES_H

#include "perfdata_reader.h"
#include "stacks.h"
#include "unwind.h"

/* Whether the event's branches are calls that have not returned. */
bool stack_branches_can(const struct perf_attr *attr);

/* Whether the event's branches are of any kind, and its samples have no record of calls, call chain or copy
 * of the stack. */
bool stack_branches_only(const struct perf_attr *attr);

/* Number of entries in the machine's branch stack, from the capabilities in the session; 32 if these do not
 * contain it. */
size_t stack_branches_depth(const struct perfdata_reader *reader);

/* Replaces the user frames among the `n` frames by the frames of the sample's branch stack; returns the new
 * number of frames. Adds to by_way (enum unwind_way).  *ret_cut: the outermost frame was not reached. */
size_t stack_branches_join(const struct sample *sample, size_t depth, struct stack_frame *frames, size_t n,
                           uint64_t *by_way, bool *ret_cut);

#endif
