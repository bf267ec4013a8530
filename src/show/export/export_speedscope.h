/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples in the order of time as a file of speedscope: https://www.speedscope.app/file-format-schema.json */
#ifndef EXPORT_SPEEDSCOPE_H
#define EXPORT_SPEEDSCOPE_H

#include <stddef.h>

#include "buf.h"
#include "export.h"
#include "named_stacks.h"
#include "sample_list.h"

struct export_speedscope_event {
        uint32_t index; /* index in the session */
        const struct export_about *about;
};

struct export_speedscope {
        const struct sample_list *samples;
        const struct named_stacks *stacks;
        const struct export_speedscope_event *events;
        size_t n_events;   /* 1 or more */
        bool python_lines; /* each line of a Python function is a frame */
};

/* A "sampled" profile for each thread of each event, the busiest thread first; the profiles share the list
 * of frames.  A weight is the count of the event up to the sample.  If the event is a clock, an empty stack
 * fills the time between two samples that was not sampled, and a profile starts when its thread does,
 * counted from the start of the first thread.  A frame's file is its module; the name of an inlined
 * function is marked. */
void export_speedscope(const struct export_speedscope *profile, struct buf *out);

#endif
