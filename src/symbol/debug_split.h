/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds and keeps the files with the split debug information of an object file: FILE.dwp, else .dwo files. */
#ifndef DEBUG_SPLIT_H
#define DEBUG_SPLIT_H

#include <stdbool.h>

#include "attributes.h"
#include "dwarf.h"
#include "err.h"

struct debug_split;

/* For a reader of the object file `path`, or of a debug file of that name.  What is unpacked is taken from `budget`;
 * NULL: each file has its own. */
struct debug_split *debug_split_new(const char *path, struct budget *budget);
void debug_split_free(struct debug_split *split); /* after the reader */
AUTO_DEFINE(debug_split)

/* For dwarf_set_split: .dwo files are looked for where the compiler wrote them, then beside the object file. */
struct dwarf_split debug_split_get(struct debug_split *split);

/* FILE.dwp, or NULL; and whether a .dwo file was opened. */
const struct object *debug_split_package(const struct debug_split *split);
bool debug_split_has_files(const struct debug_split *split);

/* False and an error when one of the files became shorter meanwhile. */
bool debug_split_check(const struct debug_split *split, struct err *err);

#endif
