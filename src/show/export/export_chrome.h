/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples over time as a trace of Chrome's tracing, which Perfetto and chrome://tracing show:
 * https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU */
#ifndef EXPORT_CHROME_H
#define EXPORT_CHROME_H

#include "buf.h"
#include "export.h"
#include "named_stacks.h"
#include "sample_list.h"

struct export_chrome {
        const struct sample_list *samples;
        const struct named_stacks *stacks;
        const struct export_about *about;
        uint32_t event;    /* the event whose samples are written */
        bool python_lines; /* each line of a Python function is a slice of its own */
};

/* A slice for each function, from the first to the last of neighbouring samples that it is in; where another
 * one follows at once, it ends a microsecond earlier.  Times are whole microseconds, so that readers that
 * count in floating point see the ends of caller and callee in their order.  False if the sink fails. */
bool export_chrome(const struct export_chrome *trace, const struct export_sink *sink, struct err *err);

#endif
