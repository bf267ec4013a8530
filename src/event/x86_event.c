/* SPDX-License-Identifier: BSD-3-Clause */
/* The vendors' names for events of x86 cores (INST_RETIRED.ANY_P), which Linux does not list: from libpfm4, which
 * looks at the CPU that it runs on.  A build without it knows none. */
#include "x86_event.h"

#include <stdlib.h>

#if HAVE_PFM
#include <perfmon/pfmlib.h>

enum { NAME_MAX_BYTES = 128 };

/* What the kernel sets itself in an event select register: USR, OS, PC, INT and EN. */
#define KERNEL_BITS (1ull << 16 | 1ull << 17 | 1ull << 19 | 1ull << 20 | 1ull << 22)

static bool is_core_event(int index)
{
        pfm_event_info_t event = {.size = sizeof(event)};
        pfm_pmu_info_t pmu = {.size = sizeof(pmu)};

        return pfm_get_event_info(index, PFM_OS_NONE, &event) == PFM_SUCCESS &&
               pfm_get_pmu_info(event.pmu, &pmu) == PFM_SUCCESS && pmu.is_present &&
               pmu.type == PFM_PMU_TYPE_CORE;
}

bool x86_event_find(struct span name, struct x86_event *ret)
{
        char text[NAME_MAX_BYTES];
        uint64_t *codes = NULL;
        int n_codes = 0, index = -1;
        bool found;

        if (!span_copy(text, sizeof(text), name) || pfm_initialize() != PFM_SUCCESS)
                return false;
        found = pfm_get_event_encoding(text, PFM_PLM3, NULL, &index, &codes, &n_codes) == PFM_SUCCESS &&
                (n_codes == 1 || n_codes == 2) && is_core_event(index);
        if (found)
                *ret = (struct x86_event){codes[0] & ~KERNEL_BITS, n_codes == 2, n_codes == 2 ? codes[1] : 0};
        free(codes);
        return found;
}

bool x86_event_is_built(void)
{
        return true;
}
#else
bool x86_event_find(struct span name, struct x86_event *ret)
{
        (void)name;
        (void)ret;
        return false;
}

bool x86_event_is_built(void)
{
        return false;
}
#endif
