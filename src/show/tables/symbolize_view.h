/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses with their functions and lines, in the format of addr2line and as JSON. */
#ifndef SYMBOLIZE_VIEW_H
#define SYMBOLIZE_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "json.h"

/* A frame at an address.  An address without frames has one row with an unknown function. */
struct symbolize_row {
        uint64_t addr;
        bool is_known;
        const char *function, *path; /* NULL: not known */
        uint32_t line, column;       /* 0: not known */
        bool is_inlined;
        uint64_t start; /* start address of the function */
};

/* Rows are written to each requested form as they are added, so that text can be printed before the end. */
struct symbolize_view {
        struct buf *text, *document; /* NULL: not wanted */
        struct json json;
};

void symbolize_view_begin(struct symbolize_view *view, struct buf *text, struct buf *document);

/* The frames of one address, innermost first; at least one. */
void symbolize_view_add(struct symbolize_view *view, const struct symbolize_row *rows, size_t n);
void symbolize_view_end(struct symbolize_view *view);

#endif
