/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the session while the browser answers keys: first the rows, then what takes longer. */
#include <stdlib.h>

#include "browse_read.h"
#include "browser_internal.h"
#include "mem.h"

/* Rows by keys of their own are kept beside the whole session, whose rows are functions. */
static void use_session(struct browser *browser, struct browse_session *session, bool is_whole)
{
        bool is_sorted = !is_whole && browser->request->keys.n;

        browse_session_free(browser->session);
        browser->session = is_sorted ? NULL : session;
        if (is_sorted) {
                browse_session_free(browser->sorted);
                browser->sorted = session;
        }
        browser->report = browse_session_report(session);
        if (is_whole && browser->sorted)
                return; /* the pages show the rows of that one */
        for (struct page *page = browser->top; page; page = page->below) {
                if (page->kind->renew)
                        page->kind->renew(browser, page);
        }
}

static void apply_filter(const struct browser *browser, struct profile_filter *filter)
{
        const struct browser_filter *chosen = &browser->filter;

        if (chosen->module)
                filter->modules = chosen->module;
        if (chosen->comm)
                filter->comms = chosen->comm;
        if (chosen->has_pid) {
                filter->pids = &chosen->pid;
                filter->n_pids = 1;
        }
        filter->has_tid = chosen->has_tid;
        filter->tid = chosen->tid;
        if (!chosen->to_ns)
                return;
        filter->times_are_relative = false;
        filter->to_ppm = 0;
        filter->from_ns = chosen->from_ns;
        filter->to_ns = chosen->to_ns;
}

/* The results that take longer than the rows. */
static unsigned whole_results(const struct browser *browser)
{
        return REPORT_TREE | REPORT_PYTHON | REPORT_ACCESSES | REPORT_WALL |
               (browser->wants_samples ? REPORT_SAMPLES | REPORT_NAMED_STACKS : 0);
}

/* Starts to read the rows, or everything. */
static void start_reading(struct browser *browser, bool is_whole)
{
        struct report_request request = *browser->request->report;

        request.access_keys = ACCESS_BY_LINE;
        if (is_whole)
                request.results |= whole_results(browser);
        else if (browser->request->keys.n)
                request.keys = row_keys_bits(&browser->request->keys);
        request.python = browser->python;
        apply_filter(browser, &request.filter);
        browser->reading = browse_read_start(&request, browser->screen);
}

/* Returns false if reading failed. */
static bool end_reading(struct browser *browser, bool is_whole)
{
        struct browse_session *session = browse_read_end(TAKE(browser->reading), &browser->err);

        if (session)
                use_session(browser, session, is_whole);
        return session;
}

static bool is_read(const void *ctx)
{
        return browse_read_is_done(ctx);
}

static double share_read(const void *ctx, const char **ret_doing)
{
        double share = browse_read_share(ctx);

        *ret_doing = share < 1 ? "reading the session" : "looking up names";
        return share;
}

/* Returns false if the user quit or reading failed. */
static bool wait_reading(struct browser *browser, bool is_whole)
{
        return browser_wait(browser, &(struct browser_work){"reading the session ...", is_read, share_read,
                                                            browser->reading}) &&
               end_reading(browser, is_whole);
}

bool browser_wait_whole(struct browser *browser)
{
        if (browser->is_whole)
                return true;
        browser->is_whole = wait_reading(browser, true);
        browser->is_ending |= !browser->is_whole;
        return browser->is_whole;
}

bool browser_wait_samples(struct browser *browser)
{
        if (browser->wants_samples)
                return browser_wait_whole(browser);
        if (!browser_wait_whole(browser))
                return false;
        /* Only the table can be built from another report. */
        while (!browser->top->kind->renew)
                browser_pop(browser);
        browser->wants_samples = true;
        browser->is_whole = false;
        start_reading(browser, true);
        return browser_wait_whole(browser);
}

void browser_refilter(struct browser *browser)
{
        browser->is_to_read = true;
}

void browser_drop_filter(struct browser *browser)
{
        free(browser->filter.module);
        free(browser->filter.comm);
        free(browser->filter.thread);
        browser->filter = (struct browser_filter){0};
        browser_refilter(browser);
}

static uint32_t first_event(const struct report *report)
{
        uint32_t best = 0;

        for (uint32_t i = 0; i < report->n_events; i++) {
                if (report->events[i].n_samples > report->events[best].n_samples)
                        best = i;
        }
        return best;
}

bool browser_read_session(struct browser *browser)
{
        const struct browser_request *request = browser->request;
        bool is_first = !browser->report;
        bool is_whole = is_first ? request->start != BROWSER_TABLE : request->start == BROWSER_FUNCTIONS;

        browser->is_to_read = false;
        if (browser->reading && !wait_reading(browser, true))
                return false;
        browser_pop_all(browser);
        browser->is_whole = false;
        start_reading(browser, is_whole);
        if (!wait_reading(browser, is_whole))
                return false;
        browser->is_whole = is_whole;
        if (!browser->report->n_events)
                return err_set(&browser->err, ERR_MISSING, "%s: the session has no events",
                               request->report->path);
        if (is_first && request->check && !request->check(request->check_ctx, browser->report, &browser->err))
                return false;
        if (browser->event >= browser->report->n_events || !browser->report->events[browser->event].n_samples)
                browser->event = first_event(browser->report);
        if (!is_whole)
                start_reading(browser, true);
        return true;
}
