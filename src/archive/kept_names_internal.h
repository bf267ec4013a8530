/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of kept_names.h: which files are lost and where samples lie in them (kept_names.c), and the answers about these
 * addresses (kept_names_pack.c). */
#ifndef KEPT_NAMES_INTERNAL_H
#define KEPT_NAMES_INTERNAL_H

#include "kept_names.h"
#include "map.h"
#include "pe_images.h"
#include "perfdata_reader.h"
#include "profile.h"
#include "stacks.h"
#include "world.h"

/* Events of the profile. */
enum { KEPT_IN_SAMPLE, KEPT_IN_CALLER };

struct kept_gathering {
        const struct kept_session *session;
        struct map lost; /* keys of files */
        struct map jits; /* processes whose perf map or jitdump is lost */
        struct perfdata_reader *reader;
        struct world *world;
        struct module_source *codes; /* jitdumps, for the times of their code */
        struct profile *profile;
        struct map pids; /* processes that have a lost file in their memory */
        struct stack_frame *frames;
};

/* Appends the section with the answers about the places of the profile that lie in lost modules.  Returns how many modules
 * found no time. */
size_t kept_names_pack(const struct kept_gathering *gathering, struct pe_images *images,
                       struct budget *budget, struct buf *out);

#endif
