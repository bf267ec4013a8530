/* SPDX-License-Identifier: BSD-3-Clause */
/* A PE image of x64 with a map of the parts that are for other machines, as in ARM64EC. */
#ifndef PE_MAP_BUILDER_H
#define PE_MAP_BUILDER_H

#include <stdint.h>
#include <string.h>

#include "buf.h"
#include "pe_layout.h"

enum {
        PE_MAP_HEADERS = 0x200,
        PE_MAP_SECTION_RVA = 0x4000,
        PE_MAP_SECTION_BYTES = 0x400,
        PE_MAP_CONFIG_BYTES = 0x100,
        PE_MAP_METADATA_OFF = 0x100, /* in the section */
        PE_MAP_ENTRIES_OFF = 0x200,
        PE_MAP_ENTRY_BYTES = 8,
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
                N_DIRS = 16,
                PE = 0x40,
                OPTIONAL = PE + PE_OPTIONAL_HEADER_OFF,
                LOAD_CONFIG = OPTIONAL + PE_DATA_DIRECTORY_OFF + 10 * PE_DIRECTORY_BYTES,
                SECTION = OPTIONAL + PE_OPTIONAL_HEADER_BYTES,
                METADATA = PE_MAP_HEADERS + PE_MAP_METADATA_OFF
        };

        buf_add_zeros(out, PE_MAP_HEADERS + PE_MAP_SECTION_BYTES);
        memcpy(out->data, "MZ", 2);
        pe_map_put32(out, PE_E_LFANEW_OFF, PE);
        memcpy(out->data + PE, "PE\0\0\x64\x86\x01", 7);
        pe_map_put32(out, PE + PE_SIZE_OF_OPTIONAL_HEADER_OFF, PE_OPTIONAL_HEADER_BYTES | 0x2022u << 16);
        pe_map_put32(out, OPTIONAL + PE_MAGIC_OFF, 0x20b);
        pe_map_put64(out, OPTIONAL + PE_IMAGE_BASE_OFF, PE_MAP_BASE);
        pe_map_put32(out, OPTIONAL + PE_SIZE_OF_IMAGE_OFF, PE_MAP_SECTION_RVA + PE_MAP_SECTION_BYTES);
        pe_map_put32(out, OPTIONAL + PE_SIZE_OF_HEADERS_OFF, PE_MAP_HEADERS);
        pe_map_put32(out, OPTIONAL + PE_NUMBER_OF_DIRECTORIES_OFF, N_DIRS);
        pe_map_put32(out, LOAD_CONFIG + PE_DIRECTORY_RVA_OFF, PE_MAP_SECTION_RVA);
        pe_map_put32(out, LOAD_CONFIG + PE_DIRECTORY_SIZE_OFF, PE_MAP_CONFIG_BYTES);
        memcpy(out->data + SECTION, ".rdata", 6);
        pe_map_put32(out, SECTION + PE_VIRTUAL_SIZE_OFF, PE_MAP_SECTION_BYTES);
        pe_map_put32(out, SECTION + PE_VIRTUAL_ADDRESS_OFF, PE_MAP_SECTION_RVA);
        pe_map_put32(out, SECTION + PE_SIZE_OF_RAW_DATA_OFF, PE_MAP_SECTION_BYTES);
        pe_map_put32(out, SECTION + PE_POINTER_TO_RAW_DATA_OFF, PE_MAP_HEADERS);
        pe_map_put64(out, PE_MAP_HEADERS + PE_CHPE_METADATA_POINTER_OFF,
                     PE_MAP_BASE + PE_MAP_SECTION_RVA + PE_MAP_METADATA_OFF);
        pe_map_put32(out, METADATA + PE_METADATA_VERSION_OFF, 1);
        pe_map_put32(out, METADATA + PE_METADATA_CODE_MAP_OFF, PE_MAP_SECTION_RVA + PE_MAP_ENTRIES_OFF);
        pe_map_put32(out, METADATA + PE_METADATA_CODE_MAP_COUNT_OFF, n);
        for (uint32_t i = 0; i < n && entries; i++) {
                uint32_t entry = PE_MAP_HEADERS + PE_MAP_ENTRIES_OFF + PE_MAP_ENTRY_BYTES * i;

                pe_map_put32(out, entry, entries[i][0]);     /* StartOffset */
                pe_map_put32(out, entry + 4, entries[i][1]); /* Length */
        }
}

#endif
