/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel of this machine says of its events before anything is measured. */
#ifndef KERNEL_H
#define KERNEL_H

#include <stdbool.h>

#include "buf.h"
#include "collect_request.h"
#include "err.h"
#include "event.h"

/* This machine's PMUs, or those of the tree below `root` in place of "/" ("" or NULL: this machine). */
struct pmu_source kernel_pmu_source(const char *root);

/* What the kernel takes of `events` when they are opened and closed at once on the calling thread; with
 * `are_default` another source may take their place.  Errors as those of collector_open. */
struct kernel_probed {
        char event[128]; /* the first event, or what took its place */
        char note[240];  /* why another took its place; "" */
};
bool kernel_probe(const struct event_list *events, bool are_default, struct kernel_probed *ret,
                  struct err *err);

/* The attributes that `request` would open, without opening anything, one after the other as text. */
void kernel_describe(const struct collect_request *request, struct buf *out);

#endif
