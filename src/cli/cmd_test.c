/* SPDX-License-Identifier: BSD-3-Clause */
/* test: what this machine and this program can do, as the table that editors read. */
#include "cmd.h"
#include "collector.h"
#include "facts_options.h"
#include "machine_test.h"
#include "table.h"

static const struct column columns[] = {{.name = "Test Name"}, {.name = "Result"}};

static void add_row(void *ctx, const char *name, const char *result)
{
        table_add_text(ctx, name);
        table_add_text(ctx, result);
}

int cmd_test(const struct command_line *line)
{
        const struct test_options *o = line->options;
        const struct machine_test_request request = {
                .source = collector_pmu_source(NULL),
                .events = o->event.events,
                .kernel = o->event.kernel,
                .verbose = o->general.verbose,
        };
        AUTO(table) table = table_new(columns, N_ELEMENTS(columns));
        AUTO_RELEASE(buf) text = {0};
        AUTO_RELEASE(buf) document = {0};
        struct err err = {0};
        struct json json;

        if (!machine_test(&request, add_row, table, &err))
                return cmd_fail(&err);
        json_init(&json, &document);
        json_begin_object(&json);
        json_key(&json, "Test_Results");
        table_render_json(table, &json);
        json_end_object(&json);
        buf_add_char(&document, '\n');
        table_render_text(table, 0, &text);
        return cmd_print_document(&o->general, &o->output, &text, &document);
}
