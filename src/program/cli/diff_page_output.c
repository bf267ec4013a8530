/* SPDX-License-Identifier: BSD-3-Clause */
#include "diff_page_output.h"

#include <stdlib.h>

#include "code_diff.h"
#include "code_diff_view.h"
#include "mem.h"
#include "web_page_diff.h"

enum {
        MAX_SHOWN_TO_DIFFER = 20, /* functions whose code is on the page */
        MAX_NOT_TESTED = 10,      /* if there is no verdict: of a run on each side */
};

struct shown_functions {
        const char **names;
        size_t n, cap;
};

static bool differs(const struct compared *value)
{
        return value->verdict == COMPARED_MORE || value->verdict == COMPARED_LESS;
}

/* The functions that are shown to differ; without any verdict, those with the largest difference. */
static void choose_functions(const struct comparison *c, struct shown_functions *ret)
{
        bool is_tested = c->n_a > 1 && c->n_b > 1;
        size_t max = is_tested ? MAX_SHOWN_TO_DIFFER : MAX_NOT_TESTED, n = 0;

        for (size_t i = 0; i < c->n_rows && n < max; i++) {
                const struct compared_row *row = &c->rows[i];

                if (is_tested && !differs(comparison_value(c, row)))
                        continue;
                n++;
                ARRAY_PUSH(ret->names, ret->n, ret->cap, row->name);
                ARRAY_PUSH(ret->names, ret->n, ret->cap, row->full_name);
        }
}

static bool compare_code(const struct diff_page_output *page, const struct shown_functions *names,
                         struct code_diff *ret, struct err *err)
{
        const struct code_diff_listing listing = {
                .names = names->names,
                .n_names = names->n,
                .strips_source = page->options->strip_source,
                .folders = page->options->source_path,
                .debuginfod = page->debuginfod,
        };

        return code_diff_make(
                &(struct code_diff_request){
                        .paths = {run_values_path(page->values, 0),
                                  run_values_path(page->values, run_values_n_runs(page->values, RUN_A))},
                        .listing = &listing,
                        .no_demangle = page->request->no_demangle,
                        .filter = page->request->filter,
                        .sources = page->request->sources,
                },
                ret, err);
}

static bool write_page(const struct diff_page_output *page, const struct code_diff *code,
                       const char *code_note, struct buf *out, struct err *err)
{
        const struct code_diff_view view = {.rows = &code->rows, .with_blocks = true};
        const struct web_page_fact facts[] = {
                {"Compared", page->about->command},
                {"Notes", page->notes},
                {"Code", code_note},
                {"Written by", page->about->tool},
        };

        return web_page_diff_write(
                &(struct web_page_diff){
                        .tree = page->tree,
                        .before = page->before,
                        .about = page->about,
                        .comparisons = page->comparisons,
                        .n_comparisons = page->n_comparisons,
                        .code = &view,
                        .facts = facts,
                        .n_facts = N_ELEMENTS(facts),
                },
                out, err);
}

bool diff_page_output_make(const struct diff_page_output *page, struct buf *out, struct err *err)
{
        struct shown_functions names = {0};
        struct code_diff code = {0};
        struct err code_err = {0};
        bool ok;

        if (page->rows_have_code)
                choose_functions(page->comparisons[0], &names);
        if (names.n)
                compare_code(page, &names, &code, &code_err);
        ok = write_page(page, &code, code_err.code ? code_err.text : buf_text(&code.note), out, err);
        code_diff_release(&code);
        free(names.names);
        return ok;
}
