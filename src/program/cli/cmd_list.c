/* SPDX-License-Identifier: BSD-3-Clause */
/* list: prints events, metrics and groups of metrics as three tables. */
#include "cmd.h"
#include "cmd_facts_options.h"
#include "event_listing.h"
#include "fact_tables.h"

static void add_rows(const struct event_listing *listing, struct fact_tables *tables)
{
        for (size_t i = 0; i < listing->n_events; i++) {
                const struct listed_event *e = &listing->events[i];

                fact_tables_add(tables, FACT_TABLE_EVENTS,
                                (const char *const[]){e->name, e->index, e->type, e->description});
        }
        for (size_t i = 0; i < listing->n_metrics; i++) {
                const struct listed_metric *m = &listing->metrics[i];

                fact_tables_add(
                        tables, FACT_TABLE_METRICS,
                        (const char *const[]){m->name, m->events, m->formula, m->unit, m->description});
        }
        for (size_t i = 0; i < listing->n_groups; i++) {
                const struct listed_group *g = &listing->groups[i];

                fact_tables_add(tables, FACT_TABLE_GROUPS,
                                (const char *const[]){g->name, g->metrics, g->description});
        }
}

int cmd_list(const struct command_line *line)
{
        const struct list_options *o = line->options;
        struct event_facts_request request = cmd_facts_request(&o->general, &o->machine, &o->extra);
        AUTO_RELEASE(event_facts) facts = {0};
        AUTO_RELEASE(event_listing) listing = {0};
        AUTO(fact_tables) tables = NULL;
        struct err err = {0};

        if (!event_facts_load(&request, &facts, &err) || !event_facts_are_known(&facts, &err))
                return cmd_fail(&err);
        event_listing_fill(&listing, &facts, o->general.verbose);
        if (!event_listing_filter(&listing, line->args, line->n_args, &err))
                return cmd_fail(&err);
        tables = fact_tables_new(FACT_TABLES_LIST, o->general.verbose);
        add_rows(&listing, tables);
        return cmd_print_tables(&o->general, &o->output, tables, line->n_args);
}
