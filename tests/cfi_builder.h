/* SPDX-License-Identifier: BSD-3-Clause */
/* A 64-bit little-endian ELF library made of bytes, with only tables of call-frame information. */
#ifndef CFI_BUILDER_H
#define CFI_BUILDER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "buf.h"
#include "elf_layout.h"

enum { CFI_HDR_ADDR = 0x100000, CFI_FRAME_ADDR = 0x200000, CFI_GOT_ADDR = 0x300000, CFI_TEXT_ADDR = 0x1000 };

struct cfi_builder {
        bool is_arm64;
        struct buf eh_frame_hdr, eh_frame, debug_frame; /* those that are empty are left out */
        struct buf got, text;
};

static inline void cfi_builder_release(struct cfi_builder *b)
{
        buf_release(&b->eh_frame_hdr);
        buf_release(&b->eh_frame);
        buf_release(&b->debug_frame);
        buf_release(&b->got);
        buf_release(&b->text);
}

/* An entry of .eh_frame: its length, its id (0: a CIE, else the distance to the CIE at `cie`), its
 * content. */
static inline void cfi_add_entry(struct buf *frame, size_t cie, bool is_fde, const void *content, size_t size)
{
        buf_add_u32(frame, (uint32_t)size + 4);
        buf_add_u32(frame, is_fde ? (uint32_t)(frame->len - cie) : 0);
        buf_add(frame, content, size);
}

static inline void cfi_add_section(struct buf *headers, uint32_t name, uint32_t type, uint64_t addr,
                                   uint64_t off, uint64_t size)
{
        buf_add_u32(headers, name);
        buf_add_u32(headers, type);
        buf_add_u64(headers, addr ? 2 : 0); /* SHF_ALLOC */
        buf_add_u64(headers, addr);
        buf_add_u64(headers, off);
        buf_add_u64(headers, size);
        buf_add_zeros(headers, 24);
}

static inline void cfi_add_content(struct buf *file, struct buf *headers, uint32_t name, uint64_t addr,
                                   const struct buf *content)
{
        if (!content->len)
                return;
        cfi_add_section(headers, name, 1, addr, file->len, content->len);
        buf_add(file, content->data, content->len);
}

static inline void cfi_build(const struct cfi_builder *b, struct buf *ret_file)
{
        static const char names[] = "\0.eh_frame_hdr\0.eh_frame\0.debug_frame\0.got\0.text";
        struct buf headers = {0}, file = {0};
        uint64_t headers_off;
        uint16_t n;

        buf_add(&file, "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0", 18);
        buf_add_u16(&file, b->is_arm64 ? 183 : 62);
        buf_add_u32(&file, 1);
        buf_add_zeros(&file, 40);
        cfi_add_section(&headers, 0, 0, 0, 0, 0);
        cfi_add_content(&file, &headers, 1, CFI_HDR_ADDR, &b->eh_frame_hdr);
        cfi_add_content(&file, &headers, 15, CFI_FRAME_ADDR, &b->eh_frame);
        cfi_add_content(&file, &headers, 25, 0, &b->debug_frame);
        cfi_add_content(&file, &headers, 38, CFI_GOT_ADDR, &b->got);
        cfi_add_content(&file, &headers, 43, CFI_TEXT_ADDR, &b->text);
        cfi_add_section(&headers, 0, 3, 0, file.len, sizeof(names));
        buf_add(&file, names, sizeof(names));
        n = (uint16_t)(headers.len / ELF_SHDR_BYTES);
        headers_off = file.len;
        buf_add(&file, headers.data, headers.len);
        memcpy(file.data + ELF_E_SHOFF_OFF, &headers_off, 8);
        memcpy(file.data + ELF_E_EHSIZE_OFF, "\100\0\0\0\0\0\100\0", 8); /* up to e_shentsize */
        memcpy(file.data + ELF_E_SHNUM_OFF, &n, 2);
        n--;
        memcpy(file.data + ELF_E_SHSTRNDX_OFF, &n, 2); /* the section of names is the last one */
        buf_release(&headers);
        *ret_file = file;
}

#endif
