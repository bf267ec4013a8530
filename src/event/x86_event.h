/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of events of x86 cores. */
#ifndef X86_EVENT_H
#define X86_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "event_internal.h"

struct x86_event {
        uint64_t config;
        bool has_offcore;
        uint64_t offcore; /* for the PMU's field offcore_rsp */
};

/* The event NAME[.UNIT] of the CPU that this runs on, any case. */
bool x86_event_find(struct span name, struct x86_event *ret);

bool x86_event_is_built(void);

#endif
