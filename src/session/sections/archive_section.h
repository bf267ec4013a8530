/* SPDX-License-Identifier: BSD-3-Clause */
/* The envelope of a section that wperf archive writes into a session, and of a file of the cache: magic,
 * version, checksum and content. The content of a section is compressed if the build has zstd. */
#ifndef ARCHIVE_SECTION_H
#define ARCHIVE_SECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "budget.h"
#include "buf.h"
#include "cursor.h"
#include "err.h"

enum {
        ARCHIVE_SECTION_HEAD_BYTES = 32,
        /* of the decompressed content, for reading and writing */
        ARCHIVE_SECTION_MAX_BYTES = 256 << 20,
};

struct archive_section_kind {
        char magic[5];
        uint32_t version;
        bool is_plain; /* never compressed: the cache is read more often than written */
        bool is_quick; /* written by a recorder: compress with a few MiB of memory instead of about fifty */
};

/* Appends the whole section. ERR_LIMIT if the content is larger than ARCHIVE_SECTION_MAX_BYTES. */
bool archive_section_write(const struct archive_section_kind *kind, const struct buf *content,
                           struct buf *out, struct err *err);

/* Begins the budget for what is read of a section: for its decompressed content, and for much more data
 * than real sections have.  The limit depends on its size in the file, because a small compressed section
 * may expand to a lot.  `session` is the budget of the session, or NULL. */
void archive_section_budget(struct budget *budget, struct budget *session, struct cursor section);

/* Returns the content of a section. If it is compressed, `unpacked` receives it, with memory from `budget`;
 * the caller releases both.  ERR_FORMAT if it is damaged, ERR_LIMIT if it is too large, ERR_UNSUPPORTED for
 * another version, and for a compressed section in a build without zstd. */
bool archive_section_read(const struct archive_section_kind *kind, struct cursor section,
                          struct budget *budget, struct buf *unpacked, struct cursor *ret_content,
                          struct err *err);

/* Every change of a single byte gives another value. */
uint64_t archive_section_checksum(const void *bytes, size_t size);

/* Reads the number of elements that follow, which have at least `least` bytes each here and `each` bytes in
 * memory, and takes this memory from the budget. Returns 0 and sets c->failed if that many cannot follow,
 * or if there is not enough memory. */
size_t archive_read_count(struct cursor *c, size_t least, size_t each, struct budget *budget);

/* Takes memory for what is read of a section; without a budget there is no limit.  False: there is not
 * enough, or a damaged number asks for more than any real section. */
bool archive_section_take(struct budget *budget, uint64_t bytes);

/* Sets why the content of a section could not be read. */
void archive_section_fail(const struct budget *budget, struct err *err);

#endif
