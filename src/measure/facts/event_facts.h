/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known about a machine's events before anything is measured: its cores, its PMUs, and the events and
 * metrics that the user defines. The machine is this one, one whose /sys was copied, or one with cores of a
 * given model. */
#ifndef EVENT_FACTS_H
#define EVENT_FACTS_H

#include <stdbool.h>

#include "core_kind.h"
#include "err.h"
#include "extra_event.h"
#include "generic_event.h"
#include "pmu.h"
#include "pmu_block.h"

struct event_facts_request {
        bool force_lock;          /* Windows: take the driver from another process */
        const char *cpu_model;    /* NULL for none */
        const char *sysfs;        /* a directory to use as the root directory; NULL for none */
        const char *extra_events; /* -E; NULL for none */
        const char *metrics_file; /* -C; NULL for none */
};

enum { EVENT_FACTS_BLOCKS_MAX = 32 };

/* A block that the machine has, and the first of its PMUs. */
struct machine_block {
        const struct pmu_block *block;
        struct pmu *pmu;
};

struct event_facts {
        bool this_machine;  /* events can be opened to ask the kernel */
        struct err unknown; /* why this machine's PMUs are not known; ERR_NONE if they are */
        const struct catalogue_cpu *asked_model;
        struct pmu_source source;
        struct pmu_table pmus;
        struct core_kinds kinds;
        struct extra_names extra;
        struct machine_block blocks[EVENT_FACTS_BLOCKS_MAX];
        size_t n_blocks;
        bool has_spe;
        bool has_kernel; /* a Linux machine with software events, not just a core model */
};

/* Selects the source of a machine's facts: the model `cpu_model`, the tree `sysfs`, or this machine if both
 * are NULL. *ret_model is NULL unless `cpu_model` is given. ERR_USAGE if both are given, or if the model is
 * unknown. */
bool event_facts_source(const char *cpu_model, const char *sysfs, struct pmu_source *ret,
                        const struct catalogue_cpu **ret_model, struct err *err);

/* Do not move `ret` until it is released. ERR_USAGE if --cpu-model and --sysfs are both given, or if the
 * model is unknown; else the errors of extra_source_read(). */
bool event_facts_load(const struct event_facts_request *request, struct event_facts *ret, struct err *err);

/* As event_facts_load(), for the tree of `source`, which is another machine's. Cannot fail. */
void event_facts_load_tree(struct pmu_source source, struct event_facts *ret);
void event_facts_release(struct event_facts *facts);

/* Whether nothing hides what this machine has. False with facts->unknown if there is a driver that can't be
 * asked, because another process has its lock for example: a list without its events would be wrong. It is
 * right if there is no driver. */
bool event_facts_are_known(const struct event_facts *facts, struct err *err);

/* Finds a model of the catalogue by its id, case-insensitive. ERR_USAGE with the nearest id if there is
 * none. */
const struct catalogue_cpu *event_facts_find_model(const char *id, struct err *err);

/* The model of a kind of cores: that of the catalogue, else the requested model, else armv8-a for an Arm
 * core, else NULL. */
const struct catalogue_cpu *event_facts_model(const struct event_facts *facts, size_t kind);

/* Whether the machine can count a core event of an Arm model: the best result of all kinds of cores whose
 * model has the event. */
enum core_has event_facts_core_has(const struct event_facts *facts, const struct catalogue_event *event);

/* Whether the kernel can count one of its own events. Opens the event if the facts are this machine's. */
bool event_facts_has_generic(const struct event_facts *facts, const struct generic_event *event);

/* The machine's block for a PMU, and its class `name` ("dsu"); NULL if the machine has none. */
const struct pmu_block *event_facts_block_of(const struct event_facts *facts, const struct pmu *pmu);
const struct pmu_block_class *event_facts_find_class(const struct event_facts *facts, const char *name,
                                                     size_t len);

/* Built-in metrics need Arm cores. Those of PMU blocks need their block. */
bool event_facts_has_built_in(const struct event_facts *facts, const struct catalogue_metric *metric);

#endif
