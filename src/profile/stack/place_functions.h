/* SPDX-License-Identifier: BSD-3-Clause */
/* Merges the callers that are in the same function while a session is read, because a call tree of functions
 * does not need a node for each address. A recursive function with two calls has 2^n paths of n addresses,
 * but only one of functions. */
#ifndef PLACE_FUNCTIONS_H
#define PLACE_FUNCTIONS_H

#include "attributes.h"
#include "place_modules.h"
#include "stacks.h"

struct place_functions;

struct place_functions_request {
        struct resolver *resolver;
        const struct place_modules *modules;
        bool inlines, python_lines; /* as in struct stacks_tree_request */
};

/* Uses the objects that the request points to until it is freed. */
struct place_functions *place_functions_new(const struct place_functions_request *request);
void place_functions_free(struct place_functions *functions);
AUTO_DEFINE(place_functions)

/* Looks up the new places of `stacks` and merges them. `part` (from 0) must be the same in all calls for the
 * same stacks. */
void place_functions_share(struct place_functions *functions, struct stacks *stacks, size_t part);

#endif
