/* SPDX-License-Identifier: BSD-3-Clause */
/* wperf as a library: read a session (perf.data of wperf, perf or simpleperf) and take its hot rows.
 *
 * All functions may be called from any thread, one at a time for one report.  Strings are UTF-8 or raw bytes of
 * the session, owned by the report and valid until wperf_report_close. */
#ifndef WPERF_H
#define WPERF_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "0.2.0" */
const char *wperf_version(void);

typedef struct wperf_report wperf_report;

/* Reads the whole session and looks names up.  NULL on failure: one sentence in `error`, cut to `error_size`
 * bytes with its NUL; `error` may be NULL. */
wperf_report *wperf_report_open(const char *session_path, char *error, size_t error_size);
void wperf_report_close(wperf_report *report); /* NULL is allowed */

struct wperf_event {
        const char *name;      /* "cpu-clock" */
        uint64_t samples;      /* of this event */
        uint64_t total_weight; /* the sum of their periods */
};

struct wperf_row {
        size_t event;       /* index for wperf_report_event */
        const char *symbol; /* "x_mul", "0x17ab10" for a function without a name, "unknown" */
        const char *module; /* base name; "" for none */
        int resolved;       /* 1: symbol is a function's name */
        uint64_t samples;
        uint64_t weight;
        double share;     /* of the event's weight, 0 to 1 */
        double low, high; /* 95 % interval of the share */
};

/* What is missing in the profile: what `report` says in its last lines and in the `quality` object of its JSON. */
struct wperf_quality {
        uint64_t samples, lost, throttled, unresolved, cut_stacks;
        double counted_share; /* 0 to 1: of the time that the worst event was counted */
        double kernel_share;  /* 0 to 1: of the CPU time, when it was left out; negative: not known */
        int poor;
        int stacks_not_unwound; /* 1: samples have copies of the stack that were not looked at; cut_stacks is 0 */
        uint64_t
                unjudged_stacks; /* they end in files that can't be read: nobody knows whether they are whole */
        double sampled_share; /* 0 to 1: of the CPU time of the targets, or of their events; negative: not known */
        const char *sampled_event; /* these events; "": CPU time */
        const char *not_sampled;   /* programs that the kernel did not let wperf sample, by name; "": none */
        double off_share;          /* 0 to 1: of the run's time in which the user had the events off */
        int unfinished;            /* 1: the recorder did not finish the file */
        uint64_t cut_bytes;        /* of the file: missing, or not whole */
        uint64_t overblown_bytes;  /* of compressed records that were left out: they unpack to too much */
        uint64_t undecoded_aux_bytes; /* of hardware traces */
        uint64_t malformed_records, unknown_records, out_of_order;
        uint64_t unknown_events; /* samples of events that the file does not describe */
        uint64_t files_not_kept; /* mapped files that were gone before they could be kept */
        const char *left_out;    /* for want of memory: "call stacks of perf.data"; "": nothing */
        const char *doubts;      /* why names may be wrong; "": nothing speaks against them */
        const char *why_poor;    /* "12 % of the samples have no name: ..."; "": it is not poor */
};

/* 1 and *event or *row filled; 0 when there is no such index.  Rows come by event, then most first. */
size_t wperf_report_event_count(const wperf_report *report);
int wperf_report_event(const wperf_report *report, size_t index, struct wperf_event *event);
size_t wperf_report_row_count(const wperf_report *report);
int wperf_report_row(const wperf_report *report, size_t index, struct wperf_row *row);
void wperf_report_quality(const wperf_report *report, struct wperf_quality *quality);

#ifdef __cplusplus
}
#endif

#endif
