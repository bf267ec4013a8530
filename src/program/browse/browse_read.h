/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a session in a thread of its own, so that the browser can answer keys. */
#ifndef BROWSE_READ_H
#define BROWSE_READ_H

#include "attributes.h"
#include "browse_session.h"
#include "err.h"
#include "screen.h"

struct browse_read;

/* Copies `request` and its filter, so that keys may change the browser's filter meanwhile; what else it
 * points to must outlive the session and stay as it is.  Wakes `screen` at the end. */
struct browse_read *browse_read_start(const struct report_request *request, struct screen *screen);

bool browse_read_is_done(const struct browse_read *read);

/* Returns the share of the records that was read, 0 to 1; 1 while names are looked up. */
double browse_read_share(const struct browse_read *read);

/* Waits for the end and frees `read`; NULL if reading failed. */
struct browse_session *browse_read_end(struct browse_read *read, struct err *err);

#endif
