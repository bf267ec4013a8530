/* SPDX-License-Identifier: BSD-3-Clause */
/* Public symbols: the publics stream lists the offsets of their records (S_PUB32) in another stream, sorted
 * by address.  Lookups use binary search in the file itself.  microsoft/pdb-rs: docs/pdb/globals. */
#include <string.h>

#include "pdb_internal.h"

enum {
        HEADER_BYTES = 28,
        RECORD_BYTES = 14, /* length, kind, flags, offset, section; the name follows */
};

/* The header has the size of a hash table of names, which comes before the addresses, then the size of the
 * addresses. */
static void open_publics(struct pdb *pdb)
{
        uint8_t header[HEADER_BYTES] = {0};
        struct cursor c = cursor_make(header, sizeof(header));
        uint32_t total = pdb_stream_size(&pdb->msf, pdb->publics_stream), hash_bytes, map_bytes;
        struct err err = {0};

        pdb->has_publics = true;
        if (!total)
                return;
        if (!pdb_stream_copy(&pdb->msf, pdb->publics_stream, 0, sizeof(header), header)) {
                err_set(&err, ERR_FORMAT, "its public symbols have no header");
                pdb_complain(pdb, NULL, &err);
                return;
        }
        hash_bytes = cursor_u32(&c);
        map_bytes = cursor_u32(&c) / 4 * 4;
        total -= HEADER_BYTES;
        if (hash_bytes > total || map_bytes > total - hash_bytes)
                err_set(&err, ERR_FORMAT, "its public symbols are cut off");
        else if (pdb_stream_piece(&pdb->msf, pdb->publics_stream, HEADER_BYTES + hash_bytes, map_bytes,
                                  &pdb->publics, &err))
                return;
        pdb_complain(pdb, NULL, &err);
}

static bool read_public(const struct pdb *pdb, size_t i, struct pdb_public *ret_public)
{
        struct cursor c = cursor_sub(&pdb->publics.bytes, i * 4, 4);
        uint8_t record[RECORD_BYTES];
        uint16_t n_bytes, kind;

        ret_public->record = cursor_u32(&c);
        if (!pdb_stream_copy(&pdb->msf, pdb->records_stream, ret_public->record, sizeof(record), record))
                return false;
        c = cursor_make(record, sizeof(record));
        n_bytes = cursor_u16(&c);
        kind = cursor_u16(&c);
        cursor_skip(&c, 4);
        ret_public->off = cursor_u32(&c);
        ret_public->section = cursor_u16(&c);
        return kind == S_PUB32 && n_bytes >= RECORD_BYTES - 2;
}

static bool is_behind(const struct pdb_public *symbol, uint16_t section, uint32_t off)
{
        return symbol->section != section ? symbol->section > section : symbol->off > off;
}

bool pdb_find_public(struct pdb *pdb, uint16_t section, uint32_t off, struct pdb_public *ret_public,
                     uint32_t *ret_next_off)
{
        struct pdb_public symbol;
        size_t low = 0, high;

        *ret_next_off = UINT32_MAX;
        if (!pdb->has_publics)
                open_publics(pdb);
        high = cursor_left(&pdb->publics.bytes) / 4;
        while (low < high) {
                size_t middle = low + (high - low) / 2;

                if (read_public(pdb, middle, &symbol) && is_behind(&symbol, section, off)) {
                        high = middle;
                        *ret_next_off = symbol.section == section ? symbol.off : UINT32_MAX;
                } else {
                        low = middle + 1;
                }
        }
        return low && read_public(pdb, low - 1, ret_public) && ret_public->section == section &&
               ret_public->off <= off;
}

const char *pdb_public_name(struct pdb *pdb, const struct pdb_public *symbol)
{
        uint16_t n_bytes;
        const char *name;

        if (!pdb_stream_copy(&pdb->msf, pdb->records_stream, symbol->record, sizeof(n_bytes), &n_bytes) ||
            n_bytes < RECORD_BYTES - 2)
                return NULL;
        name = pdb_stream_text(&pdb->msf, pdb->records_stream, symbol->record + RECORD_BYTES,
                               n_bytes - (RECORD_BYTES - 2), &pdb->scratch);
        return name && *name ? pdb_keep(pdb, name) : NULL;
}
