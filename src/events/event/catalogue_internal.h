/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables that tools/gen_events.py generates. */
#ifndef CATALOGUE_INTERNAL_H
#define CATALOGUE_INTERNAL_H

#include "catalogue.h"

/* Maps an identification register to a model; sorted by implementer, part, first revision. */
struct catalogue_part {
        uint8_t implementer;
        uint8_t first_revision;
        uint16_t part;
        uint16_t cpu; /* index into catalogue_cpus */
};

struct catalogue_alias {
        const char *alias;
        uint16_t cpu;
};

/* One entry for each pair of name and number. The models list them by index, not by pointer: 12,000 pointers
 * that the loader relocates at each start took 0.2 ms. */
extern const struct catalogue_event catalogue_events[]; /* sorted by name, then number */

extern const struct catalogue_cpu catalogue_cpus[]; /* sorted by id */
extern const size_t catalogue_cpus_n;
extern const struct catalogue_part catalogue_parts[];
extern const size_t catalogue_parts_n;
extern const struct catalogue_alias catalogue_aliases[]; /* sorted by alias */
extern const size_t catalogue_aliases_n;
extern const struct catalogue_metric catalogue_built_in_metrics[];
extern const size_t catalogue_built_in_metrics_n;

#endif
