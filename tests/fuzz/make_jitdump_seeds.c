/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the seeds of fuzz_jitdump into the folder given as its argument, and jit-4711.dump for
 * tests/data/jit. Run by hand when the format changes. */
#include "jitdump_builder.h"
#include "save_seed.h"

static const char *folder;

static void save(struct dump_builder *b, const char *name)
{
        save_seed(folder, name, &b->bytes);
}

static void make_every_kind(const char *name, bool swap, size_t cut)
{
        struct dump_builder b = {.swap = swap};

        dump_every_kind(&b);
        b.bytes.len -= cut;
        save(&b, name);
}

static void make_crowded(void)
{
        struct dump_builder b = {0};

        dump_header(&b, 1);
        for (unsigned i = 0; i < 12; i++)
                dump_load(&b, 100 - i % 3, 0x1000 + i * 3 % 16, 5 + i, i % 4, "f");
        dump_move(&b, 101, 0x1000, 0x1004, 5, 0);
        dump_move(&b, 102, 0x1004, 0x1000, 5, 99);
        save(&b, "crowded");
}

/* One address used again and again, with moves to it and away, at times in and out of order. */
static void make_reused(void)
{
        struct dump_builder b = {0};

        dump_header(&b, 0);
        for (unsigned i = 0; i < 20; i++)
                dump_load(&b, i < 10 ? i : 30 - i, 0x1000, 8 + i % 5, i, "f");
        for (unsigned i = 0; i < 6; i++)
                dump_move(&b, 40 + i, i % 2 ? 0x2000 : 0x1000, i % 2 ? 0x1000 : 0x2000, 8, 19);
        dump_load(&b, 0, 0x1004, 8, 50, "at time 0");
        save(&b, "reused");
}

static void make_damaged(void)
{
        struct dump_builder b = {0};

        dump_header(&b, 0);
        dump_begin(&b, 0, 1);
        dump_end(&b);
        dump_move(&b, 1, 1, 2, 3, 4);
        dump_lines_begin(&b, 1, 0x1000, UINT64_MAX);
        dump_end(&b);
        dump_lines_begin(&b, 1, 0x1000, 2);
        dump_line(&b, 0x1000, 1, 1, "only one, and long enough for two");
        dump_end(&b);
        dump_load(&b, 1, 0x1000, 4, 0, "f");
        dump_load(&b, 1, UINT64_MAX - 2, 4, 0, "wraps");
        dump_begin(&b, 3, 1);
        save(&b, "damaged");
}

static void make_headers(void)
{
        struct dump_builder b = {0};

        dump_header(&b, 0);
        save(&b, "header");
        dump_header(&b, 0);
        dump_set_u32(&b, DUMP_VERSION_OFF, 9);
        save(&b, "version");
        dump_header(&b, 0);
        dump_set_u32(&b, DUMP_TOTAL_SIZE_OFF, 48);
        buf_add_zeros(&b.bytes, 8);
        dump_load(&b, 1, 0x1000, 4, 0, "f");
        save(&b, "long_header");
}

static void make_other_headers(void)
{
        struct dump_builder b = {0};

        dump_header(&b, 0);
        dump_set_u32(&b, DUMP_TOTAL_SIZE_OFF, 39);
        save(&b, "short_header");
        dump_header(&b, 0);
        dump_set_u32(&b, DUMP_TOTAL_SIZE_OFF, 41);
        save(&b, "ends_in_header");
        dump_header(&b, 0);
        b.bytes.len = 10;
        save(&b, "cut_in_header");
        dump_header(&b, 0);
        dump_set_u32(&b, 0, 0x464c457f);
        save(&b, "other_magic");
}

/* Records that are too short, and a move to the end of the address space. */
static void make_short_bodies(void)
{
        struct dump_builder b = {0};

        dump_header(&b, 0);
        dump_load(&b, 1, 0x1000, 4, 0, "f");
        dump_move(&b, 2, 0x1000, UINT64_MAX - 1, 4, 0);
        dump_begin(&b, 1, 3);
        dump_end(&b);
        dump_begin(&b, 2, 4);
        dump_end(&b);
        dump_begin(&b, 4, 5);
        dump_end(&b);
        dump_unwinding(&b, 6, "", 0, 0);
        dump_load(&b, 7, 0x2000, 4, 1, "g");
        dump_lines_begin(&b, 8, 0x2000, 0);
        dump_end(&b);
        dump_begin(&b, 0, 9);
        b.bytes.len -= 3;
        save(&b, "short_bodies");
}

/* Lines of another function than the one that follows, and an .eh_frame_hdr that is longer than the record
 * says. */
static void make_strangers(void)
{
        struct dump_builder b = {0};

        dump_header(&b, 0);
        dump_lines_begin(&b, 1, 0x1000, 1);
        dump_line(&b, 0x1000, 1, 0, "a.js");
        dump_end(&b);
        dump_unwinding(&b, 2, "", 0, 0);
        dump_set_u64(&b, b.record + DUMP_PREFIX_BYTES + 8, 1);
        dump_load(&b, 3, 0x2000, 4, 0, "f");
        save(&b, "strangers");
}

/* As CPython writes them: 11 bytes of code, the table 16 bytes after their beginning. */
static void make_unwinding(void)
{
        static const char frames[] =
                "\x14\0\0\0\0\0\0\0\1zR\0\1\x78\x10\1\x1b\x0c\7\x08\x90\1\0\0"
                "\x14\0\0\0\x1c\0\0\0\xd0\xff\xff\xff\x0b\0\0\0\0\x44\x0e\x10\x46\x0e\x08\0\0\0\0";
        struct dump_builder b = {0};

        dump_header(&b, 0);
        dump_unwinding(&b, 1, frames, sizeof(frames) - 1, 20);
        dump_load(&b, 2, 0x1000, 11, 0, "py::f:f.py");
        dump_move(&b, 3, 0x1000, 0x2000, 11, 0);
        dump_unwinding(&b, 4, frames, 12, 0);
        dump_load(&b, 5, 0x3000, 11, 1, "py::cut:f.py");
        save(&b, "unwinding");
}

/* --- Tables of many kinds, each for a function of its own --- */

enum { FIRST_ADDR = 0x100, ADDR_STEP = 0x40, CODE_BYTES = 16 };

struct frame_kind {
        uint8_t version;
        const char *letters, *data; /* of the augmentation */
        uint8_t n_data, encoding;
        const char *program;
        uint8_t n_program;
        bool is_64;
};

#define PROGRAM(bytes) .program = (bytes), .n_program = sizeof(bytes) - 1
#define DATA(bytes)    .data = (bytes), .n_data = sizeof(bytes) - 1

static void add_encoded(struct buf *out, uint8_t encoding, uint64_t value)
{
        switch (encoding & 0x0f) {
        case 1: buf_add_uleb(out, value); break;
        case 2:
        case 10: buf_add_u16(out, (uint16_t)value); break;
        case 3:
        case 11: buf_add_u32(out, (uint32_t)value); break;
        case 9: buf_add_sleb(out, (int64_t)value); break;
        default: buf_add_u64(out, value); break;
        }
}

static void add_table_entry(struct buf *out, const struct buf *content, uint32_t back, bool is_64)
{
        size_t size = content->len + 4;

        if (is_64) {
                buf_add_u32(out, UINT32_MAX);
                buf_add_u64(out, size);
        } else {
                buf_add_u32(out, (uint32_t)size);
        }
        buf_add_u32(out, back);
        buf_add(out, content->data, content->len);
}

/* A CIE, an FDE for the code at `addr`, and the end. */
static void add_table(struct buf *out, const struct frame_kind *kind, uint64_t addr)
{
        AUTO_RELEASE(buf) cie = {0};
        AUTO_RELEASE(buf) fde = {0};
        uint8_t version = kind->version ? kind->version : 1;
        const char *letters = kind->letters ? kind->letters : "zR";

        buf_add_u8(&cie, version);
        buf_add(&cie, letters, strlen(letters) + 1);
        if (version == 4)
                buf_add_u16(&cie, 8);
        buf_add(&cie, "\1\x78\x10", 3);
        if (letters[0] == 'z') {
                buf_add_u8(&cie, kind->n_data ? kind->n_data : 1);
                if (kind->n_data)
                        buf_add(&cie, kind->data, kind->n_data);
                else
                        buf_add_u8(&cie, kind->encoding);
        }
        buf_add(&cie, "\x0c\7\x08\x90\1", 5);
        add_encoded(&fde, kind->encoding, addr);
        add_encoded(&fde, kind->encoding, CODE_BYTES);
        if (letters[0] == 'z')
                buf_add_u8(&fde, 0);
        if (kind->n_program)
                buf_add(&fde, kind->program, kind->n_program);
        add_table_entry(out, &cie, 0, kind->is_64);
        add_table_entry(out, &fde, (uint32_t)out->len + (kind->is_64 ? 12 : 4), kind->is_64);
        buf_add_u32(out, 0);
}

static void save_tables(const char *name, const struct frame_kind *kinds, size_t n)
{
        struct dump_builder b = {0};

        dump_header(&b, 0);
        for (size_t i = 0; i < n; i++) {
                AUTO_RELEASE(buf) table = {0};
                uint64_t addr = FIRST_ADDR + i * ADDR_STEP;

                add_table(&table, &kinds[i], addr);
                dump_unwinding(&b, 2 * i, table.data, table.len, 20);
                dump_load(&b, 2 * i + 1, addr, CODE_BYTES, i, "f");
        }
        save(&b, name);
}

static void make_encodings(void)
{
        static const struct frame_kind kinds[] = {
                {.encoding = 0x00}, {.encoding = 0x01}, {.encoding = 0x02}, {.encoding = 0x03},
                {.encoding = 0x04}, {.encoding = 0x09}, {.encoding = 0x0a}, {.encoding = 0x0b},
                {.encoding = 0x0c}, {.encoding = 0x0d}, {.encoding = 0x1b}, {.encoding = 0x2b},
                {.encoding = 0x3b}, {.encoding = 0x4b}, {.encoding = 0x50}, {.encoding = 0x60},
                {.encoding = 0x80}, {.encoding = 0xff}, {.is_64 = true},
        };

        save_tables("encodings", kinds, sizeof(kinds) / sizeof(kinds[0]));
}

static void make_augmentations(void)
{
        static const struct frame_kind kinds[] = {
                {.letters = "zRS", DATA("\0")},
                {.letters = "zRB", DATA("\0")},
                {.letters = "zRG", DATA("\0")},
                {.letters = "zPLR", DATA("\x1b\1\2\3\4\x1b\0")},
                {.letters = "zPR", DATA("\xff\0")},
                {.letters = "zPR", DATA("\x60\0")},
                {.letters = "zRx", DATA("\0\1\2")},
                {.letters = "zR", DATA("\0\0\0\0\0\0\0\0")},
                {.letters = ""},
                {.letters = "eh"},
                {.letters = "armcc+"},
                {.version = 3, .letters = "zR"},
                {.version = 4, .letters = "zR"},
                {.version = 2, .letters = "zR"},
        };

        save_tables("augmentations", kinds, sizeof(kinds) / sizeof(kinds[0]));
}

/* Each instruction, with operands that are small numbers or a block of two bytes. */
static void make_instructions(void)
{
        enum { PER_FILE = 16, N_INSTRUCTIONS = 64 };
        static char programs[N_INSTRUCTIONS][10];
        struct frame_kind kinds[PER_FILE] = {{0}};

        for (unsigned i = 0; i < N_INSTRUCTIONS; i++) {
                static const char operands[9] = {6, 2, 0x77, 8, 0, 0, 0, 0, 0};

                programs[i][0] = (char)(i < 0x30 ? i : 0x40 + (i - 0x30) * 0x0c);
                memcpy(programs[i] + 1, operands, sizeof(operands));
                kinds[i % PER_FILE] = (struct frame_kind){.program = programs[i], .n_program = 10};
                if (i % PER_FILE == PER_FILE - 1) {
                        char name[32];

                        snprintf(name, sizeof(name), "instructions_%u", i / PER_FILE);
                        save_tables(name, kinds, PER_FILE);
                }
        }
}

/* Where one instruction depends on those before it, and expressions. */
static void make_programs(void)
{
        static const struct frame_kind kinds[] = {
                {PROGRAM("\x0a\x86\2\x0b")},             /* remember, offset, restore */
                {PROGRAM("\x0b")},                       /* restore nothing */
                {PROGRAM("\x86\2\xc6\x06\x06\x08\x06")}, /* restore, restore extended, same value */
                {PROGRAM("\x0d\6\x0e\x10\x13\x7e\x12\6\x7e")},
                {PROGRAM("\x05\6\2\x11\6\x7e\x14\6\2\x15\6\x7e\x2f\6\2")},
                {PROGRAM("\7\6\x09\3\6\x2e\x10\x2d")},
                {PROGRAM("\x0f\2\x77\x08")},         /* a CFA by an expression */
                {PROGRAM("\x0f\2\x77\x08\x0e\x08")}, /* and an offset of it */
                {PROGRAM("\x10\6\2\x77\x08\x16\6\2\x77\0")},
                {PROGRAM("\x0f\x0b\x77\x08\x80\0\x3f\x1a\x3b\x2a\x33\x24\x22")}, /* as of the PLT */
                {PROGRAM("\x0f\4\x77\0\x06\x06")},
                {PROGRAM("\x0f\5\x77\0\x12\x16\x13")},
                {PROGRAM("\x0f\7\x31\x32\x1b\x1d\x1e\x1f\x20")},
                {PROGRAM("\x0f\x08\x31\x28\2\0\x31\x2f\xfd\xff")},
                {PROGRAM("\x0f\6\x08\1\x09\xff\x94\4")},
                {PROGRAM("\x0f\1\xff")},
                {PROGRAM("\x0f\x7f\x77")}, /* longer than its entry */
                {PROGRAM("\x41\x02\1\x03\1\0\x04\0\0\0\1")},
                {PROGRAM("\x01\0\0\0\0\0\0\0\0")}, /* back to address 0 */
                {PROGRAM("\x3f")},
        };

        save_tables("programs", kinds, sizeof(kinds) / sizeof(kinds[0]));
}

/* Among the functions of tests/data/text/perf.map. */
static void make_data(void)
{
        struct dump_builder b = {0};

        dump_header(&b, 0);
        dump_load(&b, 1, 0x7f0000001040, 0x20, 0, "in_the_dump");
        dump_load(&b, 2, 0x7f0000005000, 0x20, 1, "before");
        dump_load(&b, 3, 0x7f0000005000, 0x20, 2, "_ZN5after1fEv");
        save(&b, "jit-4711.dump");
}

int main(int argc, char **argv)
{
        if (argc != 2)
                return 2;
        folder = argv[1];
        make_every_kind("every_kind", false, 0);
        make_every_kind("every_kind_swapped", true, 0);
        make_every_kind("cut", false, 30);
        make_crowded();
        make_reused();
        make_damaged();
        make_headers();
        make_other_headers();
        make_short_bodies();
        make_strangers();
        make_unwinding();
        make_encodings();
        make_augmentations();
        make_instructions();
        make_programs();
        make_data();
        return 0;
}
