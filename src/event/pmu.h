/* SPDX-License-Identifier: BSD-3-Clause */
/* PMUs as /sys/bus/event_source/devices describes them.  A tree may come from another machine or from the
 * user, so nothing in it is believed without a check: names, sizes and numbers have limits. */
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
        PMU_OTHER_EVENTS_MAX = 65536, /* events of all PMUs that are not of cores */
        PMU_CORE_MAX = 16,            /* kinds of cores */
        PMU_NAME_MAX_BYTES = 64,      /* with its NUL; event.h gives as much */
        PMU_EVENTS_MAX = 4096,        /* entries of one events folder */
        PMU_FILE_MAX_BYTES = 65536,   /* a sysfs file is a page, at most 64 KiB */
        PMU_CPU_LIMIT = 16384,        /* CPU numbers */
        PMU_RANGES_MAX = 16,          /* pieces of one format field */
};

struct pmu {
        char name[PMU_NAME_MAX_BYTES];
        bool core;   /* counts for the threads that run on a CPU */
        bool arm;    /* a core PMU of Arm */
        bool uncore; /* counts for something larger than a CPU; without `cpus`, any CPU will do */
        bool loaded; /* what follows is filled in */
        uint32_t type;
        uint32_t *cpus; /* sorted; NULL: no file says so */
        size_t n_cpus;
};

/* An event of a PMU that is not of cores. */
struct pmu_other_event {
        const char *name;
        struct pmu *pmu;
};

/* The PMUs by name; those of cores are loaded, the others are when they are asked for. */
struct pmu_table {
        const struct pmu_source *source;
        struct pmu *items;
        size_t n_items;
        size_t cap;
        struct pmu *cores[PMU_CORE_MAX]; /* by type */
        size_t n_cores;
        bool known;                     /* false: there was no folder of PMUs to read */
        struct pmu_other_event *others; /* after pmu_list_others */
        size_t n_others, cap_others;
        bool others_listed;
        struct arena names;
};

void pmu_table_load(struct pmu_table *table, const struct pmu_source *source);
void pmu_table_release(struct pmu_table *table);

/* The PMU of that name, any case, or NULL; exact spelling first. */
struct pmu *pmu_find(struct pmu_table *table, const char *name, size_t len);

/* Fills `others`, once: hundreds of PMUs need not be listed for an event of the cores. */
void pmu_list_others(struct pmu_table *table);

/* Reads type and CPUs of a PMU that pmu_find returned. */
bool pmu_load(const struct pmu_source *source, struct pmu *pmu, struct err *err);

/* Calls `each` with the name of every event of the PMU, in no order, until it returns false. */
void pmu_each_event(const struct pmu_source *source, const struct pmu *pmu,
                    bool (*each)(void *ctx, const char *name), void *ctx);

/* The spelling of the PMU's event `name`, found in any case, appended to `out`. */
bool pmu_find_event(const struct pmu_source *source, const struct pmu *pmu, const char *name, size_t len,
                    struct buf *out);

/* The text of events/NAME, without its line end, appended. */
bool pmu_read_event(const struct pmu_source *source, const struct pmu *pmu, const char *name, struct buf *out,
                    struct err *err);

/* The config word that the PMU's event `name`, a file of its events folder, stands for. */
bool pmu_event_config(const struct pmu_source *source, const struct pmu *pmu, const char *name,
                      uint64_t *ret_config, struct err *err);

/* Appends the CPUs that share an uncore unit, as the PMU's folder says ("0-3"); false: it does not. */
bool pmu_read_unit_cpus(const struct pmu_source *source, const struct pmu *pmu, struct buf *out);

/* The number in caps/NAME. */
bool pmu_find_cap(const struct pmu_source *source, const struct pmu *pmu, const char *name,
                  uint64_t *ret_value);

/* Where the bits of a term go: "config1:0-7,32-35". */
struct pmu_field {
        unsigned word; /* config, config1, config2, config3 */
        size_t n_ranges;
        struct {
                uint8_t low, high;
        } ranges[PMU_RANGES_MAX]; /* the value's low bits first */
};

bool pmu_field_parse(const char *text, struct pmu_field *ret, struct err *err);
uint64_t pmu_field_max(const struct pmu_field *field);

/* Replaces the field's bits; `value` is at most pmu_field_max. */
void pmu_field_set(const struct pmu_field *field, uint64_t value, struct perf_attr *attr);

uint64_t pmu_field_get(const struct pmu_field *field, const struct perf_attr *attr);

/* 1: found, 0: the PMU has no such field, -1: its description is damaged. */
int pmu_find_field(const struct pmu_source *source, const struct pmu *pmu, const char *name, size_t len,
                   struct pmu_field *ret, struct err *err);

void pmu_each_field(const struct pmu_source *source, const struct pmu *pmu,
                    bool (*each)(void *ctx, const char *name), void *ctx);

/* The attribute's config word of that number. */
uint64_t *pmu_config_word(struct perf_attr *attr, unsigned word);

#endif
