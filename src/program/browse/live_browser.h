/* SPDX-License-Identifier: BSD-3-Clause */
/* The screen of `top`: the table of a running measurement, renewed every interval, with the keys of the
 * browser. Pages with callers, lines and pictures show what was kept until then, as a session. */
#ifndef LIVE_BROWSER_H
#define LIVE_BROWSER_H

#include "browser.h"
#include "live_run.h"
#include "live_view.h"

struct live_browser_request {
        struct live_run *run;
        uint64_t interval_ns;
        enum live_kind kind;
        bool has_command; /* q asks before it ends the command */
        /* Fills what a table does not say: the target, times, wperf's own share. */
        struct live_view (*view_of)(void *ctx, const struct live_table *table);
        void *ctx;
        const struct browser_request *session; /* how to browse what was kept; its report has no path */
        const char *keep_path;                 /* where W writes */
        const char *scratch;                   /* how the names of files begin that are removed at once */
};

/* Runs until the user quits, a signal ends wperf, or the terminal is closed, which keeps a session at
 * keep_path; does not end the run. `ret_left` as in browser_run(). */
bool live_browser_run(const struct live_browser_request *request, browser_write_fn *write, bool *ret_left,
                      struct err *err);

#endif
