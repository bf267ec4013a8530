/* SPDX-License-Identifier: BSD-3-Clause */
/* Neighbouring samples with the same stack are merged. */
#include "export_speedscope.h"

#include <inttypes.h>
#include <stdlib.h>

#include "export_frames.h"
#include "export_spans.h"
#include "export_threads.h"
#include "json.h"
#include "mem.h"

/* A part of a thread's time. */
struct speedscope_span {
        uint32_t stack; /* NAMED_NONE: none */
        uint64_t weight;
};

struct speedscope_writing {
        const struct export_speedscope *profile;
        struct export_frames frames;
        uint32_t *path;    /* has room for the deepest stack */
        uint64_t start_ns; /* start of the first thread */
        struct json json;
};

/* --- Spans --- */

struct spans {
        struct speedscope_span *span;
        size_t n, cap;
        uint64_t start, weight; /* sums of all profiles */
};

static void add_span(struct spans *spans, uint32_t stack, uint64_t weight)
{
        struct speedscope_span *last = spans->n ? &spans->span[spans->n - 1] : NULL;

        spans->weight += weight;
        if (last && last->stack == stack)
                last->weight += weight;
        else
                ARRAY_PUSH(spans->span, spans->n, spans->cap, (struct speedscope_span){stack, weight});
}

static void list_clock_spans(const struct speedscope_writing *w, const struct export_threads *threads,
                             const struct export_thread *thread, const struct export_about *about,
                             struct spans *ret)
{
        struct export_spans spans;

        export_spans_list(w->profile->samples, threads, thread, about, &spans);
        ret->start = spans.span[0].begin_ns - w->start_ns;
        for (size_t i = 0; i < spans.n; i++) {
                const struct export_span *span = &spans.span[i];

                if (i && span->begin_ns > span[-1].end_ns)
                        add_span(ret, NAMED_NONE, span->begin_ns - span[-1].end_ns);
                add_span(ret, w->frames.of_node[span->node], span->end_ns - span->begin_ns);
        }
        export_spans_release(&spans);
}

static void list_spans(const struct speedscope_writing *w, const struct export_threads *threads,
                       const struct export_thread *thread, const struct export_about *about,
                       struct spans *ret)
{
        *ret = (struct spans){0};
        if (about->is_time) {
                list_clock_spans(w, threads, thread, about, ret);
                return;
        }
        for (size_t i = 0; i < thread->n; i++) {
                const struct listed_sample *sample =
                        sample_list_get(w->profile->samples, threads->order[thread->first + i].sample);

                add_span(ret, w->frames.of_node[sample->node], sample->weight);
        }
}

/* --- Writing --- */

static void add_text(struct speedscope_writing *w, const char *key, const char *text)
{
        AUTO_RELEASE(buf) safe = {0};

        export_add_text(text, &safe);
        json_key_str(&w->json, key, buf_text(&safe));
}

static void add_frames(struct speedscope_writing *w)
{
        json_key(&w->json, "shared");
        json_begin_object(&w->json);
        json_key(&w->json, "frames");
        json_begin_array(&w->json);
        for (size_t i = 0; i < w->frames.n_frames; i++) {
                const struct export_frame *frame = &w->frames.frames[i];
                const char *file = strpool_get(w->frames.texts, frame->file);

                json_begin_object(&w->json);
                json_key_str(&w->json, "name", strpool_get(w->frames.texts, frame->name));
                if (*file)
                        json_key_str(&w->json, "file", file);
                if (frame->line)
                        json_key_u64(&w->json, "line", frame->line);
                json_end_object(&w->json);
        }
        json_end_array(&w->json);
        json_end_object(&w->json);
}

static void add_stack(struct speedscope_writing *w, uint32_t stack)
{
        uint32_t depth = export_frames_path(&w->frames, stack, w->path);

        json_begin_array(&w->json);
        for (uint32_t i = 0; i < depth; i++)
                json_u64(&w->json, w->path[i]);
        json_end_array(&w->json);
}

/* "worker 4711/4712: cycles"; for a main thread, only the number of the process. */
static void add_name(struct speedscope_writing *w, const struct export_thread *thread, const char *event)
{
        AUTO_RELEASE(buf) name = {0};
        const char *comm = sample_list_text(w->profile->samples, thread->name);

        buf_printf(&name, "%s %" PRId32, *comm ? comm : "unknown", thread->pid);
        if (thread->tid != thread->pid)
                buf_printf(&name, "/%" PRId32, thread->tid);
        buf_printf(&name, ": %s", event ? event : "");
        add_text(w, "name", buf_text(&name));
}

static void add_profile(struct speedscope_writing *w, const struct export_thread *thread,
                        const struct export_about *about, const struct spans *spans)
{
        struct json *json = &w->json;

        json_begin_object(json);
        json_key_str(json, "type", "sampled");
        add_name(w, thread, about->event);
        json_key_str(json, "unit", about->is_time ? "nanoseconds" : "none");
        json_key_u64(json, "startValue", spans->start);
        json_key_u64(json, "endValue", spans->start + spans->weight);
        json_key(json, "samples");
        json_begin_array(json);
        for (size_t i = 0; i < spans->n; i++)
                add_stack(w, spans->span[i].stack);
        json_end_array(json);
        json_key(json, "weights");
        json_begin_array(json);
        for (size_t i = 0; i < spans->n; i++)
                json_u64(json, spans->span[i].weight);
        json_end_array(json);
        json_end_object(json);
}

static int compare_threads(const void *a, const void *b)
{
        const struct export_thread *x = a, *y = b;

        if (x->n != y->n)
                return x->n < y->n ? 1 : -1;
        return (x->first > y->first) - (x->first < y->first);
}

static void add_event(struct speedscope_writing *w, const struct export_speedscope_event *event)
{
        struct export_threads threads;

        export_threads_list(w->profile->samples, event->index, &threads);
        if (threads.n)
                qsort(threads.thread, threads.n, sizeof(*threads.thread), compare_threads);
        for (size_t i = 0; i < threads.n; i++) {
                struct spans spans;

                list_spans(w, &threads, &threads.thread[i], event->about, &spans);
                add_profile(w, &threads.thread[i], event->about, &spans);
                free(spans.span);
        }
        export_threads_release(&threads);
}

static void find_start(struct speedscope_writing *w, const struct export_frames_request *wanted)
{
        w->start_ns = UINT64_MAX;
        for (size_t i = 0; i < sample_list_n(w->profile->samples); i++) {
                const struct listed_sample *sample = sample_list_get(w->profile->samples, i);
                uint64_t begin = sample_list_begin(w->profile->samples, i);

                if (export_frames_wants(wanted, sample) && begin < w->start_ns)
                        w->start_ns = begin;
        }
}

static void make_frames(struct speedscope_writing *w)
{
        const struct export_speedscope *profile = w->profile;
        uint32_t *events = mem_new(profile->n_events, sizeof(*events));
        const struct export_frames_request request = {
                .samples = profile->samples,
                .stacks = profile->stacks,
                .events = events,
                .n_events = profile->n_events,
                .python_lines = profile->python_lines,
        };

        for (size_t i = 0; i < profile->n_events; i++)
                events[i] = profile->events[i].index;
        find_start(w, &request);
        export_frames_make(&request, &w->frames);
        w->path = mem_new(w->frames.depth, sizeof(*w->path));
        free(events);
}

void export_speedscope(const struct export_speedscope *profile, struct buf *out)
{
        const struct export_about *about = profile->events[0].about;
        struct speedscope_writing w = {.profile = profile};

        make_frames(&w);
        json_init(&w.json, out);
        json_begin_object(&w.json);
        json_key_str(&w.json, "$schema", "https://www.speedscope.app/file-format-schema.json");
        add_text(&w, "name", about->command && *about->command ? about->command : about->event);
        add_text(&w, "exporter", about->tool);
        add_frames(&w);
        json_key(&w.json, "profiles");
        json_begin_array(&w.json);
        for (size_t i = 0; i < profile->n_events; i++)
                add_event(&w, &profile->events[i]);
        json_end_array(&w.json);
        json_end_object(&w.json);
        buf_add_char(out, '\n');
        export_frames_release(&w.frames);
        free(w.path);
}
