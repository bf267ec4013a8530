/* SPDX-License-Identifier: BSD-3-Clause */
#include "page_output.h"

#include <stdlib.h>
#include <string.h>

#include "access_output.h"
#include "buf.h"
#include "cmd_output.h"
#include "mem.h"
#include "os.h"
#include "perf_abi.h"
#include "quality_view.h"
#include "sample_view.h"
#include "session_facts.h"
#include "strips.h"
#include "text.h"
#include "text_number.h"
#include "version.h"
#include "wall_pieces.h"

/* On a page, at most. */
enum {
        MAX_SOURCE_LINES = 20000,
        MAX_CODE_FUNCTIONS = 20, /* with their instructions, of each event */
        MAX_ACCESS_ROWS = 1000,  /* of each event and table of accesses to memory */
};

static const struct option page_option_table[] = {
        {
                .name = "html",
                .kind = OPTION_FILE,
                .arg = "FILE",
                .offset = offsetof(struct page_options, html),
                .help = "the same as -o FILE, for a FILE that ends in .html",
        },
        {
                .name = "open",
                .offset = offsetof(struct page_options, opens),
                .help = "open the page in the browser; over ssh, print its path",
        },
        {
                .name = "strip-source",
                .offset = offsetof(struct page_options, strip_source),
                .help = "leave out the text of source files",
        },
        {
                .name = "source-path",
                .kind = OPTION_STRING,
                .arg = "DIR[:DIR...]",
                .offset = offsetof(struct page_options, source_path),
                .help = "look for source files under these folders first",
        },
        {0},
};

const struct option_group page_group = {"HTML page, with -o FILE.html", page_option_table};

/* How accesses to memory are grouped; keys of 0: by function. */
static const struct {
        const char *title;
        unsigned keys; /* enum access_key */
} access_parts[] = {
        {"Functions", 0},
        {"Levels", ACCESS_BY_LEVEL},
        {"Cache lines", ACCESS_BY_LINE},
        {"Latencies", ACCESS_BY_LATENCY},
};
enum { N_ACCESS_PARTS = N_ELEMENTS(access_parts) };

/* What web_page_write() is given, and the texts of it. */
struct page_making {
        const struct page_output *output;
        struct web_page_event *events;
        struct export_about *abouts;
        size_t n_events;
        struct web_page_fact *facts;
        size_t n_facts, cap_facts;
        struct web_page_accesses accesses[N_ACCESS_PARTS];
        struct access_rows *access_rows[N_ACCESS_PARTS];
        size_t n_accesses;
        struct arena arena;
};

static void page_making_release(struct page_making *m)
{
        for (size_t i = 0; i < m->n_accesses; i++)
                access_rows_free(m->access_rows[i]);
        free(m->events);
        free(m->abouts);
        free(m->facts);
        arena_release(&m->arena);
}

void page_output_request(struct report_request *request)
{
        request->results = REPORT_SAMPLES | REPORT_NAMED_STACKS | REPORT_WALL | REPORT_ACCESSES;
        request->access_keys = ACCESS_BY_LINE;
        request->by_source = false; /* the list of samples has them all under the event of Arm SPE */
        request->python = STACKS_PYTHON_ALL;
        request->tree_lines = true;
}

bool page_output_is(const char *name)
{
        return name && text_ends(name, ".html");
}

bool page_output_take(const struct page_options *options, const char **output, struct err *err)
{
        if (!options->html)
                return true;
        if (*output)
                return err_set(err, ERR_USAGE,
                               "--html and -o cannot be used together: both name the file to write");
        if (!page_output_is(options->html))
                return err_set(err, ERR_USAGE, "--html takes a file that ends in .html, not '%.200s'",
                               options->html);
        *output = options->html;
        return true;
}

bool page_output_check(const struct page_options *options, const char *name, struct err *err)
{
        const char *option = options->opens          ? "--open"
                             : options->strip_source ? "--strip-source"
                             : options->source_path  ? "--source-path"
                                                     : NULL;

        if (option && !name)
                return err_set(err, ERR_USAGE, "%s applies to an HTML page: add -o FILE.html", option);
        return !options->opens || strcmp(name, "-") != 0 || err_set(err, ERR_USAGE, "--open needs a file");
}

/* The requested event; else all with samples, or all if none has any: the page then says why. */
static void add_events(struct page_making *m)
{
        const struct report *report = m->output->report;
        bool is_empty = true;

        m->events = mem_new(report->n_events, sizeof(*m->events));
        m->abouts = mem_new(report->n_events, sizeof(*m->abouts));
        for (uint32_t i = 0; i < report->n_events; i++)
                is_empty &= !report->events[i].n_samples;
        for (uint32_t i = 0; i < report->n_events; i++) {
                const struct report_event *event = &report->events[i];

                if (m->output->event ? strcmp(event->name, m->output->event) != 0
                                     : !event->n_samples && !is_empty)
                        continue;
                m->abouts[m->n_events] = (struct export_about){
                        .event = event->name,
                        .is_time = perf_attr_is_clock(&event->attr),
                };
                m->events[m->n_events] = (struct web_page_event){i, &m->abouts[m->n_events]};
                m->n_events++;
        }
}

static bool has_accesses(const struct report *report)
{
        for (uint32_t i = 0; report->accesses && i < report->n_events; i++) {
                if (accesses_totals(report->accesses, i).n_accesses)
                        return true;
        }
        return false;
}

static void add_accesses(struct page_making *m)
{
        struct report *report = m->output->report;
        const struct access_view_event *events;

        if (!has_accesses(report))
                return;
        events = access_output_events(report, &m->arena);
        for (size_t i = 0; i < N_ACCESS_PARTS; i++) {
                unsigned keys = access_parts[i].keys;
                struct access_rows *rows = report_access_rows(report, keys, 0, false, NULL);

                m->access_rows[i] = rows;
                m->accesses[i].title = access_parts[i].title;
                m->accesses[i].view = (struct access_view){
                        .rows = rows,
                        .keys = keys,
                        .by_code = !keys,
                        .code = {.hot = access_rows_hot(rows),
                                 .keys = {{ROW_SYMBOL, ROW_MODULE}, 2},
                                 .max_rows = MAX_ACCESS_ROWS},
                        .events = events,
                        .n_events = report->n_events,
                };
        }
        m->n_accesses = N_ACCESS_PARTS;
}

/* --- What was measured --- */

/* A fact for each line of the text. */
static void add_fact(struct page_making *m, const char *label, const struct buf *text)
{
        const char *at = buf_text(text);

        while (*at) {
                size_t len = strcspn(at, "\n");

                ARRAY_PUSH(m->facts, m->n_facts, m->cap_facts,
                           (struct web_page_fact){label, arena_copy(&m->arena, at, len)});
                at += len + (at[len] == '\n');
        }
}

static void add_run(const struct report *report, struct buf *out)
{
        const struct run_info *run = &report->run.info;

        if (!report->run.is_known || !run->elapsed_ns)
                return;
        buf_printf(out, "%.3f s", (double)run->elapsed_ns / 1e9);
        if (run->user_ns || run->kernel_ns)
                buf_printf(out, ", %.3f s of CPU time", (double)(run->user_ns + run->kernel_ns) / 1e9);
        if (run->has_exit)
                buf_printf(out, "; the command ended with status %d", run->exit_status);
}

static void add_counts(const struct page_making *m, struct buf *out)
{
        for (size_t i = 0; i < m->n_events; i++) {
                const struct report_event *event = &m->output->report->events[m->events[i].index];

                buf_printf(out, "%s%s: ", i ? "\n" : "", event->name);
                text_add_thousands(out, event->n_samples);
                buf_printf(out, " samples, skid %s", event->skid);
        }
}

static void add_quality(const struct quality *quality, struct buf *out)
{
        quality_add_poor(quality, out);
        quality_add_text(quality, out);
}

/* Why the text of some files is not there. */
static void add_source_note(const struct sampled_source *source, struct buf *out)
{
        if (!source)
                return;
        if (source->n_unproven)
                buf_printf(
                        out,
                        "%zu files without their text: only a file that the debug information of a module "
                        "with a known build id names, or a .py file that holds the recorded function, goes along\n",
                        source->n_unproven);
        if (source->n_refused)
                buf_printf(out, "%zu files without their text, because not all users may read them\n",
                           source->n_refused);
        if (source->n_left_out)
                buf_printf(out, "%zu lines of the files with the fewest samples are left out\n",
                           source->n_left_out);
}

static void add_facts(struct page_making *m, const struct sampled_source *source)
{
        const struct report *report = m->output->report;
        struct buf text[10] = {0};

        session_facts_add_command_line(report->session.reader, &text[0]);
        buf_add(&text[1], report->run.machine.data, report->run.machine.len);
        add_run(report, &text[2]);
        add_counts(m, &text[3]);
        add_quality(&report->quality, &text[4]);
        buf_add_str(&text[5], strcmp(m->output->session, "-") ? m->output->session : "");
        buf_add_str(&text[6], report->run.is_known ? report->run.info.source_note : "");
        buf_printf(&text[7], "wperf %s", version_number);
        add_source_note(source, &text[8]);
        if (!report->quality.n_samples)
                sample_view_add_no_samples(report, &text[9]);
        add_fact(m, "Command", &text[0]);
        add_fact(m, "Machine", &text[1]);
        add_fact(m, "Run", &text[2]);
        add_fact(m, "Events", &text[3]);
        add_fact(m, "Samples", &text[9]);
        add_fact(m, "Note", &text[6]);
        add_fact(m, "Quality", &text[4]);
        add_fact(m, "Source", &text[8]);
        add_fact(m, "Session", &text[5]);
        add_fact(m, "Written by", &text[7]);
        for (size_t i = 0; i < N_ELEMENTS(text); i++)
                buf_release(&text[i]);
}

static enum web_page_frames frames_of(enum stacks_python python)
{
        switch (python) {
        case STACKS_PYTHON_ALL: return WEB_PAGE_ALL;
        case STACKS_PYTHON_ONLY: return WEB_PAGE_PYTHON;
        case STACKS_PYTHON_NATIVE: return WEB_PAGE_NATIVE;
        case STACKS_PYTHON_MERGED: break;
        }
        return WEB_PAGE_MERGED;
}

static struct sampled_source *list_source(const struct page_output *output)
{
        if (output->options->strip_source)
                return NULL;
        return sampled_source_new(&(struct sampled_source_request){
                .report = output->report,
                .folders = output->options->source_path,
                .takes_private = output->takes_private,
                .debuginfod = output->debuginfod,
                .max_lines = MAX_SOURCE_LINES,
        });
}

/* The states of threads over time; NULL if the session did not record waiting. */
static struct strips *list_strips(const struct report *report)
{
        struct strips_request request = {
                .samples = report->samples, .cpu_spans = report->cpu_spans, .n_columns = STRIPS_MAX_COLUMNS};
        struct strip_state *states;
        struct strips *strips;

        if (!report->wall || !report->pieces)
                return NULL;
        while (request.event < report->n_events && !report->events[request.event].is_wall)
                request.event++;
        request.states = states = wall_pieces_states(report->pieces, false, &request.n_states);
        strips = strips_new(&request);
        free(states);
        return strips;
}

bool page_output_make(const struct page_output *output, struct buf *out, struct err *err)
{
        struct page_making m = {.output = output};
        AUTO(sampled_source) source = list_source(output);
        AUTO(strips) strips = list_strips(output->report);
        AUTO(annotation)
        annotation =
                annotation_new(output->report,
                               &(struct annotation_request){
                                       .all = true, .max_functions = MAX_CODE_FUNCTIONS, .with_code = true},
                               NULL);
        bool ok;

        add_events(&m);
        add_facts(&m, source);
        add_accesses(&m);
        ok = m.n_events ? web_page_write(&(struct web_page){.samples = output->report->samples,
                                                            .stacks = output->report->named,
                                                            .events = m.events,
                                                            .n_events = m.n_events,
                                                            .facts = m.facts,
                                                            .n_facts = m.n_facts,
                                                            .source = source,
                                                            .wall = output->report->wall,
                                                            .strips = strips,
                                                            .annotation = annotation,
                                                            .hot = output->report->hot,
                                                            .accesses = m.accesses,
                                                            .n_accesses = m.n_accesses,
                                                            .frames = frames_of(output->python)},
                                         out, err)
                        : err_set(err, ERR_MISSING, "the session has no samples for a page");
        page_making_release(&m);
        return ok;
}

void page_output_show(const struct page_options *options, const char *path, bool quiet)
{
        AUTO_RELEASE(buf) text = {0};
        struct err err = {0};

        if (options->opens && !os_open_viewer(path, &err)) {
                buf_printf(&text, "%s was written, but not opened: %s", path, err.text);
                cmd_warn(&text);
        } else if (!quiet) {
                buf_printf(&text, "%s %s\n", options->opens ? "opened" : "wrote", path);
                cmd_print(&text, EXIT_OK);
        }
}
