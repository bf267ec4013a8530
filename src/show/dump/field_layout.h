/* SPDX-License-Identifier: BSD-3-Clause */
/* Layouts of structures in a file: names and types of their fields, so that one function shows all of
 * them. */
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
        FIELD_TEXT,      /* up to its NUL, then padding */
        FIELD_TEXT_OF,   /* text in `size` bytes */
        FIELD_TEXT_REST, /* text in all remaining bytes, with or without a NUL */
        FIELD_STRING,    /* u32 size, then a text of this size */
        FIELD_BYTES_OF,  /* `size` bytes */
        FIELD_HEX_OF,    /* the same, as one text of digits */
        FIELD_REST,      /* all remaining bytes; left out if there are none */
        FIELD_SKIP,      /* `size` bytes to skip */
        FIELD_LIST16,    /* u16 number, then that many `items` */
        FIELD_LIST32,
        FIELD_LIST64,
        FIELD_LIST_REST, /* `items` up to the end */
};

struct field_layout {
        const char *name;
        enum field_kind kind;
        unsigned size;                    /* at most 64 for FIELD_HEX_OF */
        const struct field_layout *items; /* an item without a name: the list has plain values */
};

/* Shows the fields at the cursor; false if the data ends before the fields do.  Fields before that point
 * are shown, and groups that were begun here are ended. */
bool field_layout_show(const struct field_layout *layout, struct cursor *c, struct field_sink *sink);

#endif
