/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of kept_names: lost files and the samples in them (kept_names.c), and the lookup of
 * these addresses (kept_names_pack.c). */
#ifndef KEPT_NAMES_INTERNAL_H
#define KEPT_NAMES_INTERNAL_H

#include "kept_names.h"
#include "map.h"
#include "pe_images.h"
#include "perfdata_reader.h"
#include "profile.h"
#include "stacks.h"
#include "world.h"

/* The profile's events. */
enum { KEPT_IN_SAMPLE, KEPT_IN_CALLER };

struct kept_gathering {
        const struct kept_session *session;
        struct map lost; /* keys of files */
        struct map jits; /* pids of processes whose perf map or jitdump is lost */
        struct perfdata_reader *reader;
        struct world *world;
        struct module_source *codes; /* for the jitdumps and the times of their code */
        struct profile *profile;
        struct map pids; /* pids of processes that have mapped a lost file */
        struct stack_frame *frames;
};

/* Appends the section with the answers about the profile's places in lost modules. Returns the number of
 * modules left out for lack of time. */
size_t kept_names_pack(const struct kept_gathering *gathering, struct pe_images *images,
                       struct budget *budget, struct buf *out);

#endif
