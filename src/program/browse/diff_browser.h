/* SPDX-License-Identifier: BSD-3-Clause */
/* The terminal browser for comparisons: a table of what differs, the machine code of a function side by
 * side, notes. */
#ifndef DIFF_BROWSER_H
#define DIFF_BROWSER_H

#include <stdbool.h>

#include "browser.h"
#include "cells.h"
#include "code_diff.h"
#include "diff_view.h"
#include "err.h"

struct diff_browser_request {
        /* Reads and compares the sessions; the browser calls it once, in another thread.  What `ret` points
         * to must outlive the browser.  False ends the browser with its error. */
        bool (*compare)(void *ctx, struct diff_view *ret, struct err *err);
        /* Returns the share of the sessions that were read, 0 to 1; called at the same time as `compare`. */
        double (*share)(const void *ctx);
        void *ctx;
        /* For the machine code of a row: the browser sets its paths, from the first session of each side,
         * and its symbol. */
        const struct code_diff_request *code;
        enum cell_colors colors;
};

/* Runs until the user quits.  Sets *ret_left if another thread was still working: then the process must end
 * at once.  ERR_MISSING, or the error of `compare`. */
bool diff_browser_run(const struct diff_browser_request *request, browser_write_fn *write, bool *ret_left,
                      struct err *err);

#endif
