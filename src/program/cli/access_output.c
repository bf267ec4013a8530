/* SPDX-License-Identifier: BSD-3-Clause */
#include "access_output.h"

#include "access_view.h"
#include "arena.h"
#include "mem.h"
#include "os.h"
#include "quality_view.h"

struct access_view_event *access_output_events(const struct report *report, struct arena *arena)
{
        struct access_view_event *events = arena_alloc(arena, report->n_events * sizeof(*events));

        for (uint32_t i = 0; i < report->n_events; i++)
                events[i] = (struct access_view_event){report->events[i].name,
                                                       accesses_totals(report->accesses, i)};
        return events;
}

static void add_document(const struct access_output *o, const struct access_view *view, struct buf *out)
{
        struct json json;

        json_init(&json, out);
        json_begin_object(&json);
        access_view_json(view, &json);
        quality_add_json(&o->report->quality, NULL, &json);
        json_end_object(&json);
        buf_add_char(out, '\n');
}

static void add_text(const struct access_output *o, const struct access_view *view, struct buf *out)
{
        access_view_text(view, out);
        buf_add_char(out, '\n');
        quality_add_poor(&o->report->quality, out);
        quality_add_text(&o->report->quality, out);
        buf_add_char(out, '\n');
}

/* False: no branch of the session was mispredicted. */
static bool fill_mispredicted(const struct access_output *o, const struct hot_view *like,
                              struct branch_view *ret)
{
        const struct report *report = o->report;

        if (!report->branch_rows || !branch_rows_n(report->branch_rows))
                return false;
        *ret = (struct branch_view){
                .rows = report->branch_rows,
                .events = report->events,
                .n_events = report->n_events,
                .by_target = true,
                .max_rows = like->max_rows,
                .symbol = like->symbol,
                .long_names = like->long_names,
                .max_columns = like->max_columns,
                .is_colored = like->is_colored,
        };
        return true;
}

int access_output_show(const struct access_output *o)
{
        struct report *report = o->report;
        AUTO(access_rows)
        rows = report_access_rows(report, o->access_keys, row_keys_bits(&o->keys), o->inlines,
                                  o->display->symbol);
        struct arena arena = {0};
        AUTO_RELEASE(buf) text = {0};
        AUTO_RELEASE(buf) document = {0};
        struct access_view view = {
                .rows = rows,
                .keys = o->access_keys,
                .by_code = o->keys.n || !o->access_keys,
                .code =
                        {
                                .hot = access_rows_hot(rows),
                                .keys = o->keys,
                                .max_rows = o->display->rows ? o->display->rows : DISPLAY_ROWS_DEFAULT,
                                .symbol = o->display->symbol,
                                .long_names = o->display->long_names,
                                .max_columns = os_is_terminal(OS_STDOUT) ? os_terminal_columns(OS_STDOUT) : 0,
                                .is_colored = o->is_colored,
                        },
                .n_events = report->n_events,
                .describe = o->describe,
        };
        struct branch_view mispredicted;
        int status;

        view.events = access_output_events(report, &arena);
        if (fill_mispredicted(o, &view.code, &mispredicted))
                view.mispredicted = &mispredicted;
        if (o->csv)
                access_view_csv(&view, &text);
        else
                add_text(o, &view, &text);
        add_document(o, &view, &document);
        status = cmd_print_document(o->general, o->output, &text, &document);
        arena_release(&arena);
        return status;
}
