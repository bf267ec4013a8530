/* SPDX-License-Identifier: BSD-3-Clause */
/* Layouts of the forms of attributes (DWARF 5, section 7.5.6), as data. */
#ifndef DWARF_FORM_H
#define DWARF_FORM_H

#include "dwarf_internal.h"

enum dwarf_layout_kind {
        DWARF_LAYOUT_UNKNOWN,
        DWARF_LAYOUT_FIXED,    /* n bytes */
        DWARF_LAYOUT_LEB,      /* a number of variable length */
        DWARF_LAYOUT_SIGNED,   /* the same, signed */
        DWARF_LAYOUT_TEXT,     /* up to a NUL */
        DWARF_LAYOUT_BLOCK,    /* a length of n bytes (0: LEB), then that many bytes */
        DWARF_LAYOUT_INDIRECT, /* the form, then its value */
        DWARF_LAYOUT_IMPLIED,  /* no bytes: the constant is in the abbreviation */
};

/* Sizes that depend on the unit. */
enum { DWARF_SIZE_ADDRESS = 0xff, DWARF_SIZE_OFFSET = 0xfe, DWARF_SIZE_REF_ADDR = 0xfd };

struct dwarf_layout {
        uint8_t kind; /* enum dwarf_layout_kind */
        uint8_t n;
        uint8_t class; /* enum dwarf_class */
        bool in_unit;  /* a reference relative to the unit */
};

enum { DWARF_N_LAYOUTS = 0x2d };

/* The standard forms. */
extern const struct dwarf_layout dwarf_layouts[DWARF_N_LAYOUTS];

const struct dwarf_layout *dwarf_layout_find_gnu(uint16_t form);

/* Never NULL. */
static inline const struct dwarf_layout *dwarf_layout_get(uint16_t form)
{
        return form < DWARF_N_LAYOUTS ? &dwarf_layouts[form] : dwarf_layout_find_gnu(form);
}

/* Size of a fixed form, in bytes. */
static inline unsigned dwarf_layout_bytes(const struct dwarf_layout *layout, const struct dwarf_shape *shape)
{
        switch (layout->n) {
        case DWARF_SIZE_ADDRESS: return shape->address_bytes;
        case DWARF_SIZE_OFFSET: return shape->offset_bytes;
        case DWARF_SIZE_REF_ADDR: return shape->version <= 2 ? shape->address_bytes : shape->offset_bytes;
        default: return layout->n;
        }
}

#endif
