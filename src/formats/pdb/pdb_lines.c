/* SPDX-License-Identifier: BSD-3-Clause */
/* Line information of a module (C13): subsections with 4 bytes of kind, 4 of size, and content.  This file
 * reads rows of lines, checksums of source files, and the source positions of inlined functions.
 * microsoft/pdb-rs: docs/codeview/line_data. */
#include "pdb_internal.h"

#include <stdlib.h>

#include "mem.h"

enum {
        HAS_COLUMNS = 1, /* flags of PDB_LINES */
        HAS_FILES = 1,   /* signature of PDB_INLINEE_LINES */
        LINE_MASK = 0xffffff,
        HIDDEN_STEP_OVER = 0xf00f00, /* not a line: code that the compiler made */
        HIDDEN_STEP_INTO = 0xfeefee,
};

bool pdb_subsection_next(struct cursor *c, struct pdb_subsection *ret_subsection)
{
        uint32_t n_bytes;

        if (cursor_left(c) < 8)
                return false;
        ret_subsection->kind = cursor_u32(c);
        n_bytes = cursor_u32(c);
        ret_subsection->body = cursor_sub(c, cursor_pos(c), n_bytes);
        if (!cursor_skip(c, n_bytes))
                return false;
        while (cursor_pos(c) % 4 && cursor_left(c))
                c->at++;
        return true;
}

bool pdb_lines_init(struct pdb_lines *lines, const struct cursor *bytes, struct err *err)
{
        struct cursor c = *bytes;
        struct pdb_subsection subsection;

        *lines = (struct pdb_lines){.bytes = *bytes};
        while (pdb_subsection_next(&c, &subsection)) {
                if (subsection.kind == PDB_CHECKSUMS) {
                        lines->checksums = subsection.body;
                        break;
                }
        }
        return !c.failed || err_set(err, ERR_FORMAT, "its line information is cut off");
}

void pdb_lines_release(struct pdb_lines *lines)
{
        map_release(&lines->inlinees);
}

const char *pdb_lines_path(struct pdb *pdb, const struct pdb_lines *lines, uint32_t file)
{
        struct cursor c = lines->checksums;
        uint32_t off;

        if (!cursor_seek(&c, file))
                return NULL;
        off = cursor_u32(&c);
        return c.failed ? NULL : pdb_find_path(pdb, off);
}

/* --- Rows --- */

struct pdb_line_row {
        uint32_t rva;
        uint32_t order; /* index in the file */
        uint32_t file, line, column;
};

struct rows {
        struct pdb_line_row *items;
        size_t n, cap;
        bool is_sorted;
};

static int compare_rows(const void *a, const void *b)
{
        const struct pdb_line_row *x = a, *y = b;

        if (x->rva != y->rva)
                return x->rva < y->rva ? -1 : 1;
        return x->order < y->order ? -1 : x->order > y->order;
}

/* The rows of one file: 4 bytes of offset and 4 of line each, then columns. */
static bool add_block(struct rows *rows, struct cursor *c, uint32_t start, bool has_columns, struct err *err)
{
        uint32_t file = cursor_u32(c), n = cursor_u32(c), n_bytes = cursor_u32(c);
        struct cursor items = cursor_sub(c, cursor_pos(c), (uint64_t)n * 8), columns = {0};

        if (n_bytes < 12 || !cursor_skip(c, n_bytes - 12) || items.failed || (uint64_t)n * 8 > n_bytes - 12)
                return err_set(err, ERR_FORMAT, "its lines are cut off");
        if (has_columns && (uint64_t)n * 12 <= n_bytes - 12)
                columns = cursor_make(items.end, (size_t)n * 4);
        if (n > PDB_MAX_ROWS - rows->n)
                return err_set(err, ERR_LIMIT, "it has more than %d lines in one block", PDB_MAX_ROWS);
        for (uint32_t i = 0; i < n; i++) {
                struct pdb_line_row row = {
                        .rva = start + cursor_u32(&items), .order = (uint32_t)rows->n, .file = file};

                row.line = cursor_u32(&items) & LINE_MASK;
                row.column = cursor_u16(&columns);
                cursor_skip(&columns, 2);
                if (rows->n && rows->items[rows->n - 1].rva > row.rva)
                        rows->is_sorted = false;
                ARRAY_PUSH(rows->items, rows->n, rows->cap, row);
        }
        return true;
}

static void set_row(struct pdb_place *place, const struct pdb_line_row *row)
{
        if (row->line == HIDDEN_STEP_OVER || row->line == HIDDEN_STEP_INTO)
                return;
        place->has_row = true;
        place->file = row->file;
        place->line = row->line;
        place->column = row->column;
}

/* Assigns rows to places, both sorted.  A row ends at the next row, so the last of several rows at one
 * address is used. */
static void set_rows(const struct rows *rows, struct pdb_places *places, size_t first, uint64_t end)
{
        size_t at = 0;

        for (size_t i = first; i < places->n && places->items[i].rva < end; i++) {
                while (at < rows->n && rows->items[at].rva <= places->items[i].rva)
                        at++;
                if (at && !places->items[i].has_row)
                        set_row(&places->items[i], &rows->items[at - 1]);
        }
}

/* The lines of one address range, if it contains one of the places. */
static bool find_rows(struct pdb *pdb, struct cursor c, struct pdb_places *places, struct rows *rows,
                      struct err *err)
{
        uint32_t off = cursor_u32(&c), start;
        uint16_t section = cursor_u16(&c), flags = cursor_u16(&c);
        uint32_t size = cursor_u32(&c);
        size_t first, last;

        if (c.failed)
                return err_set(err, ERR_FORMAT, "its lines are cut off");
        if (!pdb_to_rva(pdb, section, off, &start))
                return true;
        first = pdb_places_from(places, start);
        last = pdb_places_from(places, (uint64_t)start + size);
        if (first == last)
                return true;
        if (!pdb_spend(pdb, cursor_left(&c) + (last - first), err))
                return false;
        rows->n = 0;
        rows->is_sorted = true;
        while (cursor_left(&c)) {
                if (!add_block(rows, &c, start, flags & HAS_COLUMNS, err))
                        break;
        }
        if (!rows->is_sorted)
                qsort(rows->items, rows->n, sizeof(*rows->items), compare_rows);
        set_rows(rows, places, first, (uint64_t)start + size);
        return !err->code;
}

bool pdb_lines_find(struct pdb *pdb, struct pdb_lines *lines, struct pdb_places *places, struct err *err)
{
        struct cursor c = lines->bytes;
        struct pdb_subsection subsection;
        struct rows rows = {0};
        bool is_good = true;

        while (pdb_subsection_next(&c, &subsection)) {
                if (subsection.kind == PDB_LINES && !find_rows(pdb, subsection.body, places, &rows, err))
                        is_good = false;
        }
        free(rows.items);
        return is_good;
}

/* --- Inlined functions --- */

/* An entry is an id, file and line, and with HAS_FILES a number of further files and these files. */
static void add_inlinees(struct pdb_lines *lines, struct cursor c)
{
        bool has_files = cursor_u32(&c) == HAS_FILES;

        while (cursor_left(&c) >= 12 && lines->inlinees.n_used < PDB_MAX_INLINEES) {
                uint32_t off = (uint32_t)(c.at - lines->bytes.start);
                uint64_t *slot;
                bool is_new;

                slot = map_put(&lines->inlinees, cursor_u32(&c), &is_new);
                if (is_new)
                        *slot = off;
                cursor_skip(&c, 8);
                if (has_files)
                        cursor_skip(&c, (uint64_t)cursor_u32(&c) * 4);
                if (c.failed)
                        return;
        }
}

bool pdb_lines_inlinee(struct pdb_lines *lines, uint32_t id, struct pdb_inlinee *ret_inlinee)
{
        struct cursor c = lines->bytes;
        struct pdb_subsection subsection;
        const uint64_t *off;

        if (!lines->has_inlinees) {
                lines->has_inlinees = true;
                while (pdb_subsection_next(&c, &subsection)) {
                        if (subsection.kind == PDB_INLINEE_LINES)
                                add_inlinees(lines, subsection.body);
                }
        }
        off = map_find(&lines->inlinees, id);
        if (!off)
                return false;
        c = cursor_sub(&lines->bytes, *off + 4, 8);
        ret_inlinee->file = cursor_u32(&c);
        ret_inlinee->line = cursor_u32(&c);
        return !c.failed;
}
