/* SPDX-License-Identifier: BSD-3-Clause */
/* Lets the callers of stacks that are in the same function be one place, while a session is read: a call tree of functions
 * needs no node for each of their addresses.  A recursive function with two calls has 2^n paths of n addresses, and one of
 * functions. */
#ifndef PLACE_FUNCTIONS_H
#define PLACE_FUNCTIONS_H

#include "attributes.h"
#include "place_modules.h"
#include "stacks.h"

struct place_functions;

struct place_functions_request {
        struct resolver *resolver;
        const struct place_modules *modules;
        bool inlines; /* as in struct stacks_tree_request */
};

/* Keeps what the request points to. */
struct place_functions *place_functions_new(const struct place_functions_request *request);
void place_functions_free(struct place_functions *functions);
AUTO_DEFINE(place_functions)

/* Looks up the new places of `stacks`, which the world knows.  The same stacks come with the same `part`, counted from 0. */
void place_functions_share(struct place_functions *functions, struct stacks *stacks, size_t part);

#endif
