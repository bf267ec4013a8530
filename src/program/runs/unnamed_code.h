/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions without names in a comparison.  Their addresses differ from build to build, so a function goes by
 * its machine code.  Where that is not available, or all sessions have the same build, it goes by its address
 * in this build. */
#ifndef UNNAMED_CODE_H
#define UNNAMED_CODE_H

#include "buf.h"
#include "function_codes.h"
#include "shared_builds.h"

/* Appends what the row of the report's `hot` goes by: "code 3fa2c1d09b7e4451", "0x11d0 of build 04c1f2ab".
 * `builds` may be NULL.  False: the row has a name, or is in no module. */
bool unnamed_code_add_name(struct function_codes *codes, const struct shared_builds *builds,
                           struct report *report, size_t row, struct buf *out);

#endif
