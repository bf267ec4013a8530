/* SPDX-License-Identifier: BSD-3-Clause */
/* PMU blocks: units outside the cores, such as a cluster's cache or a memory controller, with the names and
 * units of their events. The tables are generated from driver/blocks/ by tools/gen_blocks.py; they are
 * constant and nothing here is allocated. */
#ifndef PMU_BLOCK_H
#define PMU_BLOCK_H

#include "core_kind.h"
#include "pmu.h"

struct pmu_block_event {
        const char *name;  /* lower case: "l3d_cache" */
        const char *title; /* "Level 3 cache accesses" */
        const char *unit;  /* what is counted: "accesses" */
        uint64_t code;
};

/* A set of counters with one list of events. */
struct pmu_block_class {
        const char *name; /* "dsu": its events are written /dsu/NAME */
        const char *title;
        /* On Linux: the start of the names in the PMU's events folder, and a field to set for an event that
         * is given by number; linux_field is NULL if there is none. */
        const char *linux_events;
        const char *linux_field;
        uint64_t linux_value;
        uint8_t n_counters;                   /* 0 if unknown */
        uint8_t n_fixed;                      /* counters that count cycles only */
        int32_t cycles_code;                  /* the event that these count; -1 without one */
        const struct pmu_block_event *events; /* sorted by name */
        size_t n_events;
};

struct pmu_block {
        const char *name; /* "dsu-520" */
        const char *title;
        const char *unit;               /* what has one of it: "cluster" */
        const char *acpi, *device_tree; /* ids of the device; NULL for none */
        const char *pmu;                /* "arm_dsu_", the start of its PMUs' names */
        const char *identifiers; /* globs for the PMU's file `identifier`, joined by commas; NULL for any */
        const char *cores;       /* ids of core models that have this block, joined by commas; NULL for any */
        const struct pmu_block_class *classes;
        size_t n_classes;
};

/* All blocks, sorted by name. */
size_t pmu_block_count(void);
const struct pmu_block *pmu_block_get(size_t index);

/* The block that describes a PMU: of those with its name, the one whose identifier or cores the machine
 * has, else one for any machine, else the first; NULL if there is none. `kinds` may be NULL. */
const struct pmu_block *pmu_block_of(const struct pmu_source *source, const struct pmu *pmu,
                                     const struct core_kinds *kinds);

/* The class `name` (`len` bytes, any case) of a block, and of any block; NULL if there is none. */
const struct pmu_block_class *pmu_block_find_class(const struct pmu_block *block, const char *name,
                                                   size_t len);
const struct pmu_block_class *pmu_block_find_class_anywhere(const char *name, size_t len,
                                                            const struct pmu_block **ret_block);

/* Appends the prefixes of all classes: "/cmn/, /dmc_clk/, /dmc_clkdiv2/, /dsu/". */
void pmu_block_add_prefixes(struct buf *out);

/* An event by name (`len` bytes, any case) or number; NULL if the class does not have it. */
const struct pmu_block_event *pmu_block_find_event(const struct pmu_block_class *class, const char *name,
                                                   size_t len);
const struct pmu_block_event *pmu_block_find_code(const struct pmu_block_class *class, uint64_t code);

/* Whether the PMU accepts every event by number. If not, only the events in its folder exist. */
bool pmu_block_takes_numbers(const struct pmu_source *source, const struct pmu *pmu);

/* Appends the name in the PMU's events folder of an event of the class; false, and nothing is appended, if
 * it is not there. */
bool pmu_block_linux_event(const struct pmu_source *source, const struct pmu *pmu,
                           const struct pmu_block_class *class, const char *name, size_t len,
                           struct buf *out);

#endif
