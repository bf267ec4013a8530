/* SPDX-License-Identifier: BSD-3-Clause */
/* A PE image for x64 or ARM64 made of bytes: code, unwind information, and a table of entries. */
#ifndef PE_BUILDER_H
#define PE_BUILDER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "buf.h"

enum { PE_CODE_RVA = 0x10000, PE_INFO_RVA = 0x100000, PE_TABLE_RVA = 0x200000, PE_IMAGE_BYTES = 0x300000 };

#define PE_BASE 0x140000000ull

struct pe_builder {
        bool is_arm64;
        struct buf code, info, table;
};

static inline void pe_builder_release(struct pe_builder *b)
{
        buf_release(&b->code);
        buf_release(&b->info);
        buf_release(&b->table);
}

/* Unwind information; returns its address in the image. */
static inline uint32_t pe_add_info(struct pe_builder *b, const void *info, size_t size)
{
        uint32_t rva = PE_INFO_RVA + (uint32_t)b->info.len;

        buf_add(&b->info, info, size);
        while (b->info.len % 4)
                buf_add_u8(&b->info, 0);
        return rva;
}

/* An entry of the table for code from `start` to `end`, relative to the beginning of the code.  Only x64
 * uses `end`. */
static inline void pe_add_entry(struct pe_builder *b, uint32_t start, uint32_t end, uint32_t word)
{
        buf_add_u32(&b->table, PE_CODE_RVA + start);
        if (!b->is_arm64)
                buf_add_u32(&b->table, PE_CODE_RVA + end);
        buf_add_u32(&b->table, word);
}

static inline void pe_add_section(struct buf *out, const char *name, uint32_t rva, const struct buf *content,
                                  size_t file_off, uint32_t flags)
{
        char padded[8] = {0};

        memcpy(padded, name, strlen(name));
        buf_add(out, padded, sizeof(padded));
        buf_add_u32(out, (uint32_t)content->len);
        buf_add_u32(out, rva);
        buf_add_u32(out, (uint32_t)content->len);
        buf_add_u32(out, (uint32_t)file_off);
        buf_add_zeros(out, 12);
        buf_add_u32(out, flags);
}

static inline void pe_add_headers(const struct pe_builder *b, struct buf *out)
{
        enum { N_SECTIONS = 3, OPTIONAL_BYTES = 240, HEADER_OFF = 64, N_DIRS = 16, EXCEPTION_DIR = 3 };

        buf_add(out, "MZ", 2);
        buf_add_zeros(out, 58);
        buf_add_u32(out, HEADER_OFF);
        buf_add(out, "PE\0\0", 4);
        buf_add_u16(out, b->is_arm64 ? 0xaa64 : 0x8664);
        buf_add_u16(out, N_SECTIONS);
        buf_add_zeros(out, 12);
        buf_add_u16(out, OPTIONAL_BYTES);
        buf_add_u16(out, 0x22); /* executable, large addresses */
        buf_add_u16(out, 0x20b);
        buf_add_zeros(out, 22);
        buf_add_u64(out, PE_BASE);
        buf_add_zeros(out, 24);
        buf_add_u32(out, PE_IMAGE_BYTES);
        buf_add_u32(out, 0x200);
        buf_add_zeros(out, 44);
        buf_add_u32(out, N_DIRS);
        for (unsigned i = 0; i < N_DIRS; i++) {
                buf_add_u32(out, i == EXCEPTION_DIR ? PE_TABLE_RVA : 0);
                buf_add_u32(out, i == EXCEPTION_DIR ? (uint32_t)b->table.len : 0);
        }
}

/* The file; the caller releases it. */
static inline void pe_build(const struct pe_builder *b, struct buf *ret_file)
{
        enum { HEADERS_BYTES = 0x200 };
        struct buf file = {0};

        pe_add_headers(b, &file);
        pe_add_section(&file, ".text", PE_CODE_RVA, &b->code, HEADERS_BYTES, 0x60000020);
        pe_add_section(&file, ".xdata", PE_INFO_RVA, &b->info, HEADERS_BYTES + b->code.len, 0x40000040);
        pe_add_section(&file, ".pdata", PE_TABLE_RVA, &b->table, HEADERS_BYTES + b->code.len + b->info.len,
                       0x40000040);
        buf_add_zeros(&file, HEADERS_BYTES - file.len);
        buf_add(&file, b->code.data, b->code.len);
        buf_add(&file, b->info.data, b->info.len);
        buf_add(&file, b->table.data, b->table.len);
        *ret_file = file;
}

#endif
