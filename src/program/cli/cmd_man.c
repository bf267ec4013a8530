/* SPDX-License-Identifier: BSD-3-Clause */
/* man: prints a page for each event, metric or group of metrics. */
#include "cmd.h"
#include "cmd_facts_options.h"
#include "event_manual.h"
#include "fact_tables.h"
#include "manual_view.h"

struct pages {
        struct fact_tables *tables;
        struct buf text;
};

static void add_field(void *ctx, const char *field, const char *text)
{
        struct pages *pages = ctx;

        manual_view_add(field, text, &pages->text);
        fact_tables_add(pages->tables, 0, (const char *const[]){field, text});
}

static int print(const struct command_line *line, const struct event_facts *facts)
{
        const struct list_options *o = line->options;
        AUTO(fact_tables) tables = fact_tables_new(FACT_TABLES_MANUAL, false);
        struct pages pages = {.tables = tables};
        AUTO_RELEASE(buf) document = {0};
        struct err err = {0};
        int status;

        if (event_manual(facts, line->args, line->n_args, add_field, &pages, &err)) {
                fact_tables_json(tables, &document);
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
