/* SPDX-License-Identifier: BSD-3-Clause */
/* version: wperf and what it measures with, as the table that WindowsPerf's users read features from. */
#include "cmd.h"
#include "command_facts.h"
#include "fact_tables.h"
#include "os.h"
#include "version.h"

static const char *or_dash(const char *text)
{
        return text[0] ? text : "-";
}

static void add_row(struct fact_tables *tables, const char *component, const char *version, const char *git)
{
        fact_tables_add(tables, 0, (const char *const[]){component, or_dash(version), git, "-"});
}

int cmd_version(const struct command_line *line)
{
        const struct version_options *options = line->options;
        AUTO(fact_tables) tables = fact_tables_new(FACT_TABLES_VERSION, false);
        struct os_machine machine;

        os_machine_get(&machine);
        add_row(tables, "wperf", version_number, version_commit);
        add_row(tables, version_system, machine.os_release, "-");
        return cmd_print_tables(&options->general, &options->output, tables, false);
}
