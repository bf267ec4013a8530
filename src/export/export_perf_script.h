/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples one by one as the text of `perf script`, for stackcollapse-perf.pl and other tools that parse it. */
#ifndef EXPORT_PERF_SCRIPT_H
#define EXPORT_PERF_SCRIPT_H

#include "err.h"
#include "export.h"
#include "named_stacks.h"
#include "perf_abi.h"
#include "sample_list.h"

struct export_script_event {
        const char *name;
        const struct perf_attr *attr;
        bool is_wanted;
};

struct export_script {
        const struct sample_list *samples;
        const struct named_stacks *stacks;
        const struct export_script_event *events; /* by number */
        size_t n_events;
};

/* With perf's default fields, as far as an event's samples have them.  Where a place is cut off or unknown it is what perf
 * writes; names cannot break a line. */
bool export_perf_script(const struct export_script *script, const struct export_sink *sink, struct err *err);

#endif
