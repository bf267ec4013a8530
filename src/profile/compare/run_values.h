/* SPDX-License-Identifier: BSD-3-Clause */
/* What two groups of runs measured: times of the run, events, and the samples of each name in each run.
 * Names are functions, lines, stacks or groups; they are equal if name and module are. */
#ifndef RUN_VALUES_H
#define RUN_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"

enum run_side { RUN_A, RUN_B, RUN_N_SIDES };

enum run_time { RUN_ELAPSED, RUN_USER, RUN_KERNEL, RUN_N_TIMES };

/* An event in one run. */
struct run_event {
        const char *name;
        bool is_time; /* amounts are nanoseconds of CPU time; otherwise numbers of events */
        uint64_t n_samples;
        uint64_t weight; /* sum of the periods of all samples */
        double amount;   /* what the samples stand for: CPU time of the run, or its number of events */
        bool is_counted; /* by stat: only `amount` is known */
};

struct run_name {
        const char *name;
        const char *brief;  /* the name without arguments; NULL: `name` */
        const char *module; /* "" for none */
};

struct run_values;

struct run_values *run_values_new(void);
void run_values_free(struct run_values *values);
AUTO_DEFINE(run_values)

/* --- Filling; all texts are copied ------------------------------------------------------------------ */

/* Begins a run, to which the next calls add.  All runs of A come before those of B. */
void run_values_add_run(struct run_values *values, enum run_side side, const char *path);
void run_values_set_time(struct run_values *values, enum run_time time, double ns);

/* By a clock that all runs on this machine share since it was started. */
void run_values_set_start(struct run_values *values, double ns);

/* What may explain a difference: machine, kernel, interpreter.  `key` is a noun: "kernel". */
void run_values_add_fact(struct run_values *values, const char *key, const char *text);

/* The module that is the program itself: it may have another name in the other group. */
void run_values_set_program(struct run_values *values, const char *module);

/* Returns the number of the event, which is the same in all runs.  Several events of one run with the same
 * name are added up. */
uint32_t run_values_add_event(struct run_values *values, const struct run_event *event);
void run_values_add(struct run_values *values, uint32_t event, const struct run_name *name, uint64_t count,
                    uint64_t weight);

/* A function that is inlined into others in this run. */
void run_values_add_inlined(struct run_values *values, const char *name);

/* Adds copies of all runs of `from`, which is not finished. */
void run_values_append(struct run_values *values, const struct run_values *from);

/* Once, after the last run: pairs the modules of both groups and makes the rows of all names. */
void run_values_finish(struct run_values *values);

/* After run_values_finish(): the name `b`, which only B has, is another one of `a`, which only A has. */
void run_values_rename(struct run_values *values, size_t a, size_t b);

/* --- Reading ---------------------------------------------------------------------------------------- */

size_t run_values_n_runs(const struct run_values *values, enum run_side side);
size_t run_values_first(const struct run_values *values,
                        enum run_side side);                                /* the number of its first run */
size_t run_values_end(const struct run_values *values, enum run_side side); /* one more than its last */
size_t run_values_n_all_runs(const struct run_values *values);
const char *run_values_path(const struct run_values *values, size_t run);
double run_values_time(const struct run_values *values, size_t run,
                       enum run_time time);                           /* negative: not known */
double run_values_start(const struct run_values *values, size_t run); /* negative: not known */

size_t run_values_n_facts(const struct run_values *values, size_t run);
void run_values_get_fact(const struct run_values *values, size_t run, size_t index, const char **ret_key,
                         const char **ret_text);
const char *run_values_program(const struct run_values *values, size_t run); /* NULL: not known */

size_t run_values_n_events(const struct run_values *values);
const char *run_values_event_name(const struct run_values *values, uint32_t event);
/* Whether its amounts are nanoseconds. */
bool run_values_event_is_time(const struct run_values *values, uint32_t event);
/* NULL: the run does not have the event. */
const struct run_event *run_values_event(const struct run_values *values, size_t run, uint32_t event);

size_t run_values_n_names(const struct run_values *values);
/* `brief` is NULL if another name of the module has the same. */
struct run_name run_values_name(const struct run_values *values, size_t index);

/* The number of the name as which run_values_rename() counted this one; SIZE_MAX: it was not renamed. */
size_t run_values_renamed(const struct run_values *values, size_t name);

/* Samples and sums of periods of a name, for each run; after run_values_finish(). */
struct run_cell {
        uint64_t count, weight;
};
const struct run_cell *run_values_row(const struct run_values *values, uint32_t event, size_t name);

/* Whether a name is inlined in a run of this group, or was merely not sampled. */
bool run_values_is_inlined(const struct run_values *values, enum run_side side, const char *name);

/* Modules with different names in both groups that were taken as the same one. */
size_t run_values_n_pairs(const struct run_values *values);

/* Whether modules are source files that file_pairs_apply() has paired; then the pairs are those of the
 * user. */
bool run_values_has_files(const struct run_values *values);
void run_values_get_pair(const struct run_values *values, size_t index, const char **ret_a,
                         const char **ret_b);

/* The name that a module of B has in A; otherwise `module` itself. */
const char *run_values_paired_module(const struct run_values *values, const char *module);

/* Returns new values in which each name is replaced by the group that `group_of` returns; "" is a group,
 * too. */
typedef const char *run_values_group_fn(const void *ctx, const struct run_name *name);
struct run_values *run_values_group(const struct run_values *values, run_values_group_fn *group_of,
                                    const void *ctx);

#endif
