/* SPDX-License-Identifier: BSD-3-Clause */
/* The collector's state, for linux_collector.c and linux_record_rounds.c. */
#ifndef LINUX_COLLECTOR_INTERNAL_H
#define LINUX_COLLECTOR_INTERNAL_H

#include "bpf_engine.h"
#include "linux_auxtrace.h"
#include "linux_children.h"
#include "linux_drainer.h"
#include "linux_enabling.h"
#include "linux_others.h"
#include "linux_unwinder.h"
#include "peek_engine.h"
#include "stop_engine.h"

/* A round whose records were counted and whose files were looked at. */
struct looked_round {
        struct record_round round;
        size_t n_records; /* records in order of time that wait, of this round or the one before */
};

/* Zero-initialize before use. */
struct record_rounds {
        struct linux_order order;
        uint8_t **records; /* in order of time, of all looked rounds */
        size_t first_record, n_records, cap_records;
        struct looked_round *looked;
        size_t first_looked, n_looked, cap_looked;
        struct record_round
                before; /* the last round that is done, because its last records come with the next one */
        bool has_before;
        struct buf out;
        unsigned n_new;                     /* new files */
        unsigned n_recent, n_recent_missed; /* recent samples; those of processes whose files were gone */
};

struct collector {
        struct collect_request request;
        struct child child;
        struct watched_list watched;
        struct opened opened;
        struct ring *rings;
        struct auxtrace *aux; /* NULL: there is no SPE event */
        struct record_sink sink;
        struct keeper keeper;
        struct stop_engine *guardian; /* NULL if wperf itself started the command */
        struct bpf_engine *bpf;       /* NULL if no BPF program reads frames */
        struct peek_engine *peek;     /* NULL if no frames are read of threads that run */
        struct stop_engine *stops;    /* the same; NULL if no thread is stopped */
        struct err refusal; /* why the kernel's events are not used; code 0: they are, or the user chose so */
        struct stop_python *python;
        struct stop_python *waits_python; /* of waiting threads */
        struct stop_merge *merge;         /* NULL if samples have only native frames */
        struct buf stack_note, python_note;
        struct others *others;     /* NULL if the events see only the targets; the drainer's */
        struct children *children; /* NULL if the events see only the targets */
        struct unwinder *unwinder; /* NULL if records are not changed */
        struct drainer *drainer;
        struct wait_pace *waits;     /* NULL: waiting threads are not read */
        struct wait_holder *holders; /* of the GIL, at samples, with both request.wall and bpf */
        size_t n_holders, cap_holders;
        struct record_rounds rounds;
        struct denied denied;
        struct sampled sampled;
        struct map sampled_ids;  /* ids of the event that `sampled` describes */
        uint64_t n_forks;        /* processes that the targets started */
        uint64_t n_lost_records; /* sum of LOST records */
        struct collect_result result;
        bool begun, ended;
        int longest_wait_ms;
        uint64_t own_ns_before;
        struct enabling enabling;
        /* CPU time of the targets when the events were enabled */
        uint64_t user_ns_before, kernel_ns_before;
};

/* --- linux_engines.c: who takes the samples, and who reads their Python frames --- */

/* Chooses the engine that needs no events, if the kernel refuses all of them or the user asks for it. */
bool engines_choose_pace(struct collector *collector, struct err *err);

/* Whether what is sampled runs already, also beside a command. */
bool engines_attach(const struct collect_request *request);

/* Call before the command is started, because the guardian has to start it instead. Appends to the note for
 * the report's header. */
bool engines_prepare(struct collector *collector, struct buf *note, struct err *err);

/* Reads interpreters while they run if they can't be stopped. Call after the command was started, because it
 * may be traced from there on, and before the events are opened. */
void engines_choose_peek(struct collector *collector, struct buf *note);

/* Call when the events are open. */
bool engines_open(struct collector *collector, struct err *err);

/* Adds Python frames to the chains of samples. */
void engines_merge_python(struct collector *collector);

/* --- linux_wall.c: reads waiting threads, for wall time --- */

/* ERR_USAGE if wall time can't be recorded together with what else is asked for. */
bool wall_check(const struct collect_request *request, struct err *err);

/* The functions below do nothing without request.wall.  Adds the event of the samples of waiting threads,
 * which the kernel does not know. */
void wall_add_event(struct collector *collector);

/* Call before the BPF program is attached, and when it is known how samples get their Python frames. */
void wall_prepare_bpf(struct collector *collector);
void wall_open(struct collector *collector);

/* Starts to read. */
void wall_begin(struct collector *collector);
void wall_end(struct collector *collector);
void wall_fill_result(struct collector *collector);
void wall_release(struct collector *collector);

/* --- linux_record_rounds.c: what happens to the records of the rings --- */

void record_rounds_release(struct record_rounds *rounds);

/* Moves rounds to the sink: for a moment, or all of them if the collector has ended. False if the sink
 * failed. */
bool record_rounds_move(struct collector *collector, struct err *err);

/* Whether rounds wait that record_rounds_move had no time for. */
bool record_rounds_wait(const struct collector *collector);

/* Puts records that do not come from a ring. */
bool record_rounds_put_now(struct collector *collector, struct buf *records, bool is_last, struct err *err);

#endif
