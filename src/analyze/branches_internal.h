/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRANCHES_INTERNAL_H
#define BRANCHES_INTERNAL_H

#include "branches.h"

struct branch_end {
        module_id module; /* as in struct place */
        uint64_t offset;
};

struct branch_edge {
        uint32_t event;
        struct branch_end from, to;
        uint64_t count, n_told, n_mispredicted, n_timed, cycles;
};

size_t branches_n_edges(const struct branches *branches);
const struct branch_edge *branches_get_edge(const struct branches *branches, size_t index);

#endif
