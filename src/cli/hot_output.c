/* SPDX-License-Identifier: BSD-3-Clause */
#include "hot_output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "annotate_output.h"
#include "arena.h"
#include "branch_view.h"
#include "heat.h"
#include "hot_view.h"
#include "os.h"
#include "text.h"

enum { LITTLE_NS = 10000000 };

/* The arrays that a view points into. */
struct view_parts {
        const struct hot_output *output;
        struct hot_view view;
        struct hot_view_event *events;
        struct hot_view_module *modules;
        struct arena arena; /* sections of the modules */
        struct annotate_output annotated;
};

static void release_parts(struct view_parts *parts)
{
        annotation_free(parts->annotated.annotation);
        buf_release(&parts->annotated.name);
        arena_release(&parts->arena);
        free(parts->events);
        free(parts->modules);
}

static void fill_sections(const struct report_module *module, struct hot_view_module *ret,
                          struct arena *arena)
{
        struct hot_view_section *sections = arena_alloc(arena, module->n_sections * sizeof(*sections));

        for (size_t i = 0; i < module->n_sections; i++) {
                const struct resolver_section *s = &module->sections[i];

                sections[i] = (struct hot_view_section){s->name, s->addr, s->size_bytes};
        }
        ret->sections = sections;
        ret->n_sections = module->n_sections;
}

static void fill_lists(const struct report *report, struct view_parts *p)
{
        size_t n_events = report->n_events, n_modules = report->modules.n;

        p->events = mem_new(n_events, sizeof(*p->events));
        p->modules = mem_new(n_modules, sizeof(*p->modules));
        for (size_t i = 0; i < n_events; i++) {
                const struct report_event *e = &report->events[i];

                p->events[i] = (struct hot_view_event){e->name, e->mean_period, e->n_samples};
        }
        for (size_t i = 0; i < n_modules; i++) {
                const struct report_module *m = &report->modules.items[i];

                p->modules[i] = (struct hot_view_module){m->path, m->address, m->note};
                fill_sections(m, &p->modules[i], &p->arena);
        }
        p->view.events = p->events;
        p->view.n_events = n_events;
        p->view.modules = p->modules;
        p->view.n_modules = n_modules;
}

/* --annotate, --disassemble: the functions of the rows that are shown. */
static void annotate(const struct hot_output *o, struct view_parts *p)
{
        const struct display_options *display = o->display;
        const struct annotation_request request = {
                .symbol = display->symbol,
                .all = true,
                .max_functions = (size_t)display->rows,
                .with_code = display->disassemble,
                .debuginfod = o->debuginfod,
        };

        if ((!display->annotate && !display->disassemble) || !(p->view.keys & PROFILE_SYMBOL))
                return;
        p->annotated = (struct annotate_output){
                .report = o->report,
                .annotation = annotation_new(o->report, &request, NULL),
                .max_columns = os_is_terminal(OS_STDOUT) ? os_terminal_columns(OS_STDOUT) : 0,
                .max_rows = display->rows,
                .is_colored = o->is_colored,
                .is_extended = o->output->json_extended,
                .disassemble = display->disassemble,
        };
        p->view.add_annotated_text = annotate_output_add_text;
        p->view.add_annotated_json = annotate_output_add_json;
        p->view.annotated_ctx = &p->annotated;
}

static struct branch_view branch_view(const struct hot_output *o, const struct hot_view *view)
{
        return (struct branch_view){
                .rows = o->report->branch_rows,
                .events = view->events,
                .n_events = view->n_events,
                .max_rows = view->max_rows,
                .symbol = view->symbol,
                .max_columns = view->max_columns,
                .is_colored = o->is_colored,
        };
}

static void add_branches_json(void *ctx, struct json *json)
{
        const struct view_parts *p = ctx;
        const struct branch_view view = branch_view(p->output, &p->view);

        branch_view_json(&view, json);
}

static void add_trees_json(void *ctx, struct json *json)
{
        const struct hot_output *o = ctx;
        const struct tree_shown shown = {.report = o->report, .symbol = o->display->symbol};

        tree_output_add_json(&o->tree, &shown, json);
}

static void fill_view(const struct hot_output *o, struct view_parts *p)
{
        const struct report_image *image = &o->report->image;
        const struct report_run *run = &o->report->run;

        p->view = (struct hot_view){
                .hot = o->report->hot,
                .keys = o->keys ? o->keys : PROFILE_EVENT | PROFILE_MODULE | PROFILE_SYMBOL,
                .keys_are_given = o->keys,
                .max_rows = o->display->rows,
                .symbol = o->display->symbol,
                .verbose = o->general->verbose,
                .is_extended = o->output->json_extended,
                .quality = &o->report->quality,
                .pe_file = o->pe_file,
                .pdb_file = o->pdb_file,
                .source_note = run->is_known ? run->info.source_note : "",
                .has_elapsed = o->has_elapsed,
                .elapsed_ns = o->elapsed_ns,
                .has_exit = o->has_exit,
                .exit_status = o->exit_status,
        };
        p->view.has_image = image->is_known;
        if (p->view.has_image) {
                p->view.base_address = image->base_address;
                p->view.runtime_delta = image->runtime_delta;
                if (!p->view.pe_file)
                        p->view.pe_file = image->path;
        }
        if (o->tree.is_wanted) {
                p->view.add_more_json = add_trees_json;
                p->view.more_ctx = (void *)o;
        } else if (o->branches) {
                p->view.add_more_json = add_branches_json;
                p->view.more_ctx = p;
        }
        fill_lists(o->report, p);
        annotate(o, p);
}

/* "cpu-clock at 999 Hz, user mode only, skid: possible" */
static void add_source(const struct report_event *e, struct buf *out)
{
        uint64_t flags = e->attr.flags;

        text_add_printable(out, e->name);
        if (flags & PERF_ATTR_FREQ)
                buf_printf(out, " at %" PRIu64 " Hz", e->attr.sample_period_or_freq);
        else
                buf_printf(out, " every %" PRIu64, e->attr.sample_period_or_freq);
        buf_add_str(out, flags & PERF_ATTR_EXCLUDE_KERNEL ? ", user mode only"
                         : flags & PERF_ATTR_EXCLUDE_USER ? ", kernel mode only"
                                                          : ", user and kernel mode");
        buf_printf(out, ", skid: %s\n", e->skid);
}

/* "stacks: 2300 frames by call-frame information, 12 by frame pointers; unwound while recording in 2.9 ms" */
static void add_ways(const struct report *report, struct buf *out)
{
        static const struct {
                enum unwind_way way;
                const char *text;
        } words[] = {
                {UNWIND_WAY_CFI, "by call-frame information"},
                {UNWIND_WAY_STUB, "by the code of PLT entries and trampolines"},
                {UNWIND_WAY_FP, "by frame pointers"},
                {UNWIND_WAY_LBR, "by hardware's stack of calls"},
                {UNWIND_WAY_SIGNAL, "out of signal handlers"},
                {UNWIND_WAY_PE, "by Windows unwind codes"},
        };
        const struct report_ways *ways = &report->ways;
        const char *between = " frames ";

        if (!ways->any)
                return;
        buf_add_str(out, "stacks: ");
        for (size_t i = 0; i < N_ELEMENTS(words); i++) {
                if (!ways->by_way[words[i].way])
                        continue;
                text_add_thousands(out, ways->by_way[words[i].way]);
                buf_printf(out, "%s%s", between, words[i].text);
                between = " ";
                buf_add_str(out, ", ");
        }
        if (ways->by_way[UNWIND_WAY_LBR])
                buf_add_str(out, "joined with the kernel's chains\n");
        else if (ways->were_recorded)
                buf_printf(out, "unwound while recording in %.1f ms\n", (double)ways->unwind_ns / 1e6);
        else
                buf_add_str(out, "unwound from copies of the stack\n");
}

static void add_heading(const struct hot_output *o, struct buf *out)
{
        const struct report_image *image = &o->report->image;
        const struct report_run *run = &o->report->run;

        for (size_t i = 0; i < o->report->n_events; i++) {
                const struct report_event *e = &o->report->events[i];

                if (text_starts(e->name, "dummy"))
                        continue;
                buf_add_str(out, "event: ");
                add_source(e, out);
        }
        if (run->is_known && run->info.source_note[0]) {
                buf_add_str(out, "note: ");
                text_add_printable(out, run->info.source_note);
                buf_add_char(out, '\n');
        }
        if (o->tree.is_wanted)
                add_ways(o->report, out);
        if (image->is_known) {
                buf_add_str(out, "base address of '");
                text_add_printable(out, o->pe_file ? o->pe_file : image->name);
                buf_printf(out, "': 0x%" PRIx64 ", runtime delta: 0x%" PRIx64 "\n", image->base_address,
                           image->runtime_delta);
        }
        if (o->sampling_line)
                buf_add_str(out, o->sampling_line);
}

/* Verbose: where the modules lie, and what is wrong with their names. */
static void add_modules(const struct hot_output *o, const struct view_parts *p, struct buf *out)
{
        static const char line[] = "================================\n";

        if (o->general->verbose) {
                buf_add_str(out, line);
                for (size_t i = 0; i < p->view.n_modules; i++) {
                        const struct hot_view_module *m = &p->view.modules[i];

                        buf_printf(out, "%s 0x%016" PRIx64 " ", text_base_name(m->path), m->address);
                        text_add_printable(out, m->path);
                        buf_add_char(out, '\n');
                }
                buf_add_str(out, line);
        }
        for (size_t i = 0; o->general->verbose && i < p->view.n_modules; i++) {
                const struct hot_view_module *m = &p->view.modules[i];

                if (!m->note)
                        continue;
                buf_add_str(out, "note: ");
                text_add_printable(out, m->path);
                buf_add_str(out, ": ");
                text_add_printable(out, m->note);
                buf_add_char(out, '\n');
        }
}

static struct tree_shown tree_shown(const struct hot_output *o, const struct view_parts *p)
{
        return (struct tree_shown){
                .report = o->report,
                .symbol = p->view.symbol,
                .max_rows = p->view.max_rows,
                .max_columns = p->view.max_columns,
                .is_colored = o->is_colored,
        };
}

/* Where the time of the targets is known, whether it was too little. */
static void add_no_samples(const struct hot_output *o, const struct view_parts *p, struct buf *out)
{
        const struct quality *q = p->view.quality;
        const struct report_run *run = &o->report->run;
        uint64_t busy_ns = run->info.user_ns + run->info.kernel_ns;

        buf_add_str(out, "no samples: ");
        if (run->is_known && busy_ns < LITTLE_NS)
                buf_printf(
                        out,
                        "the targets used %.1f ms of CPU time while they were sampled; let them work longer, or sample "
                        "more often, as with -F 20000\n",
                        (double)busy_ns / 1e6);
        else if (quality_kernel_matters(q))
                buf_add_str(out, "the kernel is left out; add -k to sample it too\n");
        else
                buf_add_str(
                        out,
                        "nothing ran there, or the event did not happen often enough; measure longer, or try another event\n");
}

static void render_text(const struct hot_output *o, struct view_parts *p, struct buf *out)
{
        const struct quality *q = p->view.quality;
        size_t start;

        p->view.is_colored = o->is_colored;
        if (os_is_terminal(OS_STDOUT))
                p->view.max_columns = os_terminal_columns(OS_STDOUT);
        add_heading(o, out);
        add_modules(o, p, out);
        if (!q->n_samples) {
                add_no_samples(o, p, out);
        } else if (o->tree.is_wanted) {
                const struct tree_shown shown = tree_shown(o, p);

                tree_output_add_text(&o->tree, &shown, out);
        } else if (o->branches) {
                const struct branch_view view = branch_view(o, &p->view);

                branch_view_text(&view, out);
        } else {
                hot_view_text(&p->view, out);
        }
        if (o->general->verbose)
                buf_printf(out, "sample generated: %" PRIu64 "\nsample dropped  : %" PRIu64 "\n",
                           q->n_samples + q->n_lost, q->n_lost);
        if (o->has_elapsed)
                buf_printf(out, "\n%20.3f seconds time elapsed\n", (double)o->elapsed_ns / 1e9);
        if (o->session) {
                buf_add_str(out, "session: ");
                text_add_printable(out, o->session);
                buf_add_char(out, '\n');
        }
        start = out->len;
        quality_add_poor(q, out);
        if (o->is_colored && out->len > start)
                heat_color(out, start, strlen("poor:"), 100);
        quality_add_text(q, out);
        buf_add_char(out, '\n');
}

static bool write_document(const struct hot_output *o, const struct buf *document)
{
        AUTO_RELEASE(buf) path = {0};
        struct err err = {0};

        cmd_output_path(o->output->output_prefix, o->output->output, &path);
        if (cmd_write_file(buf_text(&path), document, &err))
                return true;
        cmd_fail(&err);
        return false;
}

static bool show(const struct hot_output *o, struct view_parts *p)
{
        AUTO_RELEASE(buf) document = {0};
        AUTO_RELEASE(buf) text = {0};
        bool to_file = o->output->output && o->document_is_output;
        bool ok = true;

        if (o->csv && o->branches) {
                const struct branch_view view = branch_view(o, &p->view);

                branch_view_csv(&view, &document);
        } else if (o->csv) {
                hot_view_csv(&p->view, &document);
        } else if (to_file || o->output->json) {
                hot_view_json(&p->view, &document);
        }
        if (to_file)
                ok = write_document(o, &document);
        if (!to_file && (o->output->json || o->csv))
                return cmd_print(&document, EXIT_OK) == EXIT_OK;
        if (o->general->quiet || o->output->json || o->csv)
                return ok;
        render_text(o, p, &text);
        return cmd_print(&text, EXIT_OK) == EXIT_OK && ok;
}

bool hot_output_show(const struct hot_output *output, bool *ret_poor)
{
        struct view_parts parts = {.output = output};
        bool ok;

        fill_view(output, &parts);
        ok = show(output, &parts);
        *ret_poor = quality_is_poor(parts.view.quality);
        release_parts(&parts);
        return ok;
}
