/* SPDX-License-Identifier: BSD-3-Clause */
/* jitdump files in memory, in either byte order. */
#ifndef JITDUMP_BUILDER_H
#define JITDUMP_BUILDER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "buf.h"

/* In struct jitheader, and in the struct jr_prefix of each record. */
enum {
        DUMP_VERSION_OFF = 4,
        DUMP_TOTAL_SIZE_OFF = 8,
        DUMP_HEADER_BYTES = 40,
        DUMP_RECORD_SIZE_OFF = 4,
        DUMP_PREFIX_BYTES = 16
};

struct dump_builder {
        struct buf bytes;
        bool swap;
        size_t record; /* where the open record begins */
};

static inline void dump_u32(struct dump_builder *b, uint32_t v)
{
        buf_add_u32(&b->bytes, b->swap ? __builtin_bswap32(v) : v);
}

static inline void dump_u64(struct dump_builder *b, uint64_t v)
{
        buf_add_u64(&b->bytes, b->swap ? __builtin_bswap64(v) : v);
}

static inline void dump_str(struct dump_builder *b, const char *text)
{
        buf_add(&b->bytes, text, strlen(text) + 1);
}

static inline void dump_set_u32(struct dump_builder *b, size_t off, uint32_t v)
{
        v = b->swap ? __builtin_bswap32(v) : v;
        memcpy(b->bytes.data + off, &v, sizeof(v));
}

static inline void dump_set_u64(struct dump_builder *b, size_t off, uint64_t v)
{
        v = b->swap ? __builtin_bswap64(v) : v;
        memcpy(b->bytes.data + off, &v, sizeof(v));
}

static inline void dump_header(struct dump_builder *b, uint64_t flags)
{
        dump_u32(b, 0x4a695444);
        dump_u32(b, 1);
        dump_u32(b, DUMP_HEADER_BYTES);
        dump_u32(b, 62);
        dump_u32(b, 0);
        dump_u32(b, 4711);
        dump_u64(b, 5);
        dump_u64(b, flags);
}

static inline void dump_begin(struct dump_builder *b, uint32_t id, uint64_t time)
{
        b->record = b->bytes.len;
        dump_u32(b, id);
        dump_u32(b, 0);
        dump_u64(b, time);
}

static inline void dump_end(struct dump_builder *b)
{
        dump_set_u32(b, b->record + DUMP_RECORD_SIZE_OFF, (uint32_t)(b->bytes.len - b->record));
}

/* Its code is `size` copies of the last digit of its address. */
static inline void dump_load(struct dump_builder *b, uint64_t time, uint64_t addr, size_t size,
                             uint64_t index, const char *name)
{
        dump_begin(b, 0, time);
        dump_u32(b, 4711);
        dump_u32(b, 4712);
        dump_u64(b, addr);
        dump_u64(b, addr);
        dump_u64(b, size);
        dump_u64(b, index);
        dump_str(b, name);
        memset(buf_extend(&b->bytes, size), (int)(addr & 15), size);
        dump_end(b);
}

static inline void dump_move(struct dump_builder *b, uint64_t time, uint64_t from, uint64_t to, uint64_t size,
                             uint64_t index)
{
        dump_begin(b, 1, time);
        dump_u32(b, 4711);
        dump_u32(b, 4712);
        dump_u64(b, to);
        dump_u64(b, from);
        dump_u64(b, to);
        dump_u64(b, size);
        dump_u64(b, index);
        dump_end(b);
}

/* Line tables: begin, lines, end. */
static inline void dump_lines_begin(struct dump_builder *b, uint64_t time, uint64_t addr, uint64_t n)
{
        dump_begin(b, 2, time);
        dump_u64(b, addr);
        dump_u64(b, n);
}

static inline void dump_line(struct dump_builder *b, uint64_t addr, uint32_t line, uint32_t discriminator,
                             const char *file)
{
        dump_u64(b, addr);
        dump_u32(b, line);
        dump_u32(b, discriminator);
        dump_str(b, file);
}

/* Unwinding information: an .eh_frame, and `hdr_size` bytes instead of its .eh_frame_hdr. */
static inline void dump_unwinding(struct dump_builder *b, uint64_t time, const void *frames, size_t size,
                                  size_t hdr_size)
{
        dump_begin(b, 4, time);
        dump_u64(b, size + hdr_size);
        dump_u64(b, hdr_size);
        dump_u64(b, 0);
        buf_add(&b->bytes, frames, size);
        buf_add_zeros(&b->bytes, hdr_size);
        dump_end(b);
}

/* One record of each kind, as real compilers write them. */
static inline void dump_every_kind(struct dump_builder *b)
{
        dump_header(b, 0);
        dump_load(b, 10, 0x1000, 16, 0, "first");
        dump_lines_begin(b, 11, 0x2000, 3);
        dump_line(b, 0x2000, 7, 0, "a.js");
        dump_line(b, 0x2008, 8, 2, "\xff");
        dump_line(b, 0x200c, 1, 0, "b.js");
        buf_add_zeros(&b->bytes, 5); /* V8 fills up to 8 */
        dump_end(b);
        dump_unwinding(b, 11, "frames of second", 16, 20);
        dump_load(b, 12, 0x2000, 32, 1, "second");
        dump_begin(b, 77, 13); /* nobody knows it */
        dump_u64(b, 1);
        dump_end(b);
        dump_move(b, 20, 0x2000, 0x3000, 32, 1);
        dump_load(b, 30, 0x1008, 16, 2, "replacing");
        dump_load(b, 31, 0x5000, 0, 3, "empty");
        dump_begin(b, 3, 40);
        dump_end(b);
}

#endif
