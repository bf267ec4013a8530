/* SPDX-License-Identifier: BSD-3-Clause */
/* archive: packs names, lines and code of the samples into a session, and prints how much was packed. */
#include "archive.h"

#include "archive_view.h"
#include "cmd.h"
#include "cmd_report_options.h"
#include "reading_progress.h"

static struct archive_view view_of(const struct archive_result *result, const char *session)
{
        return (struct archive_view){
                .session = session,
                .n_modules = result->n_modules,
                .n_functions = result->n_functions,
                .n_whole = result->n_whole,
                .n_stacks = result->n_stacks,
                .n_source_files = result->n_source_files,
                .n_source_lines = result->n_source_lines,
                .bytes_before = result->bytes_before,
                .bytes_after = result->bytes_after,
                .source_files = buf_text(&result->source_files),
                .notes = buf_text(&result->note),
        };
}

static int run(const struct archive_options *o, const struct archive_request *request,
               const struct lookup *lookup)
{
        AUTO_RELEASE(archive_result) result = {0};
        AUTO_RELEASE(buf) text = {0};
        AUTO_RELEASE(buf) document = {0};
        struct reading_progress *progress;
        struct archive_view view;
        struct err err = {0};
        bool ok;

        progress = reading_progress_start(request->path, NULL, lookup, o->general.quiet);
        ok = archive_make(request, &result, &err);
        reading_progress_end(progress);
        if (!ok)
                return cmd_fail(&err);
        view = view_of(&result, request->output ? request->output : request->path);
        archive_view_text(&view, &text);
        archive_view_json(&view, &document);
        if (result.note.len)
                cmd_warn(&result.note);
        return cmd_print_document(&o->general, &(struct output_options){.json = o->what.json}, &text,
                                  &document);
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
        status = run(o, &request, &lookup);
        lookup_release(&lookup);
        return status;
}
