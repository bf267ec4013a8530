/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of inlined functions, from the streams of ids (IPI) and types (TPI).  Records have variable sizes.
 * The hash stream of each has the offsets of some of them; the others are found by walking from there.
 * LLVM: docs/PDB/TpiStream, CodeViewTypes. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "pdb_internal.h"
#include "search.h"

enum {
        HEADER_BYTES = 56,
        N_STEP = 256,             /* records between two entries of an index that is made here */
        MAX_STEP_BYTES = 1 << 20, /* an index in the file with larger gaps is not used */
        MAX_RECORD_BYTES = 64 * 1024 + 2,
        STEP_BYTES = 16, /* going on to the next record takes as long as reading so many bytes */
};

enum type_kind {
        LF_CLASS = 0x1504,
        LF_STRUCTURE = 0x1505,
        LF_UNION = 0x1506,
        LF_ENUM = 0x1507,
        LF_INTERFACE = 0x1519,
        LF_FUNC_ID = 0x1601,
        LF_MFUNC_ID = 0x1602,
        LF_STRING_ID = 0x1605,
};

/* Larger values are type tags of numbers wider than 2 bytes. */
enum numeric_kind {
        LF_NUMERIC = 0x8000,
        LF_CHAR = 0x8000,
        LF_SHORT = 0x8001,
        LF_USHORT = 0x8002,
        LF_LONG = 0x8003,
        LF_ULONG = 0x8004,
        LF_QUADWORD = 0x8009,
        LF_UQUADWORD = 0x800a,
};

void pdb_types_release(struct pdb_types *types)
{
        free(types->places);
}

/* --- Finding a record --- */

static void add_place(struct pdb_types *types, uint32_t type, uint32_t off)
{
        ARRAY_PUSH(types->places, types->n_places, types->cap_places, (struct pdb_type_place){type, off});
}

/* The index in the file: pairs of number and offset. */
static bool read_index(struct pdb *pdb, struct pdb_types *types, uint16_t stream, uint32_t off,
                       uint32_t n_bytes)
{
        struct pdb_type_place last = {types->first, 0};
        struct pdb_piece piece;
        struct err err = {0};
        bool is_good = true;

        if (!n_bytes || !pdb_stream_piece(&pdb->msf, stream, off, n_bytes / 8 * 8, &piece, &err))
                return false;
        add_place(types, last.type, last.off);
        while (cursor_left(&piece.bytes) && is_good) {
                struct pdb_type_place place = {cursor_u32(&piece.bytes), 0};

                place.off = cursor_u32(&piece.bytes);
                is_good = place.type >= last.type && place.off >= last.off &&
                          place.off - last.off <= MAX_STEP_BYTES;
                add_place(types, place.type, place.off);
                last = place;
        }
        pdb_piece_release(&piece);
        return is_good && types->records_end - types->records - last.off <= MAX_STEP_BYTES;
}

/* The record at `off` has `*ret_bytes` bytes after its length field. */
static bool read_length(struct pdb *pdb, const struct pdb_types *types, uint32_t off, uint32_t *ret_bytes)
{
        uint32_t left = types->records_end - types->records;
        uint16_t n_bytes;

        if (off > left || left - off < 4 ||
            !pdb_stream_copy(&pdb->msf, types->stream, types->records + off, sizeof(n_bytes), &n_bytes) ||
            n_bytes < 2 || n_bytes > left - off - 2)
                return false;
        *ret_bytes = n_bytes;
        return true;
}

/* Makes the index by walking all records once. */
static void make_index(struct pdb *pdb, struct pdb_types *types)
{
        uint32_t off = 0, n_bytes;

        types->n_places = 0;
        for (uint32_t type = types->first; type < types->end; type++) {
                if ((type - types->first) % N_STEP == 0)
                        add_place(types, type, off);
                if (!read_length(pdb, types, off, &n_bytes))
                        return;
                off += 2 + n_bytes;
        }
}

static void open_types(struct pdb *pdb, struct pdb_types *types)
{
        uint8_t header[HEADER_BYTES] = {0};
        struct cursor c = cursor_make(header, sizeof(header));
        uint32_t total = pdb_stream_size(&pdb->msf, types->stream), n_bytes, index_off;
        uint16_t hash_stream;

        types->is_open = true;
        if (!pdb_stream_copy(&pdb->msf, types->stream, 0, sizeof(header), header))
                return;
        cursor_skip(&c, 4);
        types->records = cursor_u32(&c);
        types->first = cursor_u32(&c);
        types->end = cursor_u32(&c);
        n_bytes = cursor_u32(&c);
        hash_stream = cursor_u16(&c);
        cursor_skip(&c, 18);
        index_off = cursor_u32(&c);
        if (types->records > total || n_bytes > total - types->records || types->first > types->end) {
                types->end = types->first;
                return;
        }
        types->records_end = types->records + n_bytes;
        if (!read_index(pdb, types, hash_stream, index_off, cursor_u32(&c)))
                make_index(pdb, types);
}

/* The bytes of the record, kind first.  The caller releases the piece. */
static bool find_record(struct pdb *pdb, struct pdb_types *types, uint32_t type, struct pdb_piece *ret_record)
{
        size_t low = 0, high;
        uint32_t off, at, n_bytes;
        struct err err = {0};

        if (!types->is_open)
                open_types(pdb, types);
        if (type < types->first || type >= types->end)
                return false;
        high = types->n_places;
        SEARCH_FIRST(low, high, middle, types->places[middle].type <= type);
        if (!low)
                return false;
        pdb_touch(pdb, PDB_TOUCHED_AROUND_BYTES);
        at = types->places[low - 1].type;
        off = types->places[low - 1].off;
        for (;; at++) {
                if (!read_length(pdb, types, off, &n_bytes) || !pdb_spend(pdb, STEP_BYTES + n_bytes, &err))
                        return false;
                if (at == type)
                        break;
                off += 2 + n_bytes;
        }
        return pdb_stream_piece(&pdb->msf, types->stream, types->records + off + 2, n_bytes, ret_record,
                                &err);
}

/* --- Names --- */

static void skip_numeric(struct cursor *c)
{
        uint16_t kind = cursor_u16(c);

        if (kind < LF_NUMERIC)
                return;
        switch (kind) {
        case LF_CHAR: cursor_skip(c, 1); return;
        case LF_SHORT:
        case LF_USHORT: cursor_skip(c, 2); return;
        case LF_LONG:
        case LF_ULONG: cursor_skip(c, 4); return;
        case LF_QUADWORD:
        case LF_UQUADWORD: cursor_skip(c, 8); return;
        default: cursor_fail(c); return;
        }
}

/* Moves to the name; false for kinds without a name. */
static bool skip_to_name(struct cursor *c, uint16_t kind)
{
        switch (kind) {
        case LF_CLASS:
        case LF_STRUCTURE:
        case LF_INTERFACE:
                cursor_skip(c, 16); /* members, properties, fields, base, shape */
                skip_numeric(c);
                return true;
        case LF_UNION:
                cursor_skip(c, 8);
                skip_numeric(c);
                return true;
        case LF_ENUM: cursor_skip(c, 12); return true;
        case LF_STRING_ID: cursor_skip(c, 4); return true;
        default: return false;
        }
}

static bool add_scope(struct pdb *pdb, struct pdb_types *types, uint32_t type, struct buf *out)
{
        struct pdb_piece record;
        const char *name = NULL;
        struct cursor c;

        if (!type || !find_record(pdb, types, type, &record))
                return false;
        c = record.bytes;
        if (skip_to_name(&c, cursor_u16(&c)))
                name = cursor_str(&c, NULL);
        if (name && *name) {
                buf_add_str(out, name);
                buf_add_str(out, "::");
        }
        pdb_piece_release(&record);
        return name;
}

static const char *read_name(struct pdb *pdb, uint32_t id)
{
        AUTO_RELEASE(buf) out = {0};
        struct pdb_piece record;
        const char *name = NULL;
        struct cursor c;
        uint16_t kind;
        uint32_t scope;

        if (!find_record(pdb, &pdb->ids, id, &record))
                return NULL;
        c = record.bytes;
        kind = cursor_u16(&c);
        scope = cursor_u32(&c);
        cursor_skip(&c, 4);
        if (kind == LF_FUNC_ID || kind == LF_MFUNC_ID)
                name = cursor_str(&c, NULL);
        if (name) {
                add_scope(pdb, kind == LF_FUNC_ID ? &pdb->ids : &pdb->types, scope, &out);
                if (out.len) {
                        buf_add_str(&out, name);
                        name = buf_text(&out);
                }
                name = *name ? pdb_keep(pdb, name) : NULL;
        }
        pdb_piece_release(&record);
        return name;
}

const char *pdb_find_inlinee_name(struct pdb *pdb, uint32_t id)
{
        const char *name;
        bool is_new;

        map_put(&pdb->inlinees, id, &is_new);
        if (!is_new)
                return (const char *)(uintptr_t)*map_find(&pdb->inlinees, id);
        name = read_name(pdb, id);
        *map_put(&pdb->inlinees, id, &is_new) = (uint64_t)(uintptr_t)name;
        return name;
}
