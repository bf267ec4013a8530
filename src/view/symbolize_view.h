/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses with their functions and lines: as addr2line prints them, and as JSON. */
#ifndef SYMBOLIZE_VIEW_H
#define SYMBOLIZE_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "json.h"

/* A frame at an address; of an address that has none, one that is not known. */
struct symbolize_row {
        uint64_t addr;
        bool is_known;
        const char *function, *path; /* NULL: not known */
        uint32_t line, column;       /* 0: not known */
        bool is_inlined;
        uint64_t start; /* of the function */
};

/* Rows go to each of the forms that are wanted as they come, so that text can be printed before the end. */
struct symbolize_view {
        struct buf *text, *document; /* NULL: not wanted */
        struct json json;
};

void symbolize_view_begin(struct symbolize_view *view, struct buf *text, struct buf *document);

/* The frames of one address, innermost first; at least one. */
void symbolize_view_add(struct symbolize_view *view, const struct symbolize_row *rows, size_t n);
void symbolize_view_end(struct symbolize_view *view);

#endif
