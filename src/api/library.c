/* SPDX-License-Identifier: BSD-3-Clause */
/* include/wperf.h on top of report.h. */
#include <stdlib.h>

#include "buf.h"
#include "err.h"
#include "mem.h"
#include "report.h"
#include "text.h"
#include "wperf.h"

struct wperf_report {
        struct report *report;
        struct buf left_out, why_poor;
};

const char *wperf_version(void)
{
        return WPERF_VERSION;
}

wperf_report *wperf_report_open(const char *session_path, char *error, size_t error_size)
{
        struct report_request request = {.path = session_path};
        struct err err = {0};
        struct report *report = report_make(&request, &err);
        wperf_report *handle;

        if (!report) {
                if (error && error_size)
                        text_copy(error, error_size, err.text);
                return NULL;
        }
        handle = mem_new(1, sizeof(*handle));
        handle->report = report;
        budget_add_text(report->quality.budget, &handle->left_out);
        quality_add_reasons(&report->quality, &handle->why_poor);
        return handle;
}

void wperf_report_close(wperf_report *handle)
{
        if (!handle)
                return;
        report_free(handle->report);
        buf_release(&handle->left_out);
        buf_release(&handle->why_poor);
        free(handle);
}

size_t wperf_report_event_count(const wperf_report *handle)
{
        return handle->report->n_events;
}

int wperf_report_event(const wperf_report *handle, size_t index, struct wperf_event *event)
{
        struct report_event e;

        if (index >= handle->report->n_events)
                return 0;
        e = handle->report->events[index];
        *event = (struct wperf_event){e.name, e.n_samples, e.weight};
        return 1;
}

size_t wperf_report_row_count(const wperf_report *handle)
{
        return hot_n_rows(handle->report->hot);
}

int wperf_report_row(const wperf_report *handle, size_t index, struct wperf_row *row)
{
        const struct hot *hot = handle->report->hot;
        const struct hot_row *r;

        if (index >= hot_n_rows(hot))
                return 0;
        r = hot_get_row(hot, index);
        *row = (struct wperf_row){
                .event = r->event,
                .symbol = hot_text(hot, r->bare),
                .module = hot_text(hot, r->module),
                .resolved = r->resolved,
                .samples = r->count,
                .weight = r->weight,
                .share = r->share,
                .low = r->low,
                .high = r->high,
        };
        return 1;
}

void wperf_report_quality(const wperf_report *handle, struct wperf_quality *quality)
{
        const struct quality *q = &handle->report->quality;

        *quality = (struct wperf_quality){
                .samples = q->n_samples,
                .lost = q->n_lost,
                .throttled = q->n_throttled,
                .unresolved = q->n_unresolved,
                .cut_stacks = q->n_cut_stacks,
                .counted_share = q->counted_share,
                .kernel_share = q->kernel_share,
                .poor = quality_is_poor(q),
                .stacks_not_unwound = q->not_unwound,
                .unjudged_stacks = q->n_unjudged,
                .sampled_share = q->knows_sampled ? q->sampled_share : -1,
                .sampled_event = q->sampled_event ? q->sampled_event : "",
                .not_sampled = q->not_sampled ? q->not_sampled : "",
                .off_share = q->off_share,
                .unfinished = q->unfinished,
                .cut_bytes = q->cut_bytes,
                .overblown_bytes = q->overblown_bytes,
                .undecoded_aux_bytes = q->aux_bytes,
                .malformed_records = q->n_malformed,
                .unknown_records = q->n_unknown_records,
                .out_of_order = q->n_out_of_order,
                .unknown_events = q->n_unknown_events,
                .files_not_kept = q->n_not_kept,
                .left_out = buf_text(&handle->left_out),
                .doubts = q->doubts ? q->doubts : "",
                .why_poor = buf_text(&handle->why_poor),
        };
}
