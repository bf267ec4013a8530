/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the fields of the headers of 32-bit DWARF 5 are, for tests that change bytes. */
#ifndef DWARF_LAYOUT_H
#define DWARF_LAYOUT_H

enum {
        DWARF_UNIT_LENGTH_OFF = 0,
        DWARF_VERSION_OFF = 4,
        DWARF_ABBREV_OFFSET_OFF = 8,   /* debug_abbrev_offset of a unit in .debug_info */
        DWARF_ARANGES_TUPLES_OFF = 16, /* of a set with 8-byte addresses in .debug_aranges */
};

#endif
