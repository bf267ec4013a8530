/* SPDX-License-Identifier: BSD-3-Clause */
#include "annotate_output.h"
#include "mem.h"

#include <inttypes.h>
#include <stdlib.h>

struct annotate_view annotate_output_whole(const struct annotate_output *o, const struct annotate *whole,
                                           uint32_t event)
{
        struct report_event e = o->report->events[event];

        return (struct annotate_view){
                .event = e.name,
                .skid = e.skid,
                .event_count = e.n_samples,
                .event_weight = e.weight,
                .annotate = whole,
                .max_columns = o->max_columns,
                .is_colored = o->is_colored,
                .is_extended = o->is_extended,
                .max_rows = o->max_rows,
        };
}

struct annotate_view annotate_output_view(struct annotate_output *o, size_t index)
{
        struct annotated a = annotation_get(o->annotation, index);
        struct annotate_view view = annotate_output_whole(o, a.annotate, a.event);
        AUTO_RELEASE(buf) name = {0};

        if (a.is_in_same_file)
                buf_printf(&name, "%s@0x%" PRIx64 ":%s", hot_text(o->report->hot, a.row->bare), a.start,
                           a.path);
        else if (a.shares_row)
                buf_printf(&name, "%s:%s", hot_text(o->report->hot, a.row->bare), a.path);
        else
                buf_add_str(&name, hot_text(o->report->hot, a.row->symbol));
        view.function = arena_copy(&o->arena, buf_text(&name), name.len);
        view.code_note = a.code_note;
        view.debug_note = a.debug_note;
        view.every_block = o->every_block;
        view.texts = mem_new(1, sizeof(*view.texts));
        ARRAY_PUSH(o->texts, o->n_texts, o->cap_texts, view.texts);
        return view;
}

static void fill_file(const struct annotate_output *o, size_t index, struct annotate_file *file)
{
        if (file->wants_note)
                file->note = annotation_source_note(o->annotation, index, file->path);
        for (size_t i = 0; i < file->n_lines; i++)
                file->lines[i].text =
                        annotation_source_line(o->annotation, index, file->path, file->lines[i].line);
}

void annotate_output_fill(const struct annotate_output *o, size_t index, const struct annotate_view *view)
{
        struct annotate_texts *texts = view->texts;

        annotate_texts_sort(texts);
        for (size_t i = 0; i < texts->n_files; i++)
                fill_file(o, index, &texts->files[i]);
        for (size_t i = 0; i < texts->n_targets; i++) {
                AUTO_RELEASE(buf) name = {0};

                annotation_add_target(o->annotation, index, texts->targets[i].addr, &name);
                texts->targets[i].name =
                        name.len ? arena_copy(&texts->arena, buf_text(&name), name.len) : NULL;
        }
}

void annotate_output_release(struct annotate_output *o)
{
        annotation_free(o->annotation);
        for (size_t i = 0; i < o->n_texts; i++) {
                annotate_texts_release(o->texts[i]);
                free(o->texts[i]);
        }
        free(o->texts);
        arena_release(&o->arena);
}
