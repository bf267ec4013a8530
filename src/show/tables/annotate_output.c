/* SPDX-License-Identifier: BSD-3-Clause */
#include "annotate_output.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

/* The function whose texts a view asks for. */
struct annotate_asker {
        struct annotation *annotation;
        size_t index;
};

static const char *line_of(void *ctx, const char *path, uint32_t line)
{
        const struct annotate_asker *asker = ctx;

        return annotation_source_line(asker->annotation, asker->index, path, line);
}

static const char *note_of(void *ctx, const char *path)
{
        const struct annotate_asker *asker = ctx;

        return annotation_source_note(asker->annotation, asker->index, path);
}

static void add_target(void *ctx, uint64_t addr, struct buf *out)
{
        const struct annotate_asker *asker = ctx;

        annotation_add_target(asker->annotation, asker->index, addr, out);
}

struct annotate_view annotate_output_whole(const struct annotate_output *o, const struct annotate *whole,
                                           uint32_t event)
{
        assert(event < o->report->n_events);

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
        struct annotate_asker *asker = arena_alloc(&o->arena, sizeof(*asker));
        AUTO_RELEASE(buf) name = {0};

        if (a.is_in_same_file)
                buf_printf(&name, "%s@0x%" PRIx64 ":%s", hot_text(o->report->hot, a.row->bare), a.start,
                           a.path);
        else if (a.shares_row)
                buf_printf(&name, "%s:%s", hot_text(o->report->hot, a.row->bare), a.path);
        else
                buf_add_str(&name, hot_text(o->report->hot, a.row->symbol));
        view.function = arena_copy(&o->arena, buf_text(&name), name.len);
        view.annotate = a.annotate;
        view.code_note = a.code_note;
        view.debug_note = a.debug_note;
        view.every_block = o->every_block;
        *asker = (struct annotate_asker){o->annotation, index};
        view.texts = (struct annotate_texts){line_of, note_of, add_target, asker};
        return view;
}

void annotate_output_release(struct annotate_output *o)
{
        annotation_free(o->annotation);
        arena_release(&o->arena);
}
