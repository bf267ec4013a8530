/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions: events, rows, Python functions and quality. */
#include <stdlib.h>
#include <string.h>

#include "library_internal.h"
#include "mem.h"
#include "session_input.h"

static unsigned results_of(unsigned contents)
{
        return (contents & WPERF_TREES ? REPORT_TREE : 0) |
               (contents & WPERF_SAMPLES ? REPORT_SAMPLES | REPORT_NAMED_STACKS : 0) |
               (contents & WPERF_PYTHON ? REPORT_PYTHON : 0) |
               (contents & WPERF_ACCESSES ? REPORT_ACCESSES : 0);
}

static const char *keep(struct arena *arena, const char *text)
{
        return text ? arena_copy(arena, text, strlen(text)) : NULL;
}

static void find_sources(wperf_report *handle, const struct wperf_report_request *request)
{
        const char *const *dirs = library_split_folders(&handle->texts, request->symbol_path);

        handle->elf = (struct elf_places){.root = keep(&handle->texts, request->symfs), .dirs = dirs};
        handle->pe = (struct pe_places){.dirs = dirs};
        budget_init(&handle->budget, request->max_memory ? request->max_memory : session_input_max_memory());
        handle->sources = (struct resolver_sources){
                .pe = &handle->pe,
                .elf = &handle->elf,
                .budget = &handle->budget,
                .any_owner = request->any_owner,
        };
}

static struct report *make_report(wperf_report *handle, const struct wperf_report_request *request,
                                  struct err *err)
{
        struct report_request wanted = {
                .path = request->path,
                .results = results_of(request->contents),
                .keys = PROFILE_EVENT | PROFILE_MODULE | PROFILE_SYMBOL |
                        (request->lines ? PROFILE_LINE : 0u),
                .access_keys = ACCESS_BY_LEVEL | (request->pages ? ACCESS_BY_PAGE : ACCESS_BY_LINE),
                .filter = {.pids = request->pids, .n_pids = request->n_pids},
                .inlines = request->inlines,
                .python = STACKS_PYTHON_MERGED,
                .sources = &handle->sources,
        };

        if (!request->path) {
                err_set(err, ERR_USAGE, "no session: the request has no path");
                return NULL;
        }
        return report_make(&wanted, err);
}

wperf_report *wperf_report_open(const struct wperf_report_request *request, struct wperf_error *error)
{
        wperf_report *handle = mem_new(1, sizeof(*handle));
        struct wperf_report_request own = {0};
        struct err err = {0};
        bool is_taken = library_take_request(&own, sizeof(own), request, &err);

        library_begin();
        find_sources(handle, &own);
        handle->inlines = own.inlines;
        handle->pages = own.pages;
        handle->contents = own.contents;
        handle->n_users = 1;
        if (is_taken)
                handle->report = make_report(handle, &own, &err);
        if (!handle->report) {
                library_fail(&err, error);
                wperf_report_close(handle);
                return NULL;
        }
        budget_add_text(handle->report->quality.budget, &handle->left_out);
        if (budget_has_given_up(handle->report->quality.budget)) {
                buf_add_str(&handle->left_out, handle->left_out.len ? ", " : "");
                budget_add_given_up(handle->report->quality.budget, &handle->left_out);
        }
        quality_add_reasons(&handle->report->quality, &handle->why_poor);
        return handle;
}

void wperf_report_close(wperf_report *handle)
{
        if (!handle || --handle->n_users)
                return;
        report_free(handle->report);
        budget_release(&handle->budget);
        buf_release(&handle->left_out);
        buf_release(&handle->why_poor);
        arena_release(&handle->texts);
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
                .line = profile_keys(handle->report->profile) & PROFILE_LINE ? hot_text(hot, r->line) : "",
                .resolved = r->resolved,
                .samples = r->count,
                .weight = r->weight,
                .share = r->share,
                .low = r->low,
                .high = r->high,
        };
        return 1;
}

size_t wperf_report_python_row_count(const wperf_report *handle)
{
        return handle->report->python ? handle->report->python->n : 0;
}

int wperf_report_python_row(const wperf_report *handle, size_t index, struct wperf_python_row *row)
{
        const struct python_function *f;

        if (index >= wperf_report_python_row_count(handle))
                return 0;
        f = &handle->report->python->items[index];
        *row = (struct wperf_python_row){
                .event = f->event,
                .name = f->name,
                .label = f->label,
                .path = f->path,
                .self_samples = f->self_count,
                .self_weight = f->self_weight,
                .samples = f->count,
                .weight = f->weight,
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
