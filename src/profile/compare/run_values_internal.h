/* SPDX-License-Identifier: BSD-3-Clause */
/* How the values of runs are stored. */
#ifndef RUN_VALUES_INTERNAL_H
#define RUN_VALUES_INTERNAL_H

#include "map.h"
#include "run_values.h"
#include "strpool.h"

struct stored_fact {
        str_id key, text;
};

struct stored_samples {
        uint32_t event, name;
        struct run_cell cell;
};

struct stored_run {
        enum run_side side;
        str_id path;
        str_id program; /* 0: not known */
        double times[RUN_N_TIMES];
        double start_ns;
        struct stored_fact *facts;
        size_t n_facts, cap_facts;
        struct run_event *events; /* by number; `name` NULL: the run does not have it */
        size_t n_events, cap_events;
        struct stored_samples *samples;
        size_t n_samples, cap_samples;
        struct map inlined; /* names */
};

struct stored_name {
        str_id name, brief, module;
        uint32_t same_as; /* the name with which it was merged, or itself */
        bool is_ambiguous, is_renamed;
};

/* Modules that are taken as the same one. */
struct module_pair {
        str_id a, b;
};

struct run_values {
        struct strpool *texts;
        struct stored_run *runs;
        size_t n_runs, cap_runs;
        size_t n_of_side[RUN_N_SIDES];
        str_id *events;
        size_t n_events, cap_events;
        struct stored_name *names;
        size_t n_names, cap_names;
        struct map name_numbers; /* module and name to number */
        struct run_cell *cells;  /* by event, name and run */
        struct module_pair *pairs;
        size_t n_pairs;
        bool has_files; /* modules are source files, which have been paired */
};

struct run_cell *run_values_cells(const struct run_values *values, uint32_t event, size_t name);

#endif
