/* SPDX-License-Identifier: BSD-3-Clause */
#include "live_wall.h"

#include <stdlib.h>
#include <string.h>

#include "cpu_spans.h"
#include "map.h"
#include "mem.h"
#include "record.h"
#include "sched_log.h"
#include "text.h"
#include "wait_section.h"
#include "wall_live.h"
#include "wall_times.h"

enum {
        MAX_DIVIDED = 10000, /* spans, samples and readings, which take some 5 ms; then all is settled */
        KEPT_SECTIONS = 16,  /* of readings after a division, whose samples may still come */
};

/* Sums of all threads. */
struct wall_totals {
        uint64_t ns[WALL_N_STATES];
        uint64_t stackless_ns;
        uint64_t elapsed_ns; /* since the start */
};

struct live_wall {
        const struct perfdata_reader *reader;
        uint32_t cpu_event, waiting_event;
        unsigned shown;
        struct sched_events *events;
        struct cpu_spans *spans;
        struct sched_log *log;
        struct sample_list *samples; /* of the interval */
        struct wall_live *live;
        struct map ended; /* threads, since all was settled */
        struct buf
                *waits; /* sections of readings: all since the last division, and KEPT_SECTIONS before it */
        struct wait_section **waits_read; /* what each has; NULL if it is damaged */
        size_t n_waits, cap_waits, cap_waits_read;
        struct wall_times *times;
        struct wall_pieces *pieces; /* of the last division; NULL before it */
        struct wall_totals settled;
        uint64_t elapsed_ns, settled_ns; /* since the start; when it was settled */
        uint64_t zero_ns;                /* when the sums were set to zero */
        struct wall_times now, since;    /* what is shown of all threads, with the texts: */
        struct arena texts;
        bool has_python;
};

/* --- begin and end --- */

static void begin_log(struct live_wall *w)
{
        sched_log_free(w->log);
        w->log = sched_log_new(w->events, w->spans, NULL);
        map_release(&w->ended);
        w->ended = (struct map){0};
}

struct live_wall *live_wall_new(struct perfdata_reader *reader, uint32_t cpu_event, unsigned shown)
{
        struct live_wall *w = mem_new(1, sizeof(*w));

        w->reader = reader;
        w->cpu_event = cpu_event;
        w->waiting_event = UINT32_MAX;
        w->shown = shown;
        w->events = sched_events_new(reader);
        w->spans = cpu_spans_new(NULL);
        w->samples = sample_list_new();
        w->live = wall_live_new();
        begin_log(w);
        for (uint32_t i = 0; i < perfdata_n_events(reader); i++) {
                if (!strcmp(perfdata_get_event(reader, i)->name, "waiting"))
                        w->waiting_event = i;
        }
        return w;
}

/* The oldest ones. */
static void drop_waits(struct live_wall *w, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                wait_section_free(w->waits_read[i]);
                buf_release(&w->waits[i]);
        }
        w->n_waits -= n;
        for (size_t i = 0; i < w->n_waits; i++) {
                w->waits_read[i] = w->waits_read[i + n];
                w->waits[i] = w->waits[i + n];
        }
}

void live_wall_free(struct live_wall *w)
{
        if (!w)
                return;
        drop_waits(w, w->n_waits);
        free(w->waits);
        free(w->waits_read);
        wall_times_free(w->times);
        wall_live_free(w->live);
        sample_list_free(w->samples);
        sched_log_free(w->log);
        cpu_spans_free(w->spans);
        sched_events_free(w->events);
        map_release(&w->ended);
        arena_release(&w->texts);
        free(w);
}

uint32_t live_wall_event(const struct live_wall *w)
{
        return w->waiting_event;
}

/* --- what arrives --- */

void live_wall_add_waits(struct live_wall *w, struct buf *section)
{
        size_t n = w->n_waits;

        ARRAY_PUSH(w->waits_read, n, w->cap_waits_read,
                   wait_section_new(cursor_make(section->data, section->len)));
        ARRAY_PUSH(w->waits, w->n_waits, w->cap_waits, *section);
        *section = (struct buf){0};
}

void live_wall_see(struct live_wall *w, const struct perf_attr *attr, const struct perf_header *header,
                   struct cursor record)
{
        struct record_task task;

        sched_log_see(w->log, attr, header->type, record);
        if (header->type == PERF_RECORD_EXIT && record_task_parse(record, &task))
                *map_put(&w->ended, (uint32_t)task.tid, NULL) = 1;
        else if (header->type == PERF_RECORD_FORK && record_task_parse(record, &task))
                map_remove(&w->ended, (uint32_t)task.tid);
}

void live_wall_add(struct live_wall *w, const struct listed_sample *sample)
{
        sample_list_add(w->samples, sample);
}

/* --- division --- */

static void divide(struct live_wall *w, const struct named_stacks *named, uint64_t elapsed_ns)
{
        const struct perf_attr *attr = &perfdata_get_event(w->reader, w->cpu_event)->attr;
        AUTO(wait_section) waits = wait_section_join(w->waits_read, w->n_waits);
        struct wall_request request = {
                .waits = waits,
                .events = w->events,
                .named = named,
                .samples = w->samples,
                .spans = w->spans,
                .waiting_event = w->waiting_event,
                .cpu_event = w->cpu_event,
                .is_paced = !(attr->flags & PERF_ATTR_CONTEXT_SWITCH),
                .cpu_sample_ns = wall_pieces_sample_ns(attr),
                .elapsed_ns = elapsed_ns - w->settled_ns,
        };

        w->pieces = wall_live_divide(w->live, &request);
        if (w->n_waits > KEPT_SECTIONS)
                drop_waits(w, w->n_waits - KEPT_SECTIONS);
        sample_list_free(w->samples);
        w->samples = sample_list_new();
        for (size_t i = 0; i < w->pieces->n; i++)
                w->pieces->items[i].is_taken = true;
        for (size_t i = 0; i < w->pieces->n_stackless; i++)
                w->pieces->stackless[i].is_taken = true;
        wall_times_free(w->times);
        w->times = wall_times_new(w->pieces, w->shown);
        w->elapsed_ns = elapsed_ns;
}

/* --- rows --- */

static struct live_states *add(struct live_sums *sums, const struct live_row *row, const uint64_t *ns)
{
        struct live_states *states = live_sums_get(sums, row)->states;

        for (unsigned i = 0; i < WALL_N_STATES; i++)
                states->since[i] += ns[i];
        return states;
}

static void add_functions(struct live_wall *w, struct live_sums *sums)
{
        for (size_t i = 0; i < w->times->n_functions; i++) {
                const struct wall_function *f = &w->times->functions[i];
                const struct live_row row = {
                        .name = f->name->name,
                        .label = "",
                        .module = f->name->is_python ? "" : text_base_name(f->name->file),
                        .file = f->name->is_python ? f->name->file : "",
                        .is_python = f->name->is_python,
                };

                add(sums, &row, f->ns)->line = f->line;
                w->has_python |= f->name->is_python;
        }
}

static void add_thread(const struct live_wall_sums *sums, int32_t pid, int32_t tid, const uint64_t *ns)
{
        const char *group = live_containers_get(sums->containers, pid);
        AUTO_RELEASE(buf) container = {0};
        struct live_row row = {.name = world_thread_name(sums->world, pid, tid),
                               .label = "",
                               .module = "",
                               .file = "",
                               .pid = pid,
                               .tid = tid};

        add(&sums->kinds[LIVE_THREADS], &row, ns);
        row.name = world_thread_name(sums->world, pid, pid);
        row.tid = pid;
        add(&sums->kinds[LIVE_PROCESSES], &row, ns);
        live_containers_add_name(group, &container);
        row = (struct live_row){.name = container.len ? buf_text(&container) : "unknown",
                                .label = group,
                                .module = "",
                                .file = ""};
        add(&sums->kinds[LIVE_CONTAINERS], &row, ns);
}

struct thread_sums {
        int32_t pid, tid;
        uint64_t ns[WALL_N_STATES];
};

static void add_threads(const struct live_wall *w, const struct live_wall_sums *sums)
{
        const struct wall_pieces *p = w->pieces;
        struct map by_tid = {0};
        struct thread_sums *threads = NULL;
        size_t n = 0, cap = 0;

        for (size_t i = 0; i < p->n + p->n_stackless; i++) {
                const struct wall_piece *piece = i < p->n ? &p->items[i] : &p->stackless[i - p->n];
                uint64_t *at =
                        map_put(&by_tid, (uint64_t)(uint32_t)piece->pid << 32 | (uint32_t)piece->tid, NULL);

                if (!*at) {
                        ARRAY_PUSH(threads, n, cap,
                                   ((struct thread_sums){.pid = piece->pid, .tid = piece->tid}));
                        *at = n;
                }
                threads[*at - 1].ns[piece->state] += piece->ns;
        }
        for (size_t i = 0; i < n; i++)
                add_thread(sums, threads[i].pid, threads[i].tid, threads[i].ns);
        free(threads);
        map_release(&by_tid);
}

/* --- sums of all threads --- */

static struct wall_totals totals_of(const struct live_wall *w)
{
        struct wall_totals t = w->settled;

        for (unsigned i = 0; w->times && i < WALL_N_STATES; i++)
                t.ns[i] += w->times->ns[i];
        t.stackless_ns += w->times ? w->times->stackless_ns : 0;
        t.elapsed_ns = w->elapsed_ns;
        return t;
}

static void set_totals(struct wall_times *t, const struct wall_totals *from, const struct wall_totals *to)
{
        t->total_ns = 0;
        for (unsigned i = 0; i < WALL_N_STATES; i++) {
                t->ns[i] = to->ns[i] > from->ns[i] ? to->ns[i] - from->ns[i] : 0;
                t->total_ns += t->ns[i];
        }
        t->stackless_ns = to->stackless_ns > from->stackless_ns ? to->stackless_ns - from->stackless_ns : 0;
        t->elapsed_ns = to->elapsed_ns - from->elapsed_ns;
}

/* Texts of the times, for as long as `texts`. */
static void copy_texts(struct wall_times *t, struct arena *texts)
{
        struct wall_name *holder;

        for (size_t i = 0; i < t->n_idle_calls; i++)
                t->idle_calls[i] = arena_copy(texts, t->idle_calls[i], strlen(t->idle_calls[i]));
        if (!t->gil_holder)
                return;
        holder = arena_alloc(texts, sizeof(*holder));
        *holder = *t->gil_holder;
        holder->name = arena_copy(texts, holder->name, strlen(holder->name));
        holder->file = arena_copy(texts, holder->file, strlen(holder->file));
        t->gil_holder = holder;
}

static void make_shown(struct live_wall *w, const struct wall_totals *before)
{
        const struct wall_totals start = {.elapsed_ns = w->zero_ns}, now = totals_of(w);

        arena_release(&w->texts);
        w->texts = (struct arena){0};
        w->since = *w->times;
        w->since.functions = NULL;
        w->since.n_functions = 0;
        copy_texts(&w->since, &w->texts);
        w->now = w->since;
        set_totals(&w->since, &start, &now);
        set_totals(&w->now, before, &now);
}

void live_wall_fill(const struct live_wall *w, struct live_table *table)
{
        table->wall_now = w->now;
        table->wall_since = w->since;
        table->wall_now.shown = table->wall_since.shown = w->shown;
        copy_texts(&table->wall_since, &table->texts);
        copy_texts(&table->wall_now, &table->texts);
}

bool live_wall_has_python(const struct live_wall *w)
{
        return w->has_python;
}

/* --- all --- */

static void begin_anew(struct live_wall *w)
{
        cpu_spans_begin_anew(w->spans, wall_live_begin_anew(w->live, &w->ended));
        begin_log(w);
        wall_times_free(TAKE(w->times));
        w->pieces = NULL;
        w->settled_ns = w->elapsed_ns;
}

static bool is_too_much(const struct live_wall *w, const struct live_wall_sums *sums)
{
        bool is_any = cpu_spans_n(w->spans) + wall_live_n(w->live) > MAX_DIVIDED;

        for (unsigned i = 0; i < LIVE_N_KINDS; i++)
                is_any |= sums->kinds[i].n > sums->kinds[i].max_rows;
        return is_any;
}

void live_wall_end_interval(struct live_wall *w, const struct named_stacks *named, uint64_t elapsed_ns,
                            const struct live_wall_sums *sums)
{
        const struct wall_totals before = totals_of(w);

        divide(w, named, elapsed_ns);
        for (unsigned i = 0; i < LIVE_N_KINDS; i++)
                live_sums_begin_states(&sums->kinds[i]);
        add_functions(w, &sums->kinds[LIVE_FUNCTIONS]);
        add_threads(w, sums);
        for (unsigned i = 0; i < LIVE_N_KINDS; i++)
                live_sums_end_states(&sums->kinds[i], w->shown);
        make_shown(w, &before);
        if (!is_too_much(w, sums))
                return;
        w->settled = totals_of(w);
        for (unsigned i = 0; i < LIVE_N_KINDS; i++)
                live_sums_settle(&sums->kinds[i]);
        begin_anew(w);
}

void live_wall_zero(struct live_wall *w)
{
        if (w->times)
                begin_anew(w);
        w->settled = (struct wall_totals){.elapsed_ns = w->elapsed_ns};
        w->zero_ns = w->elapsed_ns;
}
