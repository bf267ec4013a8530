/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds for each function of a module its counterpart in another build of it: by name, by the name without
 * the suffixes of clones, then by its code. */
#ifndef CODE_MATCH_H
#define CODE_MATCH_H

#include "code_image.h"

/* Limits of similarity matching: functions of each side without a counterpart, and instructions of a
 * function. */
enum { CODE_MATCH_MAX_LIKE = 20000, CODE_MATCH_MIN_LIKE_INSNS = 8 };

/* Sets `match` and `key` of the functions of both images, which must be finished, and the naming of both
 * images.  Returns false if the last step, matching by likeness, was left out because too many functions
 * have no counterpart. */
bool code_match(struct code_image *a, struct code_image *b);

#endif
