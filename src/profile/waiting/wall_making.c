/* SPDX-License-Identifier: BSD-3-Clause */
#include "wall_making.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "search.h"
#include "stack_waits.h"
#include "task_kind.h"
#include "text.h"
#include "wait_functions.h"
#include "windows_waits.h"

enum {
        MAX_FUNCTIONS = 64,   /* of a stack, that decide what it is */
        HOLDER_NS = 20000000, /* a sample of the GIL's holder is at most so far from the reading, */
        MOST_BETWEEN = 256,   /* with so many samples between them */
};

/* --- Input --- */

static int by_thread_and_time(int32_t a_tid, uint64_t a_ns, int32_t b_tid, uint64_t b_ns)
{
        if (a_tid != b_tid)
                return a_tid < b_tid ? -1 : 1;
        return a_ns < b_ns ? -1 : a_ns > b_ns;
}

static int compare_readings(const void *a, const void *b)
{
        const struct wall_reading *x = a, *y = b;

        return by_thread_and_time(x->tid, x->time_ns, y->tid, y->time_ns);
}

static int compare_samples(const void *a, const void *b)
{
        const struct wall_sample *x = a, *y = b;

        return by_thread_and_time(x->tid, x->time_ns, y->tid, y->time_ns);
}

static void see_time(struct wall_making *m, uint64_t ns)
{
        if (!ns || ns >= SAMPLE_NO_TIME_NS)
                return;
        m->from_ns = !m->from_ns || ns < m->from_ns ? ns : m->from_ns;
        m->to_ns = ns > m->to_ns ? ns : m->to_ns;
}

void wall_making_set_spans(struct wall_making *m, const struct cpu_span *spans, size_t n)
{
        m->spans = spans;
        m->n_spans = n;
        for (size_t i = 0; i < m->n_spans; i++) {
                see_time(m, m->spans[i].from_ns);
                see_time(m, m->spans[i].to_ns);
        }
}

/* Numbers of threads in a namespace are other ones than those of samples. */
static int32_t own_number(void *ctx, int32_t inner_tid)
{
        return inner_tid;
}

static void set_verdict(struct wall_reading *made, const struct wait_verdict *verdict)
{
        made->kind = (uint8_t)verdict->kind;
        made->lock = verdict->lock;
        made->lock_address = verdict->lock_address;
        made->owner = verdict->owner;
}

static void decide(const struct wall_making *m, const struct wait_reading *reading, struct wall_reading *made,
                   struct buf *text)
{
        struct wait_function functions[MAX_FUNCTIONS];
        size_t n = wait_functions_of(m->request->named, made->node, functions, MAX_FUNCTIONS);
        struct wait_reading waited = *reading;
        struct wait_verdict verdict;

        waited.how = WAIT_HOW_STILL; /* what is known of one that has gone on is its call */
        verdict = wait_kind_decide(&waited, functions, n,
                                   reading->inner_tid == reading->tid ? own_number : NULL, NULL, text);
        set_verdict(made, &verdict);
}

/* A text of an idle thread says in what it waits: "idle, in epoll_wait for ..." Returns the index + 1. */
static uint8_t add_idle_call(struct wall_pieces *p, const char *text)
{
        const char *in = strstr(text, " in ");
        const char *at = in ? in + strlen(" in ") : text_starts(text, "idle, accepts") ? "accept" : NULL;
        size_t len = at ? strcspn(at, " ") : 0;

        if (!len)
                return 0;
        for (size_t i = 0; i < p->n_idle_calls; i++) {
                if (strlen(p->idle_calls[i]) == len && !memcmp(p->idle_calls[i], at, len))
                        return (uint8_t)(i + 1);
        }
        if (p->n_idle_calls == WALL_MAX_IDLE_CALLS)
                return 0;
        p->idle_calls[p->n_idle_calls++] = arena_copy(&p->texts, at, len);
        return (uint8_t)p->n_idle_calls;
}

static void set_idle_call(struct wall_making *m, struct wall_reading *r, const struct buf *text)
{
        if (r->kind == WAIT_KIND_IDLE)
                r->idle_call = add_idle_call(m->pieces, buf_text(text));
}

static struct wall_reading *add_reading_of(struct wall_making *m, const struct listed_sample *sample)
{
        struct wall_reading *made = &m->readings[m->n_readings++];

        *made = (struct wall_reading){
                .time_ns = sample->time_ns, .pid = sample->pid, .tid = sample->tid, .node = sample->node};
        return made;
}

static void add_reading(struct wall_making *m, const struct listed_sample *sample)
{
        const struct wait_reading *reading =
                wait_section_find(m->request->waits, sample->tid, sample->time_ns);
        AUTO_RELEASE(buf) text = {0};
        struct wall_reading *made;

        if (!reading || (reading->how != WAIT_HOW_STILL && reading->how != WAIT_HOW_MOVING))
                return;
        made = add_reading_of(m, sample);
        made->at = wall_making_function_of(m, made->node, false);
        made->pid = reading->pid;
        made->look_ns = reading->look_ns;
        made->is_cut = reading->how == WAIT_HOW_MOVING;
        made->has_gil = reading->python & WAIT_PYTHON_GIL;
        made->lacks_tasks = reading->python & WAIT_PYTHON_TASKS;
        decide(m, reading, made, &text);
        /* in a PID namespace the holder's number is another one than in the samples */
        made->gil_holder = reading->inner_tid == reading->tid ? reading->gil_holder : 0;
        set_idle_call(m, made, &text);
}

static void decide_by_stack(struct wall_making *m, const struct listed_sample *sample,
                            struct wall_reading *made)
{
        struct wait_function functions[MAX_FUNCTIONS];
        size_t n = wait_functions_of(m->request->named, sample->node, functions, MAX_FUNCTIONS);
        const char *reason = m->request->events->items[sample->event].reason;
        AUTO_RELEASE(buf) text = {0};

        if (reason) {
                made->kind = (uint8_t)windows_waits_decide(reason, functions, n);
        } else {
                const struct wait_verdict verdict = stack_waits_decide(functions, n, 0, &text);

                set_verdict(made, &verdict);
        }
        set_idle_call(m, made, &text);
}

/* A sample of the scheduler's: a switch, or time off the CPU. */
static void add_wait(struct wall_making *m, const struct listed_sample *sample)
{
        bool is_switch = sched_events_role(m->request->events, sample->event) == SCHED_SWITCH;
        struct wall_reading *made = add_reading_of(m, sample);
        uint64_t *known;
        bool is_new;

        made->at = wall_making_function_of(m, made->node, true);
        made->is_switch = is_switch;
        made->is_given = !is_switch;
        made->weight_ns = is_switch || m->n_spans ? 0 : sample->weight; /* else it comes from the switches */
        known = map_put(&m->by_stack, (uint64_t)sample->event << 32 | sample->node, &is_new);
        if (is_new) {
                decide_by_stack(m, sample, made);
                ARRAY_PUSH(m->decided, m->n_decided, m->cap_decided,
                           ((struct wall_decided){made->kind, made->idle_call, made->lock}));
                *known = m->n_decided;
        }
        made->kind = m->decided[*known - 1].kind;
        made->idle_call = m->decided[*known - 1].idle_call;
        made->lock = m->decided[*known - 1].lock;
}

static void add_sample(struct wall_making *m, const struct listed_sample *sample)
{
        const struct wait_section *waits = m->request->waits;
        const struct wait_holder *holder =
                waits ? wait_section_find_holder(waits, sample->tid, sample->time_ns) : NULL;

        m->samples[m->n_samples++] =
                (struct wall_sample){.tid = sample->tid,
                                     .pid = sample->pid,
                                     .time_ns = sample->time_ns,
                                     .weight = sample->weight,
                                     .node = sample->node,
                                     .at = wall_making_function_of(m, sample->node, false),
                                     .lacks_gil = holder && !holder->has_gil,
                                     .has_gil = holder && holder->has_gil};
}

static void take_samples(struct wall_making *m)
{
        const struct sample_list *samples = m->request->samples;
        size_t n = sample_list_n(samples);

        m->readings = mem_resize(m->readings, m->n_readings + n + 1, sizeof(*m->readings));
        m->samples = mem_resize(m->samples, m->n_samples + n + 1, sizeof(*m->samples));
        m->wakes = m->request->wants & WALL_WANTS_WAKERS ? mem_new(n + 1, sizeof(*m->wakes)) : NULL;
        for (size_t i = 0; i < n; i++) {
                const struct listed_sample *sample = sample_list_get(samples, i);

                see_time(m, sample->time_ns);
                if (sample->event == m->request->waiting_event)
                        add_reading(m, sample);
                else if (sched_events_is_wait(m->request->events, sample->event) && sample->tid > 0)
                        add_wait(m, sample);
                else if (sample->event == m->request->cpu_event)
                        add_sample(m, sample);
                else if (m->wakes && sched_events_role(m->request->events, sample->event) == SCHED_WAKING)
                        m->wakes[m->n_wakes++] = (struct wall_sample){
                                .tid = sample->tid, .time_ns = sample->time_ns, .node = sample->node};
        }
        qsort(m->readings, m->n_readings, sizeof(*m->readings), compare_readings);
        qsort(m->samples, m->n_samples, sizeof(*m->samples), compare_samples);
        if (m->n_wakes)
                qsort(m->wakes, m->n_wakes, sizeof(*m->wakes), compare_samples);
}

/* A loop that waits for a time or for its own threads has no object that says so: its tasks do. Readings that
 * lack them are as the one before. */
static void set_kinds_of_loops(struct wall_making *m)
{
        const struct task_section *s = m->request->tasks;
        enum wait_kind kind = WAIT_KIND_IDLE;
        struct map by_time = {0};

        for (size_t i = 0; s && i < s->n_tasks; i += task_kind_n_at_once(s, i))
                *map_put(&by_time, s->tasks[i].time_ns, NULL) = i;
        for (size_t i = 0; by_time.n_used && i < m->n_readings; i++) {
                struct wall_reading *r = &m->readings[i];
                const uint64_t *first = map_find(&by_time, r->time_ns);

                if (first && s->tasks[*first].tid == r->tid)
                        kind = task_kind_of_loop(s, *first);
                else if (!i || r[-1].tid != r->tid || !r->lacks_tasks)
                        kind = WAIT_KIND_IDLE;
                if (r->kind != WAIT_KIND_IDLE || kind == WAIT_KIND_IDLE)
                        continue;
                r->kind = (uint8_t)kind;
                r->idle_call = 0;
        }
        map_release(&by_time);
}

size_t wall_making_find_reading(const struct wall_making *m, int32_t tid, uint64_t ns)
{
        size_t low = 0, high = m->n_readings;

        SEARCH_FIRST(low, high, middle,
                     by_thread_and_time(m->readings[middle].tid, m->readings[middle].time_ns, tid, ns) < 0);
        return low;
}

size_t wall_making_find_sample(const struct wall_making *m, int32_t tid, uint64_t ns)
{
        size_t low = 0, high = m->n_samples;

        SEARCH_FIRST(low, high, middle,
                     by_thread_and_time(m->samples[middle].tid, m->samples[middle].time_ns, tid, ns) < 0);
        return low;
}

uint64_t wall_making_part(const struct wall_making *m, uint64_t from_ns, uint64_t to_ns, uint64_t ns)
{
        uint64_t first_ns = from_ns > m->request->rows_from_ns ? from_ns : m->request->rows_from_ns;
        uint64_t last_ns =
                m->request->rows_to_ns && m->request->rows_to_ns < to_ns ? m->request->rows_to_ns : to_ns;

        if (from_ns == first_ns && to_ns == last_ns)
                return ns;
        if (to_ns <= from_ns || last_ns <= first_ns)
                return 0;
        return (uint64_t)((double)(last_ns - first_ns) / (double)(to_ns - from_ns) * (double)ns);
}

/* --- Functions --- */

static uint64_t add_function(struct wall_making *m, const struct wait_function *f)
{
        struct wall_pieces *p = m->pieces;
        uint64_t *at;
        bool is_new;

        at = map_put(
                &m->functions,
                map_mix(map_hash_bytes(f->name, strlen(f->name)) + map_hash_bytes(f->file, strlen(f->file))),
                &is_new);
        if (is_new) {
                const struct wall_name name = {
                        .name = arena_copy(&p->texts, f->name, strlen(f->name)),
                        .file = arena_copy(&p->texts, f->file, strlen(f->file)),
                        .is_python = f->is_python,
                };

                ARRAY_PUSH(p->functions, p->n_functions, m->cap_functions, name);
                *at = p->n_functions;
        }
        return *at;
}

#define MAX_LINE 0x3fffffffu
#define IS_POLL  (1ull << 62)
#define IS_GC    (1ull << 63)

struct wall_at wall_making_function_of(struct wall_making *m, uint32_t node, bool is_wait)
{
        struct wait_function functions[MAX_FUNCTIONS];
        const struct wait_function *f;
        uint64_t *known;
        bool is_new;
        size_t n;

        known = map_put(&m->nodes, (uint64_t)node << 1 | is_wait, &is_new);
        if (is_new) {
                n = wait_functions_of(m->request->named, node, functions, MAX_FUNCTIONS);
                f = is_wait ? stack_waits_shown(functions, n) : wait_functions_shown(functions, n);
                if (f)
                        *known = add_function(m, f) | (uint64_t)(f->line & MAX_LINE) << 32;
                *known |= wait_functions_collect_garbage(functions, n) ? IS_GC : 0;
                *known |= wait_functions_poll(functions, n) ? IS_POLL : 0;
        }
        return (struct wall_at){.function = (uint32_t)*known,
                                .line = (uint32_t)(*known >> 32) & MAX_LINE,
                                .is_gc = *known & IS_GC,
                                .is_poll = *known & IS_POLL};
}

/* --- Who had the GIL --- */

static bool is_near(const struct wall_sample *sample, int32_t tid, uint64_t ns)
{
        uint64_t distance_ns = sample->time_ns > ns ? sample->time_ns - ns : ns - sample->time_ns;

        return sample->tid == tid && distance_ns <= HOLDER_NS;
}

static bool is_left_out(const struct wall_sample *sample, bool with_gil)
{
        return with_gil && sample->lacks_gil;
}

/* For the GIL: the thread may have run without it before and after. */
static const struct wall_sample *near_sample(const struct wall_making *m, int32_t tid, uint64_t ns,
                                             bool with_gil)
{
        const struct wall_sample *first = m->samples, *end = first + m->n_samples,
                                 *middle = first + wall_making_find_sample(m, tid, ns);
        const struct wall_sample *after = middle, *before = middle;

        while (after < end && after < middle + MOST_BETWEEN && is_near(after, tid, ns) &&
               is_left_out(after, with_gil))
                after++;
        if (after == end || !is_near(after, tid, ns) || is_left_out(after, with_gil))
                after = NULL;
        while (before > first && before + MOST_BETWEEN > middle && is_near(before - 1, tid, ns) &&
               is_left_out(before - 1, with_gil))
                before--;
        before = before > first && is_near(before - 1, tid, ns) && !is_left_out(before - 1, with_gil)
                         ? before - 1
                         : NULL;
        if (!after || !before)
                return after ? after : before;
        return after->time_ns - ns < ns - before->time_ns ? after : before;
}

uint32_t wall_making_running_of(struct wall_making *m, int32_t tid, uint64_t ns)
{
        const struct wall_sample *sample = near_sample(m, tid, ns, false);

        return sample ? sample->at.function : 0;
}

uint32_t wall_making_holder_of(struct wall_making *m, const struct wall_reading *r)
{
        const struct wall_sample *sample;

        if (r->kind != WAIT_KIND_GIL || !r->gil_holder)
                return 0;
        sample = near_sample(m, r->gil_holder, r->time_ns, true);
        return sample ? sample->at.function : 0;
}

/* --- All --- */

/* The first waking of the thread at or after a time, or one of another thread. */
static size_t find_waking(const struct wall_making *m, int32_t tid, uint64_t ns)
{
        const struct sched_waking *wakings = m->request->wakings;
        size_t low = 0, high = m->request->n_wakings;

        SEARCH_FIRST(low, high, middle,
                     by_thread_and_time(wakings[middle].tid, wakings[middle].time_ns, tid, ns) < 0);
        return low;
}

uint64_t wall_making_find_waking(const struct wall_making *m, int32_t tid, uint64_t from_ns, uint64_t to_ns)
{
        const struct sched_waking *wakings = m->request->wakings;
        size_t i = find_waking(m, tid, from_ns);

        return i < m->request->n_wakings && wakings[i].tid == tid && wakings[i].time_ns < to_ns
                       ? wakings[i].time_ns
                       : to_ns;
}

const struct sched_waking *wall_making_waking(const struct wall_making *m, int32_t tid, uint64_t ns)
{
        const struct sched_waking *wakings = m->request->wakings;
        size_t i = find_waking(m, tid, ns);

        return i < m->request->n_wakings && wakings[i].tid == tid && wakings[i].time_ns == ns ? &wakings[i]
                                                                                              : NULL;
}

const struct sched_waking *wall_making_waking_before(const struct wall_making *m, int32_t tid, uint64_t ns)
{
        size_t i = find_waking(m, tid, ns);

        return i && m->request->wakings[i - 1].tid == tid ? &m->request->wakings[i - 1] : NULL;
}

uint32_t wall_making_waking_node(const struct wall_making *m, const struct sched_waking *waking)
{
        size_t low = 0, high = m->n_wakes;

        SEARCH_FIRST(low, high, middle,
                     by_thread_and_time(m->wakes[middle].tid, m->wakes[middle].time_ns, waking->by_tid,
                                        waking->time_ns) < 0);
        return low < m->n_wakes && m->wakes[low].tid == waking->by_tid &&
                               m->wakes[low].time_ns == waking->time_ns
                       ? m->wakes[low].node
                       : NAMED_NONE;
}

void wall_making_take(struct wall_making *m)
{
        take_samples(m);
        set_kinds_of_loops(m);
}

/* Nodes are of the request. */
void wall_making_forget_nodes(struct wall_making *m)
{
        map_release(&m->nodes);
        map_release(&m->by_stack);
        free(m->decided);
        m->nodes = m->by_stack = (struct map){0};
        m->decided = NULL;
        m->n_decided = m->cap_decided = 0;
}

/* The number of the same function among those that are left. */
static uint32_t move_function(struct wall_making *m, const struct wall_pieces *before, uint32_t function)
{
        const struct wall_name *name = function ? &before->functions[function - 1] : NULL;

        return name ? (uint32_t)add_function(m, &(struct wait_function){.name = name->name,
                                                                        .file = name->file,
                                                                        .is_python = name->is_python})
                    : 0;
}

void wall_making_begin_anew(struct wall_making *m, uint64_t now_ns, const struct wall_reading *lasting,
                            size_t n)
{
        AUTO(wall_pieces) before = m->pieces;
        struct wall_reading *readings = mem_new(n + 1, sizeof(*readings));
        struct wall_pieces *pieces = mem_new(1, sizeof(*pieces));

        pieces->knows_gil = before->knows_gil;
        for (; pieces->n_idle_calls < before->n_idle_calls; pieces->n_idle_calls++) {
                const char *call = before->idle_calls[pieces->n_idle_calls];

                pieces->idle_calls[pieces->n_idle_calls] = arena_copy(&pieces->texts, call, strlen(call));
        }
        m->pieces = pieces;
        map_release(&m->functions);
        m->functions = (struct map){0};
        m->cap_pieces = m->cap_stackless = m->cap_functions = 0;
        for (size_t i = 0; i < n; i++) {
                readings[i] = lasting[i];
                readings[i].at.function = move_function(m, before, lasting[i].at.function);
                readings[i].time_ns = now_ns;
                readings[i].look_ns = 0;
        }
        free(m->readings);
        m->readings = readings;
        m->n_readings = n;
        m->n_samples = 0;
        m->from_ns = m->to_ns = now_ns;
}

void wall_making_release(struct wall_making *m)
{
        free(m->readings);
        free(m->samples);
        free(m->wakes);
        free(m->waits);
        map_release(&m->functions);
        map_release(&m->nodes);
        map_release(&m->by_stack);
        free(m->decided);
}
