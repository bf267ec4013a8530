/* SPDX-License-Identifier: BSD-3-Clause */
/* export: writes the call stacks of a session in the formats of other programs. */
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "cmd.h"
#include "cmd_export_options.h"
#include "codec.h"
#include "err.h"
#include "export_callgrind.h"
#include "export_firefox.h"
#include "export_folded.h"
#include "export_perf_script.h"
#include "export_pprof.h"
#include "export_speedscope.h"
#include "export_svg.h"
#include "filter_none.h"
#include "mem.h"
#include "os.h"
#include "page_output.h"
#include "perf_abi.h"
#include "quality_view.h"
#include "reading_progress.h"
#include "report.h"
#include "session_facts.h"
#include "text.h"
#include "text_match.h"
#include "text_stream.h"
#include "tree_output.h"
#include "version.h"

/* An event with samples. */
struct exported {
        uint32_t index;
        struct calltree *tree; /* NULL for formats that write each sample */
        struct export_about about;
};

struct exporting {
        const struct exporting_options *options;
        struct report *report;
        struct exported *events;
        size_t n_events, cap_events;
        struct buf tool, command;
        const char *session;
        enum stacks_python python; /* as requested */
        const struct page_options *page;
        bool takes_private; /* as in struct page_output, like the next one */
        const struct lookup *lookup;
        bool is_quiet;
};

static void exporting_release(struct exporting *e)
{
        for (size_t i = 0; i < e->n_events; i++)
                calltree_free(e->events[i].tree);
        free(e->events);
        report_free(e->report);
        buf_release(&e->tool);
        buf_release(&e->command);
}

/* --- formats --- */

static bool write_folded(const struct exporting *e, struct buf *out, struct err *err)
{
        const struct export_folded_options options = {
                .weights = e->options->weights,
                .annotate = e->options->kinds,
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
        export_speedscope(&(struct export_speedscope){e->report->samples, e->report->named, events,
                                                      e->n_events, e->options->lines},
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
                   &(struct export_svg_options){.upwards = e->options->root_at_bottom}, out);
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
        return e->options->output && text_ends(e->options->output, ".gz");
}

static bool write_firefox(const struct exporting *e, struct buf *out, struct err *err)
{
        const struct report_event *event = &e->report->events[e->events[0].index];
        const struct export_firefox profile = {
                .samples = e->report->samples,
                .stacks = e->report->named,
                .about = &e->events[0].about,
                .arch = perfdata_feature_str(e->report->session.reader, FEATURE_ARCH),
                .event = e->events[0].index,
                .interval_ns = interval_of(event),
                .weights = e->options->weights,
        };
        AUTO_RELEASE(buf) document = {0};

        if (!wants_gzip(e)) {
                export_firefox(&profile, out);
                return true;
        }
        export_firefox(&profile, &document);
        return codec_pack_gzip(buf_text(&document), document.len, out, err);
}

static bool write_page(const struct exporting *e, struct buf *out, struct err *err)
{
        return page_output_make(&(struct page_output){.report = e->report,
                                                      .session = e->session,
                                                      .event = e->options->event,
                                                      .python = e->python,
                                                      .options = e->page,
                                                      .takes_private = e->takes_private,
                                                      .debuginfod = e->lookup->debuginfod},
                                out, err);
}

static bool is_wanted(const struct exporting *e, const struct report_event *event)
{
        return !e->options->event || !strcmp(event->name, e->options->event);
}

static bool stream_perf_script(const struct exporting *e, const struct export_sink *sink, struct err *err)
{
        size_t n = e->report->n_events;
        struct export_script_event *events = mem_new(n, sizeof(*events));
        bool ok;

        for (size_t i = 0; i < n; i++) {
                const struct report_event *event = &e->report->events[i];

                events[i] = (struct export_script_event){event->name, &event->attr, is_wanted(e, event)};
        }
        ok = export_perf_script(&(struct export_script){e->report->samples, e->report->named, events, n},
                                sink, err);
        free(events);
        return ok;
}

struct format {
        const char *name;
        const char *endings[2]; /* endings of file names */
        const char *beginning;  /* their beginning, or NULL */
        bool takes_all;         /* writes all events; otherwise only one */
        bool by_sample;         /* uses the single samples; otherwise the call trees of the events */
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

static const struct format formats[] = {
        {"folded", {".folded"}, .has_weights = true, .has_kinds = true, .write = write_folded},
        {"speedscope", {".speedscope.json"}, .takes_all = true, .by_sample = true, .write = write_speedscope},
        {"firefox",
         {".firefox.json", ".firefox.json.gz"},
         .by_sample = true,
         .takes_lines = true,
         .has_weights = true,
         .can_pack = true,
         .write = write_firefox},
        {"pprof", {".pb.gz"}, .takes_lines = true, .is_binary = true, .write = write_pprof},
        {"callgrind", {".callgrind"}, "callgrind.out", .takes_lines = true, .write = write_callgrind},
        {"perf-script",
         {".perf", ".linux-perf.txt"},
         .takes_all = true,
         .keeps_clones = true,
         .by_sample = true,
         .stream = stream_perf_script},
        {"svg", {".svg"}, .has_root = true, .write = write_svg},
        {"html",
         {".html"},
         .takes_all = true,
         .by_sample = true,
         .takes_lines = true,
         .is_page = true,
         .write = write_page},
};

static bool is_named_as(const struct format *format, const char *output)
{
        for (size_t i = 0; i < N_ELEMENTS(format->endings); i++) {
                if (format->endings[i] && text_ends(output, format->endings[i]))
                        return true;
        }
        return format->beginning &&
               !strncmp(text_base_name(output), format->beginning, strlen(format->beginning));
}

static void add_format_names(struct buf *out)
{
        for (size_t i = 0; i < N_ELEMENTS(formats); i++)
                buf_printf(out, "%s%s",
                           !i                            ? ""
                           : i + 1 < N_ELEMENTS(formats) ? ", "
                                                         : " or ",
                           formats[i].name);
}

static const struct format *unknown_format(const char *name, struct err *err)
{
        const char *names[N_ELEMENTS(formats)], *near;
        AUTO_RELEASE(buf) all = {0};

        for (size_t i = 0; i < N_ELEMENTS(formats); i++)
                names[i] = formats[i].name;
        near = text_nearest(name, names, N_ELEMENTS(names));
        add_format_names(&all);
        err_set(err, ERR_USAGE, "--format takes %s, not '%.40s'%s%s%s", buf_text(&all), name,
                near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
        return NULL;
}

static const struct format *find_format(const struct exporting_options *o, struct err *err)
{
        AUTO_RELEASE(buf) all = {0};

        for (size_t i = 0; i < N_ELEMENTS(formats); i++) {
                if (o->format ? !strcmp(formats[i].name, o->format)
                              : o->output && is_named_as(&formats[i], o->output))
                        return &formats[i];
        }
        if (o->format)
                return unknown_format(o->format, err);
        add_format_names(&all);
        err_set(err, ERR_USAGE, "%schoose a format with --format %s",
                o->output ? "the file name does not end like the files of any format: " : "", buf_text(&all));
        return NULL;
}

static bool check_options(const struct exporting_options *o, const struct format *format, struct err *err)
{
        const struct {
                bool is_given, is_taken;
                const char *name, *takers;
        } options[] = {
                {o->weights, format->has_weights, "weights", "folded and firefox"},
                {o->kinds, format->has_kinds, "kinds", "folded"},
                {o->root_at_bottom, format->has_root, "root-at-bottom", "svg"},
                {o->inverted, format->has_root, "inverted", "svg"},
        };

        for (size_t i = 0; i < N_ELEMENTS(options); i++) {
                if (options[i].is_given && !options[i].is_taken)
                        return err_set(err, ERR_USAGE, "--%s cannot be used with the format %s, only with %s",
                                       options[i].name, format->name, options[i].takers);
        }
        return true;
}

/* --- events --- */

static void add_event(struct exporting *e, uint32_t index)
{
        const struct report_event *event = &e->report->events[index];
        const struct stacks_tree *names = e->report->tree;
        struct exported exported = {.index = index, .tree = names ? stacks_tree_make(names, index) : NULL};

        exported.about = (struct export_about){
                .event = event->name,
                .tool = buf_text(&e->tool),
                .command = buf_text(&e->command),
                .is_time = perf_attr_is_clock(&event->attr),
                .dur_ns = e->report->run.info.elapsed_ns,
        };
        ARRAY_PUSH(e->events, e->n_events, e->cap_events, exported);
}

static bool unknown_event(const struct exporting *e, struct err *err)
{
        size_t n = e->report->n_events;
        const char **names = mem_new(n, sizeof(*names)), *near;

        for (size_t i = 0; i < n; i++)
                names[i] = e->report->events[i].name;
        near = text_nearest(e->options->event, names, n);
        if (!near && n)
                near = names[0];
        err_set(err, ERR_USAGE, "the session has no event '%.60s'%s%.60s%s", e->options->event,
                near ? "; it has '" : "", near ? near : "", near ? "'" : "");
        free(names);
        return false;
}

/* Adds the requested event; otherwise all events with samples, or the first of them. */
static bool add_events(struct exporting *e, const struct format *format, struct buf *note, struct err *err)
{
        size_t n_left_out = 0;

        for (uint32_t i = 0; i < e->report->n_events; i++) {
                const struct report_event *event = &e->report->events[i];

                if (e->options->event ? !is_wanted(e, event) : !event->n_samples)
                        continue;
                if (e->n_events && !format->takes_all)
                        n_left_out++;
                else
                        add_event(e, i);
        }
        if (!e->n_events)
                return e->options->event ? unknown_event(e, err)
                                         : err_set(err, ERR_MISSING, "the session has no samples to export");
        if (n_left_out)
                buf_printf(
                        note,
                        "only the samples of %s are written; choose another of the %zu events with --event\n",
                        e->events[0].about.event, n_left_out + 1);
        return true;
}

/* --- the command --- */

static bool put_stdout(void *ctx, const void *bytes, size_t size, struct err *err)
{
        (void)ctx;
        return cmd_write_stdout(bytes, size, err);
}

static bool put_file(void *ctx, const void *bytes, size_t size, struct err *err)
{
        return text_stream_to_file(ctx, bytes, size, err);
}

static bool stream_out(const struct exporting *e, const struct format *format, struct err *err)
{
        struct os_file *file;

        if (!e->options->output || !strcmp(e->options->output, "-"))
                return format->stream(e, &(struct export_sink){put_stdout, NULL}, err);
        file = os_file_create(e->options->output, err);
        return file && cmd_end_file(file, format->stream(e, &(struct export_sink){put_file, file}, err), err);
}

static bool write_out(const struct exporting *e, const struct format *format, struct err *err)
{
        AUTO_RELEASE(buf) out = {0};

        if (format->stream)
                return stream_out(e, format, err);
        if (!format->write(e, &out, err))
                return false;
        if (format->is_binary || (format->can_pack && wants_gzip(e)))
                return text_stream_write_bytes(e->options->output, &out, err);
        if (!e->options->output || !strcmp(e->options->output, "-"))
                return cmd_write_stdout(buf_text(&out), out.len, err);
        return cmd_write_file(e->options->output, &out, err);
}

static bool export_session(struct exporting *e, struct report_request *request,
                           const struct filter_options *filter, const struct format *format, struct err *err)
{
        struct reading_progress *progress =
                reading_progress_start(request->path, request, e->lookup, e->is_quiet);
        AUTO_RELEASE(buf) note = {0};

        e->report = report_make(request, err);
        reading_progress_end(progress);
        if (!e->report || !filter_none_check(e->report, request, filter, err))
                return false;
        buf_add(&note, e->report->session.archive.note.data, e->report->session.archive.note.len);
        buf_printf(&e->tool, "wperf %s", version_number);
        session_facts_add_command_line(e->report->session.reader, &e->command);
        tree_output_note_missing(e->report, request->python, &note);
        if (!add_events(e, format, &note, err))
                return err_in(err, "%s", request->path);
        quality_add_poor(&e->report->quality, &note);
        if (quality_is_poor(&e->report->quality))
                quality_add_text(&e->report->quality, &note);
        cmd_warn(&note);
        return write_out(e, format, err);
}

/* To be checked before anything is read. */
static bool check_output(const struct exporting_options *o, const struct format *format, struct err *err)
{
        if (o->output && strcmp(o->output, "-"))
                return cmd_can_write(NULL, o->output, err);
        return !format->is_binary || !os_is_terminal(OS_STDOUT) ||
               err_set(err, ERR_USAGE,
                       "a pprof profile is binary and is not written to a terminal; name a file with -o");
}

static bool make_request(const struct command_line *line, const struct format *format, const int32_t *pids,
                         struct report_request *ret, enum stacks_python *ret_python, struct err *err)
{
        const struct export_options *o = line->options;

        *ret = (struct report_request){
                .results = format->by_sample ? REPORT_SAMPLES | REPORT_NAMED_STACKS : REPORT_TREE,
                .no_demangle = o->filter.no_demangle,
                .keep_clones = format->keeps_clones,
                .no_tree_inlines = o->what.no_inlines,
                .tree_lines = format->takes_lines,
                .python_lines = o->what.lines,
                .tree_processes = true,
        };
        if (!cmd_input_path(line, &o->input, &ret->path, err))
                return false;
        if (o->what.output && strcmp(o->what.output, "-") && !strcmp(o->what.output, ret->path))
                return err_set(err, ERR_USAGE,
                               "%s: -o would overwrite the session that is read; name another file",
                               ret->path);
        if (!python_options_frames(&o->python, ret_python, err))
                return false;
        ret->python = *ret_python;
        if (format->is_page)
                page_output_request(ret);
        return filter_fill(&o->filter, pids, &ret->filter, err);
}

int cmd_export(const struct command_line *line)
{
        const struct export_options *o = line->options;
        struct exporting e = {.options = &o->what, .page = &o->page, .takes_private = o->input.force};
        const struct format *format;
        struct report_request request;
        struct lookup lookup;
        struct err err = {0};
        int32_t *pids;
        int status;

        format = find_format(&o->what, &err);
        if (!format || !check_options(&o->what, format, &err) ||
            !page_output_check(&o->page, format->is_page ? o->what.output : NULL, false, &err) ||
            !check_output(&o->what, format, &err))
                return cmd_fail(&err);
        pids = cmd_pids(&o->filter.pids);
        if (lookup_init(&o->lookup, &lookup, &err) &&
            make_request(line, format, pids, &request, &e.python, &err)) {
                e.session = request.path;
                lookup.sources.any_owner = o->input.force;
                request.sources = &lookup.sources;
                e.lookup = &lookup;
                e.is_quiet = o->general.quiet;
                status = export_session(&e, &request, &o->filter, format, &err) ? EXIT_OK : cmd_fail(&err);
                if (!status && o->page.opens)
                        page_output_show(&o->page, o->what.output, true);
        } else {
                status = cmd_fail(&err);
        }
        exporting_release(&e);
        lookup_release(&lookup);
        free(pids);
        return status;
}
