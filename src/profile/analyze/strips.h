/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples over time: a strip for each thread or each CPU, divided into columns of equal time. */
#ifndef STRIPS_H
#define STRIPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "sample_list.h"

struct cpu_spans; /* cpu_spans.h */

enum strips_by { STRIPS_BY_THREAD, STRIPS_BY_CPU };

enum { STRIPS_MAX = 1000, STRIPS_MAX_COLUMNS = 1000 };

struct strip {
        int32_t pid, tid;  /* for a thread; -1: not recorded */
        uint32_t cpu;      /* for a CPU; UINT32_MAX: not recorded */
        const char *name;  /* the thread's name at its last sample; "" for a CPU */
        uint64_t count;    /* samples */
        uint64_t weight;   /* sum of their periods */
        uint64_t *columns; /* weight of the samples in each column */
        uint64_t *marked;  /* the part of it that belongs to marked samples; NULL: there are none */
        uint64_t *running; /* ns on a CPU in each column; NULL: the session has no switches */
        uint8_t *states;   /* 1 + the state in most of the rest of a column; 0: not known; NULL: no states */
};

struct strips {
        struct strip *items;  /* threads sorted by weight, largest first; CPUs by number */
        size_t n, n_left_out; /* above STRIPS_MAX, those with the smallest weight are left out */
        unsigned n_columns;
        uint64_t from_ns, to_ns; /* first and last sample of any event, by the session's clock */
        uint64_t count, weight;  /* sums of all samples of the event, including those left out */
        uint64_t most;           /* the largest weight of a column */
};

enum { STRIPS_MAX_STATES = 32 };

/* A thread was in a state from one time to another. */
struct strip_state {
        uint64_t from_ns, to_ns;
        int32_t pid, tid;
        uint8_t state; /* below STRIPS_MAX_STATES */
};

struct strips_request {
        const struct sample_list *samples;
        uint32_t event;
        enum strips_by by;
        unsigned n_columns;                /* 1 to STRIPS_MAX_COLUMNS */
        const struct cpu_spans *cpu_spans; /* when threads ran; NULL or empty: not known */
        const struct strip_state *states;  /* those of a thread follow each other; for strips of threads */
        size_t n_states;
        /* for the nodes of the samples' stacks: true if samples there are marked; NULL: none */
        const bool *marked_nodes;
};

/* Texts belong to the list.  NULL: the samples have no times. */
struct strips *strips_new(const struct strips_request *request);
void strips_free(struct strips *strips);
AUTO_DEFINE(strips)

/* The time at which a column begins; for n_columns, the end. */
uint64_t strips_column_ns(const struct strips *strips, unsigned column);

#endif
