/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the rows of a view from a report. */
#include "hot_output.h"

#include <stdlib.h>
#include <string.h>

#include "annotate_output.h"
#include "arena.h"
#include "os.h"
#include "quality_view.h"
#include "sample_view.h"
#include "screen_view.h"
#include "spe_output.h"

/* The arrays that a view points into. */
struct view_parts {
        struct sample_view view;
        struct arena arena;
        struct annotate_output annotated;
        struct buf counts;
};

static void release_parts(struct view_parts *parts)
{
        annotate_output_release(&parts->annotated);
        buf_release(&parts->counts);
        arena_release(&parts->arena);
}

static uint64_t rows_or(const struct display_options *display, uint64_t otherwise)
{
        return display->rows ? display->rows : otherwise;
}

/* --annotate, --disassemble: the functions of the shown rows. */
static void fill_annotated(const struct hot_output *o, struct view_parts *p)
{
        const struct display_options *display = o->display;
        const struct annotation_request request = {
                .symbol = display->symbol,
                .all = true,
                .max_functions = (size_t)rows_or(display, DISPLAY_ROWS_DEFAULT),
                .with_code = display->disassemble,
                .debuginfod = o->debuginfod,
        };
        struct hot_view_annotated *functions;
        size_t n;

        if (!display->annotate && !display->disassemble)
                return;
        p->annotated = (struct annotate_output){
                .report = o->report,
                .annotation = annotation_new(o->report, &request, NULL),
                .max_columns = os_is_terminal(OS_STDOUT) ? os_terminal_columns(OS_STDOUT) : 0,
                .max_rows = rows_or(display, DISPLAY_ROWS_DEFAULT),
                .is_colored = o->is_colored,
                .is_extended = o->output->json_extended,
        };
        n = p->annotated.annotation ? annotation_n_functions(p->annotated.annotation) : 0;
        functions = arena_alloc(&p->arena, n * sizeof(*functions));
        for (size_t i = 0; i < n; i++) {
                functions[i].event = annotation_get(p->annotated.annotation, i).event;
                functions[i].view = annotate_output_view(&p->annotated, i);
        }
        p->view.hot.annotated = functions;
        p->view.hot.n_annotated = n;
        p->view.hot.disassemble = display->disassemble;
}

static struct hot_view rows_of(const struct hot_output *o)
{
        return (struct hot_view){
                .hot = o->report->hot,
                .events = o->report->events,
                .n_events = o->report->n_events,
                .keys = o->keys,
                .max_rows = rows_or(o->display, DISPLAY_ROWS_DEFAULT),
                .symbol = o->display->symbol,
                .explains_total = !o->session,
                .verbose = o->general->verbose,
                .is_extended = o->output->json_extended,
                .long_names = o->display->long_names,
                .is_colored = o->is_colored,
                .max_columns = os_is_terminal(OS_STDOUT) ? os_terminal_columns(OS_STDOUT) : 0,
        };
}

static struct sample_view_trees trees_of(const struct hot_output *o)
{
        return (struct sample_view_trees){
                .are_wanted = o->report->tree,
                .is_inverted = o->tree.is_inverted,
                .min_percent = o->tree.min_percent,
                .max_depth = o->tree.max_depth,
        };
}

/* There is no second table if the rows are not functions. */
static struct python_view python_of(const struct hot_output *o, const struct hot_view *hot)
{
        return (struct python_view){
                .rows = o->keys.n ? NULL : o->report->python,
                .events = hot->events,
                .n_events = hot->n_events,
                .max_rows = rows_or(o->display, DISPLAY_PYTHON_ROWS_DEFAULT),
                .symbol = hot->symbol,
                .max_columns = hot->max_columns,
                .is_colored = hot->is_colored,
        };
}

static void fill_counts(const struct report *report, struct view_parts *p)
{
        struct spe_output spe;

        if (!report->is_by_source)
                return;
        spe_output_init(&spe, report, true);
        stat_view_tables(&spe.view, &p->counts);
        spe_output_release(&spe);
        p->view.counts = buf_text(&p->counts);
}

static void fill_view(const struct hot_output *o, struct view_parts *p)
{
        p->view = (struct sample_view){
                .report = o->report,
                .hot = rows_of(o),
                .trees = trees_of(o),
                .pe_file = o->pe_file,
                .pdb_file = o->pdb_file,
                .sampling_line = o->sampling_line,
                .session = o->session,
                .has_elapsed = o->has_elapsed,
                .elapsed_ns = o->elapsed_ns,
                .has_exit = o->has_exit,
                .exit_status = o->exit_status,
        };
        p->view.python = python_of(o, &p->view.hot);
        fill_counts(o->report, p);
        fill_annotated(o, p);
}

static bool is_asked_for(const struct calltree_function *function, const void *symbol)
{
        return function->kind <= CALLTREE_UNKNOWN && calltree_function_matches(function, symbol);
}

static struct calltree *make_tree(const struct hot_output *o, uint32_t event)
{
        const char *symbol = o->display->symbol;
        AUTO(calltree) tree = stacks_tree_make(o->report->tree, event);

        if (o->tree.is_inverted)
                return calltree_invert(tree, symbol ? is_asked_for : NULL, symbol);
        return symbol ? calltree_through(tree, is_asked_for, symbol) : TAKE(tree);
}

static void add_trees(const struct hot_output *o, struct sample_page *page)
{
        for (uint32_t i = 0; i < o->report->n_events; i++) {
                AUTO(calltree) tree = o->report->events[i].n_samples ? make_tree(o, i) : NULL;

                if (tree)
                        sample_page_add_tree(page, i, tree);
        }
}

/* WindowsPerf's document of SPE: the samples, and the counts.  Its schema allows no other key. */
static void render_spe(const struct hot_output *o, const struct sample_view *view, struct buf *out)
{
        struct spe_output spe;
        struct sample_page page;
        struct json json;

        spe_output_init(&spe, o->report, false);
        if (o->has_elapsed)
                spe.view.elapsed_ns = o->elapsed_ns;
        json_init(&json, out);
        json_begin_object(&json);
        json_key(&json, "sampling");
        sample_page_begin_inside(&page, view, &json);
        sample_page_end(&page);
        json_key(&json, "counting");
        stat_view_json(&spe.view, &json);
        if (o->output->json_extended) {
                quality_add_json(&view->report->quality, view->report->run.info.source_note, &json);
                if (view->has_exit)
                        json_key_i64(&json, "target_exit", view->exit_status);
        }
        json_end_object(&json);
        buf_add_char(out, '\n');
        spe_output_release(&spe);
}

static void render(const struct hot_output *o, const struct sample_view *view, enum sample_form form,
                   struct buf *out)
{
        struct sample_page page;

        if (form == SAMPLE_JSON && o->report->is_by_source) {
                render_spe(o, view, out);
                return;
        }
        if (form == SAMPLE_TEXT && o->is_screen && !o->report->is_by_source) {
                screen_view_text(&(struct screen_view){view, o->note, o->was_interrupted}, out);
                return;
        }
        sample_page_begin(&page, view, form, out);
        if (view->trees.are_wanted && form != SAMPLE_CSV)
                add_trees(o, &page);
        sample_page_end(&page);
}

static bool write_document(const struct hot_output *o, const struct buf *document)
{
        AUTO_RELEASE(buf) path = {0};
        struct err err = {0};

        cmd_output_path(o->output->output_prefix, o->output->output, &path);
        if (cmd_write_file(buf_text(&path), document, &err))
                return true;
        cmd_fail(&err);
        return false;
}

/* A document is written to the file of -o, otherwise to standard output instead of the text. */
static bool show(const struct hot_output *o, const struct sample_view *view)
{
        const enum sample_form document = o->csv ? SAMPLE_CSV : SAMPLE_JSON;
        bool is_for_programs = o->csv || o->output->json;
        AUTO_RELEASE(buf) file = {0};
        AUTO_RELEASE(buf) screen = {0};
        bool ok = true;

        if (o->output->output && o->document_is_output) {
                render(o, view, document, &file);
                ok = write_document(o, &file);
                if (is_for_programs)
                        return ok;
        }
        if (o->general->quiet && !is_for_programs)
                return ok;
        render(o, view, is_for_programs ? document : SAMPLE_TEXT, &screen);
        return cmd_print(&screen, EXIT_OK) == EXIT_OK && ok;
}

bool hot_output_show(const struct hot_output *output, bool *ret_poor)
{
        struct view_parts parts = {0};
        bool ok;

        fill_view(output, &parts);
        ok = show(output, &parts.view);
        *ret_poor = quality_is_poor(&output->report->quality);
        release_parts(&parts);
        return ok;
}
