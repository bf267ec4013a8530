/* SPDX-License-Identifier: BSD-3-Clause */
/* The kinds of cores of a machine: the PMU of each, its CPUs, and its model in the catalogue. To describe
 * another machine, use core_model_source, which makes a sysfs tree from a model. */
#ifndef CORE_KIND_H
#define CORE_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "catalogue.h"
#include "event.h"

enum core_vendor { CORE_OTHER, CORE_ARM, CORE_X86 };

struct core_kind {
        char pmu[64]; /* sysfs name */
        uint32_t type;
        uint32_t *cpus; /* sorted; NULL for all CPUs */
        size_t n_cpus;
        enum core_vendor vendor;
        uint64_t midr;                     /* of its first CPU; 0 if unknown */
        const struct catalogue_cpu *model; /* NULL if unknown */
        unsigned n_counters;               /* general-purpose counters; 0 if unknown */
        bool n_counters_measured;          /* false if n_counters comes from the model */
        /* Linux lists events of the ranges 0-0x3f and 0x4000-0x403f when the PMU advertises them. True if it
         * lists most of the model's events there. False in most emulators and virtual machines: the model's
         * other events are then taken as missing. */
        bool model_believed;
        /* The events that the kernel lists in the two ranges, one bit each. lists_events: the list depends on
         * what the PMU advertises, so an event that is not in it does not exist. */
        bool lists_events;
        uint64_t common_events, extended_events;
};

struct core_kinds {
        struct core_kind *items;
        size_t n_items;
        bool pmus_known; /* false: there was no folder of PMUs to read */
};

/* Reads the PMUs from `source`. `ret` is empty if the machine has no core PMU. */
void core_kinds_load(const struct pmu_source *source, struct core_kinds *ret);
void core_kinds_release(struct core_kinds *kinds);

enum core_has { CORE_HAS, CORE_HAS_NOT, CORE_MAY_HAVE };

/* Whether the Arm event `code` counts on this kind of core. The kernel also opens events that the core does
 * not have; they count 0. */
enum core_has core_kind_has(const struct core_kind *kind, uint32_t code);

/* If the core does not have the event, appends a sentence that explains its count of 0, with the event called
 * `name`, and returns true. */
bool core_kind_add_doubt(const struct core_kind *kind, uint32_t code, const char *name, struct buf *out);

/* Makes the sysfs tree of a machine whose cores are all of `model`: PMU "armv8_pmuv3_0" of type 8 with CPUs
 * 0-127, its format fields, the events that Linux lists, and the identification register; for "x86_64", PMU
 * "cpu" of type 4. `model` must outlive it. */
struct pmu_source core_model_source(const struct catalogue_cpu *model);

/* Whether the source is such a tree. */
bool core_model_is(const struct pmu_source *source);

#endif
