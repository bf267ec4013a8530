/* SPDX-License-Identifier: BSD-3-Clause */
/* Constants of the ELF format; <elf.h> is not available everywhere.  Source: System V ABI, gABI chapters 4
 * and 5; the GNU extensions are from the Linux Standard Base. */
#ifndef ELF_FORMAT_H
#define ELF_FORMAT_H

/* e_ident */
enum { ELF_CLASS_32 = 1, ELF_CLASS_64 = 2 };
enum { ELF_DATA_LITTLE = 1, ELF_DATA_BIG = 2 };
enum { ELF_IDENT_BYTES = 16 };

enum elf_type { ELF_TYPE_REL = 1, ELF_TYPE_EXEC = 2, ELF_TYPE_DYN = 3 };

enum elf_machine {
        ELF_MACHINE_386 = 3,
        ELF_MACHINE_ARM = 40,
        ELF_MACHINE_X86_64 = 62,
        ELF_MACHINE_AARCH64 = 183,
};

enum elf_segment_type {
        ELF_PT_LOAD = 1,
        ELF_PT_DYNAMIC = 2,
        ELF_PT_INTERP = 3,
        ELF_PT_NOTE = 4,
        ELF_PT_GNU_EH_FRAME = 0x6474e550,
};

enum { ELF_PF_X = 1 };

enum elf_section_type {
        ELF_SHT_SYMTAB = 2,
        ELF_SHT_RELA = 4,
        ELF_SHT_DYNAMIC = 6,
        ELF_SHT_NOTE = 7,
        ELF_SHT_NOBITS = 8,
        ELF_SHT_DYNSYM = 11,
        ELF_SHT_SYMTAB_SHNDX = 18,
};

enum { ELF_SHF_ALLOC = 2, ELF_SHF_EXECINSTR = 4, ELF_SHF_COMPRESSED = 1 << 11 };

/* Section numbers with a special meaning. */
enum { ELF_SHN_UNDEF = 0, ELF_SHN_LORESERVE = 0xff00, ELF_SHN_ABS = 0xfff1, ELF_SHN_XINDEX = 0xffff };
enum { ELF_PN_XNUM = 0xffff };

enum elf_compression { ELF_COMPRESS_ZLIB = 1, ELF_COMPRESS_ZSTD = 2 };

/* Symbols: st_info holds binding << 4 | type, st_other the visibility. */
enum { ELF_STB_LOCAL = 0, ELF_STB_WEAK = 2 };
enum {
        ELF_STT_NOTYPE = 0,
        ELF_STT_OBJECT = 1,
        ELF_STT_FUNC = 2,
        ELF_STT_COMMON = 5,
        ELF_STT_TLS = 6,
        ELF_STT_GNU_IFUNC = 10,
};
enum { ELF_STV_INTERNAL = 1, ELF_STV_HIDDEN = 2 };

enum { ELF_NT_GNU_BUILD_ID = 3, ELF_NT_GO_BUILD_ID = 4 /* of the owner "Go" */ };

/* Dynamic section */
enum { ELF_DT_NULL = 0, ELF_DT_RELA = 7, ELF_DT_SONAME = 14 };
#define ELF_DT_RELACOUNT 0x6ffffff9u
#define ELF_DT_FLAGS_1   0x6ffffffbu
#define ELF_DF_1_PIE     0x08000000u

#endif
