/* SPDX-License-Identifier: BSD-3-Clause */
/* Information about the session: how it was recorded, its quality, its events and modules. */
#include <inttypes.h>
#include <string.h>

#include "page_text.h"
#include "quality_view.h"
#include "session_facts.h"
#include "wall_view.h"

static void add_run(const struct browser *browser, struct buf *out)
{
        const struct report *report = browser->report;
        const struct run_info *info = &report->run.info;
        AUTO_RELEASE(buf) line = {0};

        buf_printf(out, "session: %s\n", browser->request->report->path);
        session_facts_add_command_line(report->session.reader, &line);
        if (line.len)
                buf_printf(out, "command line: %s\n", buf_text(&line));
        if (report->run.is_known)
                buf_printf(out, "time: %.3f s elapsed", (double)info->elapsed_ns / 1e9);
        if (info->user_ns || info->kernel_ns)
                buf_printf(out, ", %.3f s of CPU time in user code, %.3f s in the kernel",
                           (double)info->user_ns / 1e9, (double)info->kernel_ns / 1e9);
        if (report->run.is_known)
                buf_add_char(out, '\n');
        if (report->run.machine.len)
                buf_printf(out, "machine: %s\n", buf_text(&report->run.machine));
        if (report->run.is_known && info->source_note && *info->source_note)
                buf_printf(out, "note: %s\n", info->source_note);
}

static void add_text(const struct browser *browser, struct buf *out)
{
        const struct report *report = browser->report;

        if (report->wall) {
                wall_view_add_states(&(struct wall_view){.times = report->wall}, out);
                buf_add_char(out, '\n');
        }
        add_run(browser, out);
        buf_add_char(out, '\n');
        quality_add_poor(&report->quality, out);
        quality_add_text(&report->quality, out);
        buf_add_str(out, "\n\n");
        buf_add_str(out, "events:\n");
        for (size_t i = 0; i < report->n_events; i++) {
                if (!report->events[i].is_in_wall)
                        buf_printf(out, "  %s: %" PRIu64 " samples, skid: %s\n", report->events[i].name,
                                   report->events[i].n_samples, report->events[i].skid);
        }
        buf_add_str(out, "\nmodules with samples:\n");
        for (size_t i = 0; i < report->modules.n; i++) {
                const struct report_module *module = &report->modules.items[i];

                buf_printf(out, "  %s%s%s\n", module->path, module->note ? ": " : "",
                           module->note ? module->note : "");
        }
}

struct page *page_info_new(void)
{
        return page_wrapped_new("session information", add_text);
}
