/* SPDX-License-Identifier: BSD-3-Clause */
/* The last readings of waiting threads of a run, in limited memory: those of the samples in a record window.
 */
#ifndef WAIT_WINDOW_H
#define WAIT_WINDOW_H

#include <stddef.h>

#include "attributes.h"
#include "buf.h"

struct wait_window;

struct wait_window *wait_window_new(size_t max_bytes);
void wait_window_free(struct wait_window *window);
AUTO_DEFINE(wait_window)

/* Adds a section of wait_section.h; the oldest ones fall out. */
void wait_window_add(struct wait_window *window, const struct buf *section);

void wait_window_drop_all(struct wait_window *window);

/* Appends one section of all that is kept. */
void wait_window_write(const struct wait_window *window, struct buf *out);

#endif
