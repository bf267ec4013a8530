/* SPDX-License-Identifier: BSD-3-Clause */
/* Arm SPE of a Windows machine as the folder of files that Linux' driver arm_spe_pmu has for it. Depends on
 * no system. */
#ifndef SPE_FILES_H
#define SPE_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"

/* Bits of the event, as in the files of the folder `format`. */
enum {
        SPE_CONFIG_TS = 0,
        SPE_CONFIG_PA = 1,
        SPE_CONFIG_PCT = 2,
        SPE_CONFIG_JITTER = 16,
        SPE_CONFIG_BRANCHES = 32,
        SPE_CONFIG_LOADS = 33,
        SPE_CONFIG_STORES = 34,
        SPE_CONFIG2_LATENCY_BITS = 12,
};

struct spe_files {
        bool only_operations; /* the driver sets only the filters of operations */
        uint32_t n_cpus;
        uint64_t pmsidr; /* PMSIDR_EL1 */
};

/* The shortest interval between two samples, in operations. */
uint32_t spe_min_interval(uint64_t pmsidr);

/* Appends the file; false if there is none. `below` is a path in the folder, "" the folder itself. */
bool spe_files_read(const struct spe_files *files, const char *below, struct buf *out);

/* Calls `each` with the names in a folder until it returns false; false if there is no such folder. */
bool spe_files_list(const struct spe_files *files, const char *below,
                    bool (*each)(void *each_ctx, const char *name), void *each_ctx);

#endif
