/* SPDX-License-Identifier: BSD-3-Clause */
/* Call trees as a file of speedscope: https://www.speedscope.app/file-format-schema.json */
#ifndef EXPORT_SPEEDSCOPE_H
#define EXPORT_SPEEDSCOPE_H

#include <stddef.h>

#include "buf.h"
#include "calltree.h"
#include "export.h"

/* One profile of the file: an event. */
struct export_speedscope_profile {
        const struct calltree *tree;
        const struct export_about *about;
};

/* A "sampled" profile for each of `n` (1 or more), which share the list of frames.  A frame's file is the source file, or
 * the module where that is not known; what was inlined says so in its name. */
void export_speedscope(const struct export_speedscope_profile *profiles, size_t n, struct buf *out);

#endif
