/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of `export`. */
#ifndef CMD_EXPORT_OPTIONS_H
#define CMD_EXPORT_OPTIONS_H

#include "export_output.h"
#include "filter_options.h"
#include "lookup.h"
#include "option_groups.h"
#include "page_output.h"
#include "python_options.h"

struct exporting_options {
        const char *format; /* or NULL: by the ending of `output` */
        const char *output; /* or NULL: standard output */
        struct export_choice choice;
        bool no_inlines;
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
