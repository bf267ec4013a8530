/* SPDX-License-Identifier: BSD-3-Clause */
/* A program's PDB with a record of every supported kind: for tests, and as a seed for fuzzing. */
#ifndef PDB_SAMPLE_H
#define PDB_SAMPLE_H

#include "pdb_builder.h"

/* Offsets in section 1. */
enum {
        SAMPLE_MAIN = 0x10,  /* 0x40 bytes; a label, and two nested inlined functions at +0x10 to +0x20 */
        SAMPLE_COLD = 0x200, /* separated part of main, 0x20 bytes; the outer of the two at +8 to +0x10 */
        SAMPLE_LEAF = 0x60,  /* without a size; ends at 0x80 */
        SAMPLE_THUNK = 0x80, /* 6 bytes */
        SAMPLE_TRAMPOLINE = 0x90, /* 5 bytes, to main */
        SAMPLE_PUBLIC = 0x300,    /* no module has it; up to 0x400 */
        SAMPLE_LAST = 0x400,      /* a public too */
};

/* The id of Box::area in the module: the second id that it imports from a module, which is itself. */
#define SAMPLE_IMPORTED 0x80000001u
#define SAMPLE_EXPORTED 0x80000041u

/* Code offset +0x10, line +1, 8 bytes; then line +1 for 8 more; in the second part +8 to +0x10. */
static inline void sample_outer_site(struct pdb_builder *b, uint32_t id)
{
        static const uint8_t annotations[] = {9,  5,          3, 0x10, /* column 5, code +0x10 */
                                              11, 2 << 4 | 8,          /* line +1, code +8 */
                                              4,  8,                   /* 8 bytes long */
                                              2,  1,                   /* second chunk */
                                              6,  3,                   /* line -1 */
                                              12, 8,          8};      /* 8 bytes long at +8 */

        built_site(b, 0x114d, id, annotations, sizeof(annotations));
}

/* In the second of its files, 4 bytes at +0x14. */
static inline void sample_inner_site(struct pdb_builder *b, uint32_t id)
{
        static const uint8_t annotations[] = {5, 16, 6, 20, 3, 0x14, 4, 4};

        built_site(b, 0x115d, id, annotations, sizeof(annotations));
}

static inline void sample_symbols(struct pdb_builder *b, uint32_t outer, uint32_t inner)
{
        struct buf *out = &b->symbols;

        built_proc(b, 0x1147, SAMPLE_MAIN, 0x40, "ns::main");
        built_begin(b, out, 0x1103); /* a block */
        buf_add_zeros(out, 18);
        built_text(out, "");
        built_end(b, out);
        sample_outer_site(b, outer);
        sample_inner_site(b, inner);
        built_mark(b, 0x114e);
        built_mark(b, 0x114e);
        built_mark(b, 0x0006);
        built_begin(b, out, 0x1105); /* a label */
        buf_add_u32(out, SAMPLE_MAIN + 0x30);
        buf_add_u16(out, 1);
        buf_add_u8(out, 0);
        built_text(out, "again");
        built_end(b, out);
        built_mark(b, 0x114f);

        built_begin(b, out, 0x1132); /* the cold part */
        buf_add_zeros(out, 8);
        buf_add_u32(out, 0x20);
        buf_add_u32(out, 0);
        buf_add_u32(out, SAMPLE_COLD);
        buf_add_u32(out, SAMPLE_MAIN);
        buf_add_u16(out, 1);
        buf_add_u16(out, 1);
        built_end(b, out);
        built_mark(b, 0x0006);

        built_proc(b, 0x110f, SAMPLE_LEAF, 0, "leaf");
        built_mark(b, 0x0006);
        built_begin(b, out, 0x1102); /* a thunk */
        buf_add_zeros(out, 12);
        buf_add_u32(out, SAMPLE_THUNK);
        buf_add_u16(out, 1);
        buf_add_u16(out, 6);
        buf_add_u8(out, 0);
        built_text(out, "thunk");
        built_end(b, out);
        built_mark(b, 0x0006);
        built_begin(b, out, 0x112c); /* a trampoline */
        buf_add_u16(out, 0);
        buf_add_u16(out, 5);
        buf_add_u32(out, SAMPLE_TRAMPOLINE);
        buf_add_u32(out, SAMPLE_MAIN);
        buf_add_u16(out, 1);
        buf_add_u16(out, 1);
        built_end(b, out);
}

static inline void sample_row(struct pdb_builder *b, uint32_t off, uint32_t line)
{
        buf_add_u32(&b->lines, off);
        buf_add_u32(&b->lines, line | 0x80000000);
}

static inline void sample_column(struct pdb_builder *b, uint16_t column)
{
        buf_add_u16(&b->lines, column);
        buf_add_u16(&b->lines, 0);
}

/* The lines of an address range: main with columns and rows in two files; the cold part. */
static inline void sample_rows(struct pdb_builder *b)
{
        built_subsection(b, 0xf2);
        buf_add_u32(&b->lines, SAMPLE_MAIN);
        buf_add_u16(&b->lines, 1);
        buf_add_u16(&b->lines, 1);
        buf_add_u32(&b->lines, 0x40);
        buf_add_u32(&b->lines, 0); /* the first file */
        buf_add_u32(&b->lines, 4);
        buf_add_u32(&b->lines, 12 + 4 * 12);
        sample_row(b, 0, 9);
        sample_row(b, 0, 10);
        sample_row(b, 0x20, 12);
        sample_row(b, 0x38, 0xfeefee);
        sample_column(b, 1);
        sample_column(b, 2);
        sample_column(b, 3);
        sample_column(b, 4);
        buf_add_u32(&b->lines, 8); /* the second */
        buf_add_u32(&b->lines, 1);
        buf_add_u32(&b->lines, 12 + 1 * 12);
        sample_row(b, 0x10, 11);
        sample_column(b, 7);
        built_subsection_end(b);

        built_subsection(b, 0xf2);
        buf_add_u32(&b->lines, SAMPLE_COLD);
        buf_add_u16(&b->lines, 1);
        buf_add_u16(&b->lines, 0);
        buf_add_u32(&b->lines, 0x20);
        buf_add_u32(&b->lines, 0);
        buf_add_u32(&b->lines, 1);
        buf_add_u32(&b->lines, 12 + 8);
        sample_row(b, 0, 20);
        built_subsection_end(b);
}

/* Paths and the name of a module, in this order. */
enum { SAMPLE_MAIN_C, SAMPLE_INLINE_H, SAMPLE_MORE_H, SAMPLE_MODULE, N_SAMPLE_NAMES };

struct sample_names {
        uint32_t offs[N_SAMPLE_NAMES];
};

static inline struct sample_names sample_files(struct pdb_builder *b)
{
        static const char *const texts[] = {"C:\\src\\main.c", "C:\\src\\inline.h", "C:\\src\\more.h",
                                            "ONE.obj"};
        struct sample_names names;

        for (size_t i = 0; i < N_SAMPLE_NAMES; i++)
                names.offs[i] = built_file(b, texts[i]);
        return names;
}

static inline void sample_imports(struct pdb_builder *b, uint32_t id, uint32_t module)
{
        built_subsection(b, 0xf7);
        buf_add_u32(&b->lines, module);
        buf_add_u32(&b->lines, 2);
        buf_add_u32(&b->lines, 0x40);
        buf_add_u32(&b->lines, SAMPLE_EXPORTED);
        built_subsection_end(b);
        built_subsection(b, 0xf8);
        buf_add_u32(&b->lines, 0x40);
        buf_add_u32(&b->lines, id + 1);
        buf_add_u32(&b->lines, SAMPLE_EXPORTED);
        buf_add_u32(&b->lines, id);
        built_subsection_end(b);
}

static inline void sample_lines(struct pdb_builder *b, uint32_t outer, uint32_t inner)
{
        struct sample_names names = sample_files(b);

        sample_rows(b);
        built_subsection(b, 0xf4);
        built_checksum(b, names.offs[SAMPLE_MAIN_C]);
        built_checksum(b, names.offs[SAMPLE_INLINE_H]);
        built_checksum(b, names.offs[SAMPLE_MORE_H]);
        built_subsection_end(b);
        built_subsection(b, 0xf6);
        buf_add_u32(&b->lines, 1); /* with further files */
        buf_add_u32(&b->lines, SAMPLE_IMPORTED);
        buf_add_u32(&b->lines, 8);
        buf_add_u32(&b->lines, 100);
        buf_add_u32(&b->lines, 1);
        buf_add_u32(&b->lines, 16);
        buf_add_u32(&b->lines, outer);
        buf_add_u32(&b->lines, 8);
        buf_add_u32(&b->lines, 50);
        buf_add_u32(&b->lines, 0);
        built_subsection_end(b);
        sample_imports(b, inner, names.offs[SAMPLE_MODULE]);
}

static inline void sample_make(struct pdb_builder *b)
{
        uint32_t box = built_class(b, 0x1504, "ns::Box");
        uint32_t inner = built_method_id(b, box, "area");
        uint32_t outer = built_function_id(b, built_scope(b, "ns"), "outer");

        b->machine = 0xaa64;
        sample_symbols(b, outer, SAMPLE_IMPORTED);
        sample_lines(b, outer, inner);
        built_public(b, SAMPLE_MAIN, "?main@ns@@YAHXZ");
        built_public(b, SAMPLE_PUBLIC, "memcpy");
        built_public(b, SAMPLE_LAST, "last");
        built_contribution(b, 1, SAMPLE_MAIN, 0x90, 0);
        built_contribution(b, 1, SAMPLE_COLD, 0x20, 0);
        built_contribution(b, 1, SAMPLE_PUBLIC, 0x10, 9); /* a module that is not there */
}

#endif
