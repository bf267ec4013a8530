/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of libwperf share. */
#ifndef LIBRARY_INTERNAL_H
#define LIBRARY_INTERNAL_H

#include <stdatomic.h>

#include "arena.h"
#include "buf.h"
#include "elf_search.h"
#include "err.h"
#include "pe_search.h"
#include "report.h"
#include "target.h"
#include "wperf.h"

/* Call first in each function that may read files or make tables. */
void library_begin(void);

/* Copies an error for the caller; `ret` may be NULL.  Returns 0. */
int library_fail(const struct err *err, struct wperf_error *ret);

/* Copies a request into `own`, a struct of this version with `own_size` bytes, which is zero otherwise; the
 * first field of `given` is its size. ERR_USAGE if that is missing or too large; ERR_UNSUPPORTED if the
 * program sets a field that only a later version has. */
bool library_take_request(void *own, size_t own_size, const void *given, struct err *err);

/* The same for the target of a request, which may be NULL: ERR_USAGE. `target` keeps pointers of it. */
bool library_take_target(const struct wperf_target *given, struct wperf_target *own, struct target *target,
                         struct err *err);

/* Clears a stop that nothing was running for. */
void library_begin_measurement(void);

/* Folders, separated by ';', as an array that ends with NULL; NULL for none.  Everything is in the arena. */
const char *const *library_split_folders(struct arena *arena, const char *folders);

struct wperf_report {
        struct report *report;
        struct budget budget;
        struct elf_places elf;
        struct pe_places pe;
        struct resolver_sources sources;
        struct buf left_out, why_poor;
        struct arena texts;
        bool inlines, pages;
        unsigned contents;   /* a set of enum wperf_content */
        atomic_uint n_users; /* the program, and each stream of a table */
};

#endif
