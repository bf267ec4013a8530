/* SPDX-License-Identifier: BSD-3-Clause */
/* An ELF library made of bytes with the symbols and constants that identify a version of CPython, and
 * _PyRuntime. */
#ifndef PYTHON_LIBRARY_H
#define PYTHON_LIBRARY_H

#include <string.h>

#include "buf.h"
#include "cfi_builder.h"
#include "elf_layout.h"

enum { LIBRARY_RODATA = 0x1000, LIBRARY_RUNTIME = 0x4000, LIBRARY_EVAL = 0x8000, LIBRARY_SYMBOL_BYTES = 24 };

/* An ELF library with these parts; NULL is left out. */
struct python_library {
        const char *const *names;  /* symbols, up to NULL */
        const uint64_t *addresses; /* likewise */
        struct buf rodata;
        const void *runtime;
        size_t runtime_bytes;
        uint16_t machine;
};

static inline void library_set_word(struct buf *buf, size_t off, uint64_t value, size_t size)
{
        memcpy(buf->data + off, &value, size);
}

static inline void library_add_symbols(const struct python_library *library, struct buf *symbols,
                                       struct buf *names)
{
        buf_add_zeros(symbols, LIBRARY_SYMBOL_BYTES);
        buf_add_u8(names, 0);
        for (size_t i = 0; library->names && library->names[i]; i++) {
                buf_add_u32(symbols, (uint32_t)names->len);
                buf_add_u8(symbols, 1 << 4 | 1); /* a global object */
                buf_add_u8(symbols, 0);
                buf_add_u16(symbols, 1);
                buf_add_u64(symbols, library->addresses[i]);
                buf_add_u64(symbols, 8);
                buf_add_str(names, library->names[i]);
                buf_add_u8(names, 0);
        }
}

static inline struct buf python_library_build(const struct python_library *library)
{
        enum { STRTAB = 3, DYNSYM = 11 };
        static const char names[] = "\0.rodata\0.PyRuntime\0.dynsym\0.dynstr";
        struct buf headers = {0}, symbols = {0}, strings = {0}, runtime = {0}, file = {0};
        size_t dynsym;

        library_add_symbols(library, &symbols, &strings);
        buf_add(&file, "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0", 18);
        buf_add_u16(&file, library->machine ? library->machine : 62);
        buf_add_u32(&file, 1);
        buf_add_zeros(&file, 40);
        cfi_add_section(&headers, 0, 0, 0, 0, 0);
        cfi_add_content(&file, &headers, 1, LIBRARY_RODATA, &library->rodata);
        if (library->runtime)
                buf_add(&runtime, library->runtime, library->runtime_bytes);
        cfi_add_content(&file, &headers, 9, LIBRARY_RUNTIME, &runtime);
        dynsym = headers.len;
        cfi_add_section(&headers, 20, DYNSYM, 0, file.len, symbols.len);
        /* The next section has the names. */
        library_set_word(&headers, dynsym + ELF_SH_LINK_OFF, headers.len / ELF_SHDR_BYTES, 4);
        library_set_word(&headers, dynsym + ELF_SH_ENTSIZE_OFF, LIBRARY_SYMBOL_BYTES, 8);
        buf_add(&file, symbols.data, symbols.len);
        cfi_add_section(&headers, 28, STRTAB, 0, file.len, strings.len);
        buf_add(&file, strings.data, strings.len);
        cfi_add_section(&headers, 0, STRTAB, 0, file.len, sizeof(names));
        buf_add(&file, names, sizeof(names));
        library_set_word(&file, ELF_E_SHOFF_OFF, file.len, 8);
        memcpy(file.data + ELF_E_EHSIZE_OFF, "\100\0\0\0\0\0\100\0", 8); /* up to e_shentsize */
        library_set_word(&file, ELF_E_SHNUM_OFF, headers.len / ELF_SHDR_BYTES, 2);
        library_set_word(&file, ELF_E_SHSTRNDX_OFF, headers.len / ELF_SHDR_BYTES - 1, 2);
        buf_add(&file, headers.data, headers.len);
        buf_release(&headers);
        buf_release(&symbols);
        buf_release(&strings);
        buf_release(&runtime);
        return file;
}

#endif
