/* SPDX-License-Identifier: BSD-3-Clause */
/* A PE image of x64 with a map of the parts that are for other machines, as in ARM64EC. */
#ifndef PE_MAP_BUILDER_H
#define PE_MAP_BUILDER_H

#include <stdint.h>
#include <string.h>

#include "buf.h"

enum {
        PE_MAP_HEADERS = 0x200,
        PE_MAP_SECTION_RVA = 0x4000,
        PE_MAP_SECTION_BYTES = 0x400,
        PE_MAP_CONFIG_BYTES = 0x100,
        PE_MAP_METADATA_OFF = 0x100, /* in the section */
        PE_MAP_ENTRIES_OFF = 0x200,
};

#define PE_MAP_BASE 0x180000000ull

static inline void pe_map_put32(struct buf *out, size_t at, uint32_t value)
{
        memcpy(out->data + at, &value, sizeof(value));
}

static inline void pe_map_put64(struct buf *out, size_t at, uint64_t value)
{
        memcpy(out->data + at, &value, sizeof(value));
}

/* A PE32+ image of x64 with one section, whose load configuration points to a map of `n` entries. */
static inline void pe_map_build(struct buf *out, uint32_t n, const uint32_t (*entries)[2])
{
        enum {
                PE = 0x40,
                OPTIONAL = PE + 24,
                OPTIONAL_BYTES = 112 + 16 * 8,
                SECTION = OPTIONAL + OPTIONAL_BYTES
        };

        buf_add_zeros(out, PE_MAP_HEADERS + PE_MAP_SECTION_BYTES);
        memcpy(out->data, "MZ", 2);
        pe_map_put32(out, 0x3c, PE);
        memcpy(out->data + PE, "PE\0\0\x64\x86\x01", 7);
        pe_map_put32(out, PE + 20, OPTIONAL_BYTES | 0x2022u << 16);
        pe_map_put32(out, OPTIONAL, 0x20b);
        pe_map_put64(out, OPTIONAL + 24, PE_MAP_BASE);
        pe_map_put32(out, OPTIONAL + 56, PE_MAP_SECTION_RVA + PE_MAP_SECTION_BYTES);
        pe_map_put32(out, OPTIONAL + 60, PE_MAP_HEADERS);
        pe_map_put32(out, OPTIONAL + 108, 16);
        pe_map_put32(out, OPTIONAL + 112 + 10 * 8, PE_MAP_SECTION_RVA);
        pe_map_put32(out, OPTIONAL + 112 + 10 * 8 + 4, PE_MAP_CONFIG_BYTES);
        memcpy(out->data + SECTION, ".rdata", 6);
        pe_map_put32(out, SECTION + 8, PE_MAP_SECTION_BYTES);
        pe_map_put32(out, SECTION + 12, PE_MAP_SECTION_RVA);
        pe_map_put32(out, SECTION + 16, PE_MAP_SECTION_BYTES);
        pe_map_put32(out, SECTION + 20, PE_MAP_HEADERS);
        pe_map_put64(out, PE_MAP_HEADERS + 0xc8, PE_MAP_BASE + PE_MAP_SECTION_RVA + PE_MAP_METADATA_OFF);
        pe_map_put32(out, PE_MAP_HEADERS + PE_MAP_METADATA_OFF, 1);
        pe_map_put32(out, PE_MAP_HEADERS + PE_MAP_METADATA_OFF + 4, PE_MAP_SECTION_RVA + PE_MAP_ENTRIES_OFF);
        pe_map_put32(out, PE_MAP_HEADERS + PE_MAP_METADATA_OFF + 8, n);
        for (uint32_t i = 0; i < n && entries; i++) {
                pe_map_put32(out, PE_MAP_HEADERS + PE_MAP_ENTRIES_OFF + 8 * i, entries[i][0]);
                pe_map_put32(out, PE_MAP_HEADERS + PE_MAP_ENTRIES_OFF + 8 * i + 4, entries[i][1]);
        }
}

#endif
