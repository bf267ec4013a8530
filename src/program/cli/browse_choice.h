/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides whether report, annotate and diff open the terminal browser or print text, and chooses its
 * colours. */
#ifndef BROWSE_CHOICE_H
#define BROWSE_CHOICE_H

#include <stdbool.h>

#include "browser.h"
#include "color_options.h"
#include "diff_browser.h"
#include "option_groups.h"

/* Properties of the command line that require text. */
struct browse_choice {
        const struct general_options *general;
        const struct output_options *output;
        const char *path; /* path of the session; "" for several */
        bool wants_text;  /* an option has text as its result */
};

/* True on a terminal that supports the browser, unless text is required, or the session is read from
 * standard input. */
bool browse_choice_is_wanted(const struct browse_choice *choice);

/* Chooses the colours by --color, NO_COLOR, COLORTERM and TERM.  ERR_USAGE. */
bool browse_choice_colors(const struct color_options *options, enum cell_colors *ret, struct err *err);

/* Runs the browser.  Returns `status`, or the status of a failure; does not return if the user quit while
 * the session was being read. */
int browse_choice_run(const struct browser_request *request, int status);

/* The same for a comparison. */
int browse_choice_run_diff(const struct diff_browser_request *request, int status);

#endif
