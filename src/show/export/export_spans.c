/* SPDX-License-Identifier: BSD-3-Clause */
#include "export_spans.h"

#include <stdlib.h>

#include "mem.h"

static void list_clock(const struct sample_list *samples, const struct export_threads *threads,
                       const struct export_thread *thread, struct export_spans *ret)
{
        uint64_t end = 0;

        for (size_t i = 0; i < thread->n; i++) {
                size_t index = threads->order[thread->first + i].sample;
                const struct listed_sample *sample = sample_list_get(samples, index);
                uint64_t begin = sample_list_begin(samples, index);
                uint64_t shortest = sample_list_knows_begin(samples, index) ? 0 : sample->weight;

                if (i && (sample->is_next || begin < end || begin - end < shortest))
                        begin = end;
                end = begin + sample->weight;
                ret->span[ret->n++] = (struct export_span){begin, end, sample->node};
        }
}

static int compare(const void *a, const void *b)
{
        const uint64_t *x = a, *y = b;

        return (*x > *y) - (*x < *y);
}

/* The median distance of two samples; 1 us if there is only one sample. */
static uint64_t usual_distance(const struct export_timing *order, size_t n)
{
        enum { SHORTEST_NS = 1000 };
        uint64_t *distances = mem_new(n, sizeof(*distances)), ret = SHORTEST_NS;

        for (size_t i = 1; i < n; i++)
                distances[i - 1] = order[i].time_ns - order[i - 1].time_ns;
        if (n > 1) {
                qsort(distances, n - 1, sizeof(*distances), compare);
                ret = distances[(n - 2) / 2];
        }
        free(distances);
        return ret;
}

static void list_event(const struct sample_list *samples, const struct export_threads *threads,
                       const struct export_thread *thread, struct export_spans *ret)
{
        const struct export_timing *order = threads->order + thread->first;
        uint64_t usual = usual_distance(order, thread->n);

        for (size_t i = 0; i < thread->n; i++) {
                uint64_t end = order[i].time_ns, begin = end > usual ? end - usual : 0;

                if (i && (begin < order[i - 1].time_ns || end - order[i - 1].time_ns <= 2 * usual))
                        begin = order[i - 1].time_ns;
                ret->span[ret->n++] =
                        (struct export_span){begin, end, sample_list_get(samples, order[i].sample)->node};
        }
}

void export_spans_list(const struct sample_list *samples, const struct export_threads *threads,
                       const struct export_thread *thread, const struct export_about *about,
                       struct export_spans *ret)
{
        *ret = (struct export_spans){.span = mem_new(thread->n, sizeof(*ret->span))};
        if (about->is_time)
                list_clock(samples, threads, thread, ret);
        else
                list_event(samples, threads, thread, ret);
}

void export_spans_release(struct export_spans *spans)
{
        free(spans->span);
}
