/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes threads, samples as columns. */
#include "export_firefox.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "attributes.h"
#include "export_firefox_tables.h"
#include "export_threads.h"
#include "mem.h"
#include "search.h"

enum {
        /* version of Firefox's own format, which defines the names of some fields of `meta` */
        GECKO_VERSION = 30,
        PROCESSED_VERSION = 60,
};

struct firefox_writing {
        const struct export_firefox *profile;
        struct firefox_tables *tables;
        struct export_threads threads;
        struct json json;
};

static struct firefox_tables *make_tables(const struct firefox_writing *w)
{
        const struct named_stacks *stacks = w->profile->stacks;
        bool *wanted = mem_new(stacks->n_nodes, sizeof(*wanted));
        struct firefox_tables *tables;

        for (size_t i = 0; i < w->threads.n_samples; i++)
                wanted[sample_list_get(w->profile->samples, w->threads.order[i].sample)->node] = true;
        for (size_t i = stacks->n_nodes; i-- > 0;) {
                if (wanted[i] && stacks->nodes[i].parent != NAMED_NONE)
                        wanted[stacks->nodes[i].parent] = true;
        }
        tables = firefox_tables_new(stacks, wanted);
        free(wanted);
        return tables;
}

/* --- Writing --- */

static double ms_of(uint64_t ns)
{
        return (double)ns / 1e6;
}

static const char *name_of(const struct firefox_writing *w, uint32_t text)
{
        const char *name = sample_list_text(w->profile->samples, text);

        return *name ? name : "unknown";
}

static void add_text(struct firefox_writing *w, const char *key, const char *text)
{
        AUTO_RELEASE(buf) safe = {0};

        export_add_text(text, &safe);
        json_key_str(&w->json, key, buf_text(&safe));
}

static void add_ms(struct firefox_writing *w, const char *key, uint64_t ns)
{
        json_key(&w->json, key);
        json_fixed(&w->json, ms_of(ns), 6);
}

/* The last two are of sessions with states. */
static void add_categories(bool has_states, struct json *json)
{
        static const struct {
                const char *name, *color;
        } categories[] = {
                [FIREFOX_OTHER] = {"Other", "grey"},
                [FIREFOX_USER] = {"User", "yellow"},
                [FIREFOX_KERNEL] = {"Kernel", "orange"},
                [FIREFOX_JIT] = {"JIT", "lightblue"},
                [FIREFOX_PYTHON] = {"Python", "green"},
                [FIREFOX_WAITING] = {"Waiting", "purple"},
                [FIREFOX_RUNNABLE] = {"Ready to run", "magenta"},
        };

        size_t n = has_states ? N_ELEMENTS(categories) : FIREFOX_WAITING;

        json_key(json, "categories");
        json_begin_array(json);
        for (size_t i = 0; i < n; i++) {
                json_begin_object(json);
                json_key_str(json, "name", categories[i].name);
                json_key_str(json, "color", categories[i].color);
                json_key(json, "subcategories");
                json_begin_array(json);
                json_str(json, "Other");
                json_end_array(json);
                json_end_object(json);
        }
        json_end_array(json);
}

/* If no interval was requested: the mean time between two samples. */
static uint64_t interval_of(const struct firefox_writing *w)
{
        uint64_t mean_ns = w->threads.n_samples > 1
                                   ? (w->threads.end_ns - w->threads.start_ns) / (w->threads.n_samples - 1)
                                   : 0;

        if (w->profile->interval_ns)
                return w->profile->interval_ns;
        return mean_ns ? mean_ns : 1000000;
}

/* The time of the first sample since 1970; 0: not known. */
static void add_start(struct firefox_writing *w)
{
        int64_t offset = w->profile->about->wall_offset_ns;

        if (offset)
                add_ms(w, "startTime", w->threads.start_ns + (uint64_t)offset);
        else
                json_key_u64(&w->json, "startTime", 0);
}

static void add_meta(struct firefox_writing *w)
{
        const struct export_about *about = w->profile->about;
        struct json *json = &w->json;

        json_key(json, "meta");
        json_begin_object(json);
        json_key_u64(json, "version", GECKO_VERSION);
        json_key_u64(json, "preprocessedProfileVersion", PROCESSED_VERSION);
        add_ms(w, "interval", interval_of(w));
        add_start(w);
        json_key_u64(json, "processType", 0);
        json_key_u64(json, "stackwalk", 1);
        json_key_bool(json, "debug", false);
        add_text(w, "product", w->threads.n ? name_of(w, w->threads.thread[0].process_name) : "wperf");
        add_text(w, "importedFrom", about->tool);
        add_text(w, "arguments", about->command);
        json_key_bool(json, "symbolicated", true);
        json_key_bool(json, "sourceCodeIsNotOnSearchfox", true);
        json_key_bool(json, "usesOnlyOneStackType", true);
        add_categories(w->profile->n_states > 0, json);
        if (about->is_time) {
                json_key(json, "sampleUnits");
                json_begin_object(json);
                json_key_str(json, "time", "ms");
                json_key_str(json, "eventDelay", "ms");
                json_key_str(json, "threadCPUDelta", "ns");
                json_end_object(json);
        }
        json_key(json, "markerSchema");
        json_begin_array(json);
        json_end_array(json);
        json_end_object(json);
}

static const struct listed_sample *get_sample(const struct firefox_writing *w,
                                              const struct export_thread *thread, size_t index)
{
        return sample_list_get(w->profile->samples, w->threads.order[thread->first + index].sample);
}

static void add_stack_column(struct firefox_writing *w, const struct export_thread *thread)
{
        json_key(&w->json, "stack");
        json_begin_array(&w->json);
        for (size_t i = 0; i < thread->n; i++)
                json_u64(&w->json, firefox_stack_of(w->tables, get_sample(w, thread, i)->node));
        json_end_array(&w->json);
}

static void add_time_column(struct firefox_writing *w, const struct export_thread *thread)
{
        json_key(&w->json, "time");
        json_begin_array(&w->json);
        for (size_t i = 0; i < thread->n; i++)
                json_fixed(&w->json, ms_of(w->threads.order[thread->first + i].time_ns - w->threads.start_ns),
                           6);
        json_end_array(&w->json);
}

/* The program has a type of weight for time; other events are weighted like samples. */
static void add_weight_column(struct firefox_writing *w, const struct export_thread *thread)
{
        bool is_time = w->profile->about->is_time && w->profile->weights;

        json_key_str(&w->json, "weightType", is_time ? "tracing-ms" : "samples");
        json_key(&w->json, "weight");
        if (!w->profile->weights) {
                json_null(&w->json);
                return;
        }
        json_begin_array(&w->json);
        for (size_t i = 0; i < thread->n; i++) {
                uint64_t weight = get_sample(w, thread, i)->weight;

                if (is_time)
                        json_fixed(&w->json, ms_of(weight), 6);
                else
                        json_u64(&w->json, weight);
        }
        json_end_array(&w->json);
}

static bool is_off_cpu(const struct firefox_writing *w, const struct listed_sample *sample)
{
        const struct named_stacks *stacks = w->profile->stacks;

        return sample->node < stacks->n_nodes && w->profile->n_states &&
               firefox_is_off_cpu(stacks, &stacks->nodes[sample->node]);
}

/* The count of a clock since the thread's previous sample is the CPU time in between. */
static void add_cpu_column(struct firefox_writing *w, const struct export_thread *thread)
{
        if (!w->profile->about->is_time)
                return;
        json_key(&w->json, "threadCPUDelta");
        json_begin_array(&w->json);
        for (size_t i = 0; i < thread->n; i++)
                json_u64(&w->json,
                         is_off_cpu(w, get_sample(w, thread, i)) ? 0 : get_sample(w, thread, i)->weight);
        json_end_array(&w->json);
}

/* --- States as markers --- */

/* The states of a thread: the first one, and *ret_n with those that follow it. */
static const struct export_state *states_of(const struct firefox_writing *w, int32_t tid, size_t *ret_n)
{
        const struct export_state *states = w->profile->states;
        size_t low = 0, high = w->profile->n_states, n = 0;

        SEARCH_FIRST(low, high, middle, states[middle].tid < tid);
        while (low + n < w->profile->n_states && states[low + n].tid == tid)
                n++;
        *ret_n = n;
        return states + low;
}

static void add_marker_times(struct firefox_writing *w, const char *key, const struct export_state *states,
                             size_t n, bool is_end)
{
        json_key(&w->json, key);
        json_begin_array(&w->json);
        for (size_t i = 0; i < n; i++) {
                uint64_t ns = is_end ? states[i].to_ns : states[i].from_ns;

                json_fixed(&w->json, ns > w->threads.start_ns ? ms_of(ns - w->threads.start_ns) : 0, 6);
        }
        json_end_array(&w->json);
}

static void add_markers(struct firefox_writing *w, const struct export_thread *thread)
{
        enum { PHASE_INTERVAL = 1 };
        size_t n;
        const struct export_state *states = states_of(w, thread->tid, &n);
        struct json *json = &w->json;

        json_key(json, "markers");
        json_begin_object(json);
        json_key(json, "data");
        json_begin_array(json);
        for (size_t i = 0; i < n; i++)
                json_null(json);
        json_end_array(json);
        json_key(json, "name");
        json_begin_array(json);
        for (size_t i = 0; i < n; i++)
                json_u64(json, firefox_add_text(w->tables, states[i].word));
        json_end_array(json);
        add_marker_times(w, "startTime", states, n, false);
        add_marker_times(w, "endTime", states, n, true);
        json_key(json, "phase");
        json_begin_array(json);
        for (size_t i = 0; i < n; i++)
                json_u64(json, PHASE_INTERVAL);
        json_end_array(json);
        json_key(json, "category");
        json_begin_array(json);
        for (size_t i = 0; i < n; i++)
                json_u64(json, firefox_category_of_state(states[i].word));
        json_end_array(json);
        json_key_u64(json, "length", n);
        json_end_object(json);
}

static void add_thread(struct firefox_writing *w, const struct export_thread *thread)
{
        struct json *json = &w->json;
        char pid[16];

        snprintf(pid, sizeof(pid), "%" PRId32, thread->pid);
        json_begin_object(json);
        json_key_str(json, "processType", "default");
        json_key_u64(json, "processStartupTime", 0);
        json_key(json, "processShutdownTime");
        json_null(json);
        json_key_u64(json, "registerTime", 0);
        json_key(json, "unregisterTime");
        json_null(json);
        json_key(json, "pausedRanges");
        json_begin_array(json);
        json_end_array(json);
        add_text(w, "name", name_of(w, thread->name));
        add_text(w, "processName", name_of(w, thread->process_name));
        json_key_bool(json, "isMainThread", thread->pid == thread->tid);
        json_key_str(json, "pid", pid);
        json_key_i64(json, "tid", thread->tid);
        json_key(json, "samples");
        json_begin_object(json);
        add_stack_column(w, thread);
        add_time_column(w, thread);
        add_weight_column(w, thread);
        add_cpu_column(w, thread);
        json_key_u64(json, "length", thread->n);
        json_end_object(json);
        add_markers(w, thread);
        json_end_object(json);
}

void export_firefox(const struct export_firefox *profile, struct buf *out)
{
        struct firefox_writing w = {.profile = profile};

        export_threads_list(profile->samples, profile->event, &w.threads);
        w.tables = make_tables(&w);
        for (size_t i = 0; i < profile->n_states; i++)
                firefox_add_text(w.tables, profile->states[i].word);
        json_init(&w.json, out);
        json_begin_object(&w.json);
        add_meta(&w);
        firefox_add_libs(w.tables, profile->arch, &w.json);
        firefox_add_shared(w.tables, &w.json);
        json_key(&w.json, "threads");
        json_begin_array(&w.json);
        for (size_t i = 0; i < w.threads.n; i++)
                add_thread(&w, &w.threads.thread[i]);
        json_end_array(&w.json);
        json_end_object(&w.json);
        buf_add_char(out, '\n');
        firefox_tables_free(w.tables);
        export_threads_release(&w.threads);
}
