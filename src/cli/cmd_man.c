/* SPDX-License-Identifier: BSD-3-Clause */
/* man: what is known of events, metrics and groups of metrics, a page each. */
#include <string.h>

#include "cmd.h"
#include "event_manual.h"
#include "facts_options.h"
#include "manual_view.h"
#include "table.h"

static const struct column columns[] = {{.name = "Field_Type"}, {.name = "Result"}};

struct pages {
        struct table *table;
        struct buf text;
};

static void add_field(void *ctx, const char *field, const char *text)
{
        struct pages *pages = ctx;

        if (!strcmp(field, "CPU") && pages->text.len)
                buf_add_char(&pages->text, '\n');
        manual_view_add(field, text, &pages->text);
        table_add_text(pages->table, field);
        table_add_text(pages->table, text);
}

static int print(const struct command_line *line, const struct event_facts *facts)
{
        const struct list_options *o = line->options;
        AUTO(table) table = table_new(columns, N_ELEMENTS(columns));
        struct pages pages = {.table = table};
        AUTO_RELEASE(buf) document = {0};
        struct err err = {0};
        struct json json;
        int status;

        if (event_manual(facts, line->args, line->n_args, add_field, &pages, &err)) {
                json_init(&json, &document);
                json_begin_object(&json);
                json_key(&json, "Manual_Results");
                table_render_json(table, false, &json);
                json_end_object(&json);
                buf_add_char(&document, '\n');
                status = cmd_print_document(&o->general, &o->output, &pages.text, &document);
        } else {
                status = cmd_fail(&err);
        }
        buf_release(&pages.text);
        return status;
}

int cmd_man(const struct command_line *line)
{
        const struct list_options *o = line->options;
        struct event_facts_request request = cmd_facts_request(&o->general, &o->machine, &o->extra);
        AUTO_RELEASE(event_facts) facts = {0};
        struct err err = {0};

        if (!line->n_args)
                err_set(&err, ERR_USAGE,
                        "warning: no argument(s) specified, specify an event, metric, or group of metrics to obtain "
                        "relevant, manual style, information");
        if (!line->n_args || !event_facts_load(&request, &facts, &err))
                return cmd_fail(&err);
        return print(line, &facts);
}
