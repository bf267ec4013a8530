/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks up the functions, inlined functions and source lines of addresses in one object file. */
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
        const char *session; /* use what is packed in this session; NULL to use the file */
        bool no_demangle;
        bool decorated;                         /* give functions from a PDB their decorated names */
        const struct resolver_sources *sources; /* NULL to use only files of this machine */
        /* Virtual addresses in any order, used only by symbolize_make(). For a PE image they may be RVAs, for
         * a PDB they are RVAs. */
        const uint64_t *addrs;
        size_t n_addrs;
};

struct symbolize;

/* Opens the file or the session, finds a separate debug file if needed, and looks up all addresses. Fails if
 * there is no such object file or module, or if the session is malformed or not archived. */
struct symbolize *symbolize_make(const struct symbolize_request *request, struct err *err);
void symbolize_free(struct symbolize *symbolize);
AUTO_DEFINE(symbolize)

/* The frames of address i of the request, innermost first. Returns 0 if nothing is known. A function without
 * debug information gets its name from the symbol table. Names are demangled unless the request says
 * otherwise. */
size_t symbolize_frames(const struct symbolize *symbolize, size_t i,
                        const struct resolver_frame **ret_frames);

/* The text of a frame; NULL if it has none. */
const char *symbolize_text(const struct symbolize *symbolize, str_id id);

/* What is missing or damaged, one line each; "" if nothing. */
const char *symbolize_note(const struct symbolize *symbolize);

#endif
