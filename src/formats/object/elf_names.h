/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes an ELF image with symbols and without code, so that programs that read symbol tables can name
 * addresses of a mapping without a file.  In a mapping at page offset 0, an address is the symbol's address
 * plus the mapping's start. */
#ifndef ELF_NAMES_H
#define ELF_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "buf.h"

struct elf_name {
        uint64_t addr, size_bytes;
        size_t text_off; /* in elf_names.texts */
};

struct elf_names {
        const struct elf_name *items; /* by address */
        size_t n;
        const char *texts; /* each text ends with a NUL */
        size_t n_text_bytes;
};

/* Appends the image, for this machine and its byte order. */
void elf_names_make(const struct elf_names *names, struct buf *out);

#endif
