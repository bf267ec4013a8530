/* SPDX-License-Identifier: BSD-3-Clause */
/* What to measure: turns event text into attributes. The machine's PMUs are read through pmu_source, so that
 * the sysfs tree of another machine can be used too. */
#ifndef EVENT_H
#define EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "err.h"
#include "perf_abi.h"

struct vendor_event {
        uint64_t config;
        bool has_offcore;
        uint64_t offcore; /* for the PMU's field offcore_rsp */
};

/* Reads files of /sys. Paths begin with "/sys/..."; both functions return false if the path does not exist.
 * read_file appends the contents (64 KiB are enough); list_dir calls `each` until it returns false. */
struct pmu_source {
        bool (*read_file)(void *ctx, const char *path, struct buf *out);
        bool (*list_dir)(void *ctx, const char *path, bool (*each)(void *each_ctx, const char *name),
                         void *each_ctx);
        void *ctx;
        /* Finds an event of the x86 vendor for this machine's cores by NAME[.UNIT], in any case. NULL if the
         * tree is another machine's or no library is available. */
        bool (*find_vendor_event)(void *ctx, const char *name, struct vendor_event *ret);
};

struct event {
        /* The displayed name: the user's text without the interval ("cycles:u", "ld_spec"), the value of
         * name=, or "cpu_core/cycles/u" if the name became an event for each kind of core. */
        char name[128];
        char pmu[64]; /* sysfs name of its PMU; "" if the kernel chooses the PMU */
        /* type, config, config1..3, exclude bits, precise level, and period or frequency (PERF_ATTR_FREQ).
         * The collector sets the fields that all events of a session share. */
        struct perf_attr attr;
        uint32_t *cpus; /* CPUs that the PMU serves, sorted; NULL for all */
        size_t n_cpus;
        /* the cores have precise levels and the text has no `p`: the collector uses the highest level */
        bool precise_max;
        bool uncore;             /* counts for a whole package: not per process, and not for sampling */
        bool is_memory;          /* samples accesses to memory: with address, data source and latency */
        bool is_member;          /* belongs to the group whose leader is the event before it */
        bool is_spe;             /* an event of Arm SPE: its samples come through the AUX buffer */
        uint64_t spe_min_period; /* the smallest sample_period that the SPE driver accepts; 0 if unknown */
};

struct event_list {
        struct event *items;
        size_t n_items;
        size_t cap;
};

void event_list_release(struct event_list *list);

struct event_defaults {
        uint64_t freq_hz;    /* for events without an interval; 0: default_hz */
        uint64_t default_hz; /* 0: 999 */
        bool kernel;         /* -k: include the kernel in events without u, k or h */
};

/* Parses the sampling grammar `event[:modifiers][:interval],...`. Modifiers are perf's u, k, p, pp, ppp, h, G
 * and H; the interval is any C number. Names are the generic hardware and software events, hardware cache
 * events, `rNN`, plain numbers, `pmu/term=value,.../modifiers`, tracepoints SYSTEM:NAME, and the events of
 * any PMU in /sys/bus/event_source/devices. On a machine with several kinds of cores, a generic hardware
 * event becomes one item for each core PMU. Without u, k, h and -k the kernel is excluded, except for context
 * switches, migrations and tracepoints, which happen only in the kernel. `defaults` may be NULL; so may
 * `source`: nothing is known about PMUs then. Errors name the column (from 1) and the nearest known name.
 * *ret is set only on success; release it with event_list_release. */
bool event_parse_sampling(const char *text, const struct event_defaults *defaults,
                          const struct pmu_source *source, struct event_list *ret, struct err *err);

/* Checks the modifiers and intervals of events with known names; does not read the machine's PMUs.
 * `longest`: the longest interval of events that CPUs count. */
bool event_check_intervals(const char *text, uint64_t longest, struct err *err);

/* The default of record and sample: cycles if the machine has a core PMU, else cpu-clock. */
bool event_default_sampling(const struct event_defaults *defaults, const struct pmu_source *source,
                            struct event_list *ret, struct err *err);

/* True if the machine has a core PMU; copies its sysfs name to ret_name (64 bytes). */
bool event_has_core_pmu(const struct pmu_source *source, char *ret_name);

/* False if there is no folder of PMUs, as in a container without /sys: the machine's PMUs are unknown. */
bool event_knows_pmus(const struct pmu_source *source);

/* Converts a generic hardware event to the same event by its architectural number on its own PMU. Arm kernels
 * before 6.6 need this: they do not accept a PMU type in the upper half of config. False if `event` is not
 * such an event. *ret shares the CPU list of `event`. */
bool event_by_number(const struct event *event, struct event *ret);

/* Appends a readable form of an attribute, for dry runs and dump, one line for each field that is not 0:
 * "type 1 (software)\n", "config 0x0 (cpu-clock)\n", ... */
void event_describe_attr(const struct perf_attr *attr, struct buf *out);

#endif
