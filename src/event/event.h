/* SPDX-License-Identifier: BSD-3-Clause */
/* What to measure: event text becomes attributes.  Pure: the machine's PMUs are read through pmu_source, so
 * that another machine's sysfs tree answers as well. */
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

/* Where the facts of /sys come from.  Paths begin with "/sys/..."; both return false when it is not there.
 * read_file appends (64 KiB are enough); list_dir goes on until `each` returns false. */
struct pmu_source {
        bool (*read_file)(void *ctx, const char *path, struct buf *out);
        bool (*list_dir)(void *ctx, const char *path, bool (*each)(void *each_ctx, const char *name),
                         void *each_ctx);
        void *ctx;
        /* The vendor's own events of this machine's x86 cores, NAME[.UNIT] in any case.  NULL: another machine's tree, or
         * nobody knows them. */
        bool (*find_vendor_event)(void *ctx, const char *name, struct vendor_event *ret);
};

struct event {
        /* As it is shown: the text of the user without the interval ("cycles:u", "ld_spec"), what name= says, or
         * "cpu_core/cycles/u" where one name became an event for each kind of core. */
        char name[128];
        char pmu[64]; /* sysfs name of its PMU; "" for those that the kernel places itself */
        /* type, config, config1..3, exclude bits, precise level, period or frequency (PERF_ATTR_FREQ); the
         * collector adds what every event of a session has. */
        struct perf_attr attr;
        uint32_t *cpus; /* CPUs that its PMU serves, sorted; NULL: all */
        size_t n_cpus;
        bool precise_max; /* cores with precise levels, no `p` written: the collector takes the highest */
        bool uncore;      /* counts for a whole package: no process, no sampling */
};

struct event_list {
        struct event *items;
        size_t n_items;
        size_t cap;
};

void event_list_release(struct event_list *list);

struct event_defaults {
        uint64_t freq_hz; /* for events without an interval; 0: 999 */
        bool kernel;      /* -k: kernel included where the text has none of u, k, h */
};

/* Parses the sampling grammar `event[:modifiers][:interval],...`; modifiers are u, k, p, pp, ppp, h, G, H of
 * perf, the interval any C number.  Names are the generic hardware and software events, hardware cache events,
 * `rNN`, plain numbers, `pmu/term=value,.../modifiers` and the events of any PMU under
 * /sys/bus/event_source/devices.  On a machine with cores of different kinds a generic hardware event becomes
 * one item for each of their PMUs.  Without u, k, h and -k the kernel is left out, but for switches and
 * migrations, which happen nowhere else.  `defaults` may be NULL, and `source`: nothing is known of the PMUs then.
 * Errors name the column (from 1) and the nearest known name; *ret is set on success only. */
bool event_parse_sampling(const char *text, const struct event_defaults *defaults,
                          const struct pmu_source *source, struct event_list *ret, struct err *err);

/* Complains of modifiers and intervals of known events alone; needs no machine. */
bool event_check_intervals(const char *text, struct err *err);

/* The default of record and sample: cycles where the machine has a core PMU, else cpu-clock. */
bool event_default_sampling(const struct event_defaults *defaults, const struct pmu_source *source,
                            struct event_list *ret, struct err *err);

/* True when the machine has a PMU for its cores; *ret_name (64 bytes) its sysfs name. */
bool event_has_core_pmu(const struct pmu_source *source, char *ret_name);

/* The same event by its architectural number on its own PMU, for Arm kernels before 6.6, which do not take a PMU's
 * type in the upper half of config.  False where that is not what `event` is. */
bool event_by_number(const struct event *event, struct event *ret);

/* A readable form of an attribute, one line a field that is not 0, for dry runs and dump:
 * "type 1 (software)\n", "config 0x0 (cpu-clock)\n", ... */
void event_describe_attr(const struct perf_attr *attr, struct buf *out);

#endif
