/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds and keeps open the files with the split debug information of an object file: FILE.dwp, else .dwo
 * files. */
#ifndef DEBUG_SPLIT_H
#define DEBUG_SPLIT_H

#include <stdbool.h>

#include "attributes.h"
#include "dwarf.h"
#include "err.h"

enum { DEBUG_DWO_PLACES = 3 };

/* A .dwo file that a reader needs.  Only the files at these paths determine which of them has the unit. */
struct debug_dwo {
        struct dwarf_dwo wanted;
        struct object *places[DEBUG_DWO_PLACES]; /* the possible files, in order; NULL: no file of its own is
                                                    there */
        bool is_searched;
        struct object *object; /* valid if is_searched: the file that has the unit, or NULL */
};

struct debug_split {
        char *path;
        struct budget *budget;
        struct object *package; /* FILE.dwp, or NULL */
        struct debug_dwo *dwos; /* by the ids of their units */
        size_t n_dwos, cap_dwos;
        bool is_ambiguous; /* two units with the same id needed files with different names */
};

/* For a reader of the object file `path`, or of a debug file with that name.  Memory for unpacked sections
 * is taken from `budget`; NULL: each file has its own budget. */
struct debug_split *debug_split_new(const char *path, struct budget *budget);
void debug_split_free(struct debug_split *split); /* to be called after the reader is freed */
AUTO_DEFINE(debug_split)

/* For dwarf_set_split: looks for .dwo files where the compiler wrote them, then in the folder of the object
 * file. */
struct dwarf_split debug_split_get(struct debug_split *split);

/* Opens the possible files for a .dwo file, as the reader will; the texts of `dwo` must live as long as
 * `split`. */
void debug_split_open(struct debug_split *split, const struct dwarf_dwo *dwo);

/* Like object_is_changed, for all of the files. */
bool debug_split_is_changed(const struct debug_split *split);

/* False and an error if one of the files became shorter meanwhile. */
bool debug_split_check(const struct debug_split *split, struct err *err);

#endif
