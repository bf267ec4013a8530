/* SPDX-License-Identifier: BSD-3-Clause */
/* The units outside the cores that a driver of Windows counts, and the PMUs that Linux would show for them.
 * Depends on no system. */
#ifndef KERNEL_UNITS_H
#define KERNEL_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "perf_abi.h"
#include "pmu_block.h"

enum { KERNEL_CPUS_MAX = 1024, KERNEL_UNITS_MAX = 256, KERNEL_UNIT_CLASSES_MAX = 64 };

/* A cluster, a memory controller: one PMU. */
struct kernel_unit {
        const struct pmu_block *block;
        uint32_t index;                      /* among the units of its block, from 0 */
        uint32_t number;                     /* in the name of its PMU, block->pmu NUMBER */
        uint32_t cpu;                        /* that programs and reads it */
        uint64_t cpus[KERNEL_CPUS_MAX / 64]; /* that share it, a bit for each; none if unknown */
};

/* A set of counters that each unit of a block has. */
struct kernel_unit_class {
        const struct pmu_block *block;
        const struct pmu_block_class *class;
        uint32_t number;    /* of the class in the driver's requests */
        uint8_t n_counters; /* without the one that counts cycles only */
        bool has_cycles;
};

struct kernel_units {
        struct kernel_unit items[KERNEL_UNITS_MAX];
        size_t n_items;
        struct kernel_unit_class classes[KERNEL_UNIT_CLASSES_MAX];
        size_t n_classes;
};

/* The class `class` of the block `block`, of which there are n_units; `number` and the rest as in struct
 * kernel_unit_class. Adds the units of the block with its first class, unless they were added before. What
 * wperf has no description of, and what is over the limits above, is left out. */
void kernel_units_add_class(struct kernel_units *units, const char *block, const char *class,
                            const struct kernel_unit_class *facts, uint32_t n_units);

/* The unit with this index among those of a block; NULL if there is none. */
struct kernel_unit *kernel_units_find(struct kernel_units *units, const struct pmu_block *block,
                                      uint32_t index);

/* What an event of a unit's PMU is in the driver. */
struct kernel_unit_event {
        const struct kernel_unit *unit;
        const struct kernel_unit_class *class;
        uint32_t code;
};

/* False if `attr` is not of a unit's PMU. */
bool kernel_units_find_event(const struct kernel_units *units, const struct perf_attr *attr,
                             struct kernel_unit_event *ret);

/* The PMUs as a tree of files, with the functions of struct pmu_source. kernel_units_list calls `each` for
 * the PMUs in the folder of all PMUs, too; it returns false where `path` is not one of its folders, and
 * kernel_units_list_pmus false where `each` did. */
bool kernel_units_read(const struct kernel_units *units, const char *path, struct buf *out);
bool kernel_units_list(const struct kernel_units *units, const char *path,
                       bool (*each)(void *each_ctx, const char *name), void *each_ctx);
bool kernel_units_list_pmus(const struct kernel_units *units, bool (*each)(void *each_ctx, const char *name),
                            void *each_ctx);

#endif
