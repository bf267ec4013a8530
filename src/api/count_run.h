/* SPDX-License-Identifier: BSD-3-Clause */
/* What `stat` does between its options and its output: count once, again and again (timeline), or over several runs
 * of the command, and hand out each count as it is measured. */
#ifndef COUNT_RUN_H
#define COUNT_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "control.h"
#include "count_list.h"
#include "err.h"
#include "run.h"
#include "sheet.h"

/* The events to count, and the machine that they are for. */
struct count_choice {
        const char *events, *metrics; /* texts of -e and -m; NULL: none */
        const char *extra_events;     /* -E: a file or a list; NULL */
        const char *metrics_file;     /* -C; NULL */
        unsigned detail;              /* perf's -d, as in struct count_text */
        bool kernel;
        uint32_t dmc;          /* UINT32_MAX: all */
        const char *cpu_model; /* another machine: a model of the catalogue; NULL: none */
        const char *sysfs;     /* another machine: the root of its tree; NULL: this one */
};

/* Parses the choice; with another machine only for looking at it.  ERR_USAGE, ERR_UNSUPPORTED, or reading -E and -C. */
bool count_choice_parse(const struct count_choice *choice, struct count_list *ret, struct err *err);

struct count_shot;

struct count_run_request {
        struct count_choice choice;
        struct target target;
        uint64_t timeout_ns; /* of one count; 0: until the target ends */
        uint64_t total_ns;   /* of a timeline; 0: until the target ends or n_counts */
        bool timeline;
        uint64_t interval_ns;     /* pause between two counts */
        uint64_t n_counts;        /* 0: until the target ends or a signal */
        unsigned n_runs;          /* of the command; 0 and 1: one */
        const char *session_path; /* NULL: none is written */
        const char *command_line; /* for the session */
        /* Told when counting or pausing begins and ends; NULL: nobody wants to know. */
        void (*phase)(void *ctx, bool counting, bool begins);
        /* A count has been measured: the last of all runs, or the next of a timeline.  False ends the run. */
        bool (*shot)(void *ctx, const struct count_shot *shot, struct err *err);
        void *ctx;
};

struct count_shot {
        const struct count_list *list;
        const struct sheet *sheet;
        const char *source_note;          /* "", or why other events are counted than better hardware has */
        uint64_t elapsed_ns;              /* mean of several runs */
        double elapsed_deviation_percent; /* negative: one run */
        uint64_t user_ns, kernel_ns;      /* of the command, where it has ended */
        uint64_t off_ns;                  /* of elapsed_ns nothing was to be counted; 0 in a timeline */
        uint64_t start_ns;                /* since the first count began */
        bool has_exit;                    /* the command has ended by itself */
        int exit_status;
};

struct count_run_facts {
        int stop_signal; /* 0: none */
        bool stopped_by_us; /* time ran out, the wanted counts were there, a signal, or another program said so */
        bool has_status;
        int exit_status; /* of the last run's command */
};

/* Runs to the end.  False and *ret_failure when nothing could be counted, or `shot` failed. */
bool count_run(const struct count_run_request *request, struct count_run_facts *ret_facts,
               enum run_failure *ret_failure, struct err *err);

/* Whose counts follow threads: "'sleep 1'", "process 12". */
void count_run_subject(const struct count_run_request *request, struct buf *out);

/* The attributes that would be opened, as text. */
bool count_run_describe(const struct count_run_request *request, struct buf *out, struct err *err);

/* One sentence when the default events, which `list` is then, leave out what better hardware would count; "" otherwise. */
const char *count_source_note(const struct count_choice *choice, const struct count_list *list);

#endif
