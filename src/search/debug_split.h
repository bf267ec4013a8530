/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds and keeps the files with the split debug information of an object file: FILE.dwp, else .dwo files. */
#ifndef DEBUG_SPLIT_H
#define DEBUG_SPLIT_H

#include <stdbool.h>

#include "attributes.h"
#include "dwarf.h"
#include "err.h"

enum { DEBUG_DWO_PLACES = 3 };

/* A .dwo file that was asked for.  What is at these places, and nothing else, decides which file has the unit. */
struct debug_dwo {
        struct dwarf_dwo wanted;
        struct object *places
                [DEBUG_DWO_PLACES]; /* where it may be, the first one first; NULL: no file of its own is there */
        bool is_searched;
        struct object *object; /* with is_searched: the one that has the unit, or NULL */
};

struct debug_split {
        char *path;
        struct budget *budget;
        struct object *package; /* FILE.dwp, or NULL */
        struct debug_dwo *dwos; /* by the ids of their units */
        size_t n_dwos, cap_dwos;
        bool is_ambiguous; /* two units of one id were asked for in files of different names */
};

/* For a reader of the object file `path`, or of a debug file of that name.  What is unpacked is taken from `budget`;
 * NULL: each file has its own. */
struct debug_split *debug_split_new(const char *path, struct budget *budget);
void debug_split_free(struct debug_split *split); /* after the reader */
AUTO_DEFINE(debug_split)

/* For dwarf_set_split: .dwo files are looked for where the compiler wrote them, then beside the object file. */
struct dwarf_split debug_split_get(struct debug_split *split);

/* Opens what is at the places of a .dwo file, as the reader will find it; the texts of `dwo` live as long as `split`. */
void debug_split_open(struct debug_split *split, const struct dwarf_dwo *dwo);

/* As object_is_changed, of one of the files. */
bool debug_split_is_changed(const struct debug_split *split);

/* False and an error when one of the files became shorter meanwhile. */
bool debug_split_check(const struct debug_split *split, struct err *err);

#endif
