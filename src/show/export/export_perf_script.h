/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes each sample as the text of `perf script`, for stackcollapse-perf.pl and other programs that parse
 * it. */
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

/* Writes perf's default fields, if the event's samples have them.  Marks of cut stacks and unknown places
 * are written as perf writes them; line feeds in names are replaced. */
bool export_perf_script(const struct export_script *script, const struct export_sink *sink, struct err *err);

#endif
