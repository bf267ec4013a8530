/* SPDX-License-Identifier: BSD-3-Clause */
/* A call tree as a pprof profile: https://github.com/google/pprof/blob/main/proto/profile.proto */
#ifndef EXPORT_PPROF_H
#define EXPORT_PPROF_H

#include "buf.h"
#include "calltree.h"
#include "export.h"

/* The message as bytes of protobuf; in a file it is to be packed by gzip.  Values are the number of samples and the event's
 * weight; a process's name is the label `comm`; what was inlined shares a location with what it was inlined into. */
void export_pprof(const struct calltree *tree, const struct export_about *about, struct buf *out);

#endif
