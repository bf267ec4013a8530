/* SPDX-License-Identifier: BSD-3-Clause */
/* The measurement of `stat`: counts once, repeatedly (timeline), or in several runs of the command, and
 * reports each count when it is finished. */
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

/* The events to count, and the machine to count them on. */
struct count_choice {
        const char *events, *metrics; /* texts of -e and -m; NULL for none */
        const char *extra_events;     /* -E: a file or a list; NULL for none */
        const char *metrics_file;     /* -C; NULL for none */
        unsigned detail;              /* perf's -d, as in struct count_text */
        bool kernel;
        uint32_t dmc;          /* UINT32_MAX for all */
        bool force_lock;       /* Windows: take the driver from another process */
        const char *cpu_model; /* examine another machine: a model of the catalogue; NULL for none */
        const char *sysfs;     /* examine another machine: the root of its tree; NULL for this one */
};

/* Parses the choice. Fails with ERR_USAGE, ERR_UNSUPPORTED, or the errors of extra_source_read(). */
bool count_choice_parse(const struct count_choice *choice, struct count_list *ret, struct err *err);

struct count_result;

struct count_run_request {
        struct count_choice choice;
        struct target target;
        uint32_t period_ms;  /* as in struct count_request */
        uint64_t timeout_ns; /* of one count; 0 for until the target ends */
        uint64_t total_ns;   /* of a timeline; 0 for until the target ends or after n_counts */
        bool timeline;
        uint64_t interval_ns;     /* pause between two counts */
        uint64_t n_counts;        /* 0 for until the target ends or a signal arrives */
        unsigned n_runs;          /* of the command; 0 means 1 */
        bool keeps_signals;       /* do not handle signals; only os_request_stop() ends the run early */
        const char *session_path; /* NULL to write none */
        const char *command_line; /* to be recorded in the session */
        /* Called when counting or a pause begins or ends; may be NULL. */
        void (*phase)(void *ctx, bool counting, bool begins);
        /* Called when a count is finished: that of all runs, or the next of a timeline. Returns false to end
         * the run. */
        bool (*result)(void *ctx, const struct count_result *result, struct err *err);
        void *ctx;
};

struct count_result {
        const struct count_list *list;
        const struct sheet *sheet;
        const char *source_note; /* why other events are counted than with better hardware; "" if not */
        uint64_t elapsed_ns;     /* the mean of several runs */
        double elapsed_deviation_percent; /* negative if there was only one run */
        uint64_t user_ns, kernel_ns;      /* of the command, if it has ended */
        uint64_t off_ns;   /* part of elapsed_ns in which the events were disabled; 0 in a timeline */
        uint64_t start_ns; /* since the beginning of the first count */
        bool has_exit;     /* the command ended by itself */
        int exit_status;
};

struct count_run_facts {
        int stop_signal;    /* 0 for none */
        bool stopped_by_us; /* by the time limit, the number of counts, a signal, or a control command */
        bool has_status;
        int exit_status; /* of the command in the last run */
};

/* Runs to the end. False, with *ret_failure, if nothing could be counted or `result` returned false. */
bool count_run(const struct count_run_request *request, struct count_run_facts *ret_facts,
               enum run_failure *ret_failure, struct err *err);

/* Appends the target that the counts belong to, such as "'sleep 1'" or "process 12". */
void count_run_subject(const struct count_run_request *request, struct buf *out);

/* Whether period_ms has an effect on this system. */
bool count_run_has_period(void);

/* Appends the attributes that would be opened, as text. */
bool count_run_describe(const struct count_run_request *request, struct buf *out, struct err *err);

/* One sentence if the default events in `list` are not those that better hardware would count; else "". */
const char *count_source_note(const struct count_choice *choice, const struct count_list *list);

#endif
