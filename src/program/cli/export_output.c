/* SPDX-License-Identifier: BSD-3-Clause */
#include "export_output.h"

#include <stdlib.h>
#include <string.h>

#include "cmd_output.h"
#include "codec.h"
#include "export_callgrind.h"
#include "export_chrome.h"
#include "export_firefox.h"
#include "export_folded.h"
#include "export_perf_script.h"
#include "export_pprof.h"
#include "export_speedscope.h"
#include "export_svg.h"
#include "filter_none.h"
#include "mem.h"
#include "os.h"
#include "perf_abi.h"
#include "quality_view.h"
#include "reading_progress.h"
#include "session_clock.h"
#include "session_facts.h"
#include "text.h"
#include "text_match.h"
#include "text_stream.h"
#include "tree_output.h"
#include "version.h"
#include "wall_states.h"

/* An event with samples. */
struct exported {
        uint32_t index;
        struct calltree *tree; /* NULL for formats that write each sample */
        struct export_about about;
};

struct exporting {
        const struct export_output *output;
        const char *path; /* "-": standard output */
        struct exported *events;
        size_t n_events, cap_events;
        struct buf tool, command;
        int64_t wall_offset_ns; /* as in struct export_about */
};

static const struct report *report_of(const struct exporting *e)
{
        return e->output->page.report;
}

static void exporting_release(struct exporting *e)
{
        for (size_t i = 0; i < e->n_events; i++)
                calltree_free(e->events[i].tree);
        free(e->events);
        buf_release(&e->tool);
        buf_release(&e->command);
}

/* --- writers --- */

static bool write_folded(const struct exporting *e, struct buf *out, struct err *err)
{
        const struct export_folded_options options = {
                .weights = e->output->choice.weights,
                .annotate = e->output->choice.kinds,
        };

        (void)err;
        export_folded(e->events[0].tree, &options, out);
        return true;
}

static bool write_speedscope(const struct exporting *e, struct buf *out, struct err *err)
{
        struct export_speedscope_event *events = mem_new(e->n_events, sizeof(*events));

        (void)err;
        for (size_t i = 0; i < e->n_events; i++)
                events[i] = (struct export_speedscope_event){e->events[i].index, &e->events[i].about};
        export_speedscope(&(struct export_speedscope){report_of(e)->samples, report_of(e)->named, events,
                                                      e->n_events, e->output->choice.lines},
                          out);
        free(events);
        return true;
}

static bool write_callgrind(const struct exporting *e, struct buf *out, struct err *err)
{
        (void)err;
        export_callgrind(e->events[0].tree, &e->events[0].about, out);
        return true;
}

static bool write_pprof(const struct exporting *e, struct buf *out, struct err *err)
{
        AUTO_RELEASE(buf) profile = {0};

        export_pprof(e->events[0].tree, &e->events[0].about, &profile);
        return codec_pack_gzip(buf_text(&profile), profile.len, out, err);
}

static bool write_svg(const struct exporting *e, struct buf *out, struct err *err)
{
        (void)err;
        export_svg(e->events[0].tree, &e->events[0].about,
                   &(struct export_svg_options){.upwards = e->output->choice.root_at_bottom}, out);
        return true;
}

/* The mean time between two samples of a program that always runs; 0: not known. */
static uint64_t interval_of(const struct report_event *event)
{
        uint64_t number = event->attr.sample_period_or_freq;

        if (event->attr.flags & PERF_ATTR_FREQ)
                return number ? 1000000000 / number : 0;
        return perf_attr_is_clock(&event->attr) ? number : 0;
}

static bool wants_gzip(const struct exporting *e)
{
        return text_ends(e->path, ".gz");
}

/* The states of the threads in wall time that the filter did not leave out. free() it. */
static struct export_state *states_of(const struct report *report, size_t *ret_n)
{
        struct strip_state *states = wall_pieces_states(report->pieces, true, ret_n);
        struct export_state *made = mem_new(*ret_n + 1, sizeof(*made));

        for (size_t i = 0; i < *ret_n; i++)
                made[i] = (struct export_state){states[i].from_ns, states[i].to_ns, states[i].tid,
                                                wall_state_word(states[i].state)};
        free(states);
        return made;
}

static bool write_firefox(const struct exporting *e, struct buf *out, struct err *err)
{
        const struct report_event *event = &report_of(e)->events[e->events[0].index];
        size_t n_states = 0;
        struct export_state *states = event->is_wall ? states_of(report_of(e), &n_states) : NULL;
        const struct export_firefox profile = {
                .samples = report_of(e)->samples,
                .stacks = report_of(e)->named,
                .about = &e->events[0].about,
                .arch = perfdata_feature_str(report_of(e)->session.reader, FEATURE_ARCH),
                .event = e->events[0].index,
                .interval_ns = interval_of(event),
                .weights = e->output->choice.weights || event->is_wall,
                .states = states,
                .n_states = n_states,
        };
        AUTO_RELEASE(buf) document = {0};

        export_firefox(&profile, wants_gzip(e) ? &document : out);
        free(states);
        return !wants_gzip(e) || codec_pack_gzip(buf_text(&document), document.len, out, err);
}

static bool write_page(const struct exporting *e, struct buf *out, struct err *err)
{
        return page_output_make(&e->output->page, out, err);
}

static bool is_wanted(const struct exporting *e, const struct report_event *event)
{
        return !e->output->choice.event || !strcmp(event->name, e->output->choice.event);
}

static bool stream_perf_script(const struct exporting *e, const struct export_sink *sink, struct err *err)
{
        size_t n = report_of(e)->n_events;
        struct export_script_event *events = mem_new(n, sizeof(*events));
        bool ok;

        for (size_t i = 0; i < n; i++) {
                const struct report_event *event = &report_of(e)->events[i];

                events[i] = (struct export_script_event){event->name, &event->attr, is_wanted(e, event)};
        }
        ok = export_perf_script(
                &(struct export_script){report_of(e)->samples, report_of(e)->named, events, n}, sink, err);
        free(events);
        return ok;
}

static bool stream_chrome(const struct exporting *e, const struct export_sink *sink, struct err *err)
{
        return export_chrome(&(struct export_chrome){.samples = report_of(e)->samples,
                                                     .stacks = report_of(e)->named,
                                                     .about = &e->events[0].about,
                                                     .event = e->events[0].index,
                                                     .python_lines = e->output->choice.lines},
                             sink, err);
}

/* --- formats --- */

struct export_format {
        const char *name, *other_name; /* other_name: of py-spy or CPython, or NULL */
        const char *endings[2];        /* endings of file names */
        const char *beginning;         /* their beginning, or NULL */
        bool takes_all;                /* writes all events; otherwise only one */
        bool by_sample;                /* uses the single samples; otherwise the call trees of the events */
        /* lines of calls can be written; other formats would show each line as another function */
        bool takes_lines;
        bool is_binary;                        /* always packed */
        bool can_pack;                         /* packed if -o ends in .gz */
        bool keeps_clones;                     /* readers compare its names with perf's */
        bool is_page;                          /* its reader chooses the frames of Python programs */
        bool has_weights, has_kinds, has_root; /* options that have an effect */
        /* One of these is set: writes the whole document, or piece by piece. */
        bool (*write)(const struct exporting *e, struct buf *out, struct err *err);
        bool (*stream)(const struct exporting *e, const struct export_sink *sink, struct err *err);
};

static const struct export_format formats[] = {
        {"folded", "raw", {".folded"}, .has_weights = true, .has_kinds = true, .write = write_folded},
        {"speedscope",
         NULL,
         {".speedscope.json"},
         .takes_all = true,
         .by_sample = true,
         .write = write_speedscope},
        {"firefox",
         NULL,
         {".firefox.json", ".firefox.json.gz"},
         .by_sample = true,
         .takes_lines = true,
         .has_weights = true,
         .can_pack = true,
         .write = write_firefox},
        {"chrome", "chrometrace", {".trace.json"}, .by_sample = true, .stream = stream_chrome},
        {"pprof", NULL, {".pb.gz"}, .takes_lines = true, .is_binary = true, .write = write_pprof},
        {"callgrind", NULL, {".callgrind"}, "callgrind.out", .takes_lines = true, .write = write_callgrind},
        {"perf-script",
         NULL,
         {".perf", ".linux-perf.txt"},
         .takes_all = true,
         .keeps_clones = true,
         .by_sample = true,
         .stream = stream_perf_script},
        {"svg", "flamegraph", {".svg"}, .has_root = true, .write = write_svg},
        {"html",
         NULL,
         {".html"},
         .takes_all = true,
         .by_sample = true,
         .takes_lines = true,
         .is_page = true,
         .write = write_page},
};

static bool is_named_as(const struct export_format *format, const char *file)
{
        for (size_t i = 0; i < N_ELEMENTS(format->endings); i++) {
                if (format->endings[i] && text_ends(file, format->endings[i]))
                        return true;
        }
        return format->beginning && text_starts(text_base_name(file), format->beginning);
}

const struct export_format *export_output_of_file(const char *file)
{
        for (size_t i = 0; file && i < N_ELEMENTS(formats); i++) {
                if (is_named_as(&formats[i], file))
                        return &formats[i];
        }
        return NULL;
}

void export_output_add_names(struct buf *out)
{
        for (size_t i = 0; i < N_ELEMENTS(formats); i++)
                buf_printf(out, "%s%s",
                           !i                            ? ""
                           : i + 1 < N_ELEMENTS(formats) ? ", "
                                                         : " or ",
                           formats[i].name);
}

const struct export_format *export_output_find(const char *name, struct err *err)
{
        const char *names[N_ELEMENTS(formats)], *near;
        AUTO_RELEASE(buf) all = {0};

        for (size_t i = 0; i < N_ELEMENTS(formats); i++) {
                names[i] = formats[i].name;
                if (!strcmp(name, formats[i].name) ||
                    (formats[i].other_name && !strcmp(name, formats[i].other_name)))
                        return &formats[i];
        }
        near = text_nearest(name, names, N_ELEMENTS(names));
        export_output_add_names(&all);
        err_set(err, ERR_USAGE, "--format takes %s, not '%.40s'%s%s%s", buf_text(&all), name,
                near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
        return NULL;
}

void export_output_add_default_name(const struct export_format *format, struct buf *out)
{
        buf_printf(out, "wperf%s", format->endings[0]);
}

/* Documents that wperf does not write, and would not be looked for in its own document or in a session. */
static bool check_ending(const char *file, struct err *err)
{
        static const struct {
                const char *ending, *instead;
        } absent[] = {
                {".otlp", "OTLP profiles are not written; for other tools write NAME.pb.gz (pprof)"},
                {".otlp.json", "OTLP profiles are not written; for other tools write NAME.pb.gz (pprof)"},
                {".jsonl", "rows are written by wperf report --csv, the whole document as NAME.json"},
        };

        for (size_t i = 0; file && i < N_ELEMENTS(absent); i++) {
                if (text_ends(file, absent[i].ending))
                        return err_set(err, ERR_USAGE, "-o %.200s: %s", file, absent[i].instead);
        }
        return true;
}

bool export_output_choose(const char *name, const char *file, bool json, const struct page_options *page,
                          const struct export_format **ret, struct err *err)
{
        const struct export_format *format =
                name ? export_output_find(name, err) : export_output_of_file(file);

        if ((name && !format) || (!format && !check_ending(file, err)))
                return false;
        if (format && json)
                return err_set(err, ERR_USAGE, "--json and %s %.200s cannot be used together: leave one out",
                               name ? "--format" : "-o", name ? name : file);
        if (!page_output_check(page, format && format->is_page ? file ? file : "" : NULL, err))
                return false;
        *ret = format;
        return true;
}

bool export_output_is_page(const struct export_format *format)
{
        return format->is_page;
}

bool export_output_can_write(const struct export_format *format, const char *prefix, const char *name,
                             struct err *err)
{
        if (name && strcmp(name, "-"))
                return cmd_can_write(prefix, name, err);
        return !format->is_binary || !os_is_terminal(OS_STDOUT) ||
               err_set(err, ERR_USAGE,
                       "a pprof profile is binary and is not written to a terminal; name a file with -o");
}

bool export_output_check(const struct export_format *format, const struct export_choice *choice,
                         struct err *err)
{
        const struct {
                bool is_given, is_taken;
                const char *name, *takers;
        } options[] = {
                {choice->weights, format->has_weights, "weights", "folded and firefox"},
                {choice->kinds, format->has_kinds, "kinds", "folded"},
                {choice->root_at_bottom, format->has_root, "root-at-bottom", "svg"},
                {choice->inverted, format->has_root, "inverted", "svg"},
        };

        for (size_t i = 0; i < N_ELEMENTS(options); i++) {
                if (options[i].is_given && !options[i].is_taken)
                        return err_set(err, ERR_USAGE, "--%s cannot be used with the format %s, only with %s",
                                       options[i].name, format->name, options[i].takers);
        }
        return true;
}

void export_output_request(const struct export_format *format, const struct export_choice *choice,
                           struct report_request *request)
{
        request->results = format->by_sample ? REPORT_SAMPLES | REPORT_NAMED_STACKS : REPORT_TREE;
        request->keep_clones = format->keeps_clones;
        request->tree_lines = format->takes_lines;
        request->python_lines = choice->lines;
        request->tree_processes = true;
        if (format->is_page)
                page_output_request(request);
}

/* --- events --- */

static void add_event(struct exporting *e, uint32_t index)
{
        const struct report_event *event = &report_of(e)->events[index];
        const struct stacks_tree *names = report_of(e)->tree;
        struct exported exported = {.index = index, .tree = names ? stacks_tree_make(names, index) : NULL};

        exported.about = (struct export_about){
                .event = event->name,
                .tool = buf_text(&e->tool),
                .command = buf_text(&e->command),
                .is_time = perf_attr_is_clock(&event->attr),
                .dur_ns = report_of(e)->run.info.elapsed_ns,
                .wall_offset_ns = e->wall_offset_ns,
        };
        ARRAY_PUSH(e->events, e->n_events, e->cap_events, exported);
}

static bool unknown_event(const struct exporting *e, struct err *err)
{
        const char **names = mem_new(report_of(e)->n_events + 1, sizeof(*names)), *near;
        size_t n = 0;

        for (uint32_t i = 0; i < report_of(e)->n_events; i++) {
                if (report_of(e)->events[i].n_samples)
                        names[n++] = report_of(e)->events[i].name;
        }
        near = text_nearest(e->output->choice.event, names, n);
        if (!near && n)
                near = names[0];
        err_set(err, ERR_USAGE, "the session has no event '%.60s'%s%.60s%s", e->output->choice.event,
                near ? "; it has '" : "", near ? near : "", near ? "'" : "");
        free(names);
        return false;
}

/* Adds the requested event; otherwise all events with samples, or the first of them. */
static bool add_events(struct exporting *e, struct buf *note, struct err *err)
{
        uint64_t n_samples = 0;
        size_t n_left_out = 0;

        for (uint32_t i = 0; i < report_of(e)->n_events; i++) {
                const struct report_event *event = &report_of(e)->events[i];

                n_samples += is_wanted(e, event) ? event->n_samples : 0;
                if (e->output->choice.event ? !is_wanted(e, event) : !event->n_samples)
                        continue;
                if (e->n_events && !e->output->format->takes_all)
                        n_left_out++;
                else
                        add_event(e, i);
        }
        if (!e->n_events && e->output->choice.event)
                return unknown_event(e, err);
        if (e->output->choice.event && !e->output->format->is_page && !n_samples)
                return err_set(err, ERR_MISSING, "the event '%.60s' has no samples", e->output->choice.event);
        if (!e->n_events && !e->output->format->is_page)
                return err_set(err, ERR_MISSING, "the session has no samples to export");
        if (n_left_out)
                buf_printf(
                        note,
                        "only the samples of %s are written; choose another of the %zu events with --event\n",
                        e->events[0].about.event, n_left_out + 1);
        return true;
}

/* --- output --- */

static bool put_stdout(void *ctx, const void *bytes, size_t size, struct err *err)
{
        (void)ctx;
        return cmd_write_stdout(bytes, size, err);
}

static bool put_file(void *ctx, const void *bytes, size_t size, struct err *err)
{
        return text_stream_to_file(ctx, bytes, size, err);
}

static bool stream_out(const struct exporting *e, struct err *err)
{
        const struct export_format *format = e->output->format;
        struct os_file *file;

        if (!strcmp(e->path, "-"))
                return format->stream(e, &(struct export_sink){put_stdout, NULL}, err);
        file = os_file_create(e->path, err);
        return file && cmd_end_file(file, format->stream(e, &(struct export_sink){put_file, file}, err), err);
}

static bool write_out(const struct exporting *e, struct err *err)
{
        const struct export_format *format = e->output->format;
        AUTO_RELEASE(buf) out = {0};

        if (format->stream)
                return stream_out(e, err);
        if (!format->write(e, &out, err))
                return false;
        if (format->is_binary || (format->can_pack && wants_gzip(e)))
                return text_stream_write_bytes(e->path, &out, err);
        if (!strcmp(e->path, "-"))
                return cmd_write_stdout(buf_text(&out), out.len, err);
        return cmd_write_file(e->path, &out, err);
}

bool export_output_write(const struct export_output *output, const char *path, const struct buf *notes,
                         struct err *err)
{
        struct exporting e = {.output = output, .path = path ? path : "-"};
        AUTO_RELEASE(buf) own = {0};
        bool ok;

        buf_printf(&e.tool, "wperf %s", version_number);
        session_facts_add_command_line(report_of(&e)->session.reader, &e.command);
        session_clock_read(report_of(&e)->session.reader, &e.wall_offset_ns);
        ok = add_events(&e, &own, err) || err_in(err, "%s", output->page.session);
        if (ok) {
                if (!output->is_quiet) {
                        cmd_warn(&own);
                        cmd_warn(notes);
                }
                ok = write_out(&e, err);
        }
        exporting_release(&e);
        return ok;
}

bool export_output_read(struct export_output *output, const struct export_reading *reading, const char *path,
                        struct err *err)
{
        struct report_request *request = reading->request;
        struct reading_progress *progress =
                reading_progress_start(request->path, request, reading->lookup, reading->is_quiet);
        AUTO_RELEASE(buf) notes = {0};
        AUTO(report) report = report_make(request, err);

        reading_progress_end(progress);
        if (!report || !filter_none_check(report, request, reading->filter, err))
                return false;
        output->page.report = report;
        output->is_quiet = reading->is_quiet;
        buf_add(&notes, report->session.archive.note.data, report->session.archive.note.len);
        if (!output->format->is_page) /* which has its tables besides the tree */
                tree_output_note_missing(report, request->python, &notes);
        quality_add_poor(&report->quality, &notes);
        if (quality_is_poor(&report->quality))
                quality_add_text(&report->quality, &notes);
        return export_output_write(output, path, &notes, err);
}
