/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of `export`. */
#ifndef CMD_EXPORT_OPTIONS_H
#define CMD_EXPORT_OPTIONS_H

#include "filter_options.h"
#include "lookup.h"
#include "option_groups.h"
#include "page_output.h"
#include "python_options.h"

struct exporting_options {
        const char *format; /* or NULL: by the ending of `output` */
        const char *output; /* or NULL: standard output */
        const char *event;  /* a name, or NULL */
        bool weights;
        bool kinds;
        bool root_at_bottom;
        bool inverted; /* no effect: the root is at the top by default */
        bool no_inlines;
        bool lines;
};

struct export_options {
        struct general_options general;
        struct input_options input;
        struct exporting_options what;
        struct python_options python;
        struct filter_options filter;
        struct lookup_options lookup;
        struct page_options page;
};

extern const struct command cmd_export_command;

#endif
