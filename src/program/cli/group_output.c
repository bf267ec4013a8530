/* SPDX-License-Identifier: BSD-3-Clause */
#include "group_output.h"

#include <stdlib.h>
#include <string.h>

#include "group_view.h"
#include "mem.h"
#include "os.h"
#include "quality_view.h"

/* The groups of one event. */
struct event_groups {
        struct group_view_row *rows;
        size_t n, cap;
};

static struct group_view_row *row_of(struct event_groups *e, const char *group)
{
        for (size_t i = 0; i < e->n; i++) {
                if (!strcmp(e->rows[i].group, group))
                        return &e->rows[i];
        }
        ARRAY_PUSH(e->rows, e->n, e->cap, (struct group_view_row){.group = group});
        return &e->rows[e->n - 1];
}

static int by_weight(const void *a, const void *b)
{
        const struct group_view_row *x = a, *y = b;

        if (x->weight != y->weight)
                return x->weight > y->weight ? -1 : 1;
        return strcmp(x->group, y->group);
}

static void add_rows(const struct group_output *o, uint32_t event, struct event_groups *ret)
{
        const struct hot *hot = o->report->hot;
        const struct report_event *e = &o->report->events[event];

        for (size_t i = 0; i < hot_n_rows(hot); i++) {
                const struct hot_row *row = hot_get_row(hot, i);
                const struct run_name name = {hot_text(hot, row->bare), hot_text(hot, row->brief),
                                              hot_text(hot, row->module)};
                struct group_view_row *group;

                if (row->event != event)
                        continue;
                group = row_of(ret, name_groups_find(o->groups, &name));
                group->count += row->count;
                group->weight += row->weight;
        }
        for (size_t i = 0; i < ret->n; i++) {
                struct group_view_row *row = &ret->rows[i];

                row->share = e->weight ? (double)row->weight / (double)e->weight : 0;
                hot_interval(row->share, (double)e->n_samples, &row->low, &row->high);
        }
        if (ret->n)
                qsort(ret->rows, ret->n, sizeof(*ret->rows), by_weight);
}

static void add_views(const struct group_view *views, size_t n, const struct group_output *o,
                      struct buf *text, struct buf *document)
{
        struct json json;

        json_init(&json, document);
        json_begin_object(&json);
        json_key(&json, "events");
        json_begin_array(&json);
        for (size_t i = 0; i < n; i++) {
                group_view_text(&views[i], text);
                group_view_json(&views[i], &json);
        }
        json_end_array(&json);
        quality_add_json(&o->report->quality, NULL, &json);
        json_end_object(&json);
        buf_add_char(document, '\n');
        quality_add_poor(&o->report->quality, text);
        quality_add_text(&o->report->quality, text);
        buf_add_char(text, '\n');
}

int group_output_show(const struct group_output *o)
{
        size_t n_events = o->report->n_events, n = 0;
        struct event_groups *groups = mem_new(n_events, sizeof(*groups));
        struct group_view *views = mem_new(n_events, sizeof(*views));
        AUTO_RELEASE(buf) text = {0};
        AUTO_RELEASE(buf) document = {0};

        for (uint32_t i = 0; i < n_events; i++) {
                if (!o->report->events[i].n_samples)
                        continue;
                add_rows(o, i, &groups[i]);
                views[n++] = (struct group_view){
                        .event = o->report->events[i].name,
                        .rows = groups[i].rows,
                        .n_rows = groups[i].n,
                        .is_colored = o->is_colored,
                        .max_columns = os_is_terminal(OS_STDOUT) ? os_terminal_columns(OS_STDOUT) : 0,
                };
        }
        add_views(views, n, o, &text, &document);
        if (o->csv) {
                buf_clear(&text);
                group_view_csv(views, n, &text);
        }
        for (size_t i = 0; i < n_events; i++)
                free(groups[i].rows);
        free(groups);
        free(views);
        return cmd_print_document(o->general, o->output, &text, &document);
}
