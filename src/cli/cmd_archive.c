/* SPDX-License-Identifier: BSD-3-Clause */
/* archive: packs into a session what its samples need, and says how much that was. */
#include "archive.h"

#include <string.h>

#include "cmd.h"
#include "json.h"
#include "report_options.h"
#include "text.h"

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

static void add_text(const struct archive_result *result, struct buf *out)
{
        buf_add_str(out, "archived: ");
        add_count(result->n_modules, "module", out);
        buf_add_str(out, ", ");
        add_count(result->n_functions, "function", out);
        if (result->n_stacks) {
                buf_add_str(out, ", ");
                add_count(result->n_stacks, "stack", out);
        }
        buf_add_str(out, ", ");
        add_count(result->n_source_lines, "line", out);
        buf_add_str(out, " of ");
        add_count(result->n_source_files, "source file", out);
        buf_add_str(out, "; ");
        add_size(result->bytes_before, out);
        buf_add_str(out, " -> ");
        add_size(result->bytes_after, out);
        buf_add_char(out, '\n');
}

static void add_json(const struct archive_result *result, const char *path, struct buf *out)
{
        struct json json;

        json_init(&json, out);
        json_begin_object(&json);
        json_key_str(&json, "session", path);
        json_key_u64(&json, "modules", result->n_modules);
        json_key_u64(&json, "functions", result->n_functions);
        json_key_u64(&json, "functions_whole", result->n_whole);
        json_key_u64(&json, "stacks", result->n_stacks);
        json_key_u64(&json, "source_files", result->n_source_files);
        json_key_u64(&json, "source_lines", result->n_source_lines);
        json_key_u64(&json, "bytes_before", result->bytes_before);
        json_key_u64(&json, "bytes_after", result->bytes_after);
        json_key(&json, "notes");
        json_begin_array(&json);
        for (const char *at = buf_text(&result->note), *end; *at; at = end + (*end == '\n')) {
                AUTO_RELEASE(buf) sentence = {0};

                end = strchr(at, '\n') ? strchr(at, '\n') : at + strlen(at);
                buf_add(&sentence, at, (size_t)(end - at));
                json_str(&json, buf_text(&sentence));
        }
        json_end_array(&json);
        json_end_object(&json);
        buf_add_char(out, '\n');
}

static int run(const struct archive_options *o, const struct archive_request *request)
{
        AUTO_RELEASE(archive_result) result = {0};
        AUTO_RELEASE(buf) out = {0};
        struct err err = {0};

        if (!archive_make(request, &result, &err))
                return cmd_fail(&err);
        if (o->what.json)
                add_json(&result, request->output ? request->output : request->path, &out);
        else if (!o->general.quiet)
                add_text(&result, &out);
        if (result.note.len)
                cmd_warn(&result.note);
        return cmd_print(&out, EXIT_OK);
}

int cmd_archive(const struct command_line *line)
{
        const struct archive_options *o = line->options;
        struct archive_request request = {
                .output = o->what.output,
                .strip_source = o->what.strip_source,
                .max_bytes = o->what.max_mib << 20,
                .source_folders = o->what.source_path,
        };
        struct lookup lookup;
        struct err err = {0};
        int status;

        if (!cmd_input_path(line, &o->input, &request.path, &err))
                return cmd_fail(&err);
        if (!lookup_init(&o->lookup, &lookup, &err))
                return cmd_fail(&err);
        lookup.sources.any_owner = o->input.force;
        request.sources = &lookup.sources;
        request.debuginfod = lookup.debuginfod;
        status = run(o, &request);
        lookup_release(&lookup);
        return status;
}
