/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the fields of a 64-bit ELF file are, for tests that write or change bytes: Elf64_Ehdr and Elf64_Shdr.
 */
#ifndef ELF_LAYOUT_H
#define ELF_LAYOUT_H

enum {
        ELF_EI_CLASS_OFF = 4,
        ELF_EI_DATA_OFF = 5,
        ELF_E_TYPE_OFF = 16,
        ELF_E_SHOFF_OFF = 40,
        ELF_E_EHSIZE_OFF = 52,
        ELF_E_PHENTSIZE_OFF = 54,
        ELF_E_SHENTSIZE_OFF = 58,
        ELF_E_SHNUM_OFF = 60,
        ELF_E_SHSTRNDX_OFF = 62,
        ELF_EHDR_BYTES = 64,
};

enum {
        ELF_SH_OFFSET_OFF = 24,
        ELF_SH_SIZE_OFF = 32,
        ELF_SH_LINK_OFF = 40,
        ELF_SH_ENTSIZE_OFF = 56,
        ELF_SHDR_BYTES = 64,
};

#endif
