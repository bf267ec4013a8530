/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of CPUs beyond what the kernel tells: events, metrics and groups of metrics by model.  Facts
 * from data/, compiled in by tools/gen_events.py; nothing here is allocated or changes. */
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
        const char *events;  /* in order, joined by commas: what has to be counted */
        const char *formula; /* over names of events, numbers, + - * / ( ); NULL: the counts are the metric */
        const char *unit;    /* "percent of cycles"; NULL: none */
};

struct catalogue_group {
        const char *name;
        const char *title;
        const char *metrics; /* in order, joined by commas */
};

struct catalogue_cpu {
        const char *id;           /* "neoverse-n1"; "armv8-a", "armv9-a" and "x86_64" stand for any core */
        const char *name;         /* "Neoverse N1" */
        const char *architecture; /* "armv8.2-a" */
        const char *pmu_architecture; /* "pmu_v3"; NULL: not known */
        uint8_t implementer;          /* of MIDR_EL1; 0 for those that stand for any core */
        uint16_t part;
        uint8_t first_revision; /* variant << 4 | revision from which this entry holds: 0x03 for r0p3 */
        uint8_t n_slots;        /* instructions a cycle at best; 0: not known */
        uint8_t n_counters;     /* general-purpose counters; 0: not known */
        const uint16_t *events; /* catalogue_get_event has them; sorted by name */
        const uint16_t *events_by_code; /* the same, sorted by number */
        size_t n_events;
        const struct catalogue_metric
                *metrics; /* in the order of `list`; its own, without the built-in ones */
        size_t n_metrics;
        const struct catalogue_group *groups;
        size_t n_groups;
};

/* All models, sorted by id. */
size_t catalogue_n_cpus(void);
const struct catalogue_cpu *catalogue_get_cpu(size_t index);

/* By id or one of its other spellings ("neoverse-n2-r0p0"), in any case; NULL when there is none. */
const struct catalogue_cpu *catalogue_find_cpu(const char *id);

/* The other spellings: fills *ret_alias and *ret_id for `index` from 0, or returns NULL at the end. */
const char *catalogue_get_alias(size_t index, const char **ret_id);

/* The model of an Arm core, by implementer, part and revision.  A core that is not known is "armv8-a", or "armv9-a"
 * where the part says so; never NULL. */
const struct catalogue_cpu *catalogue_cpu_from_midr(uint64_t midr);

/* In the order of names.  Models share the entries: one for each name and number there is. */
const struct catalogue_event *catalogue_get_event(const struct catalogue_cpu *cpu, size_t index);

/* By name (`len` bytes, any case) or number; NULL when the model has none. */
const struct catalogue_event *catalogue_find_event(const struct catalogue_cpu *cpu, const char *name,
                                                   size_t len);
const struct catalogue_event *catalogue_find_code(const struct catalogue_cpu *cpu, uint32_t code);

/* An event that any model has; the one of armv8-a or armv9-a first. */
const struct catalogue_event *catalogue_find_anywhere(const char *name, size_t len,
                                                      const struct catalogue_cpu **ret_cpu);

/* The model's own metric, else a built-in one (imix, icache, dcache, itlb, dtlb, and l3_cache, ddr_bw of the
 * uncore); `cpu` NULL: built-in ones alone. */
const struct catalogue_metric *catalogue_find_metric(const struct catalogue_cpu *cpu, const char *name,
                                                     size_t len);
const struct catalogue_group *catalogue_find_group(const struct catalogue_cpu *cpu, const char *name,
                                                   size_t len);

/* The built-in metrics in the order of `list`; l3_cache and ddr_bw are the last two. */
const struct catalogue_metric *catalogue_built_in(size_t *ret_n);

/* Units that are larger than a core. */
enum catalogue_uncore { CATALOGUE_DSU, CATALOGUE_DMC_CLK, CATALOGUE_DMC_CLKDIV2, CATALOGUE_UNCORES };

/* Their events, sorted by name. */
const struct catalogue_event *catalogue_uncore_events(enum catalogue_uncore uncore, size_t *ret_n);

#endif
