/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests to wperf's driver, in one line each. Functions return 0 or a Windows error. */
#ifndef WDM_REQUESTS_H
#define WDM_REQUESTS_H

#include <string.h>

#include "wdm_client.h"

union wdm_plan {
        struct abi_assign head;
        unsigned char bytes[sizeof(struct abi_assign) + ABI_SLOTS_MAX * sizeof(struct abi_slot)];
};

union wdm_counts {
        struct abi_counts head;
        unsigned char bytes[sizeof(struct abi_counts) + ABI_SLOTS_MAX * sizeof(struct abi_count)];
};

union wdm_sources {
        struct abi_sources head;
        unsigned char bytes[sizeof(struct abi_sources) + ABI_SOURCES_MAX * sizeof(struct abi_source)];
};

union wdm_samples {
        struct abi_samples head;
        unsigned char bytes[sizeof(struct abi_samples) + ABI_READ_MAX_BYTES];
};

static inline void wdm_add(struct abi_set *set, uint32_t i)
{
        set->bits[i / 64] |= UINT64_C(1) << i % 64;
}

/* *ret is of enum abi_lock_status. */
static inline DWORD wdm_lock(HANDLE device, bool force, uint32_t *ret)
{
        struct abi_lock in = {.force = force};
        struct abi_lock_answer out = {.status = 99};
        DWORD error = wdm_request(device, ABI_REQUEST_LOCK, &in, sizeof(in), &out, sizeof(out));

        *ret = out.status;
        return error;
}

/* Slots with the codes first, first + 1 ... on units 0 to n_units - 1. */
static inline void wdm_plan_fill(union wdm_plan *plan, uint32_t class, uint32_t n_units, uint32_t first,
                                 uint32_t n, uint32_t window)
{
        memset(plan, 0, sizeof(*plan));
        plan->head.class = class;
        plan->head.n_slots = n;
        plan->head.window = window;
        plan->head.period_ms = 1;
        for (uint32_t i = 0; i < n_units; i++)
                wdm_add(&plan->head.units, i);
        for (uint32_t i = 0; i < n; i++)
                plan->head.slots[i].code = first + i;
}

static inline DWORD wdm_assign(HANDLE device, const union wdm_plan *plan)
{
        return wdm_request(device, ABI_REQUEST_ASSIGN, plan,
                           sizeof(plan->head) + plan->head.n_slots * sizeof(struct abi_slot), NULL, 0);
}

static inline DWORD wdm_set_sources(HANDLE device, const union wdm_sources *sources)
{
        return wdm_request(device, ABI_REQUEST_SET_SOURCES, sources,
                           sizeof(sources->head) + sources->head.n * sizeof(struct abi_source), NULL, 0);
}

static inline DWORD wdm_start(HANDLE device, bool keep)
{
        struct abi_start in = {.keep = keep};

        return wdm_request(device, ABI_REQUEST_START, &in, sizeof(in), NULL, 0);
}

static inline DWORD wdm_stop(HANDLE device)
{
        return wdm_request(device, ABI_REQUEST_STOP, NULL, 0, NULL, 0);
}

static inline DWORD wdm_read(HANDLE device, uint32_t class, uint32_t unit, union wdm_counts *ret)
{
        struct abi_read in = {.class = class, .unit = unit};

        return wdm_request(device, ABI_REQUEST_READ_COUNTS, &in, sizeof(in), ret, sizeof(*ret));
}

static inline DWORD wdm_read_samples(HANDLE device, uint32_t cpu, union wdm_samples *ret)
{
        struct abi_read in = {.unit = cpu};

        return wdm_request(device, ABI_REQUEST_READ_SAMPLES, &in, sizeof(in), ret, sizeof(*ret));
}

#endif
