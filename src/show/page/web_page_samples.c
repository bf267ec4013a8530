/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples as rows of time, stack, number and weight.  Times are in ticks, weights in units, so small that
 * nobody sees the difference, because small numbers pack well.  If there are too many samples, those of one
 * thread with the same stack and the same tick become one row, and ticks become longer. */
#include <stdlib.h>

#include "export_threads.h"
#include "map.h"
#include "mem.h"
#include "web_page_internal.h"

enum {
        MIN_TICK_NS = 1000,
        TICKS = 1 << 20,          /* in the run, at most */
        MOST_MERGED_TICKS = 8192, /* in the run, if rows are merged */
        FEWEST_TICKS = 256,       /* in the run, however many samples there are */
        UNITS = 4096,             /* in the mean weight of a sample */
};

struct sample_row {
        uint64_t tick, count, weight;
        uint32_t stack;
};

/* The rows of an event, one thread after the other. */
struct sample_rows {
        struct sample_row *items;
        size_t n, cap;
        size_t *n_of_thread;
        uint64_t tick_ns;
};

struct sample_writing {
        const struct web_page *page;
        const struct web_page_stacks *stacks;
        struct strpool *texts;
        struct map by_thread;          /* pid and tid -> number + 1 */
        struct web_page_table threads; /* pid, tid, name, name of the process */
        uint64_t start_ns, end_ns;     /* of the first and the last sample of any event */
        struct buf *out;
};

static uint32_t find_thread(struct sample_writing *w, const struct export_thread *thread)
{
        uint64_t *known =
                map_put(&w->by_thread, (uint64_t)(uint32_t)thread->pid << 32 | (uint32_t)thread->tid, NULL);

        if (!*known) {
                const char *name = sample_list_text(w->page->samples, thread->name);
                const char *process = sample_list_text(w->page->samples, thread->process_name);

                web_page_table_add(&w->threads,
                                   (const uint32_t[]){(uint32_t)thread->pid, (uint32_t)thread->tid,
                                                      web_page_add_text(w->texts, name),
                                                      web_page_add_text(w->texts, process)});
                *known = w->threads.n;
        }
        return (uint32_t)*known - 1;
}

static void find_span(struct sample_writing *w)
{
        w->start_ns = UINT64_MAX;
        for (size_t i = 0; i < sample_list_n(w->page->samples); i++) {
                const struct listed_sample *sample = sample_list_get(w->page->samples, i);

                if (!web_page_wants(w->page, sample->event))
                        continue;
                w->start_ns = sample->time_ns < w->start_ns ? sample->time_ns : w->start_ns;
                w->end_ns = sample->time_ns > w->end_ns ? sample->time_ns : w->end_ns;
        }
        if (w->start_ns > w->end_ns)
                w->start_ns = w->end_ns;
}

/* --- Rows --- */

static struct sample_row row_of(const struct sample_writing *w, const struct export_threads *threads,
                                size_t index, uint64_t tick_ns)
{
        const struct listed_sample *sample = sample_list_get(w->page->samples, threads->order[index].sample);

        return (struct sample_row){
                .tick = (sample->time_ns - w->start_ns) / tick_ns,
                .count = !sample->is_part,
                .weight = sample->weight,
                .stack = w->stacks->of_node[sample->node],
        };
}

static int compare_stacks(const void *a, const void *b)
{
        const struct sample_row *x = a, *y = b;

        return (x->stack > y->stack) - (x->stack < y->stack);
}

/* Merges the rows of one stack; all are of the same thread and tick. */
static size_t merge_tick(struct sample_row *rows, size_t n)
{
        size_t n_merged = 0;

        if (n > 1)
                qsort(rows, n, sizeof(*rows), compare_stacks);
        for (size_t i = 0; i < n; i++) {
                if (n_merged && rows[n_merged - 1].stack == rows[i].stack) {
                        rows[n_merged - 1].count += rows[i].count;
                        rows[n_merged - 1].weight += rows[i].weight;
                } else {
                        rows[n_merged++] = rows[i];
                }
        }
        return n_merged;
}

static void list_thread(const struct sample_writing *w, const struct export_threads *threads,
                        const struct export_thread *thread, bool merges, struct sample_rows *rows)
{
        size_t begin = rows->n;

        for (size_t i = 0; i <= thread->n; i++) {
                struct sample_row row = {0};

                if (i < thread->n)
                        row = row_of(w, threads, thread->first + i, rows->tick_ns);
                if (merges && rows->n > begin && (i == thread->n || rows->items[begin].tick != row.tick)) {
                        rows->n = begin + merge_tick(rows->items + begin, rows->n - begin);
                        begin = rows->n;
                }
                if (i < thread->n)
                        ARRAY_PUSH(rows->items, rows->n, rows->cap, row);
        }
}

static void list_rows(const struct sample_writing *w, const struct export_threads *threads, uint64_t tick_ns,
                      bool merges, struct sample_rows *rows)
{
        rows->n = 0;
        rows->tick_ns = tick_ns;
        for (size_t i = 0; i < threads->n; i++) {
                size_t before = rows->n;

                list_thread(w, threads, &threads->thread[i], merges, rows);
                rows->n_of_thread[i] = rows->n - before;
        }
}

static void make_rows(const struct sample_writing *w, const struct export_threads *threads,
                      struct sample_rows *rows)
{
        size_t max = w->page->max_samples ? w->page->max_samples : WEB_PAGE_MAX_SAMPLES;
        uint64_t run_ns = w->end_ns - w->start_ns, tick_ns = run_ns / TICKS;

        *rows = (struct sample_rows){.n_of_thread = mem_new(threads->n, sizeof(*rows->n_of_thread))};
        if (tick_ns < MIN_TICK_NS)
                tick_ns = MIN_TICK_NS;
        list_rows(w, threads, tick_ns, false, rows);
        while (rows->n > max && run_ns / tick_ns > FEWEST_TICKS) {
                tick_ns = tick_ns * 4 > run_ns / MOST_MERGED_TICKS ? tick_ns * 4 : run_ns / MOST_MERGED_TICKS;
                list_rows(w, threads, tick_ns, true, rows);
        }
}

/* --- Writing --- */

/* A weight is a number of units; the unit is a fraction, to be exact. */
struct weight_unit {
        uint64_t part, parts;
};

/* The weight itself if all samples have the same, as those of clocks with a fixed period do. */
static struct weight_unit unit_of(const struct sample_rows *rows)
{
        uint64_t sum = 0, n = 0, first = 0;
        bool is_same;

        if (rows->n && rows->items[0].count)
                first = rows->items[0].weight / rows->items[0].count;
        is_same = first;

        for (size_t i = 0; i < rows->n; i++) {
                sum += rows->items[i].weight;
                n += rows->items[i].count;
                is_same &= rows->items[i].weight == first * rows->items[i].count;
        }
        if (is_same)
                return (struct weight_unit){first, 1};
        return sum > n * UNITS ? (struct weight_unit){sum, n * UNITS} : (struct weight_unit){1, 1};
}

static void add_column(const struct sample_rows *rows, uint64_t (*value)(const struct sample_row *, double),
                       double scale, struct buf *out)
{
        for (size_t i = 0; i < rows->n; i++)
                buf_add_uleb(out, value(&rows->items[i], scale));
}

static uint64_t stack_of(const struct sample_row *row, double scale)
{
        (void)scale;
        return row->stack;
}

static uint64_t count_of(const struct sample_row *row, double scale)
{
        (void)scale;
        return row->count;
}

static uint64_t count_samples(const struct sample_rows *rows)
{
        uint64_t n = 0;

        for (size_t i = 0; i < rows->n; i++)
                n += rows->items[i].count;
        return n;
}

static uint64_t weight_of(const struct sample_row *row, double scale)
{
        return (uint64_t)((double)row->weight * scale + 0.5);
}

static void add_times(const struct sample_rows *rows, const struct export_threads *threads, struct buf *out)
{
        size_t at = 0;

        for (size_t i = 0; i < threads->n; i++) {
                uint64_t before = 0;

                for (size_t end = at + rows->n_of_thread[i]; at < end; at++) {
                        buf_add_uleb(out, rows->items[at].tick - before);
                        before = rows->items[at].tick;
                }
        }
}

static void add_event(struct sample_writing *w, const struct web_page_event *event)
{
        struct export_threads threads;
        struct sample_rows rows;
        struct weight_unit unit;

        export_threads_list(w->page->samples, event->index, &threads);
        make_rows(w, &threads, &rows);
        unit = unit_of(&rows);
        buf_add_uleb(w->out, web_page_add_text(w->texts, event->about->event));
        buf_add_uleb(w->out, event->about->is_time);
        buf_add_uleb(w->out, unit.part);
        buf_add_uleb(w->out, unit.parts);
        buf_add_uleb(w->out, rows.tick_ns);
        buf_add_uleb(w->out, count_samples(&rows));
        buf_add_uleb(w->out, threads.n);
        for (size_t i = 0; i < threads.n; i++) {
                buf_add_uleb(w->out, find_thread(w, &threads.thread[i]));
                buf_add_uleb(w->out, rows.n_of_thread[i]);
        }
        add_times(&rows, &threads, w->out);
        add_column(&rows, stack_of, 0, w->out);
        add_column(&rows, count_of, 0, w->out);
        add_column(&rows, weight_of, (double)unit.parts / (double)unit.part, w->out);
        export_threads_release(&threads);
        free(rows.items);
        free(rows.n_of_thread);
}

void web_page_samples_write(const struct web_page *page, const struct web_page_stacks *stacks,
                            struct strpool *texts, struct buf *out)
{
        struct sample_writing w = {
                .page = page, .stacks = stacks, .texts = texts, .threads = {.n_fields = 4}, .out = out};

        find_span(&w);
        buf_add_uleb(out, w.end_ns - w.start_ns);
        buf_add_uleb(out, page->n_events);
        for (size_t i = 0; i < page->n_events; i++)
                add_event(&w, &page->events[i]);
        web_page_table_write(&w.threads, out);
        web_page_table_release(&w.threads);
        map_release(&w.by_thread);
}
