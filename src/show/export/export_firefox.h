/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples over time as a file of the Firefox Profiler: its processed format, version 60, as described in
 * docs-developer/ and src/types/profile.ts of https://github.com/firefox-devtools/profiler. */
#ifndef EXPORT_FIREFOX_H
#define EXPORT_FIREFOX_H

#include "export.h"
#include "named_stacks.h"
#include "sample_list.h"

/* A thread was in a state, in a session with states. */
struct export_state {
        uint64_t from_ns, to_ns; /* by the session's clock */
        int32_t tid;
        const char *word; /* "network" */
};

struct export_firefox {
        const struct sample_list *samples;
        const struct named_stacks *stacks;
        const struct export_about *about;
        const char *arch;                  /* architecture, as in "x86_64"; NULL: not known */
        uint32_t event;                    /* the event whose samples are written */
        uint64_t interval_ns;              /* between two samples of a thread that runs; 0: not known */
        bool weights;                      /* use event counts instead of numbers of samples */
        const struct export_state *states; /* by thread, then time */
        size_t n_states;
};

/* Threads are in the order of their first samples; times count from the first sample. */
void export_firefox(const struct export_firefox *profile, struct buf *out);

#endif
