/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions, inlined functions and lines of many addresses, looked up one module at a time. */
#ifndef PLACE_FRAMES_H
#define PLACE_FRAMES_H

#include "attributes.h"
#include "place_modules.h"
#include "stacks.h"

struct place_frames;

struct place_at {
        module_id module; /* MODULE_NONE if unknown */
        uint64_t offset;  /* as in struct place */
};

struct place_frames *place_frames_new(const struct place_at *places, size_t n, struct resolver *resolver,
                                      const struct place_modules *modules);

/* Indexed by the numbers of the stacks' places. */
struct place_frames *place_frames_of_stacks(const struct stacks *stacks, struct resolver *resolver,
                                            const struct place_modules *modules);
void place_frames_free(struct place_frames *frames);
AUTO_DEFINE(place_frames)

/* Returns the frames of a place, innermost first; 0, and *ret_frames is not set, if nothing is known. */
size_t place_frames_get(const struct place_frames *frames, size_t place,
                        const struct resolver_frame **ret_frames);

#endif
