/* SPDX-License-Identifier: BSD-3-Clause */
/* Unwind entries in encodings that no installed compiler writes, in an ELF file made of bytes. */
#include <stdlib.h>

#include "buf.h"
#include "object.h"
#include "tap.h"

enum { FRAME_ADDR = 0x2000, HEADER_BYTES = 64, SECTION_BYTES = 64 };

static void add_section(struct buf *file, uint32_t name, uint32_t type, uint64_t addr, uint64_t off,
                        uint64_t size)
{
        buf_add_u32(file, name);
        buf_add_u32(file, type);
        buf_add_u64(file, 2); /* SHF_ALLOC */
        buf_add_u64(file, addr);
        buf_add_u64(file, off);
        buf_add_u64(file, size);
        buf_add_zeros(file, 24);
}

/* A 64-bit little-endian library with only .eh_frame, at FRAME_ADDR. */
static void make_file(struct buf *file, const struct buf *frame)
{
        static const char names[] = "\0.eh_frame";
        uint64_t names_off = HEADER_BYTES + frame->len;

        buf_add(file, "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0\76\0\1\0\0", 24);
        buf_add_zeros(file, 16);
        buf_add_u64(file, names_off + sizeof(names)); /* e_shoff */
        buf_add_u32(file, 0);
        buf_add_u16(file, HEADER_BYTES);
        buf_add_u16(file, 0);
        buf_add_u16(file, 0);
        buf_add_u16(file, SECTION_BYTES);
        buf_add_u16(file, 3);
        buf_add_u16(file, 2);
        buf_add(file, frame->data, frame->len);
        buf_add(file, names, sizeof(names));
        add_section(file, 0, 0, 0, 0, 0);
        add_section(file, 1, 1, FRAME_ADDR, HEADER_BYTES, frame->len);
        add_section(file, 0, 3, 0, names_off, sizeof(names));
}

/* An entry: its length, its id (a CIE: 0; an FDE: the distance to the CIE at 0), its content. */
static void add_entry(struct buf *frame, bool is_fde, const void *content, size_t size)
{
        buf_add_u32(frame, (uint32_t)size + 4);
        buf_add_u32(frame, is_fde ? (uint32_t)frame->len : 0);
        buf_add(frame, content, size);
}

/* The ranges of one CIE and one FDE. */
static size_t list(const char *cie, size_t cie_size, const char *fde, size_t fde_size,
                   struct object_range **ret_ranges)
{
        AUTO_RELEASE(buf) frame = {0};
        AUTO_RELEASE(buf) file = {0};
        AUTO(object) object = NULL;
        struct err err = {0};

        add_entry(&frame, false, cie, cie_size);
        add_entry(&frame, true, fde, fde_size);
        make_file(&file, &frame);
        object = object_open_bytes(file.data, file.len, "made", &err);
        if (!object) {
                TAP_FAIL("%s", err.text);
                return 0;
        }
        return object_list_functions(object, ret_ranges);
}

static void expect_range(const char *cie, size_t cie_size, const char *fde, size_t fde_size, uint64_t start,
                         uint64_t size)
{
        struct object_range *ranges = NULL;

        ASSERT_CMP(list(cie, cie_size, fde, fde_size, &ranges), ==, 1);
        EXPECT_INT(ranges[0].start, start);
        EXPECT_INT(ranges[0].size_bytes, size);
        free(ranges);
}

static void expect_none(const char *cie, size_t cie_size, const char *fde, size_t fde_size)
{
        struct object_range *ranges = NULL;

        EXPECT_INT(list(cie, cie_size, fde, fde_size, &ranges), 0);
        free(ranges);
}

/* Content without the literal's own NUL. */
#define BYTES(text) text, sizeof(text) - 1

/* Version 1, "zR", alignments, return register, length, encoding. */
#define CIE(encoding) BYTES("\1zR\0\1\x78\20\1" encoding)

TEST(eh_frame_formats_of_addresses)
{
        expect_range(CIE("\0"), BYTES("\0\x10\0\0\0\0\0\0\x20\0\0\0\0\0\0\0"), 0x1000, 0x20);
        expect_range(CIE("\1"), BYTES("\x80\x20\x20"), 0x1000, 0x20);
        expect_range(CIE("\2"), BYTES("\0\x10\x20\0"), 0x1000, 0x20);
        expect_range(CIE("\3"), BYTES("\0\x10\0\0\x20\0\0\0"), 0x1000, 0x20);
        expect_range(CIE("\4"), BYTES("\0\x10\0\0\0\0\0\0\x20\0\0\0\0\0\0\0"), 0x1000, 0x20);
        expect_range(CIE("\x9"), BYTES("\x80\x20\x20"), 0x1000, 0x20);
        expect_range(CIE("\xa"), BYTES("\0\x10\x20\0"), 0x1000, 0x20);
        expect_range(CIE("\xb"), BYTES("\0\x10\0\0\x20\0\0\0"), 0x1000, 0x20);
        expect_range(CIE("\xc"), BYTES("\0\x10\0\0\0\0\0\0\x20\0\0\0\0\0\0\0"), 0x1000, 0x20);
        /* Relative to the field: the CIE has 17 bytes, and 8 of the FDE stand before it. */
        expect_range(CIE("\x1b"), BYTES("\0\xf0\xff\xff\x20\0\0\0"), FRAME_ADDR + 17 + 8 - 0x1000, 0x20);
}

TEST(eh_frame_leaves_out_what_it_cannot_know)
{
        expect_none(CIE("\x5"), BYTES("\0\x10\0\0\x20\0\0\0"));  /* no such format */
        expect_none(CIE("\x33"), BYTES("\0\x10\0\0\x20\0\0\0")); /* relative to data */
        expect_none(CIE("\x23"), BYTES("\0\x10\0\0\x20\0\0\0")); /* relative to text */
        expect_none(CIE("\x83"), BYTES("\0\x10\0\0\x20\0\0\0")); /* indirect */
        expect_none(CIE("\3"), BYTES("\0\0\0\0\x20\0\0\0"));     /* thrown away by the linker */
        expect_none(CIE("\3"), BYTES("\0\x10\0\0\0\0\0\0"));     /* empty */
        expect_none(CIE("\3"), BYTES("\0\x10\0\0\x20\0"));       /* cut */
        expect_none(CIE("\4"), BYTES("\0\xff\xff\xff\xff\xff\xff\xff\0\x10\0\0\0\0\0\0")); /* past the end */
}

TEST(eh_frame_versions_and_augmentations)
{
        static const char fde_64[] = "\0\x10\0\0\0\0\0\0\x20\0\0\0\0\0\0";
        static const char fde_32[] = "\0\x10\0\0\x20\0\0";

        expect_range(BYTES("\1\0\1\x78\20"), fde_64, sizeof(fde_64), 0x1000, 0x20);
        expect_range(BYTES("\3zR\0\1\x78\x90\1\1\3"), fde_32, sizeof(fde_32), 0x1000, 0x20);
        expect_range(BYTES("\4zR\0\x8\0\1\x78\20\1\3"), fde_32, sizeof(fde_32), 0x1000, 0x20);
        expect_range(BYTES("\1zPLR\0\1\x78\20\7\x9b\1\2\3\4\x1b\3"), fde_32, sizeof(fde_32), 0x1000, 0x20);
        expect_range(BYTES("\1zPSBR\0\1\x78\20\2\xff\3"), fde_32, sizeof(fde_32), 0x1000, 0x20);
        expect_none(BYTES("\2zR\0\1\x78\20\1\3"), fde_32, sizeof(fde_32));
        expect_none(BYTES("\1eh\0\1\x78\20\1\3"), fde_32, sizeof(fde_32));
        expect_none(BYTES("\1zXR\0\1\x78\20\1\3"), fde_32, sizeof(fde_32));
        expect_none(BYTES("\1zR"), fde_32, sizeof(fde_32));
}

/* Whether the code of an FDE has a frame at its start, where `n_rules` other rules stand between the two of
 * its CIE that define the frame. */
static bool has_frame(size_t n_rules)
{
        AUTO_RELEASE(buf) cie = {0};
        struct object_range *ranges = NULL;
        size_t n;
        bool found;

        buf_add(&cie, BYTES("\1zR\0\1\x78\20\1\3\xc\7\x8"));
        for (size_t i = 0; i < n_rules; i++)
                buf_add(&cie, BYTES("\x90\1"));
        buf_add(&cie, BYTES("\xe\20"));
        n = list((const char *)cie.data, cie.len, BYTES("\0\x10\0\0\x20\0\0\0\0"), &ranges);
        found = n == 1 && ranges[0].has_frame;
        EXPECT_INT(n, 1);
        free(ranges);
        return found;
}

/* A CIE is read for each FDE that has another one than the FDE before, so long ones cost that often. */
TEST(eh_frame_reads_the_beginning_of_a_cie)
{
        static const char fde[] = "\0\x10\0\0\x20\0\0";

        EXPECT_TRUE(has_frame(0) && has_frame(62));
        EXPECT_TRUE(!has_frame(63) && !has_frame(5000));
        expect_range(BYTES("\1zSSSSSSR\0\1\x78\20\1\3"), fde, sizeof(fde), 0x1000, 0x20);
        expect_none(BYTES("\1zSSSSSSSR\0\1\x78\20\1\3"), fde, sizeof(fde));
}

TAP_MAIN
