/* SPDX-License-Identifier: BSD-3-Clause */
/* The measurement of `top`. A thread of its own records; the caller's thread adds up the records and looks up
 * names, at its own pace. The last records are kept in memory, so that they can become a session. */
#ifndef LIVE_RUN_H
#define LIVE_RUN_H

#include "live_model.h"
#include "run.h"

struct live_run_request {
        struct run_request run; /* without a session */
        enum stacks_python python;
        unsigned states; /* with run.wall: those that count for functions, as WALL_BIT() */
        bool no_demangle;
        const struct resolver_sources *sources; /* NULL: only files of this machine */
};

struct live_run;

/* Starts to record; NULL with *ret_failure on failure. The request must outlive the run. */
struct live_run *live_run_start(const struct live_run_request *request, enum run_failure *ret_failure,
                                struct err *err);

/* Ends the run first, if it has not ended. */
void live_run_free(struct live_run *run);
AUTO_DEFINE(live_run)

/* Whether the targets have ended, or the run was stopped. */
bool live_run_has_ended(const struct live_run *run);

/* Ends the run, and a command with it; returns when it has ended. Nothing to do if it has. */
void live_run_stop(struct live_run *run);

/* Adds up what arrived since the last call, and returns a table of it, which the caller frees. Only one
 * thread at a time calls it. */
struct live_table *live_run_step(struct live_run *run);

/* To be called often between two tables, by the same thread: adds up what arrived every second, so that it
 * need not be held. */
void live_run_catch_up(struct live_run *run);

/* Sets the sums to zero and forgets the records that are kept. */
void live_run_zero(struct live_run *run);

struct live_facts {
        uint64_t elapsed_ns, own_ns; /* CPU time of the recorder, with all its threads and processes, */
        uint64_t looked_ns;          /* until then */
        uint64_t n_dropped;          /* samples that are no longer kept */
        char note[1024];             /* what was not measured as asked */
        char lack[512];              /* why Python programs have native functions only, or "" */
        bool has_status;             /* the command has ended */
        bool stopped_by_us;
        int exit_status;  /* as in a shell; valid with has_status */
        struct err error; /* why the run failed; code 0 if it did not */
};
struct live_facts live_run_get_facts(struct live_run *run);

/* The recorder's CPU time in percent of one CPU, since the table before. The last interval may be so short
 * that its table alone takes longer: if it is shorter than half of `interval_ns`, since the table before that
 * one. `before` has the facts of both, the last one first. 0 if no time has passed. */
double live_run_own_percent(const struct live_facts before[2], const struct live_facts *now,
                            uint64_t interval_ns);

/* Writes what is kept as a session. Other threads may call it. */
bool live_run_keep(struct live_run *run, const char *path, struct err *err);

#endif
