/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples by latency, as perf report --latency: each stands for its period divided by the number of threads
 * that were on a CPU at its time, so that code that runs alone has more weight. */
#ifndef LATENCY_PIECES_H
#define LATENCY_PIECES_H

#include "wall_pieces.h"

struct latency_request {
        const struct sample_list *samples;
        const struct cpu_spans *spans;
        uint32_t event; /* the event whose samples count */
        bool is_whole;  /* each stands for its whole period */
        /* Only samples taken while so many threads were on a CPU: a set of bits, of which the last one is
         * for more; NULL: all. */
        const uint64_t *levels;
        size_t n_levels;
};

/* NULL if the session has no switches. Keeps nothing of the request. */
struct wall_pieces *latency_pieces_new(const struct latency_request *request);

#endif
