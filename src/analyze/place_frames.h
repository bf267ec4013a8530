/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions, inlined functions and lines of all places of a profile, looked up in bulk, a module at a time. */
#ifndef PLACE_FRAMES_H
#define PLACE_FRAMES_H

#include "attributes.h"
#include "hot.h"
#include "profile.h"
#include "resolver.h"

struct place_frames;

struct place_frames *place_frames_new(const struct profile *profile, struct resolver *resolver,
                                      const struct hot_modules *modules);
void place_frames_free(struct place_frames *frames);
AUTO_DEFINE(place_frames)

/* The frames of a place, innermost first; 0 of them where nothing is known. */
size_t place_frames_get(const struct place_frames *frames, size_t place,
                        const struct resolver_frame **ret_frames);

#endif
