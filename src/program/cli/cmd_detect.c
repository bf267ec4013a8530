/* SPDX-License-Identifier: BSD-3-Clause */
/* detect: lists the devices that can measure; on Linux these are the kernel's PMUs. */
#include "cmd.h"
#include "cmd_facts_options.h"
#include "device_list.h"
#include "fact_tables.h"

static void add_row(void *ctx, const char *device, const char *hardware)
{
        fact_tables_add(ctx, 0, (const char *const[]){device, hardware});
}

int cmd_detect(const struct command_line *line)
{
        const struct detect_options *o = line->options;
        struct event_facts_request request = cmd_facts_request(&o->general, &o->machine, NULL);
        AUTO(fact_tables) tables = fact_tables_new(FACT_TABLES_DEVICES, false);
        AUTO_RELEASE(event_facts) facts = {0};
        struct err err = {0};

        if (!event_facts_load(&request, &facts, &err) || !device_list(&facts, add_row, tables, &err))
                return cmd_fail(&err);
        return cmd_print_tables(&o->general, &o->output, tables, false);
}
