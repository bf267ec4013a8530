/* SPDX-License-Identifier: BSD-3-Clause */
/* Sections of names as simpleperf and hiperf write them, for tests and seeds; in this machine's byte
 * order. */
#ifndef RECORDED_BUILDER_H
#define RECORDED_BUILDER_H

#include <stdint.h>
#include <string.h>

#include "buf.h"

static inline void add_u32(struct buf *out, uint32_t value)
{
        buf_add(out, &value, sizeof(value));
}

static inline void add_u64(struct buf *out, uint64_t value)
{
        buf_add(out, &value, sizeof(value));
}

static inline void add_varint(struct buf *out, uint64_t value)
{
        for (; value > 127; value >>= 7)
                buf_add_char(out, (char)(value | 128));
        buf_add_char(out, (char)value);
}

static inline void add_part(struct buf *out, unsigned field, const void *bytes, size_t size)
{
        add_varint(out, field << 3 | 2);
        add_varint(out, size);
        buf_add(out, bytes, size);
}

static inline void add_number(struct buf *out, unsigned field, uint64_t value)
{
        add_varint(out, field << 3);
        add_varint(out, value);
}

/* FILE: two functions of a library and one of a kernel module. */
static inline void build_simpleperf_file(struct buf *out)
{
        AUTO_RELEASE(buf) file = {0};

        buf_add(&file, "/lib/one.so", sizeof("/lib/one.so"));
        add_u32(&file, 2);
        add_u64(&file, 0x2000);
        add_u32(&file, 2);
        add_u64(&file, 0x2010);
        add_u32(&file, 0x20);
        buf_add(&file, "_Z3onei", sizeof("_Z3onei"));
        add_u64(&file, 0x2040);
        add_u32(&file, 0x10);
        buf_add(&file, "two", sizeof("two"));
        add_u64(&file, 0x1000);
        add_u32(out, (uint32_t)file.len);
        buf_add(out, file.data, file.len);

        buf_clear(&file);
        buf_add(&file, "/vendor/mod.ko", sizeof("/vendor/mod.ko"));
        add_u32(&file, 1);
        add_u64(&file, 0x40);
        add_u32(&file, 1);
        add_u64(&file, 0x48);
        add_u32(&file, 8);
        buf_add(&file, "in_module", sizeof("in_module"));
        add_u32(out, (uint32_t)file.len);
        buf_add(out, file.data, file.len);
}

/* FILE2: one library with one function, and an unknown field. */
static inline void build_simpleperf_file2(struct buf *out)
{
        AUTO_RELEASE(buf) file = {0};
        AUTO_RELEASE(buf) part = {0};

        add_number(&part, 1, 0x3010);
        add_number(&part, 2, 0x20);
        add_part(&part, 3, "three", 5);
        add_part(&file, 1, "/lib/two.so", 11);
        add_number(&file, 2, 2);
        add_number(&file, 3, 0x3000);
        add_part(&file, 4, part.data, part.len);
        buf_clear(&part);
        add_number(&part, 1, 0x800);
        add_part(&file, 6, part.data, part.len);
        add_number(&file, 99, 7);
        add_u32(out, (uint32_t)file.len);
        buf_add(out, file.data, file.len);
}

static inline void add_hiperf_text(struct buf *out, const char *text)
{
        add_u32(out, (uint32_t)strlen(text) + 1);
        buf_add(out, text, strlen(text) + 1);
}

/* FILES_SYMBOL: a library with a build id, and the kernel, whose functions have no length. */
static inline void build_hiperf_symbols(struct buf *out)
{
        add_u32(out, 2);
        add_hiperf_text(out, "/lib/three.so");
        add_u32(out, 3);
        add_u64(out, 0x5000);
        add_u64(out, 0x4000);
        add_hiperf_text(out, "00ff10");
        add_u32(out, 1);
        add_u64(out, 0x5100);
        add_u32(out, 16);
        add_hiperf_text(out, "four()");
        add_hiperf_text(out, "[kernel.kallsyms]");
        add_u32(out, 0);
        add_u64(out, UINT64_MAX);
        add_u64(out, 0);
        add_hiperf_text(out, "");
        add_u32(out, 2);
        add_u64(out, 0xffffffc000001000);
        add_u32(out, 0);
        add_hiperf_text(out, "first");
        add_u64(out, 0xffffffc000002000);
        add_u32(out, 0);
        add_hiperf_text(out, "second");
}

#endif
