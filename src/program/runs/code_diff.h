/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares the machine code of two programs, or of the programs of two sessions. */
#ifndef CODE_DIFF_H
#define CODE_DIFF_H

#include <stdbool.h>

#include "attributes.h"
#include "buf.h"
#include "code_rows.h"
#include "debuginfod.h"
#include "disasm.h"
#include "err.h"
#include "profile.h"
#include "resolver.h"

/* Functions whose blocks are listed with their source: those that are not the same, and those with samples.
 */
struct code_diff_listing {
        const char *const *names; /* with or without arguments */
        size_t n_names;
        bool strips_source;  /* no text of source lines */
        const char *folders; /* the rest is as in struct given_source_request */
        bool takes_private;
        struct debuginfod *debuginfod;
};

struct code_diff_request {
        const char *paths[CODE_N_SIDES]; /* an object file or a session each */
        /* a pattern of text_match_symbol(): lists the blocks of these functions; NULL: all functions,
         * without blocks */
        const char *symbol;
        const struct code_diff_listing *listing; /* instead of a symbol; NULL: none */
        bool no_demangle;
        enum disasm_syntax syntax;
        const struct profile_filter *filter;    /* samples of sessions; NULL: all */
        const struct resolver_sources *sources; /* NULL: only files of this machine */
};

struct code_diff {
        struct code_rows rows;
        struct buf note; /* what is missing or was assumed, one sentence a line */
};

/* With a session, only functions that have samples in one of the sessions are compared, or those that match
 * the symbol. ERR_MISSING if no function matches; the message suggests a similar name. */
bool code_diff_make(const struct code_diff_request *request, struct code_diff *ret, struct err *err);
void code_diff_release(struct code_diff *diff);

#endif
