/* SPDX-License-Identifier: BSD-3-Clause */
#include "export_chrome.h"

#include <inttypes.h>
#include <stdlib.h>

#include "export_frames.h"
#include "export_spans.h"
#include "export_threads.h"
#include "json.h"
#include "mem.h"

struct chrome_slice {
        uint32_t frame;
        uint64_t begin_us, end_us;
};

struct chrome_writing {
        const struct export_chrome *trace;
        struct export_frames frames;
        struct chrome_slice *slices; /* of a thread; a caller comes before its callees */
        size_t n_slices, cap_slices;
        size_t *open; /* slices that have not ended, the outermost one first */
        uint32_t n_open;
        uint32_t *path; /* like `open`, has room for the deepest stack */
        const struct export_sink *sink;
        struct buf out;
        struct json json;
};

/* --- Slices --- */

/* Ends all but the `n` outermost ones. */
static void end_slices(struct chrome_writing *w, uint32_t n, uint64_t at_us)
{
        while (w->n_open > n)
                w->slices[w->open[--w->n_open]].end_us = at_us;
}

static uint64_t us_of(const struct chrome_writing *w, uint64_t ns)
{
        return (ns + (uint64_t)w->trace->about->wall_offset_ns) / 1000;
}

static void add_span(struct chrome_writing *w, const struct export_span *span)
{
        uint64_t begin = us_of(w, span->begin_ns);
        uint32_t depth = export_frames_path(&w->frames, w->frames.of_node[span->node], w->path), same = 0;

        while (same < depth && same < w->n_open && w->slices[w->open[same]].frame == w->path[same])
                same++;
        /* speedscope takes an end and a beginning of one function at one moment for a slice without a
         * duration. */
        end_slices(w, same, begin ? begin - 1 : 0);
        for (; w->n_open < depth; w->n_open++) {
                w->open[w->n_open] = w->n_slices;
                ARRAY_PUSH(w->slices, w->n_slices, w->cap_slices,
                           (struct chrome_slice){w->path[w->n_open], begin, begin});
        }
}

static void list_slices(struct chrome_writing *w, const struct export_spans *spans)
{
        uint64_t end = 0;

        w->n_slices = 0;
        for (size_t i = 0; i < spans->n; i++) {
                if (i && spans->span[i].begin_ns > end)
                        end_slices(w, 0, us_of(w, end));
                add_span(w, &spans->span[i]);
                end = spans->span[i].end_ns;
        }
        end_slices(w, 0, us_of(w, end));
}

/* --- Writing --- */

static void add_text(struct chrome_writing *w, const char *key, const char *text)
{
        AUTO_RELEASE(buf) safe = {0};

        export_add_text(text, &safe);
        json_key_str(&w->json, key, buf_text(&safe));
}

static void begin_event(struct chrome_writing *w, const char *phase, const struct export_thread *thread)
{
        json_begin_object(&w->json);
        json_key_str(&w->json, "ph", phase);
        json_key_i64(&w->json, "pid", thread->pid);
        json_key_i64(&w->json, "tid", thread->tid);
}

/* "process_name" or "thread_name" */
static void add_name(struct chrome_writing *w, const char *what, const struct export_thread *thread,
                     uint32_t name)
{
        const char *text = sample_list_text(w->trace->samples, name);

        begin_event(w, "M", thread);
        json_key_str(&w->json, "name", what);
        json_key(&w->json, "args");
        json_begin_object(&w->json);
        add_text(w, "name", *text ? text : "unknown");
        json_end_object(&w->json);
        json_end_object(&w->json);
}

static void add_slice(struct chrome_writing *w, const struct export_thread *thread,
                      const struct chrome_slice *slice)
{
        const struct export_frame *frame = &w->frames.frames[slice->frame];
        const char *file = strpool_get(w->frames.texts, frame->file);

        begin_event(w, "X", thread);
        json_key_u64(&w->json, "ts", slice->begin_us);
        json_key_u64(&w->json, "dur", slice->end_us - slice->begin_us);
        json_key_str(&w->json, "name", strpool_get(w->frames.texts, frame->name));
        if (*file) {
                json_key(&w->json, "args");
                json_begin_object(&w->json);
                json_key_str(&w->json, "file", file);
                if (frame->line)
                        json_key_u64(&w->json, "line", frame->line);
                json_end_object(&w->json);
        }
        json_end_object(&w->json);
}

/* Samples closer together than a microsecond may leave slices without a duration. */
static bool add_thread(struct chrome_writing *w, const struct export_threads *threads,
                       const struct export_thread *thread, struct err *err)
{
        struct export_spans spans;
        bool ok = true;

        export_spans_list(w->trace->samples, threads, thread, w->trace->about, &spans);
        list_slices(w, &spans);
        export_spans_release(&spans);
        add_name(w, "process_name", thread, thread->process_name);
        add_name(w, "thread_name", thread, thread->name);
        for (size_t i = 0; i < w->n_slices && ok; i++) {
                if (w->slices[i].end_us > w->slices[i].begin_us)
                        add_slice(w, thread, &w->slices[i]);
                ok = export_flush(w->sink, &w->out, EXPORT_PIECE_BYTES, err);
        }
        return ok;
}

static bool add_events(struct chrome_writing *w, struct err *err)
{
        struct export_threads threads;
        bool ok = true;

        export_threads_list(w->trace->samples, w->trace->event, &threads);
        json_key(&w->json, "traceEvents");
        json_begin_array(&w->json);
        for (size_t i = 0; i < threads.n && ok; i++)
                ok = add_thread(w, &threads, &threads.thread[i], err);
        json_end_array(&w->json);
        export_threads_release(&threads);
        return ok;
}

bool export_chrome(const struct export_chrome *trace, const struct export_sink *sink, struct err *err)
{
        const struct export_about *about = trace->about;
        struct chrome_writing w = {.trace = trace, .sink = sink};
        bool ok;

        export_frames_make(&(struct export_frames_request){.samples = trace->samples,
                                                           .stacks = trace->stacks,
                                                           .events = &trace->event,
                                                           .n_events = 1,
                                                           .python_lines = trace->python_lines},
                           &w.frames);
        w.open = mem_new(w.frames.depth, sizeof(*w.open));
        w.path = mem_new(w.frames.depth, sizeof(*w.path));
        json_init(&w.json, &w.out);
        json_begin_object(&w.json);
        json_key_str(&w.json, "displayTimeUnit", "ms");
        json_key(&w.json, "otherData");
        json_begin_object(&w.json);
        add_text(&w, "event", about->event);
        add_text(&w, "command", about->command);
        add_text(&w, "tool", about->tool);
        json_end_object(&w.json);
        ok = add_events(&w, err);
        json_end_object(&w.json);
        buf_add_char(&w.out, '\n');
        ok = ok && export_flush(sink, &w.out, 1, err);
        buf_release(&w.out);
        export_frames_release(&w.frames);
        free(w.slices);
        free(w.open);
        free(w.path);
        return ok;
}
