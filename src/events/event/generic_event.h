/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's generic events, which need no description of a PMU: hardware, software and cache events, each
 * with a title. Whether a machine can count them is not known here. */
#ifndef GENERIC_EVENT_H
#define GENERIC_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct generic_event {
        char name[40];
        const char *alias; /* NULL if it has none */
        char title[80];    /* "Level 1 data cache: loads that missed" */
        uint32_t type;     /* PERF_TYPE_HARDWARE, _SOFTWARE or _HW_CACHE */
        uint64_t config;
};

/* Calls `each` with the hardware, software and cache events, in this order, until it returns false. */
void generic_event_each(bool (*each)(void *ctx, const struct generic_event *event), void *ctx);

/* Finds an event by one of its names, in any case. */
bool generic_event_find(const char *name, size_t len, struct generic_event *ret);

#endif
