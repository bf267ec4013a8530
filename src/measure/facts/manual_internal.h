/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of event_manual: writing pages, and finding the nearest name. */
#ifndef MANUAL_INTERNAL_H
#define MANUAL_INTERNAL_H

#include "event_manual.h"

struct manual_writer {
        const struct event_facts *facts;
        event_manual_field_fn *field;
        void *ctx;
        bool foreign; /* the page is for a CPU that neither this machine has nor the user named */
};

/* A name within the user's text. */
struct manual_name {
        const char *at;
        size_t len;
};

/* Whether it is this name, in any case. */
bool manual_is_name(struct manual_name name, const char *text);

void manual_add_metric(const struct manual_writer *w, const struct catalogue_cpu *cpu,
                       const struct catalogue_metric *metric);
void manual_add_group(const struct manual_writer *w, const struct catalogue_cpu *cpu,
                      const struct catalogue_group *group);

void manual_add_event(const struct manual_writer *w, const struct catalogue_cpu *cpu,
                      const struct catalogue_event *event);
void manual_add_block_event(const struct manual_writer *w, const struct pmu_block *block,
                            const struct pmu_block_class *class, const struct pmu_block_event *event);
void manual_add_generic(const struct manual_writer *w, const struct generic_event *event);
void manual_add_extra_event(const struct manual_writer *w, const struct extra_event *event);
void manual_add_extra_metric(const struct manual_writer *w, const struct extra_metric *metric);
void manual_add_pmu_event(const struct manual_writer *w, const struct pmu *pmu, const char *name);

/* A model that has the name, preferably a Neoverse; NULL if there is none. */
const struct catalogue_cpu *manual_find_model(struct manual_name name);

/* Sets an error which says that the name is unknown for `cpu` (NULL for this machine), and suggests another.
 * Always returns false. */
bool manual_explain_unknown(const struct event_facts *facts, const struct catalogue_cpu *cpu,
                            struct manual_name name, struct err *err);

#endif
