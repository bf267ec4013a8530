/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of event_manual share: the pages, and the search for what was meant. */
#ifndef MANUAL_INTERNAL_H
#define MANUAL_INTERNAL_H

#include "event_manual.h"

struct manual_writer {
        const struct event_facts *facts;
        event_manual_field_fn *field;
        void *ctx;
        bool foreign; /* the page is of a CPU that this machine does not have, and was not asked for */
};

/* A name of the user's text. */
struct manual_name {
        const char *at;
        size_t len;
};

void manual_add_metric(const struct manual_writer *w, const struct catalogue_cpu *cpu,
                       const struct catalogue_metric *metric);
void manual_add_group(const struct manual_writer *w, const struct catalogue_cpu *cpu,
                      const struct catalogue_group *group);

/* `cpu` NULL: of a unit, with its `prefix`. */
void manual_add_event(const struct manual_writer *w, const struct catalogue_cpu *cpu, const char *prefix,
                      const struct catalogue_event *event);
void manual_add_generic(const struct manual_writer *w, const struct generic_event *event);
void manual_add_extra_event(const struct manual_writer *w, const struct extra_event *event);
void manual_add_extra_metric(const struct manual_writer *w, const struct extra_metric *metric);
void manual_add_pmu_event(const struct manual_writer *w, const struct pmu *pmu, const char *name);

/* A model that has the name, Neoverse ones first; NULL when there is none. */
const struct catalogue_cpu *manual_find_model(struct manual_name name);

/* Writes that the name is not known for `cpu` (NULL: this machine), and what is.  Always returns false. */
bool manual_explain_unknown(const struct event_facts *facts, const struct catalogue_cpu *cpu,
                            struct manual_name name, struct err *err);

#endif
