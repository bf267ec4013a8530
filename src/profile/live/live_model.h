/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds up samples as they arrive: by function, thread and process, in the last interval and since the start.
 * The samples of an interval become a call tree by the code that reads a session, then sums; so memory does
 * not grow with the number of samples. docs/decisions/0045-a-live-view-adds-up-intervals.md */
#ifndef LIVE_MODEL_H
#define LIVE_MODEL_H

#include "buf.h"
#include "err.h"
#include "live_table.h"
#include "resolver_facts.h"
#include "stacks_python.h"

struct live_model;

struct live_request {
        struct buf *header; /* a session in memory, with its events and without records; taken */
        enum stacks_python python;
        bool no_demangle;
        /* The session has wall time: the states that count for functions, as WALL_BIT(); 0: CPU time only. */
        unsigned states;
        /* Appends the control group of a process; false if it is not known. NULL: nobody knows. */
        bool (*add_group)(int32_t pid, struct buf *out);
        const struct resolver_sources *sources; /* NULL: only files of this machine */
};

struct live_model *live_model_new(const struct live_request *request, struct err *err);
void live_model_free(struct live_model *model);
AUTO_DEFINE(live_model)

/* Takes complete records of the recorder, in the order in which it gives them. */
void live_model_put(struct live_model *model, const void *records, size_t size_bytes);

/* Counts samples that the caller had to drop as lost. */
void live_model_count_lost(struct live_model *model, uint64_t n);

/* The places of Python functions so far, as the section has them; takes the content of `section`. */
void live_model_set_python(struct live_model *model, struct buf *section);

/* What threads waited for, as a section of wait_section.h, before the records of its samples; takes the
 * content of `section`. */
void live_model_add_waits(struct live_model *model, struct buf *section);

/* Ends an interval at a time of the monotonic clock, looks up the names of its functions, and adds it to the
 * sums. `elapsed_ns`: since the run began. `is_last`: there are no more records. */
void live_model_end_interval(struct live_model *model, uint64_t now_ns, uint64_t elapsed_ns, bool is_last);

/* A new table of the last interval; the caller frees it. */
struct live_table *live_model_make_table(const struct live_model *model);

/* Sets the sums to zero. */
void live_model_zero(struct live_model *model);

#endif
