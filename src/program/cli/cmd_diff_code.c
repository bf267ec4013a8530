/* SPDX-License-Identifier: BSD-3-Clause */
/* diff --code: compares the machine code of two programs or sessions. */
#include "cmd_diff_code.h"

#include "cmd.h"
#include "code_diff.h"
#include "code_diff_view.h"
#include "err.h"
#include "os.h"
#include "text_match.h"

static bool parse_style(const char *style, enum disasm_syntax *ret, struct err *err)
{
        *ret = style && text_equal_nocase(style, "intel") ? DISASM_INTEL : DISASM_ATT;
        return !style || *ret == DISASM_INTEL || text_equal_nocase(style, "att") ||
               err_set(err, ERR_USAGE, "-M takes intel or att, not '%.40s'", style);
}

static bool check_args(const struct command_line *line, struct err *err)
{
        const struct output_options *output = &((const struct diff_options *)line->options)->output;

        if (line->n_args == CODE_N_SIDES)
                return cmd_spares_input("-o", output->output_prefix, output->output, line->args[0], err) &&
                       cmd_spares_input("-o", output->output_prefix, output->output, line->args[1], err);
        return err_set(
                err, ERR_USAGE,
                "--code compares two programs or sessions, and %zu %s given: write wperf diff --code A B",
                line->n_args, line->n_args == 1 ? "is" : "are");
}

static int print(const struct diff_options *o, const struct code_diff_view *view)
{
        struct cmd_forms forms = cmd_wanted_forms(&o->general, &o->output);
        AUTO_RELEASE(buf) text = {0};
        AUTO_RELEASE(buf) document = {0};

        if (forms.text && o->what.csv)
                code_diff_view_csv(view, &text);
        else if (forms.text)
                code_diff_view_text(view, &text);
        if (forms.document)
                code_diff_view_json(view, &document);
        return cmd_print_document(&o->general, &o->output, &text, &document);
}

/* Options of the comparison of runs. */
static bool check_other_options(const struct diff_options *options, struct err *err)
{
        const struct comparing_options *o = &options->what;
        const char *other = o->by         ? "--by"
                            : o->measure  ? "--measure"
                            : o->event    ? "-e"
                            : o->find     ? "--find"
                            : o->group_by ? "--group-by"
                                          : NULL;

        if (other)
                return err_set(err, ERR_USAGE, "%s and --code cannot be used together: %s compares runs",
                               other, other);
        return !page_output_is(options->output.output) ||
               err_set(err, ERR_USAGE,
                       "--code cannot be used with an HTML page: the page of diff has the code of functions that "
                       "differ without it");
}

static int compare(const struct command_line *line, const struct profile_filter *filter,
                   struct lookup *lookup)
{
        const struct diff_options *o = line->options;
        struct code_diff_request request = {
                .paths = {line->args[0], line->args[1]},
                .symbol = o->code.symbol,
                .no_demangle = o->filter.no_demangle,
                .filter = filter,
                .sources = &lookup->sources,
        };
        struct code_diff_view view = {
                .paths = {line->args[0], line->args[1]},
                .with_blocks = o->code.symbol,
                .max_rows = o->what.rows ? o->what.rows : DISPLAY_ROWS_DEFAULT,
                .max_columns = os_is_terminal(OS_STDOUT) ? os_terminal_columns(OS_STDOUT) : 0,
        };
        struct code_diff diff;
        struct err err = {0};
        int status;

        if (!parse_style(o->code.style, &request.syntax, &err) ||
            !color_choose(&o->color, &view.is_colored, &err) || !code_diff_make(&request, &diff, &err))
                return cmd_fail(&err);
        if (diff.note.len)
                cmd_warn(&diff.note);
        view.rows = &diff.rows;
        status = print(o, &view);
        code_diff_release(&diff);
        return status;
}

int cmd_diff_code(const struct command_line *line, const int32_t *pids)
{
        const struct diff_options *o = line->options;
        struct profile_filter filter;
        struct lookup lookup;
        struct err err = {0};
        int status;

        if (!check_other_options(o, &err) || !check_args(line, &err) ||
            !filter_fill(&o->filter, pids, &filter, &err) || !lookup_init(&o->lookup, &lookup, &err))
                return cmd_fail(&err);
        status = compare(line, &filter, &lookup);
        lookup_release(&lookup);
        return status;
}
