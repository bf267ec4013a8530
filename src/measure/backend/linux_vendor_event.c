/* SPDX-License-Identifier: BSD-3-Clause */
/* Vendor names of events of x86 cores (INST_RETIRED.ANY_P), which Linux does not list. They come from
 * libpfm4, which detects this machine's CPU. The library is loaded only for such a name, because its tables
 * would add 0.6 ms to every start. */
#include <perfmon/pfmlib.h>
#include <stdlib.h>

#include "linux_events.h"
#include "os.h"

/* The kernel sets these bits of an event select register itself: USR, OS, PC, INT and EN. */
#define KERNEL_BITS (1ull << 16 | 1ull << 17 | 1ull << 19 | 1ull << 20 | 1ull << 22)

struct pfm {
        __typeof__(pfm_initialize) *initialize;
        __typeof__(pfm_get_event_encoding) *get_event_encoding;
        __typeof__(pfm_get_event_info) *get_event_info;
        __typeof__(pfm_get_pmu_info) *get_pmu_info;
};

/* The library is not unloaded: it keeps what it detected about the CPU. */
static bool pfm_load(struct pfm *pfm)
{
        struct os_library *library = os_library_open("libpfm.so.4", NULL);

        return library && os_library_find(library, "pfm_initialize", &pfm->initialize) &&
               os_library_find(library, "pfm_get_event_encoding", &pfm->get_event_encoding) &&
               os_library_find(library, "pfm_get_event_info", &pfm->get_event_info) &&
               os_library_find(library, "pfm_get_pmu_info", &pfm->get_pmu_info) &&
               pfm->initialize() == PFM_SUCCESS;
}

static bool is_core_event(const struct pfm *pfm, int index)
{
        pfm_event_info_t event = {.size = sizeof(event)};
        pfm_pmu_info_t pmu = {.size = sizeof(pmu)};

        return pfm->get_event_info(index, PFM_OS_NONE, &event) == PFM_SUCCESS &&
               pfm->get_pmu_info(event.pmu, &pmu) == PFM_SUCCESS && pmu.is_present &&
               pmu.type == PFM_PMU_TYPE_CORE;
}

bool linux_vendor_event_find(void *ctx, const char *name, struct vendor_event *ret)
{
        uint64_t *codes = NULL;
        int n_codes = 0, index = -1;
        struct pfm pfm;
        bool found;

        if (!pfm_load(&pfm))
                return false;
        found = pfm.get_event_encoding(name, PFM_PLM3, NULL, &index, &codes, &n_codes) == PFM_SUCCESS &&
                (n_codes == 1 || n_codes == 2) && is_core_event(&pfm, index);
        if (found)
                *ret = (struct vendor_event){codes[0] & ~KERNEL_BITS, n_codes == 2,
                                             n_codes == 2 ? codes[1] : 0};
        free(codes);
        return found;
}
