/* SPDX-License-Identifier: BSD-3-Clause */
/* test: prints the capabilities of this machine and this program, as the table that editors read. */
#include "cmd.h"
#include "cmd_facts_options.h"
#include "fact_tables.h"
#include "machine_support.h"

static void add_row(void *ctx, const char *name, const char *result)
{
        fact_tables_add(ctx, 0, (const char *const[]){name, result});
}

int cmd_test(const struct command_line *line)
{
        const struct test_options *o = line->options;
        struct event_facts_request facts_request = cmd_facts_request(&o->general, &o->machine, &o->extra);
        AUTO(fact_tables) tables = fact_tables_new(FACT_TABLES_TEST, false);
        AUTO_RELEASE(event_facts) facts = {0};
        AUTO_RELEASE(buf) warnings = {0};
        const struct machine_support_request request = {
                .facts = &facts,
                .events = o->event.events,
                .metrics = o->metric.metrics,
                .config = o->metric.config,
                .kernel = o->event.kernel,
                .verbose = o->general.verbose,
        };
        struct err err = {0};

        if (!event_facts_load(&facts_request, &facts, &err) || !event_facts_are_known(&facts, &err))
                return cmd_fail(&err);
        if (o->choice.hardware)
                return cmd_hardware_test(line, &facts);
        if (!machine_support(&request, add_row, tables, &warnings, &err))
                return cmd_fail(&err);
        cmd_warn(&warnings);
        return cmd_print_tables(&o->general, &o->output, tables, false);
}
