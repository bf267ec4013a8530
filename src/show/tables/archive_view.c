/* SPDX-License-Identifier: BSD-3-Clause */
#include "archive_view.h"

#include <string.h>

#include "buf.h"
#include "json.h"
#include "text_number.h"
#include "text_printable.h"

/* "431 functions" */
static void add_count(uint64_t n, const char *what, struct buf *out)
{
        text_add_thousands(out, n);
        buf_printf(out, " %s%s", what, n == 1 ? "" : "s");
}

/* "873 KB", "1.2 MB" */
static void add_size(uint64_t bytes, struct buf *out)
{
        if (bytes < 1000)
                buf_printf(out, "%d bytes", (int)bytes);
        else if (bytes < 1000000)
                buf_printf(out, "%.1f KB", (double)bytes / 1e3);
        else
                buf_printf(out, "%.1f MB", (double)bytes / 1e6);
}

void archive_view_text(const struct archive_view *view, struct buf *out)
{
        buf_add_str(out, "archived: ");
        add_count(view->n_modules, "module", out);
        buf_add_str(out, ", ");
        add_count(view->n_functions, "function", out);
        if (view->n_stacks) {
                buf_add_str(out, ", ");
                add_count(view->n_stacks, "stack", out);
        }
        buf_add_str(out, ", ");
        add_count(view->n_source_lines, "line", out);
        buf_add_str(out, " of ");
        add_count(view->n_source_files, "source file", out);
        buf_add_str(out, "; ");
        add_size(view->bytes_before, out);
        buf_add_str(out, " -> ");
        add_size(view->bytes_after, out);
        buf_add_char(out, '\n');
        for (const char *at = view->source_files, *end; *at; at = end + 1) {
                end = strchr(at, '\n');
                text_printf(out, "source: %.*s\n", (int)(end - at), at);
        }
}

static void add_lines(const char *key, const char *lines, struct json *json)
{
        json_key(json, key);
        json_begin_array(json);
        for (const char *at = lines, *end; *at; at = end + (*end == '\n')) {
                AUTO_RELEASE(buf) line = {0};

                end = at + strcspn(at, "\n");
                buf_add(&line, at, (size_t)(end - at));
                json_str(json, buf_text(&line));
        }
        json_end_array(json);
}

void archive_view_json(const struct archive_view *view, struct buf *out)
{
        struct json json;

        json_init(&json, out);
        json_begin_object(&json);
        json_key_str(&json, "session", view->session);
        json_key_u64(&json, "modules", view->n_modules);
        json_key_u64(&json, "functions", view->n_functions);
        json_key_u64(&json, "functions_whole", view->n_whole);
        json_key_u64(&json, "stacks", view->n_stacks);
        json_key_u64(&json, "source_files", view->n_source_files);
        json_key_u64(&json, "source_lines", view->n_source_lines);
        json_key_u64(&json, "bytes_before", view->bytes_before);
        json_key_u64(&json, "bytes_after", view->bytes_after);
        add_lines("packed_sources", view->source_files, &json);
        add_lines("notes", view->notes, &json);
        json_end_object(&json);
        buf_add_char(out, '\n');
}
