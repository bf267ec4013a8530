/* SPDX-License-Identifier: BSD-3-Clause */
/* The envelope of a section of a session that wperf archive writes, and of a file of the cache: magic, version, checksum,
 * and the content, which a section packs where the build has zstd. */
#ifndef ARCHIVE_SECTION_H
#define ARCHIVE_SECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "cursor.h"
#include "err.h"

enum {
        ARCHIVE_SECTION_HEAD_BYTES = 32,
        /* What a section unpacks to; the limit of both sides. */
        ARCHIVE_SECTION_MAX_BYTES = 256 << 20,
};

struct archive_section_kind {
        char magic[5];
        uint32_t version;
        bool is_plain; /* is not packed: the cache is read more often than it is written */
        bool is_quick; /* is packed by a recorder, in some MiB of memory instead of some fifty */
};

/* Appends the whole section.  ERR_LIMIT when the content is larger than ARCHIVE_SECTION_MAX_BYTES. */
bool archive_section_write(const struct archive_section_kind *kind, const struct buf *content,
                           struct buf *out, struct err *err);

/* The content of a section; `unpacked` holds it where it was packed and is the caller's to release.  ERR_FORMAT when it
 * is damaged; ERR_UNSUPPORTED for another version, and for a packed one in a build without zstd. */
bool archive_section_read(const struct archive_section_kind *kind, struct cursor section,
                          struct buf *unpacked, struct cursor *ret_content, struct err *err);

/* Another value for every change of a single byte. */
uint64_t archive_section_checksum(const void *bytes, size_t size);

/* What a section may make of memory: much more than whole machines need, and bounded by the file's own size, since little packs
 * what takes a lot. */
static inline uint64_t archive_section_memory(struct cursor section)
{
        return ((uint64_t)64 << 20) + 128 * cursor_left(&section);
}

/* How many elements follow, each of `least` bytes or more here and `each` in memory, which *memory then has less; 0 with
 * c->failed when they can't all be there, or have no room. */
size_t archive_read_count(struct cursor *c, size_t least, size_t each, uint64_t *memory);

#endif
