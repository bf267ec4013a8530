/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions and lines of addresses in a file. */
#include <stdlib.h>

#include "library_internal.h"
#include "mem.h"
#include "symbolize.h"

struct wperf_symbols {
        struct symbolize *symbolize;
        size_t n_addrs;
};

wperf_symbols *wperf_resolve(const char *path, const uint64_t *addrs, size_t n_addrs,
                             struct wperf_error *error)
{
        const struct symbolize_request request = {.path = path, .addrs = addrs, .n_addrs = n_addrs};
        wperf_symbols *ret = mem_new(1, sizeof(*ret));
        struct err err = {0};

        library_begin();
        ret->n_addrs = n_addrs;
        ret->symbolize = symbolize_make(&request, &err);
        if (!ret->symbolize) {
                free(ret);
                library_fail(&err, error);
                return NULL;
        }
        return ret;
}

void wperf_symbols_free(wperf_symbols *handle)
{
        if (!handle)
                return;
        symbolize_free(handle->symbolize);
        free(handle);
}

static const char *text_of(const wperf_symbols *handle, str_id id)
{
        const char *text = symbolize_text(handle->symbolize, id);

        return text ? text : "";
}

int wperf_symbols_get(const wperf_symbols *handle, size_t addr, size_t index, struct wperf_location *location)
{
        const struct resolver_frame *frames;

        if (addr >= handle->n_addrs || index >= symbolize_frames(handle->symbolize, addr, &frames))
                return 0;
        *location = (struct wperf_location){
                .function = text_of(handle, frames[index].function),
                .path = text_of(handle, frames[index].path),
                .line = frames[index].line,
                .column = frames[index].column,
                .is_inlined = frames[index].is_inlined,
        };
        return 1;
}
