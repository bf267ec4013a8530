/* SPDX-License-Identifier: BSD-3-Clause */
/* A run, and its session, for the files of the run. */
#ifndef RUN_INTERNAL_H
#define RUN_INTERNAL_H

#include "perfdata_writer.h"
#include "run.h"
#include "session_facts.h"

struct run {
        const struct run_request *request;
        uint64_t start_ns;
        bool has_ended;                    /* the time does not go on */
        const struct run_records *records; /* of a session that is kept; NULL: all */
        struct control *control;           /* NULL for none */
        struct collector *collector;
        struct perfdata_writer *writer;
        struct event_list events;
        struct session_facts *facts;
        struct run_facts out;
        struct err write_error;
        bool failed; /* the session cannot be written further; write_error says why */
        unsigned n_ticks;
        struct buf memory_note;    /* what the events for accesses to memory leave out */
        struct buf doubts;         /* events that the PMU may not have, one sentence each */
        struct buf asked_note;     /* which stacks are not taken as asked */
        struct buf heading_note;   /* as in run_facts */
        struct buf lack_note;      /* the same */
        struct buf note;           /* everything the session says about its source */
        struct buf python_symbols; /* the path of FILE.pysyms; empty if there is none */
        struct buf python_note;    /* why FILE.pysyms could not be written */
        bool has_python;           /* an interpreter was seen before there was a session */
        bool begun;                /* the session file is being written */
        bool is_monotonic;         /* its times are those of os_monotonic_ns() */
};

/* --- run.c --- */

/* The events of the request; appends to `note` what those for accesses to memory leave out. */
bool run_parse_events(const struct run_request *request, struct event_list *ret_events, struct buf *note,
                      struct err *err);
struct collect_request run_make_request(const struct run_request *request, const struct event_list *events);

void run_add_events(struct run *run);
void run_describe_tracepoints(const struct run_request *request, struct run *run);
void run_fill_facts(struct run *run);

/* The sink of the collector. Begins the session with the first record. */
bool run_put_records(void *ctx, const void *records, size_t size, struct err *err);

bool run_open_session(struct run *run, const struct run_request *request, struct err *err);

/* Writes everything that follows the records, and closes the session. */
bool run_finish_session(struct run *run, const struct run_request *request, struct err *err);

/* --- run_source.c --- */

/* Appends a part of a note, behind a semicolon if there is something before it. */
void run_add_part(struct buf *out, const char *part);

/* Events that the PMU may not have, to run->doubts. */
void run_add_doubts(struct run *run);
void run_fill_heading_note(struct run *run, const struct run_request *request);
void run_fill_lack_note(struct run *run);

/* All notes, for the session; they belong to the run. */
const char *run_whole_note(struct run *run, const struct run_request *request);

#endif
