/* SPDX-License-Identifier: BSD-3-Clause */
/* detect: the devices that can measure, which on Linux are the kernel's PMUs. */
#include "cmd.h"
#include "device_list.h"
#include "facts_options.h"
#include "table.h"

static const struct column columns[] = {{.name = "Device Instance ID"}, {.name = "Hardware IDs"}};

static void add_row(void *ctx, const char *device, const char *hardware)
{
        table_add_text(ctx, device);
        table_add_text(ctx, hardware);
}

int cmd_detect(const struct command_line *line)
{
        const struct detect_options *o = line->options;
        struct event_facts_request request = cmd_facts_request(&o->general, &o->machine, NULL);
        AUTO(table) table = table_new(columns, N_ELEMENTS(columns));
        AUTO_RELEASE(event_facts) facts = {0};
        AUTO_RELEASE(buf) text = {0};
        AUTO_RELEASE(buf) document = {0};
        struct err err = {0};
        struct json json;

        if (!event_facts_load(&request, &facts, &err) || !device_list(&facts, add_row, table, &err))
                return cmd_fail(&err);
        json_init(&json, &document);
        json_begin_object(&json);
        json_key(&json, "Devices");
        table_render_json(table, false, &json);
        json_end_object(&json);
        buf_add_char(&document, '\n');
        table_render_text(table, 0, &text);
        return cmd_print_document(&o->general, &o->output, &text, &document);
}
