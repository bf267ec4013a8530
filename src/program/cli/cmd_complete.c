/* SPDX-License-Identifier: BSD-3-Clause */
/* The hidden commands for shell completion: list names, and complete the last word of a line. */
#include <string.h>

#include "buf.h"
#include "catalogue.h"
#include "cmd.h"
#include "cmd_facts_options.h"
#include "commands.h"
#include "completion.h"
#include "err.h"
#include "event_listing.h"
#include "hot.h"
#include "os.h"
#include "report.h"
#include "text.h"
#include "text_printable.h"

static void add_names(const struct event_listing *listing, const char *what, struct buf *out)
{
        bool all = !strcmp(what, "all");

        for (size_t i = 0; (all || !strcmp(what, "events")) && i < listing->n_events; i++)
                text_printf(out, "%s\n", listing->events[i].name);
        for (size_t i = 0; (all || !strcmp(what, "metrics")) && i < listing->n_metrics; i++)
                text_printf(out, "%s\n", listing->metrics[i].name);
        for (size_t i = 0; (all || !strcmp(what, "metrics")) && i < listing->n_groups; i++)
                text_printf(out, "%s\n", listing->groups[i].name);
        for (size_t i = 0; !strcmp(what, "models") && i < catalogue_n_cpus(); i++)
                text_printf(out, "%s\n", catalogue_get_cpu(i)->id);
}

static bool fill_names(const char *kind, const struct event_facts_request *request, struct buf *out,
                       struct err *err)
{
        AUTO_RELEASE(event_facts) facts = {0};
        AUTO_RELEASE(event_listing) listing = {0};

        if (!event_facts_load(request, &facts, err))
                return false;
        event_listing_fill(&listing, &facts, false);
        add_names(&listing, kind, out);
        return true;
}

int cmd_names(const struct command_line *line)
{
        const struct list_options *o = line->options;
        struct event_facts_request request = cmd_facts_request(&o->general, &o->machine, &o->extra);
        AUTO_RELEASE(buf) out = {0};
        struct err err = {0};

        if (line->n_args != 1)
                err_set(&err, ERR_USAGE, "--names takes events, metrics, models or all");
        if (line->n_args != 1 || !fill_names(line->args[0], &request, &out, &err))
                return cmd_fail(&err);
        return cmd_print(&out, EXIT_OK);
}

/* --- completion ------------------------------------------------------------------------------------- */

struct completed_line {
        const char *cpu_model, *session;
};

static void add_report_names(const struct report *report, const char *kind, struct buf *out)
{
        for (size_t i = 0; !strcmp(kind, "symbols") && i < hot_n_rows(report->hot); i++)
                text_printf(out, "%s\n", hot_text(report->hot, hot_get_row(report->hot, i)->bare));
        for (size_t i = 0; !strcmp(kind, "modules") && i < report->modules.n; i++)
                text_printf(out, "%s\n", text_base_name(report->modules.items[i].path));
        for (size_t i = 0; !strcmp(kind, "session_events") && i < report->n_events; i++)
                text_printf(out, "%s\n", report->events[i].name);
}

/* Adds names of the session in the line, or else of the session that report would read. */
static void add_session_names(const char *session, const char *kind, struct buf *out)
{
        struct os_stat there;
        const struct report_request request = {
                .path = session                         ? session
                        : os_stat("wperf.data", &there) ? "wperf.data"
                                                        : "perf.data",
        };
        AUTO(report) report = report_make(&request, NULL);

        if (report)
                add_report_names(report, kind, out);
}

/* Completion does not print errors. */
static void add_names_of(void *ctx, const char *kind, struct buf *out)
{
        const struct completed_line *line = ctx;
        const struct event_facts_request request = {.cpu_model = line->cpu_model};

        if (!strcmp(kind, "symbols") || !strcmp(kind, "modules") || !strcmp(kind, "session_events"))
                add_session_names(line->session, kind, out);
        else
                fill_names(kind, &request, out, NULL);
}

int cmd_complete(const struct command_line *line)
{
        struct completed_line about = {0};
        struct completion_names names = {add_names_of, &about};
        AUTO_RELEASE(buf) out = {0};
        struct arena arena = {0};
        int status;

        about.cpu_model = completion_value(&commands_all, line->n_args, line->args, "cpu-model", &arena);
        about.session = completion_value(&commands_all, line->n_args, line->args, "input", &arena);
        completion_add(&commands_all, line->n_args, line->args, &names, &out);
        status = cmd_print(&out, EXIT_OK);
        arena_release(&arena);
        return status;
}
