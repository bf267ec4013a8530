/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions without names in a comparison.  Their addresses differ from build to build, so a function goes by
 * its machine code, and where that is not available by its address in this build.  The code of a build is
 * read once for all sessions. */
#ifndef UNNAMED_CODE_H
#define UNNAMED_CODE_H

#include "buf.h"
#include "report.h"

struct unnamed_code;

struct unnamed_code *unnamed_code_new(void);

/* To be called before what the sessions' resolvers were given is freed. */
void unnamed_code_free(struct unnamed_code *unnamed);
AUTO_DEFINE(unnamed_code)

/* Appends what the row of the report's `hot` goes by: "code 3fa2c1d09b7e4451", "0x11d0 of build 04c1f2ab".
 * False: the row has a name, or is in no module. */
bool unnamed_code_add_name(struct unnamed_code *unnamed, struct report *report, size_t row, struct buf *out);

/* Takes the report, after its last row; it may be kept for other sessions of the same build. */
void unnamed_code_end(struct unnamed_code *unnamed, struct report *report);

#endif
