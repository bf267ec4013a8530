/* SPDX-License-Identifier: BSD-3-Clause */
/* The info stream: identity of the PDB, and its named streams, such as /names with the paths of source
 * files.  LLVM: docs/PDB/PdbStream, microsoft/pdb-rs: docs/pdb/names_stream. */
#include <string.h>

#include "pdb_internal.h"

enum {
        /* version of Visual C++ 7.0, the first one with a GUID in the info stream */
        OLDEST_VERSION = 20000404,
        NAMES_HEADER_BYTES = 12,
};

#define NAMES_MAGIC     0xeffeeffeu
#define FEATURE_MINIMAL 0x494e494du /* "MINI" */

/* Bits of the used buckets of a hash table: the number of words, then the words. */
static struct cursor read_bits(struct cursor *c)
{
        uint32_t n_words = cursor_u32(c);
        struct cursor bits = cursor_sub(c, cursor_pos(c), (uint64_t)n_words * 4);

        cursor_skip(c, (uint64_t)n_words * 4);
        return bits;
}

static bool has_bit(const struct cursor *bits, uint32_t i)
{
        return i / 8 < cursor_left(bits) && bits->start[i / 8] & 1u << i % 8;
}

/* The number of the stream with a name: the stream has the names, then a hash table from their offsets to
 * numbers.  Moves the cursor past it. */
static uint32_t find_named(struct cursor *c, const char *wanted)
{
        uint32_t names_bytes = cursor_u32(c), n_buckets, found = PDB_NO_STREAM;
        struct cursor names = cursor_sub(c, cursor_pos(c), names_bytes), present;

        cursor_skip(c, names_bytes);
        cursor_u32(c); /* number of entries */
        n_buckets = cursor_u32(c);
        present = read_bits(c);
        read_bits(c); /* bits of deleted buckets */
        if (c->failed || names.failed)
                return PDB_NO_STREAM;
        for (uint32_t i = 0; i < n_buckets && i / 8 < cursor_left(&present); i++) {
                const char *name;
                uint32_t off, stream;

                if (!has_bit(&present, i))
                        continue;
                off = cursor_u32(c);
                stream = cursor_u32(c);
                if (c->failed)
                        break;
                name = cursor_str_at(&names, off);
                if (name && found == PDB_NO_STREAM && !strcmp(name, wanted))
                        found = stream;
        }
        return found;
}

/* Whether the numbers up to the end contain the feature. */
static bool is_minimal(struct cursor c)
{
        while (!c.failed && cursor_left(&c) >= 4) {
                if (cursor_u32(&c) == FEATURE_MINIMAL)
                        return true;
        }
        return false;
}

static bool read_identity(struct pdb *pdb, struct cursor *c, struct err *err)
{
        uint32_t version = cursor_u32(c);
        const void *guid;

        cursor_skip(c, 8); /* a time stamp, and an age that tools raise without modifying the image */
        guid = cursor_bytes(c, PDB_GUID_BYTES);
        if (version < OLDEST_VERSION)
                return err_set(
                        err, ERR_UNSUPPORTED,
                        "is a PDB of version %u, which is too old: wperf reads %u and later; link the program again with a newer "
                        "linker",
                        version, OLDEST_VERSION);
        if (!guid)
                return err_set(err, ERR_FORMAT, "its info stream has no GUID");
        memcpy(pdb->facts.guid, guid, PDB_GUID_BYTES);
        return true;
}

bool pdb_info_read(struct pdb *pdb, struct err *err)
{
        uint32_t size = pdb_stream_size(&pdb->msf, PDB_STREAM_INFO);
        struct pdb_piece piece;
        uint8_t head[8];
        uint32_t magic;
        bool is_good;

        if (!size)
                return err_set(err, ERR_FORMAT, "has no info stream");
        if (size > PDB_MAX_INFO_BYTES)
                return err_set(err, ERR_LIMIT, "its info stream has %u bytes, more than %d", size,
                               PDB_MAX_INFO_BYTES);
        if (!pdb_stream_piece(&pdb->msf, PDB_STREAM_INFO, 0, size, &piece, err))
                return false;
        is_good = read_identity(pdb, &piece.bytes, err);
        pdb->names_stream = is_good ? find_named(&piece.bytes, "/names") : PDB_NO_STREAM;
        if (is_good && is_minimal(piece.bytes))
                is_good = err_set(err, ERR_UNSUPPORTED,
                                  "is a PDB of /DEBUG:FASTLINK, which has no symbols (they are in the object "
                                  "files); link with /DEBUG:FULL");
        pdb_piece_release(&piece);
        if (!pdb_stream_copy(&pdb->msf, pdb->names_stream, 0, sizeof(head), head))
                return is_good;
        memcpy(&magic, head, sizeof(magic));
        if (magic != NAMES_MAGIC)
                pdb->names_stream = PDB_NO_STREAM;
        return is_good;
}

const char *pdb_find_path(struct pdb *pdb, uint32_t off)
{
        const char *path;
        uint64_t *slot;
        bool is_new;

        slot = map_put(&pdb->paths, off, &is_new);
        if (!is_new)
                return (const char *)(uintptr_t)*slot;
        if (off > UINT32_MAX - NAMES_HEADER_BYTES)
                return NULL;
        path = pdb_stream_text(&pdb->msf, pdb->names_stream, off + NAMES_HEADER_BYTES, PDB_MAX_PATH_BYTES,
                               &pdb->scratch);
        if (path && !*path)
                path = NULL;
        if (path)
                path = pdb_keep(pdb, path);
        *slot = (uint64_t)(uintptr_t)path;
        return path;
}
