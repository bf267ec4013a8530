/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts functions into named groups by rules: a line GROUP PATTERN [MODULE] each, the first that matches
 * counts.  Words are separated by blanks, # begins a comment, patterns are those of text_match_glob(). */
#ifndef NAME_GROUPS_H
#define NAME_GROUPS_H

#include <stddef.h>

#include "attributes.h"
#include "err.h"
#include "run_values.h"

enum {
        NAME_GROUPS_MAX_RULES = 10000,
        NAME_GROUPS_MAX_BYTES = 1 << 20,
};

/* The group of functions that no rule matches. */
#define NAME_GROUPS_OTHER "other"

struct name_groups;

/* ERR_FORMAT with the number of the line. */
struct name_groups *name_groups_parse(const char *text, size_t size, struct err *err);
void name_groups_free(struct name_groups *groups);
AUTO_DEFINE(name_groups)

/* The rules for CPython 3.8 to 3.15 (data/groups/cpython.rules). */
struct name_groups *name_groups_cpython(void);

/* The group of a function; `brief` may be NULL.  Valid as long as the groups. */
const char *name_groups_find(const struct name_groups *groups, const struct run_name *name);

/* name_groups_find() as a function for run_values_group(). */
const char *name_groups_of(const void *groups, const struct run_name *name);

#endif
