/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the symbol index share: a file as it stands on disk (image), answers in memory that become one
 * (batch), and the folder.
 *
 * A file is, in the machine's byte order: the header; addresses, sorted; for each its frames' first and number;
 * frames; for each text its offset; texts, each with a NUL.  Text 0 of a frame is NULL, text i is number i - 1. */
#ifndef SYMBOL_INDEX_INTERNAL_H
#define SYMBOL_INDEX_INTERNAL_H

#include "arena.h"
#include "buf.h"
#include "map.h"
#include "strpool.h"
#include "symbol_index.h"

#define SYMBOL_IMAGE_MAGIC "wperfsym"

enum {
        SYMBOL_IMAGE_BYTE_ORDER = 0x01020304,
        SYMBOL_IMAGE_CHECKED_FROM = 24, /* the checksum is of what follows it */
        SYMBOL_IMAGE_KEY_BYTES = 240,
        SYMBOL_IMAGE_IS_INLINED = 1, /* a flag of a frame */
};

struct symbol_image_header {
        char magic[8];
        uint32_t byte_order, version;
        uint64_t checksum;
        uint32_t n_addrs, n_frames, n_texts, unused;
        uint64_t texts_size;
        uint8_t key[SYMBOL_IMAGE_KEY_BYTES];
};

struct symbol_image_span {
        uint32_t first, n;
};

struct symbol_image_frame {
        uint64_t start;
        uint32_t function, path; /* texts */
        uint32_t line, column;
        uint32_t flags, unused;
};

/* Equal keys, equal bytes. */
void symbol_image_key(const struct symbol_index_key *key, uint8_t ret_bytes[SYMBOL_IMAGE_KEY_BYTES]);

/* Another value for every change of a single byte. */
uint64_t symbol_image_checksum(const uint8_t *bytes, size_t size);

/* --- A file --- */

/* Whatever stands in the bytes, or is made of them later by others: nothing outside of them is read, and answers do
 * not get larger than they are. */
struct symbol_image {
        const uint8_t *addrs, *spans, *frames, *text_offs, *texts;
        uint32_t n_addrs, n_frames, n_texts;
        uint64_t texts_size;
        const char **copies;    /* of the texts that were used, or NULL */
        struct arena *arena;    /* for them */
        uint64_t n_left_frames; /* of this find */
        uint64_t n_left_bytes;  /* of all copies */
        bool is_damaged;        /* nothing more is known */
};

/* Bytes and arena are kept by the caller.  ERR_FORMAT when they are damaged or another object's, ERR_UNSUPPORTED for another
 * version or machine. */
bool symbol_image_init(struct symbol_image *image, const uint8_t *bytes, size_t size,
                       const struct symbol_index_key *key, struct arena *arena, struct err *err);
void symbol_image_release(struct symbol_image *image);

/* As symbol_index_find; `frames` has room for n spans.  Texts live as long as the arena. */
size_t symbol_image_find(struct symbol_image *image, const uint64_t *addrs, size_t n,
                         struct source_frames *frames, bool *ret_known);

/* All of its addresses that are in order (free()). */
uint64_t *symbol_image_list(const struct symbol_image *image, size_t *ret_n);

/* --- Answers in memory --- */

struct symbol_batch_entry {
        uint64_t addr;
        struct symbol_image_span span;
};

struct symbol_batch {
        struct strpool *texts;
        uint64_t texts_size;
        struct map by_addr; /* to the entry's index + 1 */
        struct symbol_batch_entry *entries;
        size_t n_entries, cap_entries;
        struct symbol_image_frame *frames;
        size_t n_frames, cap_frames;
        uint64_t max_bytes; /* of the file */
};

void symbol_batch_init(struct symbol_batch *batch, uint64_t max_bytes);
void symbol_batch_release(struct symbol_batch *batch);

/* Nothing is done for an address that is there.  False when the file would get too large. */
bool symbol_batch_add(struct symbol_batch *batch, uint64_t addr, const struct source_frame *frames, size_t n);

/* Appends the frames of `addr`; false when it is not there.  Texts live as long as the batch. */
bool symbol_batch_find(const struct symbol_batch *batch, uint64_t addr, struct source_frames *frames,
                       struct source_span *ret_span);

void symbol_batch_write(const struct symbol_batch *batch, const struct symbol_index_key *key,
                        struct buf *out);

/* --- The folder --- */

/* True when it is this user's alone, or not there yet and the folder above that is there is this user's. */
bool symbol_folder_check(const char *folder, struct err *err);
bool symbol_folder_make(const char *folder, struct err *err);

/* Appends the file's path. */
void symbol_folder_add_path(const char *folder, const struct symbol_index_key *key, struct buf *out);

/* Makes these bytes the file. */
bool symbol_folder_put(const char *path, const struct buf *bytes, struct err *err);

/* Removes what is oldest until all files together have at most `max_bytes`, and what others began and did not end;
 * the file `kept` stays. */
void symbol_folder_trim(const char *folder, uint64_t max_bytes, const char *kept);

#endif
