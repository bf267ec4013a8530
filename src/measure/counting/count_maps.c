/* SPDX-License-Identifier: BSD-3-Clause */
#include "count_maps.h"

#include <stdlib.h>
#include <string.h>

#include "attributes.h"

static size_t begin_record(struct buf *out, uint32_t type)
{
        struct perf_header header = {.type = type};
        size_t at = out->len;

        buf_add(out, &header, sizeof(header));
        return at;
}

static void end_record(struct buf *out, size_t at)
{
        uint16_t size;

        buf_add_zeros(out, -(out->len - at) & 7);
        size = (uint16_t)(out->len - at);
        memcpy(out->data + at + offsetof(struct perf_header, size), &size, sizeof(size));
}

static void add_thread(struct buf *out, const struct mapped_thread *thread)
{
        buf_add_u64(out, (uint64_t)(int64_t)thread->tid);
        buf_add(out, thread->name, sizeof(thread->name));
}

static void add_threads(const struct count_maps *maps, struct buf *out)
{
        static const struct mapped_thread all = {.tid = -1};
        size_t at = begin_record(out, PERF_RECORD_THREAD_MAP);

        buf_add_u64(out, maps->n_threads ? maps->n_threads : 1);
        if (!maps->n_threads)
                add_thread(out, &all);
        for (size_t i = 0; i < maps->n_threads; i++)
                add_thread(out, &maps->threads[i]);
        end_record(out, at);
}

/* Sorts UINT32_MAX (any CPU) first, as -1, like perf. */
static int compare_cpus(const void *a, const void *b)
{
        int32_t x = (int32_t) * (const uint32_t *)a, y = (int32_t) * (const uint32_t *)b;

        return (x > y) - (x < y);
}

static void add_cpus(const struct count_maps *maps, struct buf *out)
{
        size_t n = 0, at = begin_record(out, PERF_RECORD_CPU_MAP);

        qsort(maps->cpus, maps->n_cpus, sizeof(*maps->cpus), compare_cpus);
        for (size_t i = 0; i < maps->n_cpus; i++) {
                if (!n || maps->cpus[i] != maps->cpus[n - 1])
                        maps->cpus[n++] = maps->cpus[i];
        }
        buf_add_u16(out, PERF_CPU_MAP_CPUS);
        buf_add_u16(out, (uint16_t)n);
        for (size_t i = 0; i < n; i++)
                buf_add_u16(out, (uint16_t)maps->cpus[i]);
        end_record(out, at);
}

static void add_config(uint32_t interval_ms, struct buf *out)
{
        const uint64_t terms[][2] = {
                {PERF_STAT_CONFIG_AGGR_MODE, PERF_AGGR_GLOBAL},
                {PERF_STAT_CONFIG_INTERVAL, interval_ms},
                {PERF_STAT_CONFIG_SCALE, 1},
        };
        size_t at = begin_record(out, PERF_RECORD_STAT_CONFIG);

        buf_add_u64(out, N_ELEMENTS(terms));
        buf_add(out, terms, sizeof(terms));
        end_record(out, at);
}

void count_maps_add(struct count_maps *maps, struct buf *out)
{
        add_threads(maps, out);
        add_cpus(maps, out);
        add_config(maps->interval_ms, out);
}
