/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses of one object file to functions, inlined functions and source lines. */
#ifndef SYMBOLIZE_H
#define SYMBOLIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "err.h"
#include "resolver.h"

struct symbolize_request {
        const char *path;    /* of the object file or PDB, or of a module of the session */
        const char *session; /* answers are those that were packed into it; NULL: those of the file */
        bool no_demangle;
        bool decorated; /* functions that a PDB names are named as they are decorated */
        const struct resolver_sources *sources; /* NULL: files of this machine alone */
        /* Virtual addresses, in any order, kept by the caller; of a PE image RVAs too, of a PDB they are RVAs. */
        const uint64_t *addrs;
        size_t n_addrs;
};

struct symbolize;

/* Opens the file or the session, finds its debug file where it has no debug information itself, and looks all addresses up.
 * Fails only when there is no such object file or module. */
struct symbolize *symbolize_make(const struct symbolize_request *request, struct err *err);
void symbolize_free(struct symbolize *symbolize);
AUTO_DEFINE(symbolize)

/* The frames of address i of the request, innermost first; 0 of them when nothing is known.  A function without
 * debug information has its name from the symbol table.  Names are readable unless the request says otherwise. */
size_t symbolize_frames(const struct symbolize *symbolize, size_t i,
                        const struct resolver_frame **ret_frames);

/* The text of a frame, NULL where it has none. */
const char *symbolize_text(const struct symbolize *symbolize, str_id id);

/* What is missing or damaged, one sentence; "" when all is well. */
const char *symbolize_note(const struct symbolize *symbolize);

#endif
