/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples over time as a file of the Firefox Profiler: its processed format, version 60, as described in
 * docs-developer/ and src/types/profile.ts of https://github.com/firefox-devtools/profiler. */
#ifndef EXPORT_FIREFOX_H
#define EXPORT_FIREFOX_H

#include "export.h"
#include "named_stacks.h"
#include "sample_list.h"

struct export_firefox {
        const struct sample_list *samples;
        const struct named_stacks *stacks;
        const struct export_about *about;
        const char *arch;     /* architecture, as in "x86_64"; NULL: not known */
        uint32_t event;       /* the event whose samples are written */
        uint64_t interval_ns; /* between two samples of a thread that runs; 0: not known */
        bool weights;         /* use event counts instead of numbers of samples */
};

/* Threads are in the order of their first samples; times count from the first sample. */
void export_firefox(const struct export_firefox *profile, struct buf *out);

#endif
