/* SPDX-License-Identifier: BSD-3-Clause */
#include "stat_output.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "cmd_output.h"
#include "err.h"
#include "mem.h"
#include "os.h"
#include "session_facts.h"
#include "stat_document.h"
#include "stat_files.h"
#include "stat_plot.h"
#include "stat_rows.h"
#include "stat_view.h"
#include "text.h"
#include "text_stream.h"
#include "version.h"

struct stat_output {
        struct stat_output_request request;
        bool text, document, lines;
        bool in_rows; /* the text has a row for each event instead of tables */
        struct stat_rows rows;
        char separator[16];
        struct os_file *row_file;   /* file of -x with -o; NULL: the stream */
        enum os_stream stream;      /* stream of the text */
        struct stat_document whole; /* the counts so far */
        uint64_t n_results;
        struct stat_files *files;
        struct stat_plot *plot;
        struct buf pending; /* text that was not written yet */
        uint64_t n_poor;    /* number of counts with poor quality */
        bool live;
};

static const char *document_file(const struct stat_output *o)
{
        const struct output_options *out = o->request.output;

        /* For a timeline that is being measured, -o names the CSV file unless JSON is requested; with -x it
         * names the file of the rows. */
        if (o->rows.separator)
                return NULL;
        return o->request.timeline && o->request.forms && !out->json ? NULL : out->output;
}

/* The files and the page of a timeline. */
static void open_forms(struct stat_output *o)
{
        const struct timeline_options *forms = o->request.forms;
        const struct stat_csv csv = {.interval_ns = o->request.interval_ns, .vendor = o->request.vendor};
        const char *name = forms->output_csv;

        if (!name && !o->request.output->json && !o->rows.separator)
                name = o->request.output->output;
        o->lines = forms->json_lines;
        /* WindowsPerf's -t writes a file without an option. */
        if (o->request.timeline && (name || forms->timeline))
                o->files = stat_files_new(name, o->request.output->output_prefix, o->request.all_cpus, &csv);
        if (forms->plot)
                o->plot = stat_plot_new();
}

/* perf's -x writes to standard error, so that the rows are not mixed with the command's output. */
static bool open_rows(struct stat_output *o, struct err *err)
{
        const struct row_options *rows = o->request.rows;
        const char *file = o->request.output->output;
        AUTO_RELEASE(buf) path = {0};

        o->stream = OS_STDOUT;
        if (!rows)
                return true;
        o->rows = (struct stat_rows){.times = o->request.forms->every_ms, .each_cpu = rows->no_aggr};
        o->in_rows = o->rows.times || rows->separator;
        if (!rows->separator)
                return true;
        text_copy(o->separator, sizeof(o->separator),
                  strcmp(rows->separator, "\\t") ? rows->separator : "\t");
        o->rows.separator = o->separator;
        o->stream = file ? OS_STDOUT : OS_STDERR;
        if (!file || !strcmp(file, "-"))
                return true;
        cmd_output_path(o->request.output->output_prefix, file, &path);
        o->row_file = os_file_create(buf_text(&path), err);
        return o->row_file;
}

static bool can_write(const struct stat_output *o, struct err *err)
{
        const struct stat_output_request *r = &o->request;
        const char *prefix = r->output->output_prefix;

        return (!o->document || cmd_can_write(prefix, document_file(o), err)) &&
               (!o->plot || cmd_can_write(prefix, r->forms->plot, err)) &&
               (!o->files || cmd_can_write(prefix, stat_files_name(o->files), err));
}

struct stat_output *stat_output_new(const struct stat_output_request *request, struct err *err)
{
        AUTO(stat_output) o = mem_new(1, sizeof(*o));

        o->request = *request;
        o->whole = (struct stat_document){
                .is_timeline = request->timeline,
                .is_extended = request->output->json_extended,
                .timeout_ns = request->timeout_ns,
                .interval_ns = request->interval_ns,
        };
        if (!open_rows(o, err))
                return NULL;
        if (request->forms)
                open_forms(o);
        o->text = !request->general->quiet && !request->output->json && !o->lines;
        o->document = request->output->json || document_file(o);
        o->live = o->text && !o->in_rows && request->may_draw;
        return can_write(o, err) ? TAKE(o) : NULL;
}

void stat_output_free(struct stat_output *o)
{
        if (!o)
                return;
        stat_document_release(&o->whole);
        buf_release(&o->pending);
        stat_rows_release(&o->rows);
        os_file_free(o->row_file);
        stat_files_free(o->files);
        stat_plot_free(o->plot);
        free(o);
}

/* If the reader has closed the output, the run ends as on SIGTERM. */
static bool flush(struct stat_output *o, struct err *err)
{
        const void *bytes = o->pending.data;
        size_t size = o->pending.len;
        bool ok = true;
        struct err own = {0};

        if (size && o->row_file)
                ok = text_stream_to_file(o->row_file, bytes, size, &own);
        else if (size)
                ok = text_stream_write(o->stream, bytes, size, &own);
        buf_clear(&o->pending);
        if (own.code == ERR_CLOSED) {
                os_request_stop();
                return true;
        }
        if (!ok && err)
                *err = own;
        return ok;
}

void stat_output_phase(void *ctx, bool counting, bool begins)
{
        struct stat_output *o = ctx;

        if (!o->text || o->in_rows)
                return;
        stat_view_add_phase(counting, begins, &o->pending);
        if (o->live)
                flush(o, NULL);
}

static struct stat_view make_view(struct stat_output *o, const struct count_result *result,
                                  struct buf *warnings, const char **notes, size_t n_max)
{
        struct stat_view view = {
                .sheet = result->sheet,
                .vendor = o->request.vendor,
                .subject = o->request.subject,
                .n_runs = o->request.n_runs,
                .plain_numbers = o->request.rows && o->request.rows->no_big_num,
                .elapsed_ns = result->elapsed_ns,
                .elapsed_deviation_percent = result->elapsed_deviation_percent,
                .user_ns = result->user_ns,
                .kernel_ns = result->kernel_ns,
                .off_ns = result->off_ns,
                .notes = notes,
                .has_exit = result->has_exit,
                .exit_status = result->exit_status,
        };

        if (o->request.note && *o->request.note)
                notes[view.n_notes++] = o->request.note;
        if (result->source_note[0])
                notes[view.n_notes++] = result->source_note;
        buf_add_str(warnings, buf_text(&result->list->warnings));
        for (char *at = warnings->data; at && *at && view.n_notes < n_max;) {
                size_t len = strcspn(at, "\n");
                bool more = at[len];

                at[len] = '\0';
                notes[view.n_notes++] = at;
                at += len + more;
        }
        return view;
}

static void add_events(const struct count_list *list, struct buf *out)
{
        stat_view_add_events_heading(out);
        for (int class = 0; class < COUNT_CLASSES; class ++) {
                const char **names = mem_new(list->n_items, sizeof(*names));
                int64_t *codes = mem_new(list->n_items, sizeof(*codes));
                size_t n = 0;

                for (size_t i = 0; i < list->n_items; i++) {
                        const struct count_event *e = &list->items[i];

                        if (e->class != (enum count_class) class || e->is_cycle)
                                continue;
                        names[n] = e->event.name;
                        codes[n++] = e->code;
                }
                stat_view_add_events(count_class_name((enum count_class) class), names, codes, n, out);
                free(names);
                free(codes);
        }
}

static bool add_file_row(struct stat_output *o, const struct count_result *result, struct err *err)
{
        bool verbose = o->text && o->request.general->verbose;

        if (!o->files)
                return true;
        if (verbose && o->n_results == 1)
                add_events(result->list, &o->pending);
        return stat_files_add(o->files, result->sheet, verbose ? &o->pending : NULL, err);
}

static void add_text(struct stat_output *o, const struct count_result *result, const struct stat_view *view)
{
        if (!o->in_rows) {
                stat_view_text(view, &o->pending);
                return;
        }
        stat_rows_add(&o->rows, view, result->start_ns + result->elapsed_ns, &o->pending);
}

bool stat_output_add(void *ctx, const struct count_result *result, struct err *err)
{
        enum { NOTES_MAX = 64 };
        struct stat_output *o = ctx;
        AUTO_RELEASE(buf) warnings = {0};
        const char *notes[NOTES_MAX];
        struct stat_view view = make_view(o, result, &warnings, notes, NOTES_MAX);

        o->n_results++;
        o->n_poor += sheet_is_poor(result->sheet);
        if (!add_file_row(o, result, err))
                return false;
        if (o->plot)
                stat_plot_add(o->plot, result->sheet, result->start_ns, result->elapsed_ns);
        if (o->text)
                add_text(o, result, &view);
        if (o->lines)
                stat_view_json_line(&view, &o->pending);
        if (o->document)
                stat_document_add(&o->whole, &view);
        return flush(o, err);
}

static bool write_document(struct stat_output *o, const struct count_run_facts *facts, struct err *err)
{
        const char *file = document_file(o);
        AUTO_RELEASE(buf) document = {0};
        AUTO_RELEASE(buf) path = {0};

        stat_document_render(&o->whole, facts->has_status && !facts->stopped_by_us, facts->exit_status,
                             &document);
        if (!file) {
                buf_add(&o->pending, document.data, document.len);
                return flush(o, err);
        }
        cmd_output_path(o->request.output->output_prefix, file, &path);
        return cmd_write_file(buf_text(&path), &document, err);
}

static bool write_plot(struct stat_output *o, struct err *err)
{
        AUTO_RELEASE(buf) page = {0};
        AUTO_RELEASE(buf) path = {0};
        AUTO_RELEASE(buf) machine = {0};
        AUTO_RELEASE(buf) tool = {0};

        session_facts_add_this_machine(&machine);
        buf_printf(&tool, "wperf %s", version_number);
        if (!stat_plot_render(o->plot,
                              &(struct stat_plot_about){o->request.title, o->request.command,
                                                        buf_text(&machine), buf_text(&tool)},
                              &page, err))
                return false;
        cmd_output_path(o->request.output->output_prefix, o->request.forms->plot, &path);
        return cmd_write_file(buf_text(&path), &page, err);
}

bool stat_output_finish(struct stat_output *o, const struct count_run_facts *facts, bool *ret_poor,
                        struct err *err)
{
        *ret_poor = o->n_poor;
        if (o->in_rows && o->text)
                stat_rows_add_end(&o->rows, &o->pending);
        return flush(o, err) && (!o->document || write_document(o, facts, err)) &&
               (!o->plot || write_plot(o, err));
}
