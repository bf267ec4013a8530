/* SPDX-License-Identifier: BSD-3-Clause */
#include "sample_view.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "buf.h"
#include "heat.h"
#include "quality_view.h"
#include "sample_view_internal.h"
#include "text.h"
#include "text_number.h"
#include "text_printable.h"
#include "wall_view.h"

enum { LITTLE_NS = 10000000, SHORT_NS = 100000000, WALL_ROWS = 20 };

/* --- The heading --- */

/* "cpu-clock at 999 Hz, user mode only, skid: possible" */
static void add_event(const struct report_event *event, struct buf *out)
{
        const struct perf_attr *attr = &event->attr;
        uint64_t rate = attr->sample_period_or_freq;

        if (event->is_waiting) {
                buf_add_str(out, "waiting threads, read at random moments around every 10 ms\n");
                return;
        }
        text_add_printable(out, event->name);
        if (attr->flags & PERF_ATTR_FREQ)
                buf_printf(out, " at %" PRIu64 " Hz", rate);
        else if (rate)
                buf_printf(out, " every %" PRIu64 "%s", rate, perf_attr_is_clock(attr) ? " ns" : "");
        buf_add_str(out, attr->flags & PERF_ATTR_EXCLUDE_KERNEL ? ", user mode only"
                         : attr->flags & PERF_ATTR_EXCLUDE_USER ? ", kernel mode only"
                                                                : ", user and kernel mode");
        buf_printf(out, ", skid: %s\n", event->skid);
}

/* "stacks: 2300 frames by call-frame information, 12 by frame pointers; unwound while recording in 2.9 ms" */
static void add_ways(const struct report_ways *ways, struct buf *out)
{
        const struct {
                uint64_t n;
                const char *text;
        } words[] = {
                {ways->by_way[UNWIND_WAY_CFI], "by call-frame information"},
                {ways->by_way[UNWIND_WAY_STUB], "by the code of PLT entries and trampolines"},
                {ways->by_way[UNWIND_WAY_FP], "by frame pointers"},
                {ways->by_way[UNWIND_WAY_LBR], "by the CPU's record of calls"},
                {ways->by_way[UNWIND_WAY_SIGNAL], "by the frames of signal handlers"},
                {ways->by_way[UNWIND_WAY_PE], "by Windows unwind information"},
        };
        const char *between = " frames ";

        buf_add_str(out, "stacks: ");
        for (size_t i = 0; i < N_ELEMENTS(words); i++) {
                if (!words[i].n)
                        continue;
                text_add_thousands(out, words[i].n);
                buf_printf(out, "%s%s", between, words[i].text);
                between = " ";
                buf_add_str(out, ", ");
        }
        if (ways->by_way[UNWIND_WAY_LBR])
                buf_add_str(out, "joined with the kernel's call chains\n");
        else if (ways->were_recorded)
                buf_printf(out, "unwound while recording in %.1f ms\n", (double)ways->unwind_ns / 1e6);
        else
                buf_add_str(out, "unwound from copies of the stack\n");
}

static void add_heading(const struct sample_view *view, struct buf *out)
{
        const struct report *report = view->report;
        const struct report_image *image = &report->image;
        const char *machine = buf_text(&report->run.machine), *note = report->run.info.source_note;

        for (size_t i = 0; i < view->hot.n_events; i++) {
                if (view->hot.events[i].only_tracks || view->hot.events[i].is_source ||
                    view->hot.events[i].is_derived)
                        continue;
                buf_add_str(out, "event: ");
                add_event(&view->hot.events[i], out);
        }
        if (view->hot.verbose && machine[0]) {
                buf_add_str(out, "machine: ");
                text_add_printable(out, machine);
                buf_add_char(out, '\n');
        }
        if (note[0]) {
                buf_add_str(out, "note: ");
                text_add_printable(out, note);
                buf_add_char(out, '\n');
        }
        if (view->trees.are_wanted && report->ways.any)
                add_ways(&report->ways, out);
        if (image->is_known) {
                buf_add_str(out, "base address of '");
                text_add_printable(out, view->pe_file ? view->pe_file : image->name);
                buf_printf(out, "': 0x%" PRIx64 ", runtime delta: 0x%" PRIx64 "\n", image->base_address,
                           image->runtime_delta);
        }
        if (view->sampling_line)
                buf_add_str(out, view->sampling_line);
}

/* The address of each module, and why its names are missing or may be wrong. */
static void add_modules(const struct report_modules *modules, struct buf *out)
{
        static const char line[] = "================================\n";

        buf_add_str(out, line);
        for (size_t i = 0; i < modules->n; i++) {
                const struct report_module *m = &modules->items[i];

                text_add_printable(out, text_base_name(m->path));
                buf_printf(out, " 0x%016" PRIx64 " ", m->address);
                text_add_printable(out, m->path);
                buf_add_char(out, '\n');
        }
        buf_add_str(out, line);
        for (size_t i = 0; i < modules->n; i++) {
                const struct report_module *m = &modules->items[i];

                if (!m->note)
                        continue;
                buf_add_str(out, "note: ");
                text_add_printable(out, m->path);
                buf_add_str(out, ": ");
                text_add_printable(out, m->note);
                buf_add_char(out, '\n');
        }
}

/* --- The rest --- */

bool sample_view_is_empty(const struct sample_view *view)
{
        const struct wall_times *wall = view->report->wall;

        return !view->report->quality.n_samples && !(wall && wall->total_ns);
}

/* -D or --control can leave out a whole run. */
static bool was_off(const struct report *report)
{
        enum { NEARLY_ALL_PERCENT = 99 };
        const struct run_info *run = &report->run.info;

        return report->run.is_known && run->off_ns &&
               run->off_ns >= run->elapsed_ns / 100 * NEARLY_ALL_PERCENT;
}

/* Says why there are no samples: nothing was measured, too little CPU time, or time in the kernel. */
void sample_view_add_no_samples(const struct report *report, struct buf *out)
{
        uint64_t busy_ns = report->run.info.user_ns + report->run.info.kernel_ns;

        buf_add_str(out, "no samples: ");
        if (was_off(report))
                buf_printf(
                        out,
                        "the run of %.3f s ended before the events were switched on: shorten -D, or send enable earlier\n",
                        (double)report->run.info.elapsed_ns / 1e9);
        else if (report->run.is_known && busy_ns < LITTLE_NS)
                buf_printf(out, "the sampled processes used only %.1f ms of CPU time; %s\n",
                           (double)busy_ns / 1e6,
                           report->run.info.elapsed_ns > 10 * LITTLE_NS
                                   ? "they waited: --wall shows for what"
                                   : "let them run longer, or sample more often, as with -F 20000");
        else if (quality_kernel_matters(&report->quality))
                buf_printf(out, "%.0f %% of the CPU time was in the kernel, which was not sampled%s\n",
                           100 * report->quality.kernel_share, quality_kernel_advice(&report->quality));
        else
                buf_add_str(
                        out,
                        "nothing ran, or the event did not happen often enough; measure longer, or try another event\n");
}

struct branch_view sample_view_branches(const struct sample_view *view)
{
        return (struct branch_view){
                .rows = view->report->branch_rows,
                .events = view->hot.events,
                .n_events = view->hot.n_events,
                .max_rows = view->hot.max_rows,
                .symbol = view->hot.symbol,
                .keys = view->hot.keys,
                .long_names = view->hot.long_names,
                .max_columns = view->hot.max_columns,
                .is_colored = view->hot.is_colored,
        };
}

static void add_body(const struct sample_view *view, struct buf *out)
{
        const struct branch_view branches = sample_view_branches(view);

        if (sample_view_is_empty(view))
                sample_view_add_no_samples(view->report, out);
        else if (view->report->branch_rows && !view->trees.are_wanted)
                branch_view_text(&branches, out);
        else if (!view->trees.are_wanted &&
                 (!python_view_has_rows(&view->python) || hot_view_has_match(&view->hot)))
                hot_view_text(&view->hot, out);
}

static void add_quality(const struct sample_view *view, struct buf *out)
{
        size_t start = out->len;

        quality_add_poor(&view->report->quality, out);
        if (view->hot.is_colored && out->len > start)
                heat_color(out, start, strlen("poor:"), 100);
        quality_add_text(&view->report->quality, out);
        buf_add_char(out, '\n');
}

void sample_view_add_wall(const struct sample_view *view, struct buf *out)
{
        if (!view->report->wall)
                return;
        wall_view_text(&(struct wall_view){.times = view->report->wall,
                                           .tasks = view->report->wall_tasks,
                                           .task_section = view->report->tasks,
                                           .n_rows = WALL_ROWS,
                                           .max_columns = view->hot.max_columns},
                       out);
        buf_add_char(out, '\n');
}

static void begin_text(const struct sample_view *view, struct buf *out)
{
        add_heading(view, out);
        if (view->hot.verbose)
                add_modules(&view->report->modules, out);
        sample_view_add_wall(view, out);
        if (view->counts && view->report->quality.n_samples)
                buf_add_str(out, view->counts);
        add_body(view, out);
}

/* Time in which others had the CPU is not waited; it is only known how often that was. With several threads
 * they were off for even more of their time. */
bool sample_view_waits(const struct sample_view *view)
{
        enum { PREEMPTED_NS = 10000000, STOPPED_NS = 500000 };
        const struct run_info *info = &view->report->run.info;
        uint64_t busy_ns = info->user_ns + info->kernel_ns;
        uint64_t not_waited_ns = busy_ns + info->n_preempted * PREEMPTED_NS + info->n_stops * STOPPED_NS;

        return view->report->run.is_known && !view->report->wall && view->elapsed_ns >= SHORT_NS && busy_ns &&
               info->n_blocked && not_waited_ns <= view->elapsed_ns / 2;
}

static void add_waiting(const struct sample_view *view, struct buf *out)
{
        const struct run_info *info = &view->report->run.info;
        double busy_ns = (double)(info->user_ns + info->kernel_ns);

        if (sample_view_waits(view))
                buf_printf(out, "off CPU: %.0f %% of the time; --wall shows why\n",
                           100 - 100 * busy_ns / (double)view->elapsed_ns);
}

static void end_text(const struct sample_view *view, struct buf *out)
{
        const struct quality *q = &view->report->quality;

        python_view_text(&view->python, out);
        if (view->trees.are_wanted && python_view_has_rows(&view->python))
                buf_add_char(out, '\n');
        if (view->hot.verbose)
                buf_printf(out, "sample generated: %" PRIu64 "\nsample dropped  : %" PRIu64 "\n",
                           q->n_samples + q->n_lost, q->n_lost);
        if (view->has_elapsed)
                buf_printf(out, "\n%20.3f seconds time elapsed\n", (double)view->elapsed_ns / 1e9);
        if (view->has_elapsed)
                add_waiting(view, out);
        if (view->session) {
                buf_add_str(out, "session: ");
                text_add_printable(out, view->session);
                buf_add_char(out, '\n');
        }
        add_quality(view, out);
}

static void add_csv(const struct sample_view *view, struct buf *out)
{
        const struct branch_view branches = sample_view_branches(view);

        if (view->report->branch_rows)
                branch_view_csv(&branches, out);
        else
                hot_view_csv(&view->hot, out);
}

static struct tree_view tree_of(const struct sample_view *view, uint32_t event, const struct calltree *tree)
{
        return (struct tree_view){
                .tree = tree,
                .is_inverted = view->trees.is_inverted,
                .all_count = view->hot.events[event].n_samples,
                .all_weight = view->hot.events[event].weight,
                .event = view->hot.events[event].name,
                .min_percent = view->trees.min_percent,
                .max_depth = view->trees.max_depth,
                .max_rows = view->hot.max_rows,
                .symbol = view->hot.symbol,
                .long_names = view->hot.long_names,
                .max_columns = view->hot.max_columns,
                .is_colored = view->hot.is_colored,
        };
}

void sample_page_begin(struct sample_page *page, const struct sample_view *view, enum sample_form form,
                       struct buf *out)
{
        *page = (struct sample_page){.view = view, .form = form, .out = out};
        page->json = &page->own;
        json_init(page->json, out);
        switch (form) {
        case SAMPLE_TEXT: begin_text(view, out); break;
        case SAMPLE_JSON: sample_view_begin_json(view, page->json); break;
        case SAMPLE_CSV: add_csv(view, out); break;
        }
}

void sample_page_begin_inside(struct sample_page *page, const struct sample_view *view, struct json *json)
{
        *page = (struct sample_page){.view = view, .form = SAMPLE_JSON, .out = json->out, .json = json};
        sample_view_begin_json(view, json);
}

void sample_page_add_tree(struct sample_page *page, uint32_t event, const struct calltree *tree)
{
        const struct tree_view view = tree_of(page->view, event, tree);

        assert(event < page->view->hot.n_events);
        if (page->form == SAMPLE_JSON)
                tree_view_json(&view, page->json);
        if (page->form != SAMPLE_TEXT)
                return;
        tree_view_text(&view, page->out);
        buf_add_char(page->out, '\n');
}

void sample_page_end(struct sample_page *page)
{
        if (page->form == SAMPLE_TEXT)
                end_text(page->view, page->out);
        if (page->form != SAMPLE_JSON)
                return;
        sample_view_end_json(page->view, page->json);
        if (page->json == &page->own)
                buf_add_char(page->out, '\n');
}
