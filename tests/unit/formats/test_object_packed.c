/* SPDX-License-Identifier: BSD-3-Clause */
/* Packed sections that are large enough for two threads, in an ELF file made here.  Unpacked bytes are
 * compared with the originals, because both threads write at the same time. */
#include <stdlib.h>

#include "attributes.h"
#include "budget.h"
#include "buf.h"
#include "codec.h"
#include "object.h"
#include "tap.h"

enum {
        HEADER_BYTES = 64,
        SECTION_BYTES = 64,
        PACKING_BYTES = 24, /* Elf64_Chdr */
        STORED_BYTES = 65535,
        PROGBITS = 1,
        STRTAB = 3,
        COMPRESSED = 1 << 11,
        ZLIB = 1,
};

static const struct {
        const char *name;
        size_t size;
        bool is_damaged;
} made[] = {
        {".debug_small", 50000, false}, {".debug_info", 700000, false}, {".debug_cut", 400000, true},
        {".debug_line", 600000, false}, {".debug_str", 300000, false},
};

enum { N_MADE = N_ELEMENTS(made) };

/* Other bytes at every place of every section. */
static uint8_t byte_at(size_t section, size_t i)
{
        return (uint8_t)((i * 2654435761u >> 13) + section * 31);
}

/* A zlib stream of blocks that are only stored. */
static void add_stream(size_t section, size_t size, bool is_damaged, struct buf *out)
{
        uint32_t a = 1, b = 0, sum;

        buf_add_u8(out, 0x78);
        buf_add_u8(out, 0x01);
        for (size_t i = 0; i < size; i += STORED_BYTES) {
                size_t n = size - i < STORED_BYTES ? size - i : STORED_BYTES;

                buf_add_u8(out, i + n == size);
                buf_add_u16(out, (uint16_t)n);
                buf_add_u16(out, (uint16_t)~n);
                for (size_t k = i; k < i + n; k++) {
                        buf_add_u8(out, byte_at(section, k));
                        a = (a + byte_at(section, k)) % 65521;
                        b = (b + a) % 65521;
                }
        }
        sum = b << 16 | a;
        for (int shift = 24; shift >= 0; shift -= 8)
                buf_add_u8(out, (uint8_t)(sum >> shift ^ is_damaged));
}

static void add_section(struct buf *out, uint32_t name, uint32_t type, uint64_t flags, uint64_t off,
                        uint64_t size)
{
        buf_add_u32(out, name);
        buf_add_u32(out, type);
        buf_add_u64(out, flags);
        buf_add_u64(out, 0); /* address */
        buf_add_u64(out, off);
        buf_add_u64(out, size);
        buf_add_u64(out, 0); /* link, info */
        buf_add_u64(out, 1); /* alignment */
        buf_add_u64(out, 0);
}

static void add_header(struct buf *out, uint64_t sections_off, uint16_t n_sections)
{
        static const uint8_t ident[16] = {0x7f, 'E', 'L', 'F', 2, 1, 1};

        buf_add(out, ident, sizeof(ident));
        buf_add_u16(out, 3);  /* a library */
        buf_add_u16(out, 62); /* x86-64 */
        buf_add_u32(out, 1);
        buf_add_u64(out, 0);
        buf_add_u64(out, 0);
        buf_add_u64(out, sections_off);
        buf_add_u32(out, 0);
        buf_add_u16(out, HEADER_BYTES);
        buf_add_u16(out, 56);
        buf_add_u16(out, 0);
        buf_add_u16(out, SECTION_BYTES);
        buf_add_u16(out, n_sections);
        buf_add_u16(out, (uint16_t)(n_sections - 1));
}

static void make_file(struct buf *out)
{
        AUTO_RELEASE(buf) content = {0};
        AUTO_RELEASE(buf) names = {0};
        AUTO_RELEASE(buf) sections = {0};

        buf_add_u8(&names, 0);
        add_section(&sections, 0, 0, 0, 0, 0);
        for (size_t i = 0; i < N_MADE; i++) {
                size_t start = content.len, name = names.len;

                buf_add(&names, made[i].name, strlen(made[i].name) + 1);
                buf_add_u64(&content, ZLIB);
                buf_add_u64(&content, made[i].size);
                buf_add_u64(&content, 1);
                add_stream(i, made[i].size, made[i].is_damaged, &content);
                add_section(&sections, (uint32_t)name, PROGBITS, COMPRESSED, HEADER_BYTES + start,
                            content.len - start);
        }
        add_section(&sections, 0, STRTAB, 0, HEADER_BYTES + content.len, names.len);
        add_header(out, HEADER_BYTES + content.len + names.len, N_MADE + 2);
        buf_add(out, content.data, content.len);
        buf_add(out, names.data, names.len);
        buf_add(out, sections.data, sections.len);
}

static void expect_content(struct object *object, const struct object_section *section, size_t i)
{
        struct cursor bytes;
        struct err err = {0};
        size_t n_wrong = 0;

        if (made[i].is_damaged) {
                EXPECT_TRUE(!object_read_section(object, section, &bytes, &err));
                EXPECT_STR(err.text, "made: .debug_cut: zlib stream is cut or damaged");
                return;
        }
        ASSERT_TRUE(object_read_section(object, section, &bytes, &err));
        EXPECT_INT(cursor_left(&bytes), made[i].size);
        for (size_t k = 0; k < cursor_left(&bytes); k++)
                n_wrong += bytes.at[k] != byte_at(i, k);
        EXPECT_INT(n_wrong, 0);
}

TEST(large_sections_are_unpacked_by_two_threads)
{
        const struct object_section *sections[N_MADE];
        AUTO_RELEASE(buf) file = {0};
        AUTO(object) object = NULL;
        struct err err = {0};

        if (!codec_available(CODEC_ZLIB))
                SKIP("this build has no zlib");
        make_file(&file);
        object = object_open_bytes(file.data, file.len, "made", &err);
        EXPECT_STR(err.text, "");
        ASSERT_TRUE(object);
        for (size_t i = 0; i < N_MADE; i++) {
                sections[i] = object_find_section(object, made[i].name);
                ASSERT_TRUE(sections[i] && (sections[i]->flags & OBJECT_SECTION_PACKED));
        }
        object_unpack_sections(object, sections, N_MADE);
        /* What was unpacked is not read again. */
        memset(file.data + HEADER_BYTES, 0, sections[N_MADE - 1]->file_off - HEADER_BYTES);
        for (size_t i = 0; i < N_MADE; i++)
                expect_content(object, sections[i], i);
}

/* Sections that share one stream, or claim to be large, can't use more memory than the object may. */
TEST(a_budget_bounds_what_is_unpacked)
{
        const struct object_section *sections[N_MADE];
        AUTO_RELEASE(buf) file = {0};
        AUTO_RELEASE(buf) text = {0};
        struct budget command, of_file;
        struct object *object;
        struct cursor bytes;
        struct err err = {0};
        uint64_t used;

        if (!codec_available(CODEC_ZLIB))
                SKIP("this build has no zlib");
        make_file(&file);
        budget_init(&command, 1 << 20);
        budget_init_file(&of_file, &command, "/bin/made");
        object = object_open_bytes(file.data, file.len, "made", &err);
        ASSERT_TRUE(object);
        object_set_budget(object, &of_file);
        for (size_t i = 0; i < N_MADE; i++)
                sections[i] = object_find_section(object, made[i].name);
        object_unpack_sections(object, sections, N_MADE);
        used = command.used_bytes;
        EXPECT_TRUE(used && used <= (1 << 20) / 4 * 3);
        EXPECT_TRUE(budget_has_left_out(&of_file, BUDGET_LINES));
        budget_add_text(&command, &text);
        EXPECT_STR(text.data, "inlined frames and lines of made");
        for (size_t i = 0; i < N_MADE; i++) {
                if (!object_read_section(object, sections[i], &bytes, &err) && err.code == ERR_LIMIT)
                        break;
        }
        EXPECT_TRUE(strstr(err.text, "not enough memory for its"));
        object_free(object);
        EXPECT_INT(command.used_bytes, 0);
        budget_release(&of_file);
        budget_release(&command);
}

TAP_MAIN
