/* SPDX-License-Identifier: BSD-3-Clause */
#include "annotate_output.h"
#include "mem.h"

#include <inttypes.h>
#include <stdlib.h>

/* A line of code shows the innermost frame. */
static void add_source(const struct annotate *annotate, const struct annotate_point *from,
                       struct annotate_view_point *point)
{
        const struct resolver_frame *frame = from->frames;

        if (!from->n_frames)
                return;
        if (frame->path) {
                point->path = annotate_text(annotate, frame->path);
                point->line = frame->line;
        }
        if (frame->is_inlined)
                point->inlined = annotate_text(annotate, frame->function);
}

static void add_instruction(const struct disasm_insn *insn, struct annotate_view_point *point)
{
        if (!insn)
                return;
        point->instruction = insn->text;
        point->has_target = insn->has_target && !insn->is_operand;
        point->is_jump = point->has_target && (insn->flow == DISASM_BRANCH || insn->flow == DISASM_JUMP);
        point->target = insn->target;
}

static void add_latency(const struct access_row *access, struct annotate_view_point *point)
{
        if (!access || !access->n_timed)
                return;
        point->has_latency = true;
        point->p50 = access->p50;
        point->p90 = access->p90;
        point->p99 = access->p99;
}

void annotate_output_points(const struct annotate *annotate, struct annotate_view *view, struct arena *arena)
{
        size_t n = annotate_n_points(annotate);
        struct annotate_view_point *points = arena_alloc(arena, n * sizeof(*points));

        for (size_t i = 0; i < n; i++) {
                const struct annotate_point *from = annotate_get_point(annotate, i);

                points[i] = (struct annotate_view_point){
                        .addr = from->addr,
                        .count = from->count,
                        .weight = from->weight,
                        .begins_block = from->begins_block,
                };
                add_source(annotate, from, &points[i]);
                add_instruction(from->insn, &points[i]);
                add_latency(from->access, &points[i]);
        }
        view->points = points;
        view->n_points = n;
}

struct annotate_view annotate_output_whole(const struct annotate_output *o, const struct annotate *whole,
                                           uint32_t event)
{
        struct report_event e = o->report->events[event];

        return (struct annotate_view){
                .event = e.name,
                .skid = e.skid,
                .event_count = e.n_samples,
                .event_weight = e.weight,
                .count = annotate_count(whole),
                .weight = annotate_weight(whole),
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
        annotate_output_points(a.annotate, &view, &o->arena);
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
