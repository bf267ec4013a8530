/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses to memory of a session. */
#include <stdlib.h>

#include "library_internal.h"
#include "mem.h"

struct wperf_accesses {
        struct access_rows *rows;
        enum wperf_access_key key;
};

/* One of the two address keys was chosen when the session was read. */
static bool check(const wperf_report *handle, enum wperf_access_key key, struct err *err)
{
        bool by_page = key == WPERF_BY_PAGE, by_line = key == WPERF_BY_CACHE_LINE;

        if (!handle->report->accesses)
                return err_set(err, ERR_USAGE,
                               "the report has no accesses to memory: open it with WPERF_ACCESSES");
        if ((by_page && !handle->pages) || (by_line && handle->pages))
                return err_set(err, ERR_USAGE,
                               "the report has accesses by %s only: change wperf_report_request.pages",
                               handle->pages ? "page" : "cache line");
        return true;
}

wperf_accesses *wperf_report_accesses(wperf_report *handle, enum wperf_access_key key,
                                      struct wperf_error *error)
{
        static const unsigned keys[] = {
                [WPERF_BY_FUNCTION] = 0,
                [WPERF_BY_LEVEL] = ACCESS_BY_LEVEL,
                [WPERF_BY_PAGE] = ACCESS_BY_PAGE,
                [WPERF_BY_CACHE_LINE] = ACCESS_BY_LINE,
        };
        struct err err = {0};
        wperf_accesses *ret;

        if ((size_t)key >= N_ELEMENTS(keys))
                err_set(&err, ERR_USAGE, "accesses have no key %d", (int)key);
        else
                check(handle, key, &err);
        if (err.code) {
                library_fail(&err, error);
                return NULL;
        }
        ret = mem_new(1, sizeof(*ret));
        ret->key = key;
        ret->rows = report_access_rows(handle->report, keys[key],
                                       key == WPERF_BY_FUNCTION ? PROFILE_MODULE | PROFILE_SYMBOL : 0,
                                       handle->inlines, NULL);
        return ret;
}

void wperf_accesses_free(wperf_accesses *handle)
{
        if (!handle)
                return;
        access_rows_free(handle->rows);
        free(handle);
}

size_t wperf_accesses_count(const wperf_accesses *handle)
{
        return access_rows_n(handle->rows);
}

static void describe_code(const struct access_rows *rows, const struct access_row *row,
                          struct wperf_access *access)
{
        const struct hot *hot = access_rows_hot(rows);
        const struct hot_row *code;

        if (row->code == ACCESS_NO_CODE)
                return;
        code = hot_get_row(hot, row->code);
        access->symbol = hot_text(hot, code->bare);
        access->module = hot_text(hot, code->module);
}

int wperf_accesses_get(const wperf_accesses *handle, size_t index, struct wperf_access *access)
{
        const struct access_row *r;

        _Static_assert((int)WPERF_SHARED_FALSELY == (int)ACCESS_SHARED_FALSELY,
                       "kinds of sharing are passed on");
        if (index >= access_rows_n(handle->rows))
                return 0;
        r = access_rows_get(handle->rows, index);
        *access = (struct wperf_access){
                .event = r->event,
                .symbol = "",
                .module = "",
                .level = handle->key == WPERF_BY_LEVEL ? access_level_name(r->level) : "",
                .addr = r->data.addr,
                .pid = r->data.pid,
                .count = r->count,
                .loads = r->n_loads,
                .stores = r->n_stores,
                .walks = r->n_walks,
                .share = r->share,
                .p50 = r->p50,
                .p90 = r->p90,
                .p99 = r->p99,
                .threads = r->n_threads,
                .sharing = (int)r->sharing,
        };
        if (handle->key == WPERF_BY_FUNCTION)
                describe_code(handle->rows, r, access);
        return 1;
}
