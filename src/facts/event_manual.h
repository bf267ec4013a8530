/* SPDX-License-Identifier: BSD-3-Clause */
/* The pages of `man`: what is known of a name, field by field. */
#ifndef EVENT_MANUAL_H
#define EVENT_MANUAL_H

#include "event_facts.h"

/* CPU, NAME, EVENTS or METRICS, DESCRIPTION, FORMULA, UNIT, as far as the name has them; CPU begins a page. */
typedef void event_manual_field_fn(void *ctx, const char *field, const char *text);

/* Each word is a comma-separated list of [CPU/]NAME, of /dsu/NAME and its like, or of PMU/EVENT/.  A name is a metric,
 * an event or a group of the CPU, in this order, else a name of the user's, the kernel's or its PMUs'.  On a machine
 * whose cores are not in the catalogue it may be any model's.  ERR_MISSING says what is nearest; what was told until
 * then is not all. */
bool event_manual(const struct event_facts *facts, char *const *words, size_t n_words,
                  event_manual_field_fn *field, void *ctx, struct err *err);

#endif
