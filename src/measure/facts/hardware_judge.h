/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares what Arm SPE saw in the loops of hardware_loops.h with what they do. */
#ifndef HARDWARE_JUDGE_H
#define HARDWARE_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hardware_caches.h"

/* Where the data of a load came from. */
enum hardware_level {
        HARDWARE_L1,
        HARDWARE_L2,
        HARDWARE_FAR, /* a later cache, or one of another core */
        HARDWARE_MEMORY,
        HARDWARE_UNKNOWN,
        HARDWARE_N_LEVELS,
};

/* The samples of one loop. */
struct hardware_seen {
        bool was_run;
        uint64_t n_samples, n_loads, n_stores, n_branches;
        uint64_t n_levels[HARDWARE_N_LEVELS]; /* of loads */
        uint64_t n_walks;                     /* of page tables, by loads and stores */
        uint64_t load_cycles;                 /* the median of the loads' total latencies; 0 without loads */
        /* Samples of the branch instruction that was mispredicted most often. */
        uint64_t n_worst_branch, n_worst_mispredicted;
};

enum hardware_verdict { HARDWARE_AS_EXPECTED, HARDWARE_DIFFERS, HARDWARE_NOT_JUDGED };

struct hardware_check {
        const char *loop, *what;
        const char *expected, *seen; /* valid during the call */
        enum hardware_verdict verdict;
};

typedef void hardware_judge_fn(void *ctx, const struct hardware_check *check);

/* `seen` has an element for each loop.  Calls `each` for each check, and returns how many differ. */
size_t hardware_judge(const struct hardware_seen *seen, const struct hardware_caches *caches,
                      hardware_judge_fn *each, void *ctx);

#endif
