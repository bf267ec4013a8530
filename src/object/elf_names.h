/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes an ELF image that has symbols and no code, so that tools that read symbol tables name addresses of a map that has
 * no file.  A map at page offset 0 has addresses that are those of the symbols plus the map's beginning. */
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
        const char *texts; /* each with its NUL */
        size_t n_text_bytes;
};

/* Appends the image, for the machine and byte order of this one. */
void elf_names_make(const struct elf_names *names, struct buf *out);

#endif
