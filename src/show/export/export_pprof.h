/* SPDX-License-Identifier: BSD-3-Clause */
/* A call tree as a pprof profile: https://github.com/google/pprof/blob/main/proto/profile.proto */
#ifndef EXPORT_PPROF_H
#define EXPORT_PPROF_H

#include "buf.h"
#include "calltree.h"
#include "export.h"

/* The message as bytes of protobuf; the caller compresses it with gzip for a file.  Values are the number
 * of samples and the event's weight; a process's name is the label `comm`; inlined functions share a
 * location with the function that contains them. */
void export_pprof(const struct calltree *tree, const struct export_about *about, struct buf *out);

#endif
