/* SPDX-License-Identifier: BSD-3-Clause */
/* list: events, metrics and groups of metrics, as three tables. */
#include <string.h>

#include "cmd.h"
#include "event_listing.h"
#include "facts_options.h"
#include "table.h"

enum { EVENTS, METRICS, GROUPS, N_BLOCKS, COLUMNS_MAX = 5 };

struct block {
        const char *title;
        const char *key;
        struct column columns[COLUMNS_MAX];
        size_t n_columns, n_columns_verbose;
};

static const struct block blocks[N_BLOCKS] = {
        [EVENTS] = {"List of pre-defined events (to be used in -e):",
                    "Predefined_Events",
                    {{.name = "Alias Name"},
                     {.name = "Raw Index", .right = true},
                     {.name = "Event Type"},
                     {.name = "Description"}},
                    3,
                    4},
        [METRICS] = {"List of supported metrics (to be used in -m):",
                     "Predefined_Metrics",
                     {{.name = "Metric"},
                      {.name = "Events"},
                      {.name = "Formula"},
                      {.name = "Unit"},
                      {.name = "Description"}},
                     2,
                     5},
        [GROUPS] = {"List of supported groups of metrics (to be used in -m):",
                    "Predefined_Groups_of_Metrics",
                    {{.name = "Group"}, {.name = "Metrics"}, {.name = "Description"}},
                    2,
                    3},
};

static void add_row(struct table *table, const char *const *texts, size_t n)
{
        for (size_t i = 0; i < n; i++)
                table_add_text(table, texts[i]);
}

static void add_rows(struct table *table, unsigned block, size_t n, const struct event_listing *listing)
{
        for (size_t i = 0; block == EVENTS && i < listing->n_events; i++) {
                const struct listed_event *e = &listing->events[i];

                add_row(table, (const char *const[]){e->name, e->index, e->type, e->description}, n);
        }
        for (size_t i = 0; block == METRICS && i < listing->n_metrics; i++) {
                const struct listed_metric *m = &listing->metrics[i];

                add_row(table, (const char *const[]){m->name, m->events, m->formula, m->unit, m->description},
                        n);
        }
        for (size_t i = 0; block == GROUPS && i < listing->n_groups; i++) {
                const struct listed_group *g = &listing->groups[i];

                add_row(table, (const char *const[]){g->name, g->metrics, g->description}, n);
        }
}

/* A block without rows is left out of the text where words chose the rows. */
static void render(const struct event_listing *listing, bool verbose, bool chosen, struct buf *text,
                   struct buf *document)
{
        struct json json;

        json_init(&json, document);
        json_begin_object(&json);
        for (unsigned i = 0; i < N_BLOCKS; i++) {
                size_t n_columns = verbose ? blocks[i].n_columns_verbose : blocks[i].n_columns;
                AUTO(table) table = table_new(blocks[i].columns, n_columns);

                add_rows(table, i, n_columns, listing);
                json_key(&json, blocks[i].key);
                table_render_json(table, false, &json);
                if (chosen && !table_n_rows(table))
                        continue;
                buf_printf(text, "%s%s\n\n", text->len ? "\n" : "", blocks[i].title);
                table_render_text(table, 0, text);
        }
        json_end_object(&json);
        buf_add_char(document, '\n');
}

int cmd_list(const struct command_line *line)
{
        const struct list_options *o = line->options;
        struct event_facts_request request = cmd_facts_request(&o->general, &o->machine, &o->extra);
        AUTO_RELEASE(event_facts) facts = {0};
        AUTO_RELEASE(event_listing) listing = {0};
        AUTO_RELEASE(buf) text = {0};
        AUTO_RELEASE(buf) document = {0};
        struct err err = {0};

        if (!event_facts_load(&request, &facts, &err))
                return cmd_fail(&err);
        event_listing_fill(&listing, &facts, o->general.verbose);
        if (!event_listing_filter(&listing, line->args, line->n_args, &err))
                return cmd_fail(&err);
        render(&listing, o->general.verbose, line->n_args, &text, &document);
        return cmd_print_document(&o->general, &o->output, &text, &document);
}
