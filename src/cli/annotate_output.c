/* SPDX-License-Identifier: BSD-3-Clause */
#include "annotate_output.h"

#include "text.h"

static const char *source_line(void *ctx, const char *path, uint32_t line)
{
        const struct annotate_output *o = ctx;

        return annotation_source_line(o->annotation, o->index, path, line);
}

static const char *source_note(void *ctx, const char *path)
{
        const struct annotate_output *o = ctx;

        return annotation_source_note(o->annotation, o->index, path);
}

static void add_target(void *ctx, uint64_t addr, struct buf *out)
{
        const struct annotate_output *o = ctx;

        annotation_add_target(o->annotation, o->index, addr, out);
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

        o->index = index;
        buf_clear(&o->name);
        if (a.shares_row)
                buf_printf(&o->name, "%s:%s", hot_text(o->report->hot, a.row->bare), a.path);
        else
                buf_add_str(&o->name, hot_text(o->report->hot, a.row->symbol));
        view.function = buf_text(&o->name);
        view.code_note = a.code_note;
        view.debug_note = a.debug_note;
        view.every_block = o->every_block;
        view.source_line = source_line;
        view.source_note = source_note;
        view.add_target = add_target;
        view.ctx = o;
        return view;
}

/* The next function of the event, from *index on, which is then the one behind it. */
static bool next_of_event(struct annotate_output *o, uint32_t event, size_t *index,
                          struct annotate_view *ret_view)
{
        while (*index < annotation_n_functions(o->annotation)) {
                size_t i = (*index)++;

                if (annotation_get(o->annotation, i).event == event) {
                        *ret_view = annotate_output_view(o, i);
                        return true;
                }
        }
        return false;
}

void annotate_output_add_text(void *ctx, uint32_t event, struct buf *out)
{
        struct annotate_output *o = ctx;
        struct annotate_view view;

        for (size_t i = 0; next_of_event(o, event, &i, &view);)
                annotate_view_windowsperf(&view, o->disassemble, out);
}

void annotate_output_add_json(void *ctx, uint32_t event, struct json *json)
{
        struct annotate_output *o = ctx;
        struct annotate_view view;

        for (size_t i = 0; next_of_event(o, event, &i, &view);) {
                json_begin_object(json);
                annotate_view_json(&view, o->disassemble, json);
                json_end_object(json);
        }
}
