/* SPDX-License-Identifier: BSD-3-Clause */
/* The pages of `man`: everything known about a name, field by field. */
#ifndef EVENT_MANUAL_H
#define EVENT_MANUAL_H

#include "event_facts.h"

/* `field` is CPU, NAME, EVENTS or METRICS, DESCRIPTION, FORMULA or UNIT. A name has some of them; CPU begins
 * a page. */
typedef void event_manual_field_fn(void *ctx, const char *field, const char *text);

/* Explains names. Each word is a comma-separated list of [CPU/]NAME, /dsu/NAME (or another unit), or
 * PMU/EVENT/. A name is a metric, an event or a group of the CPU, in this order, else one that the user, the
 * kernel or a PMU defines. If the machine's cores are not in the catalogue, it may belong to any model.
 * ERR_MISSING, with the nearest name, if a name is unknown; `field` may have been called for the names before
 * it. */
bool event_manual(const struct event_facts *facts, char *const *words, size_t n_words,
                  event_manual_field_fn *field, void *ctx, struct err *err);

#endif
