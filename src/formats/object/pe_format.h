/* SPDX-License-Identifier: BSD-3-Clause */
/* Constants of the PE and COFF formats (Microsoft's pe-format.md) that this room uses. */
#ifndef PE_FORMAT_H
#define PE_FORMAT_H

enum {
        PE_NEW_HEADER_OFF = 0x3c, /* position in the MS-DOS header of the offset of the PE header */
        PE_FILE_HEADER_BYTES = 20,
        PE_SECTION_BYTES = 40,
        PE_SYMBOL_BYTES = 18,
        PE_DEBUG_ENTRY_BYTES = 28,
        PE_SHORT_NAME_BYTES = 8,
};

enum pe_machine {
        PE_MACHINE_I386 = 0x14c,
        PE_MACHINE_ARM = 0x1c0,
        PE_MACHINE_THUMB = 0x1c2,
        PE_MACHINE_ARMNT = 0x1c4,
        PE_MACHINE_AMD64 = 0x8664,
        PE_MACHINE_ARM64EC = 0xa641,
        PE_MACHINE_ARM64X = 0xa64e,
        PE_MACHINE_ARM64 = 0xaa64,
};

enum { PE_MAGIC_32 = 0x10b, PE_MAGIC_64 = 0x20b };

enum { PE_FILE_EXECUTABLE = 0x2, PE_FILE_DLL = 0x2000 };

enum pe_directory {
        PE_DIR_EXPORT = 0,
        PE_DIR_EXCEPTION = 3,
        PE_DIR_DEBUG = 6,
        PE_DIR_LOAD_CONFIG = 10,
        PE_N_DIRS = 16,
};

enum { PE_DEBUG_CODEVIEW = 2 };

#define PE_SECTION_CODE    0x00000020u
#define PE_SECTION_EXECUTE 0x20000000u

enum { PE_CLASS_EXTERNAL = 2, PE_CLASS_STATIC = 3, PE_CLASS_LABEL = 6 };

enum { PE_TYPE_FUNCTION = 2 }; /* in the upper four bits of a symbol's type */

#endif
