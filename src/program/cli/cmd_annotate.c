/* SPDX-License-Identifier: BSD-3-Clause */
/* annotate: shows where the samples of a session are inside functions. */
#include <stdlib.h>
#include <string.h>

#include "annotate_output.h"
#include "annotate_page.h"
#include "annotate_python.h"
#include "browse_choice.h"
#include "budget.h"
#include "buf.h"
#include "cmd.h"
#include "cmd_report_options.h"
#include "err.h"
#include "filter_none.h"
#include "os.h"
#include "reading_progress.h"
#include "text_match.h"

struct annotating {
        const struct annotate_options *options;
        struct lookup *lookup;
        const char *symbol;
        bool has_by;
        enum annotate_by by;
        enum disasm_syntax syntax;
        struct annotate_output output;
        struct annotate_page page;
        size_t n_shown;        /* number of functions, or of events of the whole session */
        struct err first_none; /* why the first function without rows has none */
};

static const struct {
        const char *name;
        enum annotate_by by;
} kinds[] = {
        {"function", ANNOTATE_FUNCTION}, {"inlined", ANNOTATE_INLINED}, {"handler", ANNOTATE_HANDLER},
        {"block", ANNOTATE_BLOCK},       {"line", ANNOTATE_LINE},       {"instruction", ANNOTATE_INSTRUCTION},
};

/* --- the command line --- */

static bool parse_by(struct annotating *a, struct err *err)
{
        const char *wanted = a->options->what.by, *names[N_ELEMENTS(kinds)], *near;

        for (size_t i = 0; wanted && i < N_ELEMENTS(kinds); i++) {
                names[i] = kinds[i].name;
                if (!text_equal_nocase(wanted, kinds[i].name))
                        continue;
                a->by = kinds[i].by;
                a->has_by = true;
                return true;
        }
        if (!wanted)
                return true;
        near = text_nearest(wanted, names, N_ELEMENTS(kinds));
        return err_set(
                err, ERR_USAGE,
                "--by has no kind of row '%.40s'%s%s%s; write function, handler, block, line, instruction or "
                "inlined",
                wanted, near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}

static bool parse_style(const char *style, enum disasm_syntax *ret, struct err *err)
{
        *ret = DISASM_ATT;
        if (!style || text_equal_nocase(style, "att"))
                return true;
        *ret = DISASM_INTEL;
        return text_equal_nocase(style, "intel") ||
               err_set(err, ERR_USAGE, "-M takes intel or att, not '%.40s'", style);
}

static bool choose_symbol(struct annotating *a, const struct command_line *line, struct err *err)
{
        a->symbol = a->options->what.symbol;
        if (line->n_args > 1 || (line->n_args && a->symbol))
                return err_set(err, ERR_USAGE,
                               "annotate takes one symbol or pattern: unexpected argument '%.60s'",
                               line->args[line->n_args - 1]);
        if (line->n_args)
                a->symbol = line->args[0];
        return true;
}

/* --- forms --- */

/* Some interpreters have a function for each handler.  Then the handlers are rows of the session, not parts
 * of one function. */
static bool has_tail_calls(const struct report *report, uint32_t event)
{
        struct annotate_rows rows;
        bool any = annotate_tail_calls(report->hot, event, &rows);

        annotate_rows_release(&rows);
        return any;
}

static bool is_whole(const struct annotating *a, const struct report *report)
{
        bool tail_calls = false;

        if (!a->has_by || a->symbol)
                return false;
        for (uint32_t e = 0; a->by == ANNOTATE_HANDLER && e < report->n_events; e++)
                tail_calls |= has_tail_calls(report, e);
        return a->by == ANNOTATE_FUNCTION || a->by == ANNOTATE_INLINED || tail_calls;
}

static void show_rows(struct annotating *a, const struct annotate_view *view,
                      const struct annotate_rows *rows)
{
        annotate_page_add_rows(&a->page, view, a->by, rows);
        a->n_shown++;
}

/* A function without labels is only a note, because other functions may have labels. */
static void add_rows(struct annotating *a, const struct annotate *annotate, const struct annotate_view *view)
{
        struct annotate_rows rows;
        struct err err = {0};

        if (annotate_group(annotate, a->by, &rows, &err)) {
                show_rows(a, view, &rows);
        } else {
                if (!a->first_none.code) {
                        a->first_none = err;
                        if (view->function)
                                err_in(&a->first_none, "%s", view->function);
                }
                annotate_page_add_note(&a->page, err.text);
        }
        annotate_rows_release(&rows);
}

static void add_whole_rows(struct annotating *a, const struct annotate *whole,
                           const struct annotate_view *view, uint32_t event)
{
        struct annotate_rows rows;

        if (a->by != ANNOTATE_HANDLER) {
                add_rows(a, whole, view);
                return;
        }
        annotate_tail_calls(a->output.report->hot, event, &rows);
        show_rows(a, view, &rows);
        annotate_rows_release(&rows);
}

static void add_listing(struct annotating *a, const struct annotate *annotate,
                        const struct annotate_view *view)
{
        const struct annotate_listing listing = {a->options->what.source, a->options->what.code};
        struct annotate_rows lines;

        annotate_group(annotate, ANNOTATE_LINE, &lines, NULL);
        annotate_page_add_listing(&a->page, view, &listing, &lines);
        annotate_rows_release(&lines);
}

static void add_function(struct annotating *a, size_t index)
{
        const struct annotated function = annotation_get(a->output.annotation, index);
        const struct annotate_view view = annotate_output_view(&a->output, index);
        bool has_code = function.code->n_insns;

        annotate_page_begin_part(&a->page, &view);
        annotate_page_add_code(&a->page, &view, has_code);
        if (a->has_by) {
                add_rows(a, function.annotate, &view);
        } else {
                if (a->page.has_text)
                        add_listing(a, function.annotate, &view);
                a->n_shown++;
        }
        annotate_page_end_part(&a->page);
}

/* Loading LLVM costs more time than the rest, so it is not loaded for tables of lines and names. */
static bool needs_code(const struct annotating *a)
{
        const struct annotating_options *o = &a->options->what;

        return a->has_by ? a->by == ANNOTATE_BLOCK || a->by == ANNOTATE_INSTRUCTION : !o->source || o->code;
}

/* The text and its names may take a quarter of the memory each: many functions may share one very long
 * name. */
static bool has_room(const struct annotating *a)
{
        return a->page.text.len + a->page.document.len < budget_limit(a->lookup->sources.budget) / 8;
}

static void add_all(struct annotating *a)
{
        size_t n = annotation_n_functions(a->output.annotation), i = 0;
        AUTO_RELEASE(buf) note = {0};

        for (; i < n && has_room(a); i++)
                add_function(a, i);
        if (i == n)
                return;
        buf_printf(&note, "%zu more functions are not shown: the text would exceed --max-memory", n - i);
        annotate_page_add_note(&a->page, buf_text(&note));
        cmd_warn(&note);
}

static bool add_functions(struct annotating *a, struct report *report, struct err *err)
{
        const struct annotating_options *o = &a->options->what;
        struct annotation_request request = {
                .symbol = a->symbol,
                .max_functions = (size_t)o->rows,
                .with_handlers = a->has_by && a->by == ANNOTATE_HANDLER,
                .with_code = needs_code(a),
                .syntax = a->syntax,
                .source_folders = o->source_path,
                .private_source = a->options->input.force,
                .debuginfod = a->lookup->debuginfod,
        };

        a->output.annotation = annotation_new(report, &request, err);
        if (!a->output.annotation)
                return false;
        add_all(a);
        return true;
}

static void add_whole(struct annotating *a, struct report *report)
{
        for (uint32_t e = 0; e < report->n_events; e++) {
                AUTO(annotate) whole = NULL;
                struct annotate_view view;

                if (!report->events[e].n_samples)
                        continue;
                whole = annotation_whole(report, e);
                view = annotate_output_whole(&a->output, whole, e);
                annotate_page_begin_part(&a->page, &view);
                add_whole_rows(a, whole, &view, e);
                annotate_page_end_part(&a->page);
        }
}

/* A word matches Python and native functions. */
static bool add_python_and_native(struct annotating *a, struct report *report, struct err *err)
{
        const struct annotate_python python = {
                .report = report,
                .symbol = a->symbol,
                .source_folders = a->options->what.source_path,
                .takes_private = a->options->input.force,
                .with_natives = a->options->general.verbose,
                .is_colored = a->output.is_colored,
                .max_columns = a->output.max_columns,
                .max_sources = a->options->what.rows,
        };
        struct err no_native = {0};
        size_t n = a->symbol && !a->has_by ? annotate_python_show(&python, &a->page) : 0;

        a->n_shown += n;
        return add_functions(a, report, n ? &no_native : err) || n;
}

/* --- the command --- */

static bool make(struct annotating *a, struct report_request *request, struct err *err)
{
        struct reading_progress *progress =
                reading_progress_start(request->path, request, a->lookup, a->options->general.quiet);
        AUTO(report) report = report_make(request, err);
        bool ok = true;

        reading_progress_end(progress);
        if (!report || !filter_none_check(report, request, &a->options->filter, err))
                return false;
        a->output.report = report;
        cmd_warn(&report->session.archive.note);
        if (is_whole(a, report))
                add_whole(a, report);
        else
                ok = add_python_and_native(a, report, err);
        annotate_page_end(&a->page, &report->quality);
        annotate_output_release(&a->output);
        a->output = (struct annotate_output){0};
        if (!ok || a->n_shown)
                return ok;
        if (a->first_none.code)
                *err = a->first_none;
        else
                err_set(err, ERR_MISSING, "the session has no samples");
        return false;
}

static bool wants_browser(const struct annotating *a, const char *path)
{
        const struct annotate_options *o = a->options;
        const struct browse_choice choice = {
                .general = &o->general,
                .output = &o->output,
                .path = path,
                .wants_text =
                        o->what.stdio || o->what.source || o->what.code || a->has_by || o->general.verbose,
        };

        return browse_choice_is_wanted(&choice);
}

static int browse(const struct annotating *a, const struct report_request *report)
{
        const struct annotate_options *o = a->options;
        struct report_request request = *report;
        struct browser_request browse = {
                .report = &request,
                .start = BROWSER_CODE,
                .symbol = a->symbol,
                .syntax = a->syntax,
                .source_folders = o->what.source_path,
                .private_source = o->input.force,
                .debuginfod = a->lookup->debuginfod,
        };
        struct err err = {0};

        request.results = 0; /* the browser makes the results that it shows */
        request.python = STACKS_PYTHON_MERGED;
        a->lookup->is_browsing = true;
        if (!browse_choice_colors(&o->color, &browse.colors, &err))
                return cmd_fail(&err);
        return browse_choice_run(&browse, EXIT_OK);
}

/* Refuses options that contradict each other. */
static bool check_options(struct annotating *a, struct err *err)
{
        const struct annotating_options *o = &a->options->what;

        if (!parse_by(a, err) || !parse_style(o->style, &a->syntax, err))
                return false;
        if (a->has_by && (o->source || o->code))
                return err_set(err, ERR_USAGE,
                               "--by and --%s cannot be used together: --by prints a table, --%s a listing",
                               o->source ? "source" : "asm", o->source ? "source" : "asm");
        return true;
}

static int run(struct annotating *a, const struct command_line *line, int32_t *pids)
{
        const struct annotate_options *o = a->options;
        struct report_request request = {
                .keys = PROFILE_EVENT | PROFILE_MODULE | PROFILE_SYMBOL,
                .no_demangle = o->filter.no_demangle,
                .long_names = o->what.long_names,
                .results = REPORT_PYTHON | REPORT_ACCESSES,
                .sources = &a->lookup->sources,
        };
        struct command_line none = *line;
        struct cmd_forms forms;
        struct err err = {0};

        none.n_args = 0; /* the command's argument is not a session */
        a->output.max_rows = o->what.rows;
        a->output.is_extended = o->output.json_extended;
        a->output.every_block = o->general.verbose;
        a->output.max_columns = os_is_terminal(OS_STDOUT) ? os_terminal_columns(OS_STDOUT) : 0;
        if (!color_choose(&o->color, &a->output.is_colored, &err) || !check_options(a, &err) ||
            !choose_symbol(a, line, &err) || !cmd_input_path(&none, &o->input, &request.path, &err) ||
            !cmd_spares_input("-o", o->output.output_prefix, o->output.output, request.path, &err) ||
            !filter_fill(&o->filter, pids, &request.filter, &err))
                return cmd_fail(&err);
        request.arguments = text_pattern_has_arguments(a->symbol);
        if (wants_browser(a, request.path))
                return browse(a, &request);
        forms = cmd_wanted_forms(&o->general, &o->output);
        annotate_page_begin(&a->page, forms.text, forms.document);
        if (!make(a, &request, &err))
                return cmd_fail(&err);
        return cmd_print_document(&o->general, &o->output, &a->page.text, &a->page.document);
}

int cmd_annotate(const struct command_line *line)
{
        struct annotating a = {.options = line->options};
        int32_t *pids = cmd_pids(&a.options->filter.pids);
        struct lookup lookup;
        struct err err = {0};
        int status;

        a.lookup = &lookup;
        if (lookup_init(&a.options->lookup, &lookup, &err)) {
                lookup.sources.any_owner = a.options->input.force;
                status = run(&a, line, pids);
        } else {
                status = cmd_fail(&err);
        }
        lookup_release(&lookup);

        annotate_page_release(&a.page);
        free(pids);
        return status;
}
