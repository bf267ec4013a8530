/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the seeds of fuzz_jitdump into the folder given as its argument, and jit-4711.dump for tests/data/jit. Run by hand when
 * the format changes. */
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
        dump_set_u32(&b, 4, 9);
        save(&b, "version");
        dump_header(&b, 0);
        dump_set_u32(&b, 8, 48);
        buf_add_zeros(&b.bytes, 8);
        dump_load(&b, 1, 0x1000, 4, 0, "f");
        save(&b, "long_header");
}

static void make_other_headers(void)
{
        struct dump_builder b = {0};

        dump_header(&b, 0);
        dump_set_u32(&b, 8, 39);
        save(&b, "short_header");
        dump_header(&b, 0);
        dump_set_u32(&b, 8, 41);
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

/* Lines of another function than the one that follows, and an .eh_frame_hdr that is longer than the record says. */
static void make_strangers(void)
{
        struct dump_builder b = {0};

        dump_header(&b, 0);
        dump_lines_begin(&b, 1, 0x1000, 1);
        dump_line(&b, 0x1000, 1, 0, "a.js");
        dump_end(&b);
        dump_unwinding(&b, 2, "", 0, 0);
        dump_set_u64(&b, b.record + 16 + 8, 1);
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
        make_data();
        return 0;
}
