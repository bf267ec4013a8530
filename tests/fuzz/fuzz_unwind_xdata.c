/* SPDX-License-Identifier: BSD-3-Clause */
/* Unwind information in an image made for it.  Input: u8 0 x64 or 1 ARM64, u32 the last word of the entry
 * of .pdata, then the bytes of a section at INFO_RVA. */
#include <string.h>

#include "mem.h"
#include "unwind_walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
        HEADER_OFF = 0x40,
        OPTIONAL_OFF = HEADER_OFF + 24,
        OPTIONAL_BYTES = 240,
        EXCEPTION_DIR_OFF = OPTIONAL_OFF + 112 + 3 * 8,
        SECTION_OFF = OPTIONAL_OFF + OPTIONAL_BYTES,
        TABLE_OFF = 0x180, /* in the headers, which are mapped too */
        HEADERS_BYTES = 0x200,
        INFO_RVA = 0x1000,
        CODE_RVA = 0x100000,
        CODE_BYTES = 0x1000,
        MAX_INFO_BYTES = 0x10000,
};

static void put(uint8_t *at, uint64_t value, size_t size)
{
        for (size_t i = 0; i < size; i++)
                at[i] = (uint8_t)(value >> 8 * i);
}

static void put_headers(uint8_t *image, bool is_arm64, uint32_t word, size_t info_bytes)
{
        memcpy(image, "MZ", 2);
        put(image + 0x3c, HEADER_OFF, 4);
        memcpy(image + HEADER_OFF, "PE", 2);
        put(image + HEADER_OFF + 4, is_arm64 ? 0xaa64 : 0x8664, 2);
        put(image + HEADER_OFF + 6, 1, 2);
        put(image + HEADER_OFF + 20, OPTIONAL_BYTES, 2);
        put(image + OPTIONAL_OFF, 0x20b, 2);
        put(image + OPTIONAL_OFF + 24, 0x140000000, 8);
        put(image + OPTIONAL_OFF + 60, HEADERS_BYTES, 4);
        put(image + OPTIONAL_OFF + 108, 16, 4);
        put(image + EXCEPTION_DIR_OFF, TABLE_OFF, 4);
        put(image + EXCEPTION_DIR_OFF + 4, is_arm64 ? 8 : 12, 4);
        memcpy(image + SECTION_OFF, ".xdata", 6);
        put(image + SECTION_OFF + 8, info_bytes, 4);
        put(image + SECTION_OFF + 12, INFO_RVA, 4);
        put(image + SECTION_OFF + 16, info_bytes, 4);
        put(image + SECTION_OFF + 20, HEADERS_BYTES, 4);
        put(image + TABLE_OFF, CODE_RVA, 4);
        put(image + TABLE_OFF + 4, is_arm64 ? word : CODE_RVA + CODE_BYTES, 4);
        put(image + TABLE_OFF + 8, word, 4);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct cursor c = cursor_make(data, size);
        bool is_arm64 = cursor_u8(&c) & 1;
        uint32_t word = cursor_u32(&c);
        size_t info_bytes = cursor_left(&c);
        struct unwind_xdata xdata;
        struct object *object;
        uint8_t *image;

        if (c.failed || info_bytes > MAX_INFO_BYTES)
                return 0;
        image = mem_new(HEADERS_BYTES + info_bytes, 1);
        put_headers(image, is_arm64, word, info_bytes);
        if (info_bytes)
                memcpy(image + HEADERS_BYTES, c.at, info_bytes);
        object = object_open_bytes(image, HEADERS_BYTES + info_bytes, "input", NULL);
        if (!object)
                abort();
        if (unwind_xdata_find(object, 0x140000000 + CODE_RVA, &xdata, NULL))
                unwind_walk(object, &xdata);
        object_free(object);
        free(image);
        return 0;
}
