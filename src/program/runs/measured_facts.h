/* SPDX-License-Identifier: BSD-3-Clause */
/* What a session says of the machine, for a comparison. */
#ifndef MEASURED_FACTS_H
#define MEASURED_FACTS_H

#include "perfdata_reader.h"
#include "run_values.h"

/* Adds machine, processor, number of CPUs, architecture and kernel to the last run, as far as they are
 * known. */
void measured_facts_add(struct run_values *values, const struct perfdata_reader *reader);

#endif
