/* SPDX-License-Identifier: BSD-3-Clause */
/* export: writes the call stacks of a session in the formats of other programs. */
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "cmd.h"
#include "cmd_export_options.h"
#include "err.h"
#include "os.h"

static const struct export_format *find_format(const struct exporting_options *o, struct err *err)
{
        const struct export_format *format;
        AUTO_RELEASE(buf) all = {0};

        if (o->format)
                return export_output_find(o->format, err);
        format = export_output_of_file(o->output);
        if (format)
                return format;
        export_output_add_names(&all);
        err_set(err, ERR_USAGE, "%schoose a format with --format %s",
                o->output ? "the file name does not end like the files of any format: " : "", buf_text(&all));
        return NULL;
}

static bool make_request(const struct command_line *line, const struct export_format *format,
                         const int32_t *pids, struct report_request *ret, enum stacks_python *ret_python,
                         struct err *err)
{
        const struct export_options *o = line->options;

        *ret = (struct report_request){
                .no_demangle = o->filter.no_demangle,
                .no_tree_inlines = o->what.no_inlines,
        };
        if (!cmd_input_path(line, &o->input, &ret->path, err))
                return false;
        if (!cmd_spares_input("-o", NULL, o->what.output, ret->path, err))
                return false;
        if (!python_options_frames(&o->python, ret_python, err))
                return false;
        ret->python = *ret_python;
        export_output_request(format, &o->what.choice, ret);
        return filter_fill(&o->filter, pids, &ret->filter, err);
}

int cmd_export(const struct command_line *line)
{
        struct export_options *o = line->options;
        const struct export_format *format;
        struct report_request request;
        enum stacks_python python;
        struct lookup lookup;
        struct err err = {0};
        int32_t *pids;
        int status;

        if (!page_output_take(&o->page, &o->what.output, &err))
                return cmd_fail(&err);
        format = find_format(&o->what, &err);
        if (!format || !export_output_check(format, &o->what.choice, &err) ||
            !page_output_check(&o->page, export_output_is_page(format) ? o->what.output : NULL, &err) ||
            !export_output_can_write(format, NULL, o->what.output, &err))
                return cmd_fail(&err);
        pids = cmd_pids(&o->filter.pids);
        if (lookup_init(&o->lookup, &lookup, &err) &&
            make_request(line, format, pids, &request, &python, &err)) {
                struct export_output output = {
                        .format = format,
                        .choice = o->what.choice,
                        .page = {.session = request.path,
                                 .event = o->what.choice.event,
                                 .python = python,
                                 .options = &o->page,
                                 .takes_private = o->input.force,
                                 .debuginfod = lookup.debuginfod},
                };

                lookup.sources.any_owner = o->input.force;
                request.sources = &lookup.sources;
                status = export_output_read(
                                 &output,
                                 &(struct export_reading){&request, &o->filter, &lookup, o->general.quiet},
                                 o->what.output, &err)
                                 ? EXIT_OK
                                 : cmd_fail(&err);
                if (!status && o->page.opens)
                        page_output_show(&o->page, o->what.output, true);
        } else {
                status = cmd_fail(&err);
        }
        lookup_release(&lookup);
        free(pids);
        return status;
}
