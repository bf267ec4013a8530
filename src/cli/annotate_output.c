/* SPDX-License-Identifier: BSD-3-Clause */
#include "annotate_output.h"

#include "text.h"

/* What a view asks about its function. */
struct asked {
        struct annotation *annotation;
        size_t index;
};

static const char *source_line(void *ctx, const char *path, uint32_t line)
{
        const struct asked *asked = ctx;

        return annotation_source_line(asked->annotation, asked->index, path, line);
}

static const char *source_note(void *ctx, const char *path)
{
        const struct asked *asked = ctx;

        return annotation_source_note(asked->annotation, asked->index, path);
}

static void add_target(void *ctx, uint64_t addr, struct buf *out)
{
        const struct asked *asked = ctx;

        annotation_add_target(asked->annotation, asked->index, addr, out);
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
        struct asked *asked = arena_alloc(&o->arena, sizeof(*asked));
        AUTO_RELEASE(buf) name = {0};

        *asked = (struct asked){o->annotation, index};
        if (a.shares_row)
                buf_printf(&name, "%s:%s", hot_text(o->report->hot, a.row->bare), a.path);
        else
                buf_add_str(&name, hot_text(o->report->hot, a.row->symbol));
        view.function = arena_copy(&o->arena, buf_text(&name), name.len);
        view.code_note = a.code_note;
        view.debug_note = a.debug_note;
        view.every_block = o->every_block;
        view.source_line = source_line;
        view.source_note = source_note;
        view.add_target = add_target;
        view.ctx = asked;
        return view;
}

void annotate_output_release(struct annotate_output *o)
{
        annotation_free(o->annotation);
        arena_release(&o->arena);
}
