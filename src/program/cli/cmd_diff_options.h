/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of the commands that compare runs: `diff` and `check`. */
#ifndef CMD_DIFF_OPTIONS_H
#define CMD_DIFF_OPTIONS_H

#include "cmd_diff_code_options.h"
#include "color_options.h"
#include "filter_options.h"
#include "lookup.h"
#include "option_groups.h"
#include "page_output.h"

struct comparing_options {
        const char *by;       /* a word of --by, or NULL: function */
        const char *pair;     /* pairs of files, A=B, separated by commas; or NULL */
        const char *measure;  /* "time", "share", or NULL: time */
        const char *event;    /* or NULL: all events */
        const char *find;     /* a change in percent, or NULL */
        const char *group_by; /* a file of rules, "cpython", or NULL */
        uint64_t rows;
        bool csv;
        bool stdio; /* print text, also on a terminal */
};

struct diff_options {
        struct general_options general;
        struct output_options output;
        struct comparing_options what;
        struct diff_code_options code;
        struct filter_options filter;
        struct lookup_options lookup;
        struct color_options color;
        struct page_options page;
};

struct checking_options {
        const char *baseline;       /* a file, or NULL */
        const char *write_baseline; /* a file, or NULL */
        const char *max_change;     /* limits separated by commas, or NULL */
        const char *markdown;       /* a file, or NULL */
        const char *event;          /* of the functions; or NULL: the first with samples */
        const char *group_by;       /* as in comparing_options */
        bool runs;                  /* --run: record the command after -- */
        const char *versus;         /* with --run: the command of A, or NULL */
        uint64_t max_runs;          /* 0: not given */
        uint64_t max_time_ns;       /* 0: no limit */
        const char *measure;        /* "time", "share", "count", or NULL: time */
        const char *annotations;    /* "github", "gitlab", or NULL */
        const char *junit, *html;   /* files, or NULL */
        const char *unclear;        /* "pass", "fail", or NULL */
};

struct check_options {
        struct general_options general;
        struct output_options output;
        struct checking_options what;
        struct filter_options filter;
        struct lookup_options lookup;
};

extern const struct command cmd_diff_command;
extern const struct command cmd_check_command;

#endif
