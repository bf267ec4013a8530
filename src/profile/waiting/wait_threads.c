/* SPDX-License-Identifier: BSD-3-Clause */
#include "wait_threads.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "map.h"
#include "mem.h"
#include "text.h"
#include "text_match.h"
#include "wait_functions.h"

enum { MAX_FUNCTIONS = 64 }; /* of a stack, that decide what it waits for */

struct wait_making {
        const struct wait_threads_request *request;
        struct map last;     /* tid to the index of its last sample + 1 */
        struct map latest;   /* of rows: tid to index + 1 */
        struct map running;  /* time to the index of the thread's frames in the section of tasks */
        struct map by_inner; /* process and number in its own namespace to tid */
        int32_t pid;         /* the process whose thread is looked at */
        size_t cap_rows, cap_frames, cap_circles, cap_ends;
};

struct thread_rows {
        struct wait_threads threads;
        struct wait_making making;
        struct arena texts;
};

/* --- Frames --- */

static void add_frame(struct thread_rows *m, const struct wait_frame *frame)
{
        struct wait_threads *t = &m->threads;

        ARRAY_PUSH(t->frames, t->n_frames, m->making.cap_frames, *frame);
}

static void add_node(struct thread_rows *m, const struct named_node *node)
{
        const struct named_stacks *named = m->making.request->named;
        bool python = wait_functions_are_python(named, node);

        if (node->is_cut) {
                add_frame(m, &(struct wait_frame){.is_cut = true});
                return;
        }
        for (uint32_t i = 0; i < node->n_frames; i++) {
                const struct named_frame *f = &named->frames[node->first_frame + i];
                const bool has_line = *f->file;

                add_frame(m, &(struct wait_frame){
                                     .function = *f->function ? f->function : "unknown",
                                     .file = has_line ? f->file : wait_functions_module(named, node),
                                     .line = has_line ? f->line : 0,
                                     .is_python = python,
                             });
        }
}

/* Code of the interpreter, of libc and of what starts threads says nothing that the Python frames do not
 * say. */
static bool is_waiting_code(const char *path)
{
        static const char *const names[] = {"libc.so",   "libc-2.", "libpthread", "ld-linux", "ld-musl",
                                            "libpython", "python3", "_queue.",    "_thread."};
        const char *base = text_base_name(path);

        for (size_t i = 0; i < N_ELEMENTS(names); i++) {
                if (text_starts(base, names[i]))
                        return true;
        }
        return false;
}

/* Functions of threading.py that run in each thread. */
static bool is_start_of_thread(const char *function, const char *file)
{
        static const char *const names[] = {"Thread._bootstrap", "Thread._bootstrap_inner", "Thread.run",
                                            "_bootstrap",        "_bootstrap_inner",        "run"};

        if (strcmp(text_base_name(file), "threading.py"))
                return false;
        for (size_t i = 0; i < N_ELEMENTS(names); i++) {
                if (!strcmp(function, names[i]))
                        return true;
        }
        return false;
}

static bool is_hidden(const struct named_stacks *named, const struct named_node *node)
{
        const struct named_frame *f = &named->frames[node->first_frame];

        if (node->is_cut)
                return false;
        return wait_functions_are_python(named, node) ? is_start_of_thread(f->function, f->file)
                                                      : is_waiting_code(wait_functions_module(named, node));
}

static bool has_python(const struct wait_function *functions, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                if (functions[i].is_python)
                        return true;
        }
        return false;
}

static void add_frames(struct thread_rows *m, uint32_t at, bool hides, struct wait_row *row)
{
        const struct named_stacks *named = m->making.request->named;

        row->first_frame = m->threads.n_frames;
        for (; at != NAMED_NONE; at = named->nodes[at].parent) {
                const struct named_node *node = &named->nodes[at];

                if (!hides || !is_hidden(named, node))
                        add_node(m, node);
        }
        row->n_frames = m->threads.n_frames - row->first_frame;
}

/* Frames that were read while the thread ran. */
static void add_running_frames(struct thread_rows *m, struct wait_row *row)
{
        const struct task_section *s = m->making.request->tasks;
        const uint64_t *at = map_find(&m->making.running, row->reading->time_ns);
        const struct task_reading *thread = at ? &s->tasks[*at] : NULL;

        if (!thread || thread->tid != row->reading->tid)
                return;
        row->first_frame = m->threads.n_frames;
        row->is_approximate = true;
        for (uint32_t i = thread->n_frames; i--;) {
                const struct task_frame *f = &s->frames[thread->first_frame + i];
                const struct task_function *function = &s->functions[f->function];

                if (m->making.request->shows_waiting_code ||
                    !is_start_of_thread(function->name, function->file))
                        add_frame(m, &(struct wait_frame){.function = function->name,
                                                          .file = function->file,
                                                          .line = f->line,
                                                          .is_python = true});
        }
        row->n_frames = m->threads.n_frames - row->first_frame;
}

/* --- Rows --- */

static uint64_t inner_key(int32_t pid, int32_t inner_tid)
{
        return (uint64_t)(uint32_t)pid << 32 | (uint32_t)inner_tid;
}

static int32_t find_thread(void *ctx, int32_t inner_tid)
{
        const struct thread_rows *m = ctx;
        const uint64_t *tid = map_find(&m->making.by_inner, inner_key(m->making.pid, inner_tid));

        return tid ? (int32_t)*tid : 0;
}

/* How many readings before the last one have the same number of switches. */
static uint32_t count_still(const struct wait_section *waits, const struct wait_reading *last)
{
        const struct wait_reading *at = last;
        uint32_t n = 0;

        while (at > waits->readings && at[-1].tid == last->tid && at[-1].n_switches == last->n_switches) {
                at--;
                n++;
        }
        return n;
}

static bool has_stack(const struct wait_reading *reading)
{
        return reading->how == WAIT_HOW_STILL || wait_how_is_stopped(reading->how);
}

/* A name may have commas itself. */
static bool is_asked_for(const char *threads, const struct wait_row *row)
{
        char number[16];

        snprintf(number, sizeof(number), "%" PRId32, row->reading->tid);
        return !threads || text_in_list(threads, number) || text_in_list(threads, row->name) ||
               text_in_list(threads, row->python_name) || !strcmp(threads, row->name) ||
               !strcmp(threads, row->python_name);
}

static void add_row(struct thread_rows *m, const struct listed_sample *sample)
{
        const struct wait_threads_request *request = m->making.request;
        const struct wait_reading *reading = wait_section_find(request->waits, sample->tid, sample->time_ns);
        struct wait_function functions[MAX_FUNCTIONS];
        AUTO_RELEASE(buf) what = {0};
        struct wait_row row = {.reading = reading};
        size_t n;

        if (!reading)
                return;
        n = wait_functions_of(request->named, has_stack(reading) ? sample->node : NAMED_NONE, functions,
                              MAX_FUNCTIONS);
        m->making.pid = reading->pid;
        row.name = sample_list_text(request->samples, sample->comm);
        row.python_name = reading->python_name;
        row.is_shown = is_asked_for(request->threads, &row);
        row.n_same = row.is_shown;
        row.verdict = wait_kind_decide(reading, functions, n, find_thread, m, &what);
        row.what = arena_copy(&m->texts, buf_text(&what), what.len);
        row.n_still = count_still(request->waits, reading);
        if (has_stack(reading))
                add_frames(m, sample->node, !request->shows_waiting_code && has_python(functions, n), &row);
        else if (reading->how == WAIT_HOW_ON_CPU || reading->how == WAIT_HOW_READY)
                add_running_frames(m, &row);
        *map_put(&m->making.latest, (uint64_t)(uint32_t)reading->tid, NULL) = m->threads.n_rows + 1;
        ARRAY_PUSH(m->threads.rows, m->threads.n_rows, m->making.cap_rows, row);
}

/* A thread that was read several times is shown as it was last. */
static void add_rows(struct thread_rows *m)
{
        const struct sample_list *samples = m->making.request->samples;
        size_t n = sample_list_n(samples);

        const struct task_section *tasks = m->making.request->tasks;

        for (size_t i = 0; tasks && i < tasks->n_tasks; i++) {
                if (tasks->tasks[i].flags & TASK_IS_THREAD)
                        *map_put(&m->making.running, tasks->tasks[i].time_ns, NULL) = i;
        }
        for (size_t i = 0; i < m->making.request->waits->n; i++) {
                const struct wait_reading *r = &m->making.request->waits->readings[i];

                *map_put(&m->making.by_inner, inner_key(r->pid, r->inner_tid), NULL) = (uint64_t)r->tid;
        }
        for (size_t i = 0; i < n; i++)
                *map_put(&m->making.last, (uint64_t)(uint32_t)sample_list_get(samples, i)->tid, NULL) = i + 1;
        for (size_t i = 0; i < n; i++) {
                const struct listed_sample *sample = sample_list_get(samples, i);

                if (*map_find(&m->making.last, (uint64_t)(uint32_t)sample->tid) == i + 1)
                        add_row(m, sample);
        }
}

/* --- Deadlocks --- */

static struct wait_row *owner_of(struct thread_rows *m, const struct wait_row *row)
{
        const uint64_t *at;

        if (!row->verdict.owner)
                return NULL;
        at = map_find(&m->making.latest, (uint64_t)(uint32_t)row->verdict.owner);
        return at ? &m->threads.rows[*at - 1] : NULL;
}

static void add_circle(struct thread_rows *m, struct wait_row *first)
{
        struct wait_threads *t = &m->threads;
        struct wait_row *row = first;
        size_t n = t->n_deadlocks ? t->circle_ends[t->n_deadlocks - 1] : 0;

        do {
                row->is_deadlocked = true;
                ARRAY_PUSH(t->circles, n, m->making.cap_circles, (const struct wait_row *)row);
                row = owner_of(m, row);
        } while (row != first);
        ARRAY_PUSH(t->circle_ends, t->n_deadlocks, m->making.cap_ends, n);
}

/* Follows owners from each thread, until one that was met before: if this walk has met it, it is in a circle.
 * A thread that waits for itself is one as well. */
static void find_deadlocks(struct thread_rows *m)
{
        size_t n = m->threads.n_rows;
        size_t *met_by = mem_new(n ? n : 1, sizeof(*met_by)); /* number of the walk; 0: none */

        for (size_t i = 0; i < n; i++) {
                struct wait_row *row = &m->threads.rows[i];

                while (row && !met_by[row - m->threads.rows]) {
                        met_by[row - m->threads.rows] = i + 1;
                        row = owner_of(m, row);
                }
                if (row && met_by[row - m->threads.rows] == i + 1)
                        add_circle(m, row);
        }
        free(met_by);
}

/* --- Threads that do the same --- */

static bool is_same_frame(const struct wait_frame *a, const struct wait_frame *b)
{
        if (a->is_cut || b->is_cut)
                return a->is_cut == b->is_cut;
        return a->line == b->line && !strcmp(a->function, b->function) && !strcmp(a->file, b->file);
}

static bool is_same(const struct wait_threads *t, const struct wait_row *a, const struct wait_row *b)
{
        if (a->reading->pid != b->reading->pid || a->n_frames != b->n_frames || a->is_deadlocked ||
            b->is_deadlocked || a->is_approximate != b->is_approximate ||
            a->verdict.kind != b->verdict.kind || strcmp(a->what, b->what))
                return false;
        for (size_t i = 0; i < a->n_frames; i++) {
                if (!is_same_frame(&t->frames[a->first_frame + i], &t->frames[b->first_frame + i]))
                        return false;
        }
        return true;
}

static uint64_t hash_of(const struct wait_threads *t, const struct wait_row *row)
{
        uint64_t hash = map_hash_bytes(row->what, strlen(row->what));

        for (size_t i = 0; i < row->n_frames; i++) {
                const struct wait_frame *f = &t->frames[row->first_frame + i];

                if (!f->is_cut)
                        hash = map_mix(hash + f->line + map_hash_bytes(f->function, strlen(f->function)));
        }
        return hash;
}

const char *wait_threads_common_name(struct arena *texts, const char *a, const char *b)
{
        AUTO_RELEASE(buf) text = {0};
        size_t n = 0;

        if (!strcmp(a, b))
                return a;
        while (a[n] && a[n] == b[n] && a[n] != '*')
                n++;
        while (n && (a[n] & 0xc0) == 0x80) /* inside of a character */
                n--;
        if (!n)
                return "";
        buf_add(&text, a, n);
        buf_add_char(&text, '*');
        return arena_copy(texts, buf_text(&text), text.len);
}

static void merge_same(struct thread_rows *m)
{
        struct wait_threads *t = &m->threads;
        struct map by_hash = {0};

        for (size_t i = 0; i < t->n_rows; i++) {
                bool is_new;
                uint64_t *at;

                if (!t->rows[i].is_shown)
                        continue;
                at = map_put(&by_hash, hash_of(t, &t->rows[i]), &is_new);
                if (is_new) {
                        *at = i;
                } else if (is_same(t, &t->rows[*at], &t->rows[i])) {
                        t->rows[*at].name =
                                wait_threads_common_name(&m->texts, t->rows[*at].name, t->rows[i].name);
                        t->rows[*at].python_name = wait_threads_common_name(
                                &m->texts, t->rows[*at].python_name, t->rows[i].python_name);
                        t->rows[*at].n_same++;
                        t->rows[i].n_same = 0;
                }
        }
        map_release(&by_hash);
}

struct wait_threads *wait_threads_new(const struct wait_threads_request *request)
{
        struct thread_rows *m = mem_new(1, sizeof(*m));

        m->making.request = request;
        add_rows(m);
        find_deadlocks(m);
        if (request->merges_same)
                merge_same(m);
        m->making.request = NULL;
        return &m->threads;
}

void wait_threads_free(struct wait_threads *threads)
{
        struct thread_rows *m = (struct thread_rows *)threads;

        if (!m)
                return;
        free(m->threads.rows);
        free(m->threads.frames);
        free(m->threads.circles);
        free(m->threads.circle_ends);
        map_release(&m->making.last);
        map_release(&m->making.latest);
        map_release(&m->making.by_inner);
        map_release(&m->making.running);
        arena_release(&m->texts);
        free(m);
}
