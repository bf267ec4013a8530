/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations shared by the files of the profile. */
#ifndef PROFILE_INTERNAL_H
#define PROFILE_INTERNAL_H

#include "map.h"
#include "profile.h"

/* The key of a place; no padding, so that it can be hashed and compared as bytes. */
struct profile_row_key {
        uint32_t event;
        int32_t pid, tid;
        uint32_t cpu;
        str_id comm, process, thread;
        uint32_t source;
        module_id module;
        uint32_t zero;
        uint64_t offset;
};

_Static_assert(sizeof(struct profile_row_key) == 48, "no padding");
_Static_assert(offsetof(struct profile_place, count) == sizeof(struct profile_row_key),
               "a place begins with its key");

/* A sample whose place is looked up later; prefetching hides the latency of memory in the meantime. */
struct profile_sample {
        struct place_query query;
        int32_t pid;
        uint32_t event;
        uint32_t number; /* number of the place, once it is found */
        uint64_t weight, n_more;
};

enum {
        WAITING_SAMPLES = 32,
        LOOK_AFTER = 8,
        COUNT_AFTER = 16,
        MAX_BY_CODE = 8, /* maximum number of events with counts for all code places */
        ROW_BYTES = 224, /* bytes of memory for a place of the profile, with its slots and its row */
};

struct counted_address {
        uint64_t count, weight;
};

/* Samples of one event by the numbers of code places, if there is no other key.  Events from MAX_BY_CODE on
 * have none: they may have few samples, but would need counts for all places. */
struct by_code {
        struct counted_address *counted;
        size_t n;
};

enum { SOURCE_SLOTS = 1 << 13 };

/* The place of a code address and a source, valid for this version of the maps. */
struct found_source {
        uint64_t addr, version; /* version 0: free */
        uint32_t event, source;
        uint32_t place; /* index */
};

struct profile {
        unsigned keys;
        struct profile_filter filter;
        struct profile_place *places;
        size_t n_places, cap_places;
        struct budget_share share;     /* the memory of `code` is taken from it, too */
        uint32_t *slots;               /* index + 1 into places; 0: free */
        size_t n_slots;                /* a power of two */
        struct profile_totals *totals; /* for each event */
        size_t n_totals;
        uint64_t base_ns;      /* for relative times: time of the first sample */
        uint32_t state;        /* with PROFILE_STATE: the state of the next sample */
        uint32_t spe_event;    /* the event whose samples have sources; UINT32_MAX: none */
        struct map cpu_counts; /* CPU -> number of its samples, but without those of the last ones: */
        uint32_t last_cpu;
        uint64_t n_last_cpu;
        struct found_source *found_sources; /* a cache; NULL if there are no sources */
        struct map module_bases;
        struct map module_passes; /* module -> 1 if it passes the filter, 2 if it does not */
        bool has_code;            /* if set, samples are first counted by these: */
        struct places code;
        struct by_code *by_code; /* for each event */
        size_t n_by_code;
        struct profile_sample waiting[WAITING_SAMPLES]; /* a ring buffer */
        size_t n_taken, n_found, n_counted; /* numbers of all samples that ever were in the ring */
};

/* Adds a place whose memory was already taken from the budget: a code place, or a place of a part. */
void profile_add_key(struct profile *profile, const struct profile_row_key *key, uint64_t base,
                     uint64_t count, uint64_t weight);
struct profile_totals *profile_totals_of(struct profile *profile, uint32_t event);
void profile_note_time(struct profile_totals *totals, uint64_t time);
struct by_code *profile_by_code(struct profile *profile, uint32_t event);

/* The slot of the cache for this address, version, event and source; what it has may be of others. */
struct found_source *profile_source_slot(struct profile *profile, const struct found_source *wanted);

/* Counts samples with a source.  Before profile_spe_count(), profile_count_cpus() adds the last ones. */
void profile_count_cpu(struct profile *profile, uint32_t cpu, uint64_t n);
void profile_count_cpus(struct profile *profile);

void profile_merge_cpus(struct profile *whole, const struct profile *part);

/* Makes room for the counts of a new code place. */
void profile_fit_code(const struct profile *profile, struct by_code *by_code, uint32_t number);

#endif
