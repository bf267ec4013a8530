/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of the commands that read a session: `report`, `dump`, `annotate` and `archive`. */
#ifndef CMD_REPORT_OPTIONS_H
#define CMD_REPORT_OPTIONS_H

#include "color_options.h"
#include "export_output.h"
#include "filter_options.h"
#include "lookup.h"
#include "option_groups.h"
#include "python_options.h"
#include "tree_output.h"

struct choice_options {
        const char *sort;     /* comma-separated keys, or NULL */
        const char *group_by; /* a file of rules, "cpython", or NULL */
        bool csv;
        bool inlines;
        bool branches; /* -b */
        bool threads, timeline, wakers;
        bool mem, describe;
        bool stdio;         /* print text, also on a terminal */
        bool counts;        /* no effect: numbers are always shown */
        bool is_default;    /* no effect */
        const char *format; /* of the picture, or NULL: by the name of -o */
};

struct report_options {
        struct general_options general;
        struct input_options input;
        struct output_options output;
        struct choice_options choice;
        struct tree_options tree;
        struct python_options python;
        struct color_options color;
        struct filter_options filter;
        struct lookup_options lookup;
        struct display_options display;
        struct page_options page;
};

struct memory_options {
        uint64_t max_mib; /* 0: the default */
};

struct dump_options {
        struct general_options general;
        struct input_options input;
        struct memory_options memory;
        struct output_options output;
};

struct annotating_options {
        const char *symbol; /* a pattern, or NULL: the command's argument, or the hottest function */
        const char *by;     /* or NULL */
        bool source, code;
        bool stdio;        /* no effect */
        const char *style; /* "intel", "att", or NULL */
        const char *source_path;
        uint64_t rows;
        bool long_names;
};

struct annotate_options {
        struct general_options general;
        struct input_options input;
        struct output_options output;
        struct filter_options filter;
        struct lookup_options lookup;
        struct annotating_options what;
        struct color_options color;
};

struct archiving_options {
        const char *output; /* or NULL: modify the session */
        bool json;
        bool strip_source;
        uint64_t max_mib;
        const char *source_path;
};

struct archive_options {
        struct general_options general;
        struct input_options input;
        struct archiving_options what;
        struct lookup_options lookup;
};

extern const struct command cmd_report_command;
extern const struct command cmd_archive_command;
extern const struct command cmd_dump_command;
extern const struct command cmd_annotate_command;

#endif
