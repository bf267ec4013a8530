/* SPDX-License-Identifier: BSD-3-Clause */
/* Structures in a file as data: what their fields are called and how they are read, so that one walker shows them
 * all. */
#ifndef FIELD_LAYOUT_H
#define FIELD_LAYOUT_H

#include "cursor.h"
#include "field_sink.h"

enum field_kind {
        FIELD_NONE, /* ends a layout */
        FIELD_U8,
        FIELD_U16,
        FIELD_U32,
        FIELD_I32,
        FIELD_U64,
        FIELD_I64,
        FIELD_X16, /* hexadecimal */
        FIELD_X32,
        FIELD_X64,
        FIELD_TIME,      /* u64 of ns */
        FIELD_PROT,      /* u32 of PROT_ bits */
        FIELD_BUILD_ID,  /* u8 size, 3 bytes, 20 bytes */
        FIELD_TEXT,      /* up to its NUL; what follows is padding */
        FIELD_TEXT_OF,   /* in `size` bytes */
        FIELD_TEXT_REST, /* in all that is left, with a NUL or without */
        FIELD_STRING,    /* u32 size, then a text in so many bytes */
        FIELD_BYTES_OF,  /* `size` bytes */
        FIELD_HEX_OF,    /* the same as one text of digits */
        FIELD_REST,      /* all that is left as bytes; nothing when nothing is */
        FIELD_SKIP,      /* `size` bytes that mean nothing */
        FIELD_LIST16,    /* u16 number, then so many of `items` */
        FIELD_LIST32,
        FIELD_LIST64,
        FIELD_LIST_REST, /* `items` up to the end */
};

struct field_layout {
        const char *name;
        enum field_kind kind;
        unsigned size;                    /* of FIELD_HEX_OF at most 64 */
        const struct field_layout *items; /* one without a name: the list holds values */
};

/* Shows the fields at the cursor; false when it ends before they do.  What was there is shown all the same, and
 * groups that were begun here are ended. */
bool field_layout_show(const struct field_layout *layout, struct cursor *c, struct field_sink *sink);

#endif
