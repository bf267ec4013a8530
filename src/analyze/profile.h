/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts samples by where they were taken.  Cost and memory grow with distinct places, not with samples.
 * Knows no names: hot.h turns places into rows. */
#ifndef PROFILE_H
#define PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "record.h"
#include "world.h"

/* What distinguishes two rows; a set of bits. */
enum profile_key {
        PROFILE_EVENT = 1u << 0,
        PROFILE_PROCESS = 1u << 1,
        PROFILE_THREAD = 1u << 2,
        PROFILE_CPU = 1u << 3,
        PROFILE_MODULE = 1u << 4,
        PROFILE_SYMBOL = 1u << 5,
        PROFILE_LINE = 1u << 6,
};

/* Which samples count; zero-initialised takes all.  Strings and arrays are kept by the caller. */
struct profile_filter {
        const int32_t *pids;
        size_t n_pids;
        const char *comms;       /* names of threads, comma separated */
        const char *modules;     /* base names or whole paths, comma separated */
        uint64_t from_ns, to_ns; /* by the session's clock; to_ns 0: no end */
        bool times_are_relative; /* they count from the first sample, whichever event it is of */
        /* A slice of the session's time in millionths; to_ppm 0: none.  Whoever reads the session turns it into from_ns and to_ns
         * first (session_times.h). */
        uint32_t from_ppm, to_ppm;
};

/* One distinct place.  Fields that no key asks for are 0. */
struct profile_place {
        uint32_t event;
        int32_t pid, tid;
        uint32_t cpu;
        str_id comm;      /* of the world; with PROFILE_PROCESS or PROFILE_THREAD */
        module_id module; /* MODULE_NONE: none */
        uint64_t offset;  /* as in struct place */
        uint64_t count;
        uint64_t weight; /* sum of the periods */
};

struct profile;

/* `keys` is a set of profile_key bits; PROFILE_EVENT is always meant. */
struct profile *profile_new(unsigned keys, const struct profile_filter *filter);
void profile_free(struct profile *profile);
AUTO_DEFINE(profile)

/* Counts one sample of event `event`; `weight` is its period, 1 where there is none.  False: the filter does not let it
 * pass. */
bool profile_add(struct profile *profile, struct world *world, uint32_t event, const struct sample *sample,
                 uint64_t weight);

/* The same in two steps, where the place is known later and the keys are of places alone (profile_by_place): whether the
 * sample passes and counts, and `count` of them at a place, whose map begins at `base` for file offset 0. */
bool profile_by_place(const struct profile *profile);
bool profile_admit(struct profile *profile, struct world *world, uint32_t event, const struct sample *sample,
                   uint64_t weight);
void profile_add_place(struct profile *profile, uint32_t event, module_id module, uint64_t offset,
                       uint64_t base, uint64_t count, uint64_t weight);

unsigned profile_keys(const struct profile *profile);
size_t profile_n_places(const struct profile *profile);
const struct profile_place *profile_get_place(const struct profile *profile, size_t index);

/* The run-time address of a module's file offset 0 at the first of its samples; 0 when it had none. */
uint64_t profile_module_base(const struct profile *profile, module_id module);

struct profile_totals {
        uint64_t n_samples; /* that passed the filter */
        uint64_t weight;
        uint64_t n_filtered;        /* that did not */
        uint64_t first_ns, last_ns; /* of all samples with a time; 0: none */
};

/* Of one event, or of all with UINT32_MAX. */
struct profile_totals profile_get_totals(const struct profile *profile, uint32_t event);

#endif
