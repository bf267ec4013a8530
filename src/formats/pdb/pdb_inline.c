/* SPDX-License-Identifier: BSD-3-Clause */
/* Inlined functions: records S_INLINESITE inside a function, nested like the calls.  Each has a program
 * (binary annotations) that computes its code and lines.  Addresses outside the enclosing function are left
 * out. microsoft-pdb: cvinfo.h, BinaryAnnotationOpcode. */
#include <stdlib.h>

#include "mem.h"
#include "pdb_internal.h"

enum opcode {
        OP_END,
        OP_CODE_OFFSET,
        OP_CHANGE_CODE_OFFSET_BASE,
        OP_CHANGE_CODE_OFFSET,
        OP_CHANGE_CODE_LENGTH,
        OP_CHANGE_FILE,
        OP_CHANGE_LINE_OFFSET,
        OP_CHANGE_LINE_END_DELTA,
        OP_CHANGE_RANGE_KIND,
        OP_CHANGE_COLUMN_START,
        OP_CHANGE_COLUMN_END_DELTA,
        OP_CHANGE_CODE_OFFSET_AND_LINE_OFFSET,
        OP_CHANGE_CODE_LENGTH_AND_CODE_OFFSET,
        OP_CHANGE_COLUMN_END,
};

enum {
        MIN_ITEMS = 8,  /* of a list, as in mem_grow() */
        ROW_BYTES = 32, /* searching its places takes as long as reading so many bytes */
};

void pdb_inlines_release(struct pdb_inlines *inlines)
{
        budget_give(inlines->budget, inlines->taken_bytes);
        free(inlines->items);
        free(inlines->sites);
}

/* --- Numbers --- */

/* 1, 2 or 4 bytes, as the first byte says; most significant byte first. */
static uint32_t read_number(struct cursor *c)
{
        uint32_t first = cursor_u8(c), v;

        if (!(first & 0x80))
                return first;
        if (!(first & 0x40)) {
                v = (first & 0x3f) << 8;
                return v | cursor_u8(c);
        }
        if (first & 0x20) {
                cursor_fail(c);
                return 0;
        }
        v = (first & 0x1f) << 24;
        v |= (uint32_t)cursor_u8(c) << 16;
        v |= (uint32_t)cursor_u8(c) << 8;
        return v | cursor_u8(c);
}

/* The lowest bit is the sign. */
static uint32_t to_signed(uint32_t v)
{
        return v & 1 ? 0u - (v >> 1) : v >> 1;
}

/* --- Code of one inlined function --- */

struct inline_walk {
        struct pdb *pdb;
        const struct pdb_body *body;
        struct pdb_lines *lines;
        struct pdb_places *places;
        struct pdb_inlines *inlines;
        struct err *err;
};

/* State of the program. */
struct inline_state {
        uint32_t base, off; /* current code address: RVA, and offset from it */
        uint32_t file, line, column;
        bool is_open; /* the end of the current row is not known yet */
        struct pdb_inline row;
        uint32_t row_rva;
};

/* Takes memory for as much as the list grows.  The list may have an item for each place and each of
 * PDB_MAX_DEPTH functions inside each other. */
static bool add_inline(struct inline_walk *walk, const struct pdb_inline *row)
{
        struct pdb_inlines *inlines = walk->inlines;
        uint64_t bytes = (inlines->cap ? inlines->cap : MIN_ITEMS) * sizeof(*inlines->items);

        if (inlines->n == inlines->cap) {
                if (!budget_take(inlines->budget, BUDGET_LINES, bytes))
                        return err_set(walk->err, ERR_LIMIT, "its inlined functions need too much memory");
                inlines->taken_bytes += bytes;
        }
        ARRAY_PUSH(inlines->items, inlines->n, inlines->cap, *row);
        return true;
}

/* Ends the current row at `end`. */
static bool end_row(struct inline_walk *walk, struct inline_state *state, uint32_t outer_site, uint32_t end)
{
        struct pdb_inlines *inlines = walk->inlines;
        struct pdb_places *places = walk->places;
        struct pdb_site *site = &inlines->sites[state->row.site];
        uint64_t n = 0;

        if (!state->is_open)
                return true;
        state->is_open = false;
        if (end <= state->row_rva)
                return true;
        if (state->row_rva < site->start)
                site->start = state->row_rva;
        for (size_t i = pdb_places_from(places, state->row_rva); i < places->n && places->items[i].rva < end;
             i++, n++) {
                struct pdb_place *place = &places->items[i];
                uint32_t around =
                        place->inlined == PDB_NO_INLINE ? PDB_NO_INLINE : inlines->items[place->inlined].site;

                if (around != outer_site)
                        continue;
                state->row.outer = place->inlined;
                if (!add_inline(walk, &state->row))
                        return false;
                place->inlined = (uint32_t)inlines->n - 1;
        }
        return pdb_spend(walk->pdb, n + ROW_BYTES, walk->err);
}

static bool begin_row(struct inline_walk *walk, struct inline_state *state, uint32_t outer_site)
{
        uint32_t rva = state->base + state->off;

        if (!end_row(walk, state, outer_site, rva))
                return false;
        state->is_open = true;
        state->row_rva = rva;
        state->row.file = state->file;
        state->row.line = state->line;
        state->row.column = state->column;
        return true;
}

static uint32_t get_base(const struct pdb_body *body, uint32_t chunk)
{
        return body->chunks[chunk < body->n_chunks ? chunk : 0];
}

/* False if it is damaged or exceeds a limit. */
static bool run_opcode(struct inline_walk *walk, struct inline_state *state, uint32_t outer_site,
                       uint32_t opcode, struct cursor *c)
{
        uint32_t v = read_number(c), n;

        switch (opcode) {
        case OP_CODE_OFFSET: state->off = v; return true;
        case OP_CHANGE_CODE_OFFSET_BASE:
                state->base = get_base(walk->body, v);
                state->off = 0;
                return true;
        case OP_CHANGE_CODE_OFFSET: state->off += v; return begin_row(walk, state, outer_site);
        case OP_CHANGE_CODE_LENGTH:
                state->off += v;
                return end_row(walk, state, outer_site, state->row_rva + v);
        case OP_CHANGE_FILE: state->file = v; return true;
        case OP_CHANGE_LINE_OFFSET: state->line += to_signed(v); return true;
        case OP_CHANGE_COLUMN_START: state->column = v; return true;
        case OP_CHANGE_LINE_END_DELTA:
        case OP_CHANGE_RANGE_KIND:
        case OP_CHANGE_COLUMN_END_DELTA:
        case OP_CHANGE_COLUMN_END: return true;
        case OP_CHANGE_CODE_OFFSET_AND_LINE_OFFSET:
                state->off += v & 0xf;
                state->line += to_signed(v >> 4);
                return begin_row(walk, state, outer_site);
        case OP_CHANGE_CODE_LENGTH_AND_CODE_OFFSET:
                n = v;
                state->off += read_number(c);
                return begin_row(walk, state, outer_site) &&
                       end_row(walk, state, outer_site, state->row_rva + n);
        default: return false;
        }
}

static bool run_program(struct inline_walk *walk, uint32_t site, uint32_t outer_site, struct cursor c)
{
        uint32_t id = walk->inlines->sites[site].id;
        struct inline_state state = {.base = walk->body->chunks[0], .file = UINT32_MAX, .row.site = site};
        struct pdb_inlinee inlinee;

        if (pdb_lines_inlinee(walk->lines, id, &inlinee)) {
                state.file = inlinee.file;
                state.line = inlinee.line;
        }
        while (cursor_left(&c)) {
                uint32_t opcode = read_number(&c);

                if (opcode == OP_END || c.failed)
                        break;
                if (!run_opcode(walk, &state, outer_site, opcode, &c) || c.failed)
                        break;
        }
        return !walk->err->code;
}

/* --- Scopes --- */

/* The innermost inline site of each open scope; PDB_NO_INLINE: none. */
struct scopes {
        uint32_t sites[PDB_MAX_DEPTH];
        size_t depth;
};

static bool enter_site(struct inline_walk *walk, struct scopes *scopes, const struct pdb_symbol *symbol)
{
        uint32_t outer = scopes->sites[scopes->depth - 1], site = (uint32_t)walk->inlines->n_sites;
        struct cursor c = symbol->body;
        struct pdb_site new_site = {.start = UINT32_MAX};

        cursor_skip(&c, 8);
        new_site.id = cursor_u32(&c);
        if (symbol->kind == S_INLINESITE2)
                cursor_skip(&c, 4); /* invocation count */
        if (c.failed)
                return err_set(walk->err, ERR_FORMAT, "an inlined function's record is too short");
        ARRAY_PUSH(walk->inlines->sites, walk->inlines->n_sites, walk->inlines->cap_sites, new_site);
        scopes->sites[scopes->depth] = site;
        return run_program(walk, site, outer, c);
}

static bool walk_scopes(struct inline_walk *walk, struct scopes *scopes)
{
        struct cursor c = walk->body->symbols;
        struct pdb_symbol symbol;

        do {
                if (!pdb_symbol_next(&c, &symbol))
                        return err_set(walk->err, ERR_FORMAT, "a function's symbols have no end");
                if (!pdb_spend(walk->pdb, cursor_left(&symbol.body) + 4, walk->err))
                        return false;
                if (pdb_symbol_closes(symbol.kind) && scopes->depth)
                        scopes->depth--;
                if (!pdb_symbol_opens(symbol.kind))
                        continue;
                if (scopes->depth == PDB_MAX_DEPTH)
                        return err_set(walk->err, ERR_LIMIT,
                                       "a function has more than %d scopes inside each other", PDB_MAX_DEPTH);
                scopes->sites[scopes->depth] =
                        scopes->depth ? scopes->sites[scopes->depth - 1] : PDB_NO_INLINE;
                if (scopes->depth && (symbol.kind == S_INLINESITE || symbol.kind == S_INLINESITE2) &&
                    !enter_site(walk, scopes, &symbol))
                        return false;
                scopes->depth++;
        } while (scopes->depth);
        return true;
}

bool pdb_inlines_find(struct pdb *pdb, const struct pdb_body *body, struct pdb_lines *lines,
                      struct pdb_places *places, struct pdb_inlines *inlines, struct err *err)
{
        struct inline_walk walk = {pdb, body, lines, places, inlines, err};
        struct scopes *scopes = mem_new(1, sizeof(*scopes));
        bool is_good = walk_scopes(&walk, scopes);

        free(scopes);
        return is_good;
}
