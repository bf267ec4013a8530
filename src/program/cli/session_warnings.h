/* SPDX-License-Identifier: BSD-3-Clause */
/* Warnings about the quality of several sessions: one line for all that differ only in numbers. */
#ifndef SESSION_WARNINGS_H
#define SESSION_WARNINGS_H

#include "buf.h"

/* Appends the lines of `warnings`, "a-1.data: 56 % of the samples ..."; sessions with the same reason are
 * summed up: "a-1.data and 5 more: 56 % of the samples ...", or, if the numbers are those of the first only,
 * "a-1.data (and 5 more, with other numbers): 56 % of the samples ...". */
void session_warnings_fold(const struct buf *warnings, struct buf *out);

#endif
