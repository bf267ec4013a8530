/* SPDX-License-Identifier: BSD-3-Clause */
/* test: what this machine and this program can do, as the table that editors read. */
#include <string.h>

#include "cmd.h"
#include "facts_options.h"
#include "machine_test.h"
#include "table.h"

static const struct column columns[] = {{.name = "Test Name"}, {.name = "Result"}};

static void add_row(void *ctx, const char *name, const char *result)
{
        table_add_text(ctx, name);
        table_add_text(ctx, result);
}

static int print(const struct test_options *o, const struct table *table)
{
        AUTO_RELEASE(buf) text = {0};
        AUTO_RELEASE(buf) document = {0};
        struct json json;

        json_init(&json, &document);
        json_begin_object(&json);
        json_key(&json, "Test_Results");
        table_render_json(table, false, &json);
        json_end_object(&json);
        buf_add_char(&document, '\n');
        table_render_text(table, 0, &text);
        return cmd_print_document(&o->general, &o->output, &text, &document);
}

int cmd_test(const struct command_line *line)
{
        const struct test_options *o = line->options;
        struct event_facts_request facts_request = cmd_facts_request(&o->general, &o->machine, &o->extra);
        AUTO(table) table = table_new(columns, N_ELEMENTS(columns));
        AUTO_RELEASE(event_facts) facts = {0};
        AUTO_RELEASE(buf) warnings = {0};
        const struct machine_test_request request = {
                .facts = &facts,
                .events = o->event.events,
                .metrics = o->metric.metrics,
                .config = o->metric.config,
                .kernel = o->event.kernel,
                .verbose = o->general.verbose,
        };
        struct err err = {0};

        if (!event_facts_load(&facts_request, &facts, &err) ||
            !machine_test(&request, add_row, table, &warnings, &err))
                return cmd_fail(&err);
        cmd_warn(&warnings);
        return print(o, table);
}
