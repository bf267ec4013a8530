/* SPDX-License-Identifier: BSD-3-Clause */
/* PMUs as /sys/bus/event_source/devices describes them. The tree may come from another machine or from the
 * user, so names, sizes and numbers in it are checked against limits. */
#ifndef PMU_H
#define PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "err.h"
#include "event.h"
#include "perf_abi.h"

enum {
        PMU_LIST_MAX = 4096,          /* PMUs of a machine */
        PMU_OTHER_EVENTS_MAX = 65536, /* events of all PMUs that are not core PMUs */
        PMU_CORE_MAX = 16,            /* kinds of cores */
        PMU_NAME_MAX_BYTES = 64,      /* with the NUL; the same as in event.h */
        PMU_EVENTS_MAX = 4096,        /* entries of one events folder */
        PMU_FILE_MAX_BYTES = 65536,   /* a sysfs file has at most 64 KiB */
        PMU_CPU_LIMIT = 16384,        /* CPU numbers */
        PMU_RANGES_MAX = 16,          /* pieces of one format field */
};

struct pmu {
        char name[PMU_NAME_MAX_BYTES];
        bool core;   /* counts per CPU, for the threads that run there */
        bool arm;    /* a core PMU of Arm */
        bool uncore; /* counts for a unit outside the CPUs; without `cpus` it can be opened on any CPU */
        bool loaded; /* pmu_load has filled in the fields below */
        uint32_t type;
        uint32_t *cpus; /* sorted; NULL if no file lists them */
        size_t n_cpus;
};

/* An event of a PMU that is not a core PMU. */
struct pmu_other_event {
        const char *name;
        struct pmu *pmu;
};

/* The PMUs, sorted by name. Core PMUs are loaded; load the others with pmu_load. */
struct pmu_table {
        const struct pmu_source *source;
        struct pmu *items;
        size_t n_items;
        size_t cap;
        struct pmu *cores[PMU_CORE_MAX]; /* sorted by type */
        size_t n_cores;
        bool known;                     /* false if there is no folder of PMUs */
        struct pmu_other_event *others; /* filled by pmu_list_others */
        size_t n_others, cap_others;
        bool others_listed;
        struct arena names;
};

void pmu_table_load(struct pmu_table *table, const struct pmu_source *source);
void pmu_table_release(struct pmu_table *table);

/* Finds a PMU by name, in any case; prefers the exact spelling. NULL if there is none. */
struct pmu *pmu_find(struct pmu_table *table, const char *name, size_t len);

/* Fills `others`, on the first call only. It reads the folders of all PMUs, of which there may be hundreds,
 * so call it only if no core PMU has the event. */
void pmu_list_others(struct pmu_table *table);

/* Reads type and CPUs of a PMU that pmu_find returned. ERR_FORMAT if it has no valid type. */
bool pmu_load(const struct pmu_source *source, struct pmu *pmu, struct err *err);

/* Calls `each` with the name of every event of the PMU, in no particular order, until it returns false. */
void pmu_each_event(const struct pmu_source *source, const struct pmu *pmu,
                    bool (*each)(void *ctx, const char *name), void *ctx);

/* Finds the event `name` of the PMU in any case, and appends its exact spelling to `out`. */
bool pmu_find_event(const struct pmu_source *source, const struct pmu *pmu, const char *name, size_t len,
                    struct buf *out);

/* Appends the text of events/NAME, without the end of line. ERR_IO if it can't be read. */
bool pmu_read_event(const struct pmu_source *source, const struct pmu *pmu, const char *name, struct buf *out,
                    struct err *err);

/* Sets *ret_config to the config word of the PMU's event `name`, a file in its events folder. */
bool pmu_event_config(const struct pmu_source *source, const struct pmu *pmu, const char *name,
                      uint64_t *ret_config, struct err *err);

/* Appends the list of CPUs that share an uncore unit ("0-3"); false if the PMU's folder has none. */
bool pmu_read_unit_cpus(const struct pmu_source *source, const struct pmu *pmu, struct buf *out);

/* Reads the number in caps/NAME; false if there is none. */
bool pmu_find_cap(const struct pmu_source *source, const struct pmu *pmu, const char *name,
                  uint64_t *ret_value);

/* The bits of a term in a config word: "config1:0-7,32-35". */
struct pmu_field {
        unsigned word; /* 0 to 3 for config, config1, config2, config3 */
        size_t n_ranges;
        struct {
                uint8_t low, high;
        } ranges[PMU_RANGES_MAX]; /* for the value's bits from low to high */
};

bool pmu_field_parse(const char *text, struct pmu_field *ret, struct err *err);
uint64_t pmu_field_max(const struct pmu_field *field);

/* Replaces the field's bits; `value` must not exceed pmu_field_max. */
void pmu_field_set(const struct pmu_field *field, uint64_t value, struct perf_attr *attr);

uint64_t pmu_field_get(const struct pmu_field *field, const struct perf_attr *attr);

/* 1: found, 0: the PMU has no such field, -1: its description is invalid. */
int pmu_find_field(const struct pmu_source *source, const struct pmu *pmu, const char *name, size_t len,
                   struct pmu_field *ret, struct err *err);

void pmu_each_field(const struct pmu_source *source, const struct pmu *pmu,
                    bool (*each)(void *ctx, const char *name), void *ctx);

/* The attribute's config word 0 to 3; NULL for another number. */
uint64_t *pmu_config_word(struct perf_attr *attr, unsigned word);

#endif
