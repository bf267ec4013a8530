/* SPDX-License-Identifier: BSD-3-Clause */
/* PDBs in memory: the layout of a container, and the streams of a small program with symbols, lines, types
 * and public symbols. */
#ifndef PDB_BUILDER_H
#define PDB_BUILDER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "buf.h"

/* --- The container --- */

enum { MSF_MAX_STREAMS = 64 };

struct msf_builder {
        struct buf streams[MSF_MAX_STREAMS];
        bool is_nil[MSF_MAX_STREAMS];
        uint32_t n_streams;
        uint32_t block_bytes;
        uint32_t first_block; /* a block with data; blocks of free-block maps are not counted */
        bool is_scattered;    /* no two blocks follow each other */
};

/* Receives bytes of the file. */
typedef void msf_write(void *ctx, uint64_t off, const void *bytes, size_t size);

static inline void msf_release(struct msf_builder *b)
{
        for (uint32_t i = 0; i < MSF_MAX_STREAMS; i++)
                buf_release(&b->streams[i]);
}

struct msf_layout {
        const struct msf_builder *builder;
        uint32_t n_blocks, n_used;
        uint32_t last; /* highest block */
        msf_write *write;
        void *ctx;
};

static inline uint32_t msf_count_blocks(const struct msf_builder *b, size_t n_bytes)
{
        return (uint32_t)((n_bytes + b->block_bytes - 1) / b->block_bytes);
}

/* The next block: of every block_bytes blocks the second and third are free-block maps. */
static inline uint32_t msf_next_block(struct msf_layout *layout)
{
        const struct msf_builder *b = layout->builder;
        uint32_t i = layout->n_used++, at = b->is_scattered ? (layout->n_blocks - i) * 2 : i;
        uint32_t block;

        at += b->first_block;
        block = at / (b->block_bytes - 2) * b->block_bytes + 3 + at % (b->block_bytes - 2);
        if (block > layout->last)
                layout->last = block;
        return block;
}

/* Writes bytes into the next blocks, and appends their numbers to `list`. */
static inline void msf_put(struct msf_layout *layout, const struct buf *bytes, struct buf *list)
{
        uint32_t block_bytes = layout->builder->block_bytes;

        for (size_t off = 0; off < bytes->len; off += block_bytes) {
                uint32_t block = msf_next_block(layout);
                size_t left = bytes->len - off;

                buf_add_u32(list, block);
                layout->write(layout->ctx, (uint64_t)block * block_bytes, bytes->data + off,
                              left < block_bytes ? left : block_bytes);
        }
}

static inline void msf_build(const struct msf_builder *b, msf_write *write, void *ctx)
{
        static const char magic[32] = "Microsoft C/C++ MSF 7.00\r\n\x1a"
                                      "DS\0\0";
        struct msf_layout layout = {.builder = b, .write = write, .ctx = ctx};
        struct buf directory = {0}, blocks = {0}, list = {0}, head = {0};

        buf_add_u32(&directory, b->n_streams);
        for (uint32_t i = 0; i < b->n_streams; i++) {
                buf_add_u32(&directory, b->is_nil[i] ? UINT32_MAX : (uint32_t)b->streams[i].len);
                layout.n_blocks += msf_count_blocks(b, b->streams[i].len);
        }
        layout.n_blocks += 8; /* number of blocks of the directory and its list, only for the order */
        for (uint32_t i = 0; i < b->n_streams; i++) {
                if (!b->is_nil[i])
                        msf_put(&layout, &b->streams[i], &blocks);
        }
        buf_add(&directory, blocks.data, blocks.len);
        msf_put(&layout, &directory, &list);
        buf_clear(&blocks);
        msf_put(&layout, &list, &blocks);
        buf_add(&head, magic, sizeof(magic));
        buf_add_u32(&head, b->block_bytes);
        buf_add_u32(&head, 1);
        buf_add_u32(&head, layout.last + 1);
        buf_add_u32(&head, (uint32_t)directory.len);
        buf_add_u32(&head, 0);
        buf_add(&head, blocks.data, blocks.len);
        write(ctx, 0, head.data, head.len);
        buf_clear(&head);
        buf_add_u8(&head, 0);
        write(ctx, (uint64_t)(layout.last + 1) * b->block_bytes - 1, head.data, 1);
        buf_release(&directory);
        buf_release(&blocks);
        buf_release(&list);
        buf_release(&head);
}

/* Into a struct buf. */
static inline void msf_write_buf(void *ctx, uint64_t off, const void *bytes, size_t size)
{
        struct buf *out = ctx;

        if (out->len < off + size)
                buf_add_zeros(out, (size_t)(off + size - out->len));
        memcpy(out->data + off, bytes, size);
}

/* --- A program's PDB --- */

/* Streams behind those with fixed numbers. */
enum {
        BUILT_INFO = 1,
        BUILT_TYPES,
        BUILT_DBI,
        BUILT_IDS,
        BUILT_NAMES,
        BUILT_SECTIONS,
        BUILT_PUBLICS,
        BUILT_RECORDS,
        BUILT_MODULE,
        BUILT_HASH,
        BUILT_OMAP,
        BUILT_N_STREAMS,
};

enum { BUILT_FIRST_TYPE = 0x1000, BUILT_RVA = 0x1000, BUILT_SECTION_BYTES = 0x1000 };

/* One module whose code is section 1 at BUILT_RVA; section 2 follows it and has data.  More modules have the
 * same stream. */
struct pdb_builder {
        struct buf symbols; /* behind the signature */
        struct buf lines;
        struct buf names; /* of source files; the first is "" */
        struct buf types, ids;
        uint32_t n_types, n_ids;
        struct buf records, addresses; /* of public symbols */
        struct buf contributions;
        struct buf index; /* of the ids: pairs */
        bool is_new;      /* contributions of 2014 */
        bool has_omap;
        bool is_minimal; /* of /DEBUG:FASTLINK */
        uint16_t flags, machine;
        uint32_t n_more_modules, n_more_sections;
        const char *more_name; /* the number of the module follows */
        size_t record;         /* where the open one begins */
};

static inline void built_release(struct pdb_builder *b)
{
        buf_release(&b->symbols);
        buf_release(&b->lines);
        buf_release(&b->names);
        buf_release(&b->types);
        buf_release(&b->ids);
        buf_release(&b->records);
        buf_release(&b->addresses);
        buf_release(&b->contributions);
        buf_release(&b->index);
}

static inline void built_text(struct buf *out, const char *text)
{
        buf_add(out, text, strlen(text) + 1);
}

static inline void built_set_u32(struct buf *out, size_t off, uint32_t v)
{
        memcpy(out->data + off, &v, sizeof(v));
}

/* A record of symbols or types: its length and kind; the caller adds its fields between these two calls. */
static inline void built_begin(struct pdb_builder *b, struct buf *out, uint16_t kind)
{
        b->record = out->len;
        buf_add_u16(out, 0);
        buf_add_u16(out, kind);
}

static inline void built_end(struct pdb_builder *b, struct buf *out)
{
        uint16_t n_bytes;

        while (out->len % 4)
                buf_add_u8(out, 0);
        n_bytes = (uint16_t)(out->len - b->record - 2);
        memcpy(out->data + b->record, &n_bytes, sizeof(n_bytes));
}

/* A kind without fields. */
static inline void built_mark(struct pdb_builder *b, uint16_t kind)
{
        built_begin(b, &b->symbols, kind);
        built_end(b, &b->symbols);
}

/* A function of `size` bytes at offset `off` of section 1; the caller adds the records inside it and
 * S_END. */
static inline void built_proc(struct pdb_builder *b, uint16_t kind, uint32_t off, uint32_t size,
                              const char *name)
{
        built_begin(b, &b->symbols, kind);
        buf_add_zeros(&b->symbols, 12);
        buf_add_u32(&b->symbols, size);
        buf_add_zeros(&b->symbols, 12);
        buf_add_u32(&b->symbols, off);
        buf_add_u16(&b->symbols, 1);
        buf_add_u8(&b->symbols, 0);
        built_text(&b->symbols, name);
        built_end(b, &b->symbols);
}

/* An inlined function; the caller adds the records inside it and S_INLINESITE_END. */
static inline void built_site(struct pdb_builder *b, uint16_t kind, uint32_t id, const void *annotations,
                              size_t size)
{
        built_begin(b, &b->symbols, kind);
        buf_add_zeros(&b->symbols, 8);
        buf_add_u32(&b->symbols, id);
        if (kind == 0x115d)
                buf_add_u32(&b->symbols, 1);
        buf_add(&b->symbols, annotations, size);
        built_end(b, &b->symbols);
}

/* The id of a function; `scope` is 0 or a result of built_scope. */
static inline uint32_t built_function_id(struct pdb_builder *b, uint32_t scope, const char *name)
{
        built_begin(b, &b->ids, 0x1601);
        buf_add_u32(&b->ids, scope);
        buf_add_u32(&b->ids, 0);
        built_text(&b->ids, name);
        built_end(b, &b->ids);
        return BUILT_FIRST_TYPE + b->n_ids++;
}

static inline uint32_t built_scope(struct pdb_builder *b, const char *name)
{
        built_begin(b, &b->ids, 0x1605);
        buf_add_u32(&b->ids, 0);
        built_text(&b->ids, name);
        built_end(b, &b->ids);
        return BUILT_FIRST_TYPE + b->n_ids++;
}

/* The id of a method of a class. */
static inline uint32_t built_method_id(struct pdb_builder *b, uint32_t class_type, const char *name)
{
        built_begin(b, &b->ids, 0x1602);
        buf_add_u32(&b->ids, class_type);
        buf_add_u32(&b->ids, 0);
        built_text(&b->ids, name);
        built_end(b, &b->ids);
        return BUILT_FIRST_TYPE + b->n_ids++;
}

/* A class (0x1504), union (0x1506) or enum (0x1507). */
static inline uint32_t built_class(struct pdb_builder *b, uint16_t kind, const char *name)
{
        built_begin(b, &b->types, kind);
        buf_add_zeros(&b->types, kind == 0x1506 ? 8 : kind == 0x1507 ? 12 : 16);
        if (kind != 0x1507) {
                buf_add_u16(&b->types, 0x8004); /* its size, as a wide number */
                buf_add_u32(&b->types, 100000);
        }
        built_text(&b->types, name);
        built_end(b, &b->types);
        return BUILT_FIRST_TYPE + b->n_types++;
}

/* A source file; returns its offset in the checksums if they are made of all files in this order. */
static inline uint32_t built_file(struct pdb_builder *b, const char *path)
{
        uint32_t off;

        if (!b->names.len)
                buf_add_u8(&b->names, 0);
        off = (uint32_t)b->names.len;
        built_text(&b->names, path);
        return off;
}

/* The header of a subsection: its kind, its length. */
enum { BUILT_SUBSECTION_LENGTH_OFF = 4, BUILT_SUBSECTION_HEADER_BYTES = 8 };

static inline void built_subsection(struct pdb_builder *b, uint32_t kind)
{
        buf_add_u32(&b->lines, kind);
        buf_add_u32(&b->lines, 0);
        b->record = b->lines.len;
}

static inline void built_subsection_end(struct pdb_builder *b)
{
        built_set_u32(&b->lines, b->record - BUILT_SUBSECTION_HEADER_BYTES + BUILT_SUBSECTION_LENGTH_OFF,
                      (uint32_t)(b->lines.len - b->record));
        while (b->lines.len % 4)
                buf_add_u8(&b->lines, 0);
}

/* An entry of the checksums without a checksum, of 8 bytes. */
static inline void built_checksum(struct pdb_builder *b, uint32_t name_off)
{
        buf_add_u32(&b->lines, name_off);
        buf_add_zeros(&b->lines, 4);
}

static inline void built_public(struct pdb_builder *b, uint32_t off, const char *name)
{
        buf_add_u32(&b->addresses, (uint32_t)b->records.len);
        built_begin(b, &b->records, 0x110e);
        buf_add_u32(&b->records, 2);
        buf_add_u32(&b->records, off);
        buf_add_u16(&b->records, 1);
        built_text(&b->records, name);
        built_end(b, &b->records);
}

static inline void built_contribution(struct pdb_builder *b, uint16_t section, uint32_t off, uint32_t size,
                                      uint16_t module)
{
        struct buf *out = &b->contributions;

        if (!out->len)
                buf_add_u32(out, b->is_new ? 0xf13151e4 : 0xf12eba2d);
        buf_add_u32(out, section);
        buf_add_u32(out, off);
        buf_add_u32(out, size);
        buf_add_u32(out, 0);
        buf_add_u32(out, module);
        buf_add_zeros(out, b->is_new ? 12 : 8);
}

static inline void built_types(const struct buf *records, uint32_t n, const struct buf *index,
                               struct buf *out)
{
        buf_add_u32(out, 20040203);
        buf_add_u32(out, 56);
        buf_add_u32(out, BUILT_FIRST_TYPE);
        buf_add_u32(out, BUILT_FIRST_TYPE + n);
        buf_add_u32(out, (uint32_t)records->len);
        buf_add_u16(out, index ? BUILT_HASH : 0xffff);
        buf_add_zeros(out, 18);
        buf_add_u32(out, 0);
        buf_add_u32(out, index ? (uint32_t)index->len : 0);
        buf_add_zeros(out, 8);
        buf_add(out, records->data, records->len);
}

static inline void built_info(const struct pdb_builder *b, struct buf *out)
{
        buf_add_u32(out, 20000404);
        buf_add_u32(out, 0x5f000000);
        buf_add_u32(out, 7); /* raised by a tool */
        for (uint8_t i = 0; i < 16; i++)
                buf_add_u8(out, 0x10 + i);
        buf_add_u32(out, 7);
        built_text(out, "/names");
        buf_add_u32(out, 1);
        buf_add_u32(out, 2);
        buf_add_u32(out, 1);
        buf_add_u32(out, 2); /* the second bucket */
        buf_add_u32(out, 0);
        buf_add_u32(out, 0);
        buf_add_u32(out, BUILT_NAMES);
        buf_add_u32(out, 0);
        buf_add_u32(out, 20140508);
        if (b->is_minimal)
                buf_add_u32(out, 0x494e494d);
}

static inline void built_section(struct buf *out, const char *name, uint32_t rva)
{
        char text[8] = "";

        memcpy(text, name, strlen(name));
        buf_add(out, text, sizeof(text));
        buf_add_u32(out, BUILT_SECTION_BYTES);
        buf_add_u32(out, rva);
        buf_add_zeros(out, 24);
}

static inline void built_module(const struct pdb_builder *b, const char *name, struct buf *module)
{
        buf_add_zeros(module, 34);
        buf_add_u16(module, BUILT_MODULE);
        buf_add_u32(module, (uint32_t)b->symbols.len + 4);
        buf_add_u32(module, 0);
        buf_add_u32(module, (uint32_t)b->lines.len);
        buf_add_zeros(module, 16);
        built_text(module, name);
        built_text(module, "one.obj");
        while (module->len % 4)
                buf_add_u8(module, 0);
}

static inline void built_more_modules(const struct pdb_builder *b, struct buf *module)
{
        struct buf name = {0};

        for (uint32_t i = 0; i < b->n_more_modules; i++) {
                buf_clear(&name);
                buf_printf(&name, "%s%u", b->more_name ? b->more_name : "", i);
                built_module(b, buf_text(&name), module);
        }
        buf_release(&name);
}

static inline void built_dbi(const struct pdb_builder *b, struct buf *out)
{
        struct buf module = {0};
        uint16_t debug[6] = {0xffff,        0xffff, 0xffff, 0xffff, b->has_omap ? BUILT_OMAP : 0xffff,
                             BUILT_SECTIONS};

        built_module(b, "one.obj", &module);
        built_more_modules(b, &module);
        buf_add_u32(out, UINT32_MAX);
        buf_add_u32(out, 19990903);
        buf_add_u32(out, 3); /* age */
        buf_add_u32(out, 0xffff);
        buf_add_u32(out, b->addresses.len ? BUILT_PUBLICS : 0xffff);
        buf_add_u32(out, BUILT_RECORDS);
        buf_add_u32(out, (uint32_t)module.len);
        buf_add_u32(out, (uint32_t)b->contributions.len);
        buf_add_zeros(out, 16);
        buf_add_u32(out, sizeof(debug));
        buf_add_u32(out, 0);
        buf_add_u16(out, b->flags);
        buf_add_u16(out, b->machine);
        buf_add_u32(out, 0);
        buf_add(out, module.data, module.len);
        buf_add(out, b->contributions.data, b->contributions.len);
        buf_add(out, debug, sizeof(debug));
        buf_release(&module);
}

/* Adds the streams to a container, whose block size the caller chooses. */
static inline void built_streams(const struct pdb_builder *b, struct msf_builder *msf)
{
        struct buf *streams = msf->streams;

        msf->n_streams = BUILT_N_STREAMS;
        msf->is_nil[0] = true;
        built_info(b, &streams[BUILT_INFO]);
        built_types(&b->types, b->n_types, NULL, &streams[BUILT_TYPES]);
        built_types(&b->ids, b->n_ids, b->index.len ? &b->index : NULL, &streams[BUILT_IDS]);
        built_dbi(b, &streams[BUILT_DBI]);
        buf_add_u32(&streams[BUILT_NAMES], 0xeffeeffe);
        buf_add_u32(&streams[BUILT_NAMES], 1);
        buf_add_u32(&streams[BUILT_NAMES], (uint32_t)b->names.len);
        buf_add(&streams[BUILT_NAMES], b->names.data, b->names.len);
        built_section(&streams[BUILT_SECTIONS], ".text", BUILT_RVA);
        built_section(&streams[BUILT_SECTIONS], ".data", BUILT_RVA + BUILT_SECTION_BYTES);
        for (uint32_t i = 0; i < b->n_more_sections; i++)
                built_section(&streams[BUILT_SECTIONS], ".more", BUILT_RVA + (2 + i) * BUILT_SECTION_BYTES);
        buf_add_u32(&streams[BUILT_PUBLICS], 0);
        buf_add_u32(&streams[BUILT_PUBLICS], (uint32_t)b->addresses.len);
        buf_add_zeros(&streams[BUILT_PUBLICS], 20);
        buf_add(&streams[BUILT_PUBLICS], b->addresses.data, b->addresses.len);
        buf_add(&streams[BUILT_RECORDS], b->records.data, b->records.len);
        buf_add_u32(&streams[BUILT_MODULE], 4);
        buf_add(&streams[BUILT_MODULE], b->symbols.data, b->symbols.len);
        buf_add(&streams[BUILT_MODULE], b->lines.data, b->lines.len);
        buf_add(&streams[BUILT_HASH], b->index.data, b->index.len);
        if (b->has_omap)
                buf_add_u64(&streams[BUILT_OMAP], 1);
}

/* The whole file in memory. */
static inline void built_file_bytes(const struct pdb_builder *b, uint32_t block_bytes, struct buf *out)
{
        struct msf_builder msf = {.block_bytes = block_bytes};

        built_streams(b, &msf);
        msf_build(&msf, msf_write_buf, out);
        msf_release(&msf);
}

#endif
