/* SPDX-License-Identifier: BSD-3-Clause */
#include "diff_picture.h"

#include <stdlib.h>
#include <string.h>

#include "cmd_output.h"
#include "diff_page_output.h"
#include "export_svg.h"
#include "run_notes.h"
#include "version.h"

static bool make_page(const struct diff_picture *picture, const struct calltree *tree,
                      const struct export_about *about, const double *before, struct buf *out,
                      struct err *err)
{
        return diff_page_output_make(
                &(struct diff_page_output){
                        .tree = tree,
                        .before = before,
                        .about = about,
                        .values = picture->values,
                        .comparisons = picture->comparisons,
                        .n_comparisons = picture->n_comparisons,
                        .notes = picture->notes,
                        .request = picture->request,
                        .rows_have_code = picture->rows_have_code,
                        .options = picture->options,
                        .debuginfod = picture->debuginfod,
                },
                out, err);
}

/* "A = a-*.data, B = b-*.data" */
static void add_title(const struct run_values *values, struct buf *out)
{
        buf_add_str(out, "A = ");
        run_notes_add_label(values, RUN_A, out);
        buf_add_str(out, ", B = ");
        run_notes_add_label(values, RUN_B, out);
}

static bool draw(const struct diff_picture *picture, const struct calltree *tree, const double *before,
                 struct buf *out, struct err *err)
{
        const struct comparison *first = picture->comparisons[0];
        AUTO_RELEASE(buf) title = {0};
        AUTO_RELEASE(buf) tool = {0};
        struct export_about about;

        add_title(picture->values, &title);
        buf_printf(&tool, "wperf %s", version_number);
        about = (struct export_about){
                .event = first->event,
                .tool = buf_text(&tool),
                .command = buf_text(&title),
                .is_time = first->is_time,
        };
        if (picture->is_page)
                return make_page(picture, tree, &about, before, out, err);
        export_svg(tree, &about, &(struct export_svg_options){.before = before}, out);
        return true;
}

bool diff_picture_write(const struct diff_picture *picture, const char *path, struct err *err)
{
        const char *event_name = picture->comparisons[0]->event;
        AUTO_RELEASE(buf) out = {0};
        AUTO(calltree) tree = NULL;
        double *before = NULL;
        uint32_t event = 0;
        bool ok;

        while (strcmp(run_values_event_name(picture->values, event), event_name) != 0)
                event++;
        tree = diff_tree_make(picture->trees, picture->values, event, &before);
        if (!tree)
                return err_set(err, ERR_MISSING, "B has no samples of %s to draw", event_name);
        ok = draw(picture, tree, before, &out, err) && cmd_write_file(path, &out, err);
        free(before);
        return ok;
}
