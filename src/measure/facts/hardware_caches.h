/* SPDX-License-Identifier: BSD-3-Clause */
/* The sizes of a machine's caches for data. */
#ifndef HARDWARE_CACHES_H
#define HARDWARE_CACHES_H

#include <stdint.h>

#include "pmu.h"

enum { HARDWARE_CACHE_LEVELS = 4 };

struct hardware_caches {
        uint64_t bytes[HARDWARE_CACHE_LEVELS]; /* of levels 1 to 4, as the first CPU sees them; 0 if not known
                                                */
};

struct hardware_caches hardware_caches_read(const struct pmu_source *source);

#endif
