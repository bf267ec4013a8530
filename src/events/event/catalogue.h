/* SPDX-License-Identifier: BSD-3-Clause */
/* What wperf knows about CPUs beyond what the kernel reports: events, metrics and metric groups of each
 * model. The tables are generated from data/ by tools/gen_events.py; they are constant and nothing here is
 * allocated. */
#ifndef CATALOGUE_H
#define CATALOGUE_H

#include <stddef.h>
#include <stdint.h>

struct catalogue_event {
        const char *name; /* lower case: "ld_spec" */
        const char *title;
        uint16_t code;
};

struct catalogue_metric {
        const char *name;
        const char *title;
        const char *events;  /* the events to count, in order, joined by commas */
        const char *formula; /* names of events, numbers, + - * / ( ); NULL if the counts are the metric */
        const char *unit;    /* "percent of cycles"; NULL if it has no unit */
};

struct catalogue_group {
        const char *name;
        const char *title;
        const char *metrics; /* in order, joined by commas */
};

struct catalogue_cpu {
        const char *id;           /* "neoverse-n1"; "armv8-a", "armv9-a" and "x86_64" are generic models */
        const char *name;         /* "Neoverse N1" */
        const char *architecture; /* "armv8.2-a" */
        const char *pmu_architecture; /* "pmu_v3"; NULL if unknown */
        uint8_t implementer;          /* of MIDR_EL1; 0 for the generic models */
        uint16_t part;
        uint8_t first_revision; /* first variant << 4 | revision that this entry describes: 0x03 for r0p3 */
        uint8_t n_slots;        /* most instructions in a cycle; 0 if unknown */
        uint8_t n_counters;     /* general-purpose counters; 0 if unknown */
        const uint16_t *events; /* sorted by name; use catalogue_get_event */
        const uint16_t *events_by_code; /* the same events sorted by number */
        size_t n_events;
        const struct catalogue_metric *metrics; /* in the order of `list`, without the built-in metrics */
        size_t n_metrics;
        const struct catalogue_group *groups;
        size_t n_groups;
};

/* All models, sorted by id. */
size_t catalogue_n_cpus(void);
const struct catalogue_cpu *catalogue_get_cpu(size_t index);

/* Finds a model by its id or an alias ("neoverse-n2-r0p0"), in any case; NULL if there is none. */
const struct catalogue_cpu *catalogue_find_cpu(const char *id);

/* Aliases of ids: returns alias `index` (from 0) and sets *ret_id, or returns NULL after the last one. */
const char *catalogue_get_alias(size_t index, const char **ret_id);

/* Finds the model of an Arm core by implementer, part and revision; never NULL. A core without a model of its
 * own is "armv8-a", or "armv9-a" if data/armv9-a.json lists its part. */
const struct catalogue_cpu *catalogue_cpu_from_midr(uint64_t midr);

/* The event at `index` in the order of names. Models share their entries: there is one for each pair of name
 * and number. */
const struct catalogue_event *catalogue_get_event(const struct catalogue_cpu *cpu, size_t index);

/* Finds an event by name (`len` bytes, any case) or number; NULL if the model does not have it. */
const struct catalogue_event *catalogue_find_event(const struct catalogue_cpu *cpu, const char *name,
                                                   size_t len);
const struct catalogue_event *catalogue_find_code(const struct catalogue_cpu *cpu, uint32_t code);

/* Finds an event of any model, first in armv8-a and armv9-a, and sets *ret_cpu to its model; NULL if there is
 * none. */
const struct catalogue_event *catalogue_find_anywhere(const char *name, size_t len,
                                                      const struct catalogue_cpu **ret_cpu);

/* The model's own metric, else a built-in one (imix, icache, dcache, itlb, dtlb, and those of PMU blocks).
 * With `cpu` NULL, only the built-in ones. NULL if there is none. */
const struct catalogue_metric *catalogue_find_metric(const struct catalogue_cpu *cpu, const char *name,
                                                     size_t len);
const struct catalogue_group *catalogue_find_group(const struct catalogue_cpu *cpu, const char *name,
                                                   size_t len);

/* The built-in metrics in the order of `list`: first those of the cores, then those of PMU blocks, whose
 * events begin with a slash. */
const struct catalogue_metric *catalogue_built_in(size_t *ret_n);

#endif
