/* SPDX-License-Identifier: BSD-3-Clause */
/* Which files are the same build in all sessions of a comparison.  Their functions are at the same addresses,
 * so their code need not be read to compare them. */
#ifndef SHARED_BUILDS_H
#define SHARED_BUILDS_H

#include "map.h"
#include "perfdata_reader.h"
#include "run_values.h"

struct module; /* world.h */

/* Zero-initialised has no sessions. */
struct shared_builds {
        struct map by_name[RUN_N_SIDES]; /* hash of a file's name to hash of its build, or one number for
                                            several */
};

void shared_builds_release(struct shared_builds *builds);

/* Adds the table of build ids of a session, which may be incomplete or missing. */
void shared_builds_add(struct shared_builds *builds, enum run_side side,
                       const struct perfdata_reader *reader);

/* Whether both sides have a file of this name, and all of them are one build. */
bool shared_builds_have(const struct shared_builds *builds, const char *name);

/* Whether the module is of that build. */
bool shared_builds_have_module(const struct shared_builds *builds, const struct module *module,
                               const char *path);

#endif
