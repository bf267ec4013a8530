/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of a machine's events before anything is measured: its cores, PMUs and the names that the user
 * brings.  The machine is this one, one whose /sys was copied, or one with cores of a model. */
#ifndef EVENT_FACTS_H
#define EVENT_FACTS_H

#include <stdbool.h>

#include "core_kind.h"
#include "err.h"
#include "extra_event.h"
#include "generic_event.h"
#include "pmu.h"

struct event_facts_request {
        const char *cpu_model;    /* NULL: none */
        const char *sysfs;        /* a folder that stands for "/"; NULL: none */
        const char *extra_events; /* -E; NULL: none */
        const char *metrics_file; /* -C; NULL: none */
};

struct event_facts {
        bool this_machine; /* the kernel may be asked by opening events */
        const struct catalogue_cpu *asked_model;
        struct pmu_source source;
        struct pmu_table pmus;
        struct core_kinds kinds;
        struct extra_names extra;
        struct pmu *uncore[CATALOGUE_UNCORES]; /* the first PMU of each; NULL: none */
        bool has_spe;
        bool has_kernel; /* Linux with its software events, not cores alone */
};

/* Where the facts of a machine come from: this one, the model `cpu_model` or the tree `sysfs` (NULL: not that).
 * *ret_model is NULL unless it is a model.  ERR_USAGE: both, or a model that is not known. */
bool event_facts_source(const char *cpu_model, const char *sysfs, struct pmu_source *ret,
                        const struct catalogue_cpu **ret_model, struct err *err);

/* `ret` stays where it is until it is released.  ERR_USAGE: --cpu-model with --sysfs or unknown. */
bool event_facts_load(const struct event_facts_request *request, struct event_facts *ret, struct err *err);

/* The same for the tree of `source`, which is not this machine's. */
void event_facts_load_tree(struct pmu_source source, struct event_facts *ret);
void event_facts_release(struct event_facts *facts);

/* The model of the catalogue, by id in any case; else ERR_USAGE with the nearest one. */
const struct catalogue_cpu *event_facts_find_model(const char *id, struct err *err);

/* The model of a kind of cores: that of the catalogue, armv8-a for a core of Arm that is not in it, else NULL. */
const struct catalogue_cpu *event_facts_model(const struct event_facts *facts, size_t kind);

/* Whether an Arm core event counts there, the best answer of all kinds of cores whose model has it. */
enum core_has event_facts_core_has(const struct event_facts *facts, const struct catalogue_event *event);

/* Whether the kernel can count one of its own events; asked by opening it where that is this machine's. */
bool event_facts_has_generic(const struct event_facts *facts, const struct generic_event *event);

/* "/dsu/", "/dmc_clk/", "/dmc_clkdiv2/" */
const char *event_facts_uncore_prefix(enum catalogue_uncore uncore);

/* Built-in metrics need cores of Arm; l3_cache and ddr_bw need their units as well. */
bool event_facts_has_built_in(const struct event_facts *facts, const struct catalogue_metric *metric);

#endif
