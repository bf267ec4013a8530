/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of an annotated function or session: text and numbers, which a view shows as they are. */
#ifndef ANNOTATE_ROWS_H
#define ANNOTATE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "strpool.h"

/* Lines that a listing of the source shows before and behind each that has code. */
enum { ANNOTATE_CONTEXT_LINES = 3 };

enum annotate_by {
        ANNOTATE_FUNCTION, /* itself and the functions that were inlined into it, each without what is in it */
        ANNOTATE_INLINED,  /* inlined functions, wherever they are, with what is in them */
        ANNOTATE_HANDLER,  /* labels */
        ANNOTATE_BLOCK,    /* basic blocks */
        ANNOTATE_LINE,     /* source lines */
        ANNOTATE_INSTRUCTION, /* or sampled addresses */
};

struct annotate_row {
        const char
                *name; /* of the function, label or block ("block 12"), instruction's text; "" for a line */
        const char *path; /* of ANNOTATE_LINE; NULL: not known */
        const char *
                function; /* of ANNOTATE_LINE: the inlined function that it is of; NULL: the function itself */
        uint32_t line;
        str_id id; /* of ANNOTATE_FUNCTION and ANNOTATE_INLINED: the resolver's name of the function; else 0 */
        uint64_t addr,
                end; /* of the first point, and behind the last, where they are neighbours; 0: nowhere */
        uint64_t count, weight; /* at the row itself */
        uint64_t whole_count,
                whole_weight; /* of ANNOTATE_INLINED: with what is inlined into it; else the same */
        size_t n_places;      /* of ANNOTATE_INLINED: how many copies have samples */
};

struct annotate_rows {
        struct annotate_row *rows;
        size_t n_rows, cap_rows;
        bool handlers_by_line; /* not all labels have addresses: source lines tell where handlers begin */
        struct strpool *names;
};

void annotate_rows_release(struct annotate_rows *rows);

#endif
