/* SPDX-License-Identifier: BSD-3-Clause */
/* The kinds of cores of a machine: which PMU counts on which CPUs, and which model of the catalogue it is.  A
 * machine that is not there can be asked as well: core_model_source gives the sysfs tree of a model. */
#ifndef CORE_KIND_H
#define CORE_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "catalogue.h"
#include "event.h"

enum core_vendor { CORE_OTHER, CORE_ARM, CORE_X86 };

struct core_kind {
        char pmu[64]; /* its sysfs name */
        uint32_t type;
        uint32_t *cpus; /* sorted; NULL: all */
        size_t n_cpus;
        enum core_vendor vendor;
        uint64_t midr;                     /* of its first CPU; 0: not known */
        const struct catalogue_cpu *model; /* NULL: nothing is known of it */
        unsigned n_counters;               /* general-purpose counters; 0: not known */
        bool n_counters_measured;          /* else they are the model's */
        /* The kernel lists most of what the model has in the ranges that it can ask about (0-0x3f, 0x4000-0x403f).  Where it
         * does not, as in most emulators and virtual machines, the other events of the model are not believed. */
        bool model_believed;
        /* What the kernel lists of both ranges, bit by bit; lists_events: it lists by what the PMU advertises. */
        bool lists_events;
        uint64_t common_events, extended_events;
};

struct core_kinds {
        struct core_kind *items;
        size_t n_items;
        bool pmus_known; /* false: there was no folder of PMUs to read */
};

/* Reads what `source` has; an empty list is a machine without a core PMU. */
void core_kinds_load(const struct pmu_source *source, struct core_kinds *ret);
void core_kinds_release(struct core_kinds *kinds);

enum core_has { CORE_HAS, CORE_HAS_NOT, CORE_MAY_HAVE };

/* Whether the Arm event `code` counts on that kind: the kernel opens events that are not there and they read 0. */
enum core_has core_kind_has(const struct core_kind *kind, uint32_t code);

/* Appends one sentence why a count of 0 of that event, called `name`, is none; false where the kind has it or may have it. */
bool core_kind_add_doubt(const struct core_kind *kind, uint32_t code, const char *name, struct buf *out);

/* The sysfs tree of a machine with one kind of cores, of that model: PMU "armv8_pmuv3_0" of type 8 with CPUs 0-127, its
 * format fields and the events of the kernel's ranges, and the identification register; for "x86_64" PMU "cpu" of
 * type 4.  `model` must live on. */
struct pmu_source core_model_source(const struct catalogue_cpu *model);

#endif
