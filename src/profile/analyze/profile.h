/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts samples by place.  Cost and memory grow with distinct places, not with samples.  Does not contain
 * names: hot.h makes rows from places. */
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
        PROFILE_COMM = 1u << 7, /* the thread's name, for all threads with this name */
        PROFILE_PID = 1u << 8,  /* the process number, without its name */
        PROFILE_TID = 1u << 9,
        PROFILE_ADDR = 1u << 10,
        PROFILE_FILE = 1u << 11, /* the source file */
        PROFILE_PYTHON =
                1u
                << 12, /* samples count at their innermost Python frame; without one they are native code */
        PROFILE_MACHINE = 1u << 14, /* enum exec_machine */
        PROFILE_PACKAGE = 1u << 15, /* to whom the source file belongs: python_package.h */
        PROFILE_SOURCE = 1u << 13,  /* of samples of Arm SPE: spe_raw_pack_source() */
        PROFILE_STATE = 1u << 16,   /* the thread's state; with states in the filter */
};

enum { PROFILE_PARALLELISM = 1024 }; /* levels that are distinguished, from 0 */

/* Which samples count; zero-initialised: all.  Strings and arrays are kept by the caller. */
struct profile_filter {
        /* For a session that recorded waiting: samples count for wall time in these states, a set of
         * WALL_BIT(); 0: as they are. */
        unsigned states;
        bool needs_states; /* an error for other sessions */
        bool only_gil; /* of these, time in which the thread has Python's GIL; an error if it is not known */
        /* Samples count for wall time, of which each moment is divided among the threads on a CPU then. */
        bool is_latency;
        /* Only samples taken while so many threads were on a CPU: a set of bits, of which the last one is
         * for more. */
        bool by_parallelism;
        uint64_t parallelism[PROFILE_PARALLELISM / 64];
        const int32_t *pids;
        size_t n_pids;
        const uint32_t *cpus; /* sorted; a sample whose CPU is not known is on none of them */
        size_t n_cpus;        /* 0: all */
        bool has_tid;         /* only this thread */
        int32_t tid;
        const char *comms;   /* names of threads, comma separated */
        const char *threads; /* the same, PROFILE_PYTHON_MAIN, or numbers of threads */
        const char *modules; /* base names or whole paths, comma separated */
        /* source file of the innermost Python frame, as python_file_matches(); checked by the code that
         * adds samples */
        const char *python_file;
        uint64_t from_ns, to_ns; /* by the session's clock; to_ns 0: no end */
        bool times_are_relative; /* times count from the first sample of any event */
        /* A slice of the session's time in millionths; to_ppm 0: none.  The reader of the session converts
         * it to from_ns and to_ns first (session_times.h). */
        uint32_t from_ppm, to_ppm;
};

/* Python's name of its main thread, which has the name of the process in a session. */
#define PROFILE_PYTHON_MAIN "MainThread"

/* One distinct place.  Fields that are not keys are 0. */
struct profile_place {
        uint32_t event;
        int32_t pid, tid;
        uint32_t cpu;
        str_id comm;      /* id in the world of the thread's name in the kernel; with PROFILE_COMM */
        str_id process;   /* the name of the process's first thread; with PROFILE_PROCESS */
        str_id thread;    /* the name that its program gave the thread, else comm; with PROFILE_THREAD */
        uint32_t source;  /* 0: none; with PROFILE_SOURCE; or the state + 1, with PROFILE_STATE */
        module_id module; /* MODULE_NONE: none */
        uint32_t zero;    /* for the next member */
        uint64_t offset;  /* as in struct place */
        uint64_t count;
        uint64_t weight; /* sum of the periods */
};

struct profile;

/* `keys` is a set of profile_key bits; PROFILE_EVENT is always set. */
struct profile *profile_new(unsigned keys, const struct profile_filter *filter);
/* Before the first sample: limits the memory of the rows.  When it is used up, samples of new places count
 * as unknown.  The budget outlives the profile. */
void profile_set_budget(struct profile *profile, struct budget *budget);

/* Before the first sample: the event whose samples were made from Arm SPE's records.  Only these have
 * sources. */
void profile_set_spe(struct profile *profile, uint32_t event);
void profile_free(struct profile *profile);
AUTO_DEFINE(profile)

/* Counts one sample of event `event`; `weight` is its period, 1 if it has none.  False: the filter rejects
 * it.  Its place is looked up later, so profile_catch_up() must be called before the world changes and
 * after the last sample. */
bool profile_add(struct profile *profile, struct world *world, uint32_t event, const struct sample *sample,
                 uint64_t weight);

/* The same for `n` equal samples with the sum of their periods. */
bool profile_add_many(struct profile *profile, struct world *world, uint32_t event,
                      const struct sample *sample, uint64_t n, uint64_t weight);

/* True if samples count alike that have the same event, process, code address, source and CPU. */
bool profile_counts_alike(const struct profile *profile);

/* Whether a filter accepts a thread by its process, its number and its name. */
bool profile_filter_accepts(const struct profile_filter *filter, struct world *world, int32_t pid,
                            int32_t tid);

/* Whether the filter accepts a sample, without counting it. */
bool profile_accepts(struct profile *profile, struct world *world, const struct sample *sample);

/* With PROFILE_STATE: the state of the samples that are added from now on. */
void profile_set_state(struct profile *profile, uint32_t state);

/* For code that counts by itself: the index of the place of a sample, by all keys, which is added if it is
 * new.  The sample is neither filtered nor counted. */
size_t profile_place_of(struct profile *profile, struct world *world, uint32_t event,
                        const struct sample *sample);
void profile_count_place(struct profile *profile, size_t index, uint64_t count, uint64_t weight);

/* Counts a sample that the caller filtered out. */
void profile_leave_out(struct profile *profile, uint32_t event);
void profile_catch_up(struct profile *profile, struct world *world);

/* Counts an address that need not be the address of a sample, in a profile by place only; it is not
 * filtered, and not part of the totals.  Its place is looked up later, too. */
struct profile_address {
        uint32_t event; /* or any other small number */
        int32_t pid;
        uint16_t misc; /* CPU mode, as in a sample */
        uint64_t addr, weight;
        uint64_t n_more; /* samples besides the first one */
};
void profile_add_address(struct profile *profile, struct world *world, const struct profile_address *address);

/* After the last sample: makes the places. */
void profile_finish(struct profile *profile);

/* The same in two steps, if the place is known later and the keys depend on the place only
 * (profile_by_place): profile_admit tells whether the sample counts, profile_add_code adds `count` samples
 * at a place. */
bool profile_by_place(const struct profile *profile);
bool profile_admit(struct profile *profile, struct world *world, uint32_t event, const struct sample *sample,
                   uint64_t weight);
void profile_add_code(struct profile *profile, uint32_t event, const struct code_place *place, uint64_t count,
                      uint64_t weight);

unsigned profile_keys(const struct profile *profile);
size_t profile_n_places(const struct profile *profile);
const struct profile_place *profile_get_place(const struct profile *profile, size_t index);

/* The run-time address of a module's file offset 0 at the time of its first sample; 0 if it has no
 * samples. */
uint64_t profile_module_base(const struct profile *profile, module_id module);

struct profile_totals {
        uint64_t n_samples; /* samples that passed the filter */
        uint64_t weight;
        uint64_t n_filtered;        /* samples that did not */
        uint64_t first_ns, last_ns; /* of all samples with a time; 0: there are none */
};

/* Totals of one event; UINT32_MAX: of all events. */
struct profile_totals profile_get_totals(const struct profile *profile, uint32_t event);

/* --- Sources of Arm SPE --- */

/* With PROFILE_SOURCE, the number of samples with sources of a CPU (UINT32_MAX: of those whose CPU is not
 * known). */
uint64_t profile_spe_count(const struct profile *profile, uint32_t cpu);

/* The CPUs of these samples, in ascending order; to be freed by the caller. */
uint32_t *profile_spe_cpus(const struct profile *profile, size_t *ret_n);

/* After profile_finish(): makes an event of each source, as WindowsPerf does, numbered from `first_event`
 * on in the order of their first samples.  Returns their sources, to be freed by the caller.  The profile
 * no longer has PROFILE_SOURCE, and takes no more samples. */
uint32_t *profile_split_sources(struct profile *profile, uint32_t first_event, size_t *ret_n);

/* --- Parts made by threads --- */

/* The state of a part at some time. */
struct profile_mark {
        size_t n_places, n_code;
};

struct profile_mark profile_get_mark(const struct profile *profile);

/* Adds to `whole` what was added to a part between `done` and `until`, and moves `done`.  To be called in
 * the order of time over all parts, which get no more samples.  profile_merge_totals() adds the totals
 * once, and profile_finish(whole) is called at the end. */
void profile_merge_take(struct profile *whole, const struct profile *part, struct profile_mark *done,
                        const struct profile_mark *until);
void profile_merge_totals(struct profile *whole, const struct profile *part);

#endif
