/* SPDX-License-Identifier: BSD-3-Clause */
/* A stack is a frame and the stack of its callers, with a number.  Neighbouring samples with the same stack
 * are merged. */
#include "export_speedscope.h"

#include <inttypes.h>
#include <stdlib.h>

#include "export_places.h"
#include "export_threads.h"
#include "json.h"
#include "map.h"
#include "mem.h"
#include "strpool.h"

struct frame {
        uint32_t name, file;
        uint32_t line; /* 0: not known */
};

struct stack {
        uint32_t prefix; /* NAMED_NONE: the frame is the outermost */
        uint32_t frame;
};

/* A part of a thread's time. */
struct speedscope_span {
        uint32_t stack; /* NAMED_NONE: none */
        uint64_t weight;
};

struct speedscope_writing {
        const struct export_speedscope *profile;
        struct strpool *texts;
        struct frame *frames;
        size_t n_frames, cap_frames;
        struct map by_text; /* name, file and line -> frame + 1 */
        uint32_t *numbers;  /* frames of each place, innermost first */
        size_t n_numbers, cap_numbers;
        struct stack *stacks;
        size_t n_stacks, cap_stacks;
        struct map by_frame; /* prefix and frame -> stack + 1 */
        uint32_t *of_node;   /* for each node its innermost stack */
        uint32_t *path;      /* has room for the deepest stack */
        uint64_t start_ns;   /* start of the first thread */
        struct json json;
};

/* --- Frames and stacks --- */

/* Adds the source file of a Python function, otherwise the module.  Returns the line for Python functions,
 * otherwise 0. */
static uint32_t add_file(const struct speedscope_writing *w, const struct named_node *node,
                         const struct named_frame *named, struct buf *out)
{
        const struct named_module *module;
        bool is_python;

        if (node->module == NAMED_NONE || node->is_cut)
                return 0;
        module = &w->profile->stacks->modules[node->module];
        is_python = module->kind == NAMED_PYTHON;
        export_add_text(is_python ? named->file : module->path, out);
        return !is_python ? 0 : w->profile->python_lines ? named->line : named->first_line;
}

static uint32_t find_frame(struct speedscope_writing *w, const struct named_node *node,
                           const struct named_frame *named, bool is_inlined)
{
        AUTO_RELEASE(buf) name = {0};
        AUTO_RELEASE(buf) file = {0};
        AUTO_RELEASE(buf) at = {0};
        struct frame frame;
        uint64_t *known;
        uint32_t line = add_file(w, node, named, &file);

        export_add_function_name(w->profile->stacks, node, named->function, &name);
        if (is_inlined)
                buf_add_str(&name, " (inlined)");
        frame = (struct frame){strpool_add(w->texts, buf_text(&name)), strpool_add(w->texts, buf_text(&file)),
                               line};
        buf_printf(&at, "%" PRIu32 " %s", line, buf_text(&file));
        known = map_put(&w->by_text, (uint64_t)frame.name << 32 | strpool_add(w->texts, buf_text(&at)), NULL);
        if (!*known) {
                ARRAY_PUSH(w->frames, w->n_frames, w->cap_frames, frame);
                *known = w->n_frames;
        }
        return (uint32_t)*known - 1;
}

static void add_numbers(struct speedscope_writing *w, const struct named_node *node)
{
        for (uint32_t i = 0; i < node->n_frames; i++) {
                const struct named_frame *named = &w->profile->stacks->frames[node->first_frame + i];

                ARRAY_PUSH(w->numbers, w->n_numbers, w->cap_numbers,
                           find_frame(w, node, named, i + 1 < node->n_frames));
        }
}

/* For each place, and then for the mark of cut stacks: the index of its first frame number. */
static uint32_t *name_places(struct speedscope_writing *w, const struct export_places *places)
{
        uint32_t *ret = mem_new((size_t)places->n + 1, sizeof(*ret));

        for (uint32_t i = 0; i < places->n; i++) {
                ret[i] = (uint32_t)w->n_numbers;
                add_numbers(w, &w->profile->stacks->nodes[places->one_node[i]]);
        }
        ret[places->n] = (uint32_t)w->n_numbers;
        for (size_t i = 0; i < w->profile->stacks->n_nodes; i++) {
                if (w->profile->stacks->nodes[i].is_cut) {
                        add_numbers(w, &w->profile->stacks->nodes[i]);
                        break;
                }
        }
        return ret;
}

static uint32_t find_stack(struct speedscope_writing *w, struct stack stack)
{
        uint64_t *known = map_put(&w->by_frame, (uint64_t)stack.prefix << 32 | stack.frame, NULL);

        if (!*known) {
                ARRAY_PUSH(w->stacks, w->n_stacks, w->cap_stacks, stack);
                *known = w->n_stacks;
        }
        return (uint32_t)*known - 1;
}

static bool is_wanted(const struct export_speedscope *profile, const struct listed_sample *sample)
{
        for (size_t i = 0; i < profile->n_events; i++) {
                if (profile->events[i].index == sample->event)
                        return true;
        }
        return false;
}

/* The nodes of the samples of the wanted events. */
static bool *find_nodes(const struct export_speedscope *profile)
{
        const struct named_stacks *stacks = profile->stacks;
        bool *wanted = mem_new(stacks->n_nodes, sizeof(*wanted));

        for (size_t i = 0; i < sample_list_n(profile->samples); i++) {
                const struct listed_sample *sample = sample_list_get(profile->samples, i);

                if (is_wanted(profile, sample))
                        wanted[sample->node] = true;
        }
        for (size_t i = stacks->n_nodes; i-- > 0;) {
                if (wanted[i] && stacks->nodes[i].parent != NAMED_NONE)
                        wanted[stacks->nodes[i].parent] = true;
        }
        return wanted;
}

static void add_stacks(struct speedscope_writing *w)
{
        const struct named_stacks *stacks = w->profile->stacks;
        bool *wanted = find_nodes(w->profile);
        uint32_t *depths = mem_new(stacks->n_nodes, sizeof(*depths)), deepest = 0, *first;
        struct export_places places;

        export_places_list(stacks, wanted, &places);
        first = name_places(w, &places);
        w->of_node = mem_new(stacks->n_nodes, sizeof(*w->of_node));
        for (size_t i = 0; i < stacks->n_nodes; i++) {
                const struct named_node *node = &stacks->nodes[i];
                bool is_outermost = node->parent == NAMED_NONE;
                uint32_t at = is_outermost ? NAMED_NONE : w->of_node[node->parent], numbers;

                if (!wanted[i])
                        continue;
                numbers = first[node->is_cut ? places.n : places.of_node[i]];
                depths[i] = node->n_frames + (is_outermost ? 0 : depths[node->parent]);
                deepest = depths[i] > deepest ? depths[i] : deepest;
                for (uint32_t k = node->n_frames; k-- > 0;)
                        at = find_stack(w, (struct stack){at, w->numbers[numbers + k]});
                w->of_node[i] = at;
        }
        w->path = mem_new(deepest, sizeof(*w->path));
        export_places_release(&places);
        free(first);
        free(depths);
        free(wanted);
}

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

/* The time when the count of the event up to this sample began. */
static uint64_t begin_of(const struct listed_sample *sample)
{
        return sample->time_ns > sample->weight ? sample->time_ns - sample->weight : 0;
}

/* Samples of a running thread are slightly more or less than a weight apart, so a shorter pause is
 * ignored. */
static void list_spans(const struct speedscope_writing *w, const struct export_threads *threads,
                       const struct export_thread *thread, bool is_time, struct spans *ret)
{
        *ret = (struct spans){0};
        for (size_t i = 0; i < thread->n; i++) {
                const struct listed_sample *sample =
                        sample_list_get(w->profile->samples, threads->order[thread->first + i].sample);
                uint64_t begin = begin_of(sample), end;

                if (!i && is_time)
                        ret->start = begin - w->start_ns;
                end = w->start_ns + ret->start + ret->weight;
                if (is_time && begin > end && begin - end >= sample->weight)
                        add_span(ret, NAMED_NONE, begin - end);
                add_span(ret, w->of_node[sample->node], sample->weight);
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
        for (size_t i = 0; i < w->n_frames; i++) {
                const char *file = strpool_get(w->texts, w->frames[i].file);

                json_begin_object(&w->json);
                json_key_str(&w->json, "name", strpool_get(w->texts, w->frames[i].name));
                if (*file)
                        json_key_str(&w->json, "file", file);
                if (w->frames[i].line)
                        json_key_u64(&w->json, "line", w->frames[i].line);
                json_end_object(&w->json);
        }
        json_end_array(&w->json);
        json_end_object(&w->json);
}

static void add_stack(struct speedscope_writing *w, uint32_t stack)
{
        size_t depth = 0;

        for (; stack != NAMED_NONE; stack = w->stacks[stack].prefix)
                w->path[depth++] = w->stacks[stack].frame;
        json_begin_array(&w->json);
        while (depth > 0)
                json_u64(&w->json, w->path[--depth]);
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

                list_spans(w, &threads, &threads.thread[i], event->about->is_time, &spans);
                add_profile(w, &threads.thread[i], event->about, &spans);
                free(spans.span);
        }
        export_threads_release(&threads);
}

static void find_start(struct speedscope_writing *w)
{
        w->start_ns = UINT64_MAX;
        for (size_t i = 0; i < sample_list_n(w->profile->samples); i++) {
                const struct listed_sample *sample = sample_list_get(w->profile->samples, i);

                if (is_wanted(w->profile, sample) && begin_of(sample) < w->start_ns)
                        w->start_ns = begin_of(sample);
        }
}

static void writing_release(struct speedscope_writing *w)
{
        strpool_free(w->texts);
        map_release(&w->by_text);
        map_release(&w->by_frame);
        free(w->frames);
        free(w->numbers);
        free(w->stacks);
        free(w->of_node);
        free(w->path);
}

void export_speedscope(const struct export_speedscope *profile, struct buf *out)
{
        const struct export_about *about = profile->events[0].about;
        struct speedscope_writing w = {.profile = profile, .texts = strpool_new()};

        find_start(&w);
        add_stacks(&w);
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
        writing_release(&w);
}
