/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files that fill an event_listing. */
#ifndef LISTING_INTERNAL_H
#define LISTING_INTERNAL_H

#include "event_listing.h"

/* Appends an event. The texts must outlive the listing. */
void listing_add_event(struct event_listing *listing, const char *name, uint64_t number, const char *type,
                       const char *description);

/* Copies a text into the listing. */
const char *listing_keep(struct event_listing *listing, const struct buf *text);

/* Adds the kernel's own events, and those that it describes for its PMUs. */
void listing_add_kernel(struct event_listing *listing, const struct event_facts *facts, bool verbose);

#endif
