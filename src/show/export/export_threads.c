/* SPDX-License-Identifier: BSD-3-Clause */
#include "export_threads.h"

#include <stdlib.h>

#include "map.h"
#include "mem.h"

struct thread_listing {
        const struct sample_list *samples;
        uint32_t event;
        struct export_threads *threads;
        struct map by_tid; /* TID -> thread + 1 */
};

static const struct listed_sample *get_wanted(const struct thread_listing *l, size_t index)
{
        const struct listed_sample *sample = sample_list_get(l->samples, index);

        return sample->event == l->event ? sample : NULL;
}

static struct export_thread *find_thread(struct thread_listing *l, const struct listed_sample *sample)
{
        struct export_threads *threads = l->threads;
        uint64_t *known =
                map_put(&l->by_tid, (uint64_t)(uint32_t)sample->pid << 32 | (uint32_t)sample->tid, NULL);

        if (!*known) {
                struct export_thread thread = {.pid = sample->pid, .tid = sample->tid};

                ARRAY_PUSH(threads->thread, threads->n, threads->cap, thread);
                *known = threads->n;
        }
        return &threads->thread[*known - 1];
}

/* Programs name their threads after they have started them, so the last name is used. */
static void list_threads(struct thread_listing *l)
{
        struct export_threads *threads = l->threads;
        size_t n = sample_list_n(l->samples), at = 0;

        threads->start_ns = UINT64_MAX;
        for (size_t i = 0; i < n; i++) {
                const struct listed_sample *sample = get_wanted(l, i);
                struct export_thread *thread = sample ? find_thread(l, sample) : NULL;

                if (!thread)
                        continue;
                if (!thread->n++ || *sample_list_text(l->samples, sample->comm))
                        thread->name = sample->comm;
                threads->n_samples++;
                threads->start_ns = sample->time_ns < threads->start_ns ? sample->time_ns : threads->start_ns;
                threads->end_ns = sample->time_ns > threads->end_ns ? sample->time_ns : threads->end_ns;
        }
        if (!threads->n_samples)
                threads->start_ns = 0;
        for (size_t i = 0; i < threads->n; i++) {
                threads->thread[i].first = at;
                at += threads->thread[i].n;
        }
}

static int compare_times(const void *a, const void *b)
{
        const struct export_timing *x = a, *y = b;

        if (x->time_ns != y->time_ns)
                return x->time_ns < y->time_ns ? -1 : 1;
        return (x->sample > y->sample) - (x->sample < y->sample);
}

static void order_samples(struct thread_listing *l)
{
        struct export_threads *threads = l->threads;
        size_t n = sample_list_n(l->samples);

        threads->order = mem_new(threads->n_samples, sizeof(*threads->order));
        for (size_t i = 0; i < threads->n; i++)
                threads->thread[i].n = 0;
        for (size_t i = 0; i < n; i++) {
                const struct listed_sample *sample = get_wanted(l, i);
                struct export_thread *thread = sample ? find_thread(l, sample) : NULL;

                if (thread)
                        threads->order[thread->first + thread->n++] =
                                (struct export_timing){sample->time_ns, (uint32_t)i};
        }
        for (size_t i = 0; i < threads->n; i++)
                qsort(threads->order + threads->thread[i].first, threads->thread[i].n,
                      sizeof(*threads->order), compare_times);
}

static void name_processes(const struct export_threads *threads)
{
        struct map by_pid = {0};

        for (size_t i = 0; i < threads->n; i++) {
                const struct export_thread *thread = &threads->thread[i];
                uint64_t *known = map_put(&by_pid, (uint32_t)thread->pid, NULL);

                if (!*known || thread->pid == thread->tid)
                        *known = i + 1;
        }
        for (size_t i = 0; i < threads->n; i++) {
                const uint64_t *known = map_find(&by_pid, (uint32_t)threads->thread[i].pid);

                threads->thread[i].process_name = threads->thread[*known - 1].name;
        }
        map_release(&by_pid);
}

void export_threads_list(const struct sample_list *samples, uint32_t event, struct export_threads *ret)
{
        struct thread_listing l = {.samples = samples, .event = event, .threads = ret};

        *ret = (struct export_threads){0};
        list_threads(&l);
        order_samples(&l);
        name_processes(ret);
        map_release(&l.by_tid);
}

void export_threads_release(struct export_threads *threads)
{
        free(threads->thread);
        free(threads->order);
}
