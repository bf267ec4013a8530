/* SPDX-License-Identifier: BSD-3-Clause */
#include "progress_view.h"

#include <inttypes.h>

#include "text_code.h"
#include "text_printable.h"

void progress_view_begin_sampling(struct buf *out)
{
        buf_add_str(out, "sampling ");
}

char progress_view_second(bool has_samples)
{
        return has_samples ? '.' : 'e';
}

void progress_view_sampling(const char *seconds, bool is_interrupted, struct buf *out)
{
        progress_view_begin_sampling(out);
        buf_add_str(out, seconds);
        if (is_interrupted)
                buf_add_str(out, "Ctrl-C received, quit counting...");
        buf_add_str(out, " done!\n");
}

void progress_view_download(const char *name, uint64_t n_bytes, uint64_t total_bytes, uint64_t left_ns,
                            struct buf *out)
{
        text_code_add(out, TEXT_CODE_LINE_START);
        buf_add_str(out, "debuginfod: ");
        text_add_printable(out, name);
        if (total_bytes)
                buf_printf(out, " %" PRIu64 " of %" PRIu64 " KiB", n_bytes / 1024, total_bytes / 1024);
        buf_printf(out, ", %" PRIu64 " s left", left_ns / 1000000000);
        text_code_add(out, TEXT_CODE_CLEAR);
}

void progress_view_reading(const char *name, uint64_t done_bytes, uint64_t all_bytes, uint64_t seconds,
                           struct buf *out)
{
        text_code_add(out, TEXT_CODE_LINE_START);
        buf_add_str(out, "reading ");
        text_add_printable(out, name);
        if (all_bytes && done_bytes < all_bytes)
                buf_printf(out, ": %.0f %%", 100 * (double)done_bytes / (double)all_bytes);
        else if (all_bytes)
                buf_add_str(out, ": looking up names");
        buf_printf(out, ", %" PRIu64 " s", seconds);
        text_code_add(out, TEXT_CODE_CLEAR);
}

void progress_view_erase(struct buf *out)
{
        text_code_add(out, TEXT_CODE_LINE_START);
        text_code_add(out, TEXT_CODE_CLEAR);
}
