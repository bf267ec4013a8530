/* SPDX-License-Identifier: BSD-3-Clause */
/* The branches in samples' branch stacks, counted by where they lead from and to: edges, not stacks.  Cost and memory grow
 * with distinct pairs of places. */
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
/* Bounds the memory of the edges.  When it is used up, new ones count as one that leads from nowhere to nowhere.  The budget
 * outlives them. */
void branches_set_budget(struct branches *branches, struct budget *budget);
void branches_free(struct branches *branches);
AUTO_DEFINE(branches)

/* Whether samples of the event have branches that are no stack of calls. */
bool branches_are_edges(const struct perf_attr *attr);

/* Takes a sample's entries, whose places are looked up in the world as it is now.  One of two zeros is none: hardware had
 * fewer. */
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
        uint64_t count, n_told, n_mispredicted, n_timed, cycles;
};

size_t branches_n_edges(const struct branches *branches);
const struct branch_edge *branches_get_edge(const struct branches *branches, size_t index);

/* Branches from one function to another, or within one; or from address to address.  What no key asks for is 0. */
struct branch_row {
        uint32_t event;
        str_id from, from_module, to, to_module; /* of branch_rows_text; module "": none */
        str_id from_brief, to_brief;             /* without the arguments that tell a function from others */
        uint64_t from_addr, to_addr; /* as the object counts; without a module, as hardware told it */
        uint64_t count;
        uint64_t n_told, n_mispredicted; /* whose prediction hardware told; of these the wrong ones */
        uint64_t n_timed, cycles;        /* whose cycles since the branch before were told, and their sum */
};

struct branch_rows;

/* `keys`: PROFILE_SYMBOL and PROFILE_ADDR, each with the module, or PROFILE_MODULE alone.  `arguments` as in hot_new. */
struct branch_rows *branch_rows_new(const struct branches *branches, unsigned keys, struct resolver *resolver,
                                    const struct place_modules *modules, bool arguments);
void branch_rows_free(struct branch_rows *rows);
AUTO_DEFINE(branch_rows)

/* Sorted by event, then count (most first), then names. */
size_t branch_rows_n(const struct branch_rows *rows);
const struct branch_row *branch_rows_get(const struct branch_rows *rows, size_t index);
const char *branch_rows_text(const struct branch_rows *rows, str_id id);

/* Whether a pattern of text_match_symbol means the function at an end, with arguments or without. */
bool branch_row_matches(const struct branch_rows *rows, const struct branch_row *row, const char *pattern);

/* Of an event, all rows together. */
uint64_t branch_rows_count(const struct branch_rows *rows, uint32_t event);

#endif
