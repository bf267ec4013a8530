/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts samples by where they were taken.  Cost and memory grow with distinct places, not with samples.
 * Knows no names: hot.h turns places into rows. */
#ifndef PROFILE_H
#define PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "places.h"
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
        PROFILE_COMM = 1u << 7, /* the thread's name, whichever thread it is */
        PROFILE_PID = 1u << 8,  /* the process, whatever its name */
        PROFILE_TID = 1u << 9,
        PROFILE_ADDR = 1u << 10,
        PROFILE_FILE = 1u << 11, /* the source file */
        PROFILE_PYTHON =
                1u
                << 12, /* samples are given at their innermost Python frame; without one they are of native code */
};

/* Which samples count; zero-initialised takes all.  Strings and arrays are kept by the caller. */
struct profile_filter {
        const int32_t *pids;
        size_t n_pids;
        const char *comms;   /* names of threads, comma separated */
        const char *modules; /* base names or whole paths, comma separated */
        const char *
                python_file; /* source of the innermost Python frame, as python_file_matches(); for whoever adds samples */
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
        str_id comm;      /* the thread's name, of the world; with PROFILE_THREAD or PROFILE_COMM */
        str_id process;   /* the name of the process's first thread; with PROFILE_PROCESS */
        uint32_t unused;  /* 0 */
        module_id module; /* MODULE_NONE: none */
        uint64_t offset;  /* as in struct place */
        uint64_t count;
        uint64_t weight; /* sum of the periods */
};

struct profile;

/* `keys` is a set of profile_key bits; PROFILE_EVENT is always meant. */
struct profile *profile_new(unsigned keys, const struct profile_filter *filter);
/* Before the first sample: bounds the memory of the rows.  When it is used up, samples of new places count as unknown.  The budget
 * outlives the profile. */
void profile_set_budget(struct profile *profile, struct budget *budget);
void profile_free(struct profile *profile);
AUTO_DEFINE(profile)

/* Counts one sample of event `event`; `weight` is its period, 1 where there is none.  False: the filter does not let it
 * pass.  Its place is looked up later, by the maps of then: profile_catch_up() comes before the world changes and after the
 * last sample. */
bool profile_add(struct profile *profile, struct world *world, uint32_t event, const struct sample *sample,
                 uint64_t weight);

/* A sample that whoever adds samples does not let pass. */
void profile_leave_out(struct profile *profile, uint32_t event);
void profile_catch_up(struct profile *profile, struct world *world);

/* Counts an address that need not be where a sample is, in a profile of places alone; neither filtered nor part of the totals.
 * Looked up as the samples are. */
struct profile_address {
        uint32_t event; /* or any other small number */
        int32_t pid;
        uint16_t misc; /* as a sample's: the CPU mode */
        uint64_t addr, weight;
};
void profile_add_address(struct profile *profile, struct world *world, const struct profile_address *address);

/* After the last sample: makes the places. */
void profile_finish(struct profile *profile);

/* The same in two steps, where the place is known later and the keys are of places alone (profile_by_place): whether the
 * sample passes and counts, and `count` of them at a place. */
bool profile_by_place(const struct profile *profile);
bool profile_admit(struct profile *profile, struct world *world, uint32_t event, const struct sample *sample,
                   uint64_t weight);
void profile_add_code(struct profile *profile, uint32_t event, const struct code_place *place, uint64_t count,
                      uint64_t weight);

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

/* --- Parts that threads made --- */

/* How far a part had come at some time. */
struct profile_mark {
        size_t n_places, n_code;
};

struct profile_mark profile_get_mark(const struct profile *profile);

/* Adds to `whole` what a part had at `until` and not yet at `done`, which is moved; in the order of time over all parts, which
 * take no samples any more.  The same totals are added once by profile_merge_totals(), and profile_finish(whole) comes last. */
void profile_merge_take(struct profile *whole, const struct profile *part, struct profile_mark *done,
                        const struct profile_mark *until);
void profile_merge_totals(struct profile *whole, const struct profile *part);

#endif
