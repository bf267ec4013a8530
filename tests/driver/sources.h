/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests about samples for a simulated machine. */
#ifndef SOURCES_H
#define SOURCES_H

#include "plans.h"

union source_list {
        struct abi_sources head;
        unsigned char bytes[sizeof(struct abi_sources) + ABI_SOURCES_MAX * sizeof(struct abi_source)];
};

union sample_batch {
        struct abi_samples head;
        unsigned char bytes[1 << 16];
};

/* Sources of CPU 0. */
static inline union source_list source_list_of(uint32_t n, const struct abi_source *sources,
                                               uint32_t chain_max)
{
        union source_list list;

        memset(&list, 0, sizeof(list));
        list.head.n = n;
        list.head.chain_max = chain_max;
        plan_add_unit(&list.head.cpus, 0);
        for (uint32_t i = 0; i < n; i++)
                list.head.sources[i] = sources[i];
        return list;
}

static inline enum request_status source_list_set(struct sim_machine *m, union source_list *list)
{
        return sim_machine_request(m, &plan_owner, ABI_REQUEST_SET_SOURCES, list,
                                   sizeof(list->head) + list->head.n * sizeof(struct abi_source), NULL, 0);
}

static inline enum request_status sample_batch_read(struct sim_machine *m, uint32_t cpu,
                                                    union sample_batch *batch, size_t room)
{
        struct abi_read in = {.unit = cpu};

        return sim_machine_request(m, &plan_owner, ABI_REQUEST_READ_SAMPLES, &in, sizeof(in), batch, room);
}

/* The next sample of a batch; `at` is 0 before the first. NULL after the last. */
static inline const struct abi_sample *sample_batch_next(const union sample_batch *batch, uint32_t *at)
{
        const struct abi_sample *sample = (const void *)(batch->bytes + sizeof(batch->head) + *at);

        if (*at >= batch->head.bytes)
                return NULL;
        *at += sample->bytes;
        return sample;
}

#endif
