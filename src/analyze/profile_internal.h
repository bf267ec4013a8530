/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of profile.h share. */
#ifndef PROFILE_INTERNAL_H
#define PROFILE_INTERNAL_H

#include "map.h"
#include "profile.h"

/* The part of a place that makes it distinct; no padding, so that it can be hashed and compared as bytes. */
struct profile_row_key {
        uint32_t event;
        int32_t pid, tid;
        uint32_t cpu;
        str_id comm, process;
        uint32_t unused;
        module_id module;
        uint64_t offset;
};

_Static_assert(sizeof(struct profile_row_key) == 40, "no padding");
_Static_assert(offsetof(struct profile_place, count) == sizeof(struct profile_row_key),
               "a place begins with its key");

/* A sample whose place is looked up later, while memory answers. */
struct profile_sample {
        struct place_query query;
        int32_t pid;
        uint32_t event;
        uint32_t number; /* of the place, once it is found */
        uint64_t weight;
};

enum {
        WAITING_SAMPLES = 32,
        LOOK_AFTER = 8,
        COUNT_AFTER = 16,
        MAX_BY_CODE = 8, /* events that have counts for all code places */
        ROW_BYTES = 208, /* memory for a place of the profile, with its slots and its row */
};

struct counted_address {
        uint64_t count, weight;
};

/* Samples of one event by the numbers of code places, where no other key is wanted.  Of events from MAX_BY_CODE on there are none:
 * each could have few samples, and counts for all places. */
struct by_code {
        struct counted_address *counted;
        size_t n;
};

struct profile {
        unsigned keys;
        struct profile_filter filter;
        struct profile_place *places;
        size_t n_places, cap_places;
        struct budget_share share;     /* `code` takes from it too */
        uint32_t *slots;               /* index + 1 into places; 0: free */
        size_t n_slots;                /* a power of two */
        struct profile_totals *totals; /* for each event */
        size_t n_totals;
        uint64_t base_ns; /* of relative times: the first sample's */
        struct map module_bases;
        struct map module_passes; /* module -> 1 passes the filter, 2 does not */
        bool has_code;            /* samples are counted by these first: */
        struct places code;
        struct by_code *by_code; /* for each event */
        size_t n_by_code;
        struct profile_sample waiting[WAITING_SAMPLES]; /* a ring */
        size_t n_taken, n_found, n_counted;             /* of all that ever waited */
};

/* A place that is paid for: a code place, or one of a part. */
void profile_add_key(struct profile *profile, const struct profile_row_key *key, uint64_t base,
                     uint64_t count, uint64_t weight);
struct profile_totals *profile_totals_of(struct profile *profile, uint32_t event);
void profile_note_time(struct profile_totals *totals, uint64_t time);
struct by_code *profile_by_code(struct profile *profile, uint32_t event);

/* Makes room for a code place that was counted for the first time. */
void profile_fit_code(const struct profile *profile, struct by_code *by_code, uint32_t number);

#endif
