/* SPDX-License-Identifier: BSD-3-Clause */
/* The branches in samples' branch stacks, counted by their two ends: edges, not stacks.  Cost and memory
 * grow with distinct pairs of places. */
#ifndef BRANCHES_H
#define BRANCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "hot.h"
#include "record.h"
#include "world.h"

struct branches;

struct branches *branches_new(void);
/* Limits the memory of the edges.  When it is used up, new edges are counted as one edge with unknown ends.
 * The budget outlives the branches. */
void branches_set_budget(struct branches *branches, struct budget *budget);
void branches_free(struct branches *branches);
AUTO_DEFINE(branches)

/* True if samples of the event have branches that are not a call stack. */
bool branches_are_edges(const struct perf_attr *attr);

/* Adds a sample's entries, whose places are looked up in the current world.  An entry with two zeros is
 * empty. */
void branches_add(struct branches *branches, struct world *world, uint32_t event,
                  const struct sample *sample);

struct branch_end {
        module_id module; /* as in struct place */
        uint64_t offset;
};

/* Branches from one place to another. */
struct branch_edge {
        uint32_t event;
        struct branch_end from, to;
        bool is_not_taken; /* with by_target of branch_rows_request, one branch among others; else not
                              shown */
        uint64_t count, n_told, n_mispredicted, n_timed, cycles;
};

size_t branches_n_edges(const struct branches *branches);
const struct branch_edge *branches_get_edge(const struct branches *branches, size_t index);

/* Branches from one function to another, or within one; or from address to address.  Fields that are not
 * keys are 0. */
struct branch_row {
        uint32_t event;
        str_id from, from_module, to, to_module; /* for branch_rows_text; module "": none */
        str_id from_brief, to_brief; /* without the arguments that distinguish functions with the same name */
        uint64_t from_addr, to_addr; /* in the module's object file; without a module, as recorded */
        uint64_t count;
        /* branches with a recorded prediction, and those of them that were mispredicted */
        uint64_t n_told, n_mispredicted;
        /* branches with recorded cycles since the branch before, and the sum of the cycles */
        uint64_t n_timed, cycles;
};

struct branch_rows;

struct branch_rows_request {
        unsigned keys; /* PROFILE_SYMBOL and PROFILE_ADDR, each with the module, or PROFILE_MODULE alone */
        struct resolver *resolver;
        const struct place_modules *modules;
        bool arguments; /* as in hot_new */
        /* Rows are the targets of mispredicted branches, wherever these came from, sorted by their number.
         * `from` is empty. */
        bool by_target;
};

struct branch_rows *branch_rows_new(const struct branches *branches,
                                    const struct branch_rows_request *request);
void branch_rows_free(struct branch_rows *rows);
AUTO_DEFINE(branch_rows)

/* Sorted by event, then count or mispredictions (most first), then names. */
size_t branch_rows_n(const struct branch_rows *rows);
const struct branch_row *branch_rows_get(const struct branch_rows *rows, size_t index);
const char *branch_rows_text(const struct branch_rows *rows, str_id id);

/* Whether a pattern of text_match_symbol matches the function at either end, with or without arguments. */
bool branch_row_matches(const struct branch_rows *rows, const struct branch_row *row, const char *pattern);

/* The number of branches in all rows of an event; of mispredicted ones if rows are by target. */
uint64_t branch_rows_count(const struct branch_rows *rows, uint32_t event);

#endif
