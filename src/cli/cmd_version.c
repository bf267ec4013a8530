/* SPDX-License-Identifier: BSD-3-Clause */
/* version: wperf and what it measures with, as the table that WindowsPerf's users read features from. */
#include "cmd.h"
#include "facts_options.h"
#include "json.h"
#include "os.h"
#include "table.h"
#include "version.h"

static const struct column columns[] = {
        {.name = "Component"},
        {.name = "Version"},
        {.name = "GitVer"},
        {.name = "FeatureString"},
};

static const char *or_dash(const char *text)
{
        return text[0] ? text : "-";
}

static void add_row(struct table *table, const char *component, const char *version, const char *git)
{
        table_add_text(table, component);
        table_add_text(table, or_dash(version));
        table_add_text(table, git);
        table_add_text(table, "-");
}

static void render_json(const struct table *table, struct buf *out)
{
        struct json json;

        json_init(&json, out);
        json_begin_object(&json);
        json_key(&json, "Version");
        table_render_json(table, false, &json);
        json_end_object(&json);
        buf_add_char(out, '\n');
}

int cmd_version(const struct command_line *line)
{
        const struct version_options *options = line->options;
        AUTO(table) table = table_new(columns, N_ELEMENTS(columns));
        AUTO_RELEASE(buf) json = {0};
        AUTO_RELEASE(buf) text = {0};
        struct os_machine machine;

        os_machine_get(&machine);
        add_row(table, "wperf", version_number, version_commit);
        add_row(table, version_system, machine.os_release, "-");
        render_json(table, &json);
        table_render_text(table, 0, &text);
        return cmd_print_document(&options->general, &options->output, &text, &json);
}
