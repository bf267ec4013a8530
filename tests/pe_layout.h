/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the fields of a PE32+ image are, for tests that write or change bytes; the names are those of
 * Microsoft's winnt.h. */
#ifndef PE_LAYOUT_H
#define PE_LAYOUT_H

/* From the beginning of the file. */
enum { PE_E_LFANEW_OFF = 0x3c };

/* From the signature "PE": IMAGE_FILE_HEADER follows it. */
enum {
        PE_NUMBER_OF_SECTIONS_OFF = 6,
        PE_POINTER_TO_SYMBOL_TABLE_OFF = 12,
        PE_NUMBER_OF_SYMBOLS_OFF = 16,
        PE_SIZE_OF_OPTIONAL_HEADER_OFF = 20,
        PE_OPTIONAL_HEADER_OFF = 24,
};

/* IMAGE_OPTIONAL_HEADER64. */
enum {
        PE_MAGIC_OFF = 0,
        PE_IMAGE_BASE_OFF = 24,
        PE_SIZE_OF_IMAGE_OFF = 56,
        PE_SIZE_OF_HEADERS_OFF = 60,
        PE_NUMBER_OF_DIRECTORIES_OFF = 108, /* NumberOfRvaAndSizes */
        PE_DATA_DIRECTORY_OFF = 112,
        PE_OPTIONAL_HEADER_BYTES = 240, /* with 16 directories */
};

/* IMAGE_DATA_DIRECTORY. */
enum { PE_DIRECTORY_RVA_OFF = 0, PE_DIRECTORY_SIZE_OFF = 4, PE_DIRECTORY_BYTES = 8 };

/* IMAGE_SECTION_HEADER. */
enum {
        PE_VIRTUAL_SIZE_OFF = 8,
        PE_VIRTUAL_ADDRESS_OFF = 12,
        PE_SIZE_OF_RAW_DATA_OFF = 16,
        PE_POINTER_TO_RAW_DATA_OFF = 20,
};

/* IMAGE_LOAD_CONFIG_DIRECTORY64, and IMAGE_ARM64EC_METADATA, which it points to. */
enum {
        PE_CHPE_METADATA_POINTER_OFF = 0xc8,
        PE_METADATA_VERSION_OFF = 0,
        PE_METADATA_CODE_MAP_OFF = 4,
        PE_METADATA_CODE_MAP_COUNT_OFF = 8,
};

#endif
