/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of an annotated function or session: text and numbers for a view. */
#ifndef ANNOTATE_ROWS_H
#define ANNOTATE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "strpool.h"

/* Number of lines that a source listing shows before and after a line with code. */
enum { ANNOTATE_CONTEXT_LINES = 3 };

enum annotate_by {
        /* the function itself and the functions inlined into it, each without those inlined into it */
        ANNOTATE_FUNCTION,
        /* inlined functions, summed over all copies, including functions inlined into them */
        ANNOTATE_INLINED,
        ANNOTATE_HANDLER,     /* labels */
        ANNOTATE_BLOCK,       /* basic blocks */
        ANNOTATE_LINE,        /* source lines */
        ANNOTATE_INSTRUCTION, /* or sampled addresses, without code */
};

struct annotate_row {
        /* name of the function, label or block ("block 12"), or text of the instruction; "" for a line */
        const char *name;
        const char *path; /* for ANNOTATE_LINE; NULL: not known */
        /* for ANNOTATE_LINE: the inlined function that contains it; NULL: the function itself */
        const char *function;
        uint32_t line;
        /* for ANNOTATE_FUNCTION and ANNOTATE_INLINED: the resolver's name of the function; otherwise 0 */
        str_id id;
        /* range from the first to the last point, if they are neighbours; 0: they are not */
        uint64_t addr, end;
        uint64_t count, weight; /* without functions inlined into it */
        uint64_t whole_count,
                /* for ANNOTATE_INLINED: including functions inlined into it; otherwise the same */
                whole_weight;
        size_t n_places; /* for ANNOTATE_INLINED: number of copies with samples */
};

struct annotate_rows {
        struct annotate_row *rows;
        size_t n_rows, cap_rows;
        bool handlers_by_line; /* not all labels have addresses, so handlers are found by source lines */
        struct strpool *names;
};

void annotate_rows_release(struct annotate_rows *rows);

#endif
