/* SPDX-License-Identifier: BSD-3-Clause */
/* A session of tests/data/elf/names.so. */
#ifndef NAMES_SESSION_H
#define NAMES_SESSION_H

#include "session_builder.h"
#include "test_data.h"

enum { TEXT_OFF = 0x1000, BASE = 0x400000, PID = 100 };

/* Process 100 runs names.so's functions: 3 samples in local_leaf, with has_chains called by global_one at
 * one of two lines, 2 in global_one, 1 at an address that is not mapped; process 200, its child, runs
 * global_one once. */
static inline void build_names(struct session_builder *b, bool has_chains)
{
        static const uint64_t chain[] = {PERF_CONTEXT_USER, BASE + 0x1100, BASE + 0x1122};

        builder_init(b);
        builder_comm(b, 1, PID, PID, "prog", true);
        builder_mmap(b, 2, PID, BASE + TEXT_OFF, 0x1000, TEXT_OFF, data_path("elf/names.so"));
        for (uint64_t i = 0; i < 3; i++) {
                if (has_chains)
                        builder_sample(b, 0, 1000000000 + i, PID, PID, PERF_MISC_USER, chain, 3);
                else
                        builder_sample_ip(b, 1000000000 + i, PID, PID, BASE + 0x1100);
        }
        for (uint64_t i = 0; i < 2; i++)
                builder_sample_ip(b, 2000000000 + i, PID, PID + 1, BASE + 0x1120 + i);
        builder_sample_ip(b, 2500000000, PID, PID, 0x10);
        builder_fork(b, 2600000000, 200, PID, 200, PID, 0);
        builder_sample_ip(b, 3000000000, 200, 200, BASE + 0x1120);
        builder_lost(b, 3000000001, 5);
        builder_round(b);
}

static inline bool build_file(const char *path, void (*fill)(struct session_builder *b))
{
        struct session_builder b;

        fill(&b);
        return builder_save(&b, path);
}

#endif
