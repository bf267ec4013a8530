/* SPDX-License-Identifier: BSD-3-Clause */
/* A store of answers on disk, by build id and content, so that addresses which were looked up before cost
 * almost nothing: their debug information is not opened. A file is an uncompressed envelope with magic WPCA
 * that contains the key, then a store with one module, which has one kind. */
#ifndef ANSWERS_CACHE_H
#define ANSWERS_CACHE_H

#include "answers_content.h"
#include "answers_store.h"
#include "err.h"
#include "object.h"
#include "source_frames.h"

enum {
        /* To be increased when the format of the files changes. A reader whose answers change has its own
         * version in the key. */
        ANSWERS_CACHE_VERSION = 3,
        /* Defaults. For a file, the memory that its answers take is counted, which is more than their size in
         * the file. */
        ANSWERS_CACHE_MAX_FILE_BYTES = 32 << 20,
        ANSWERS_CACHE_MAX_FOLDER_BYTES = 256 << 20,
};

/* Answers are only used if the whole key is equal. Each kind has its own files. The build id and the size
 * identify the object but do not authenticate it, because its author chooses them; the digests do. */
struct answers_key {
        uint8_t kind;                            /* enum answer_kind */
        uint8_t build_id[OBJECT_BUILD_ID_BYTES]; /* of the mapped object */
        uint8_t build_id_size;
        uint64_t size_bytes; /* of the same object */
        /* of answers_sources.files, in that order; zeros if there is no such file */
        struct digest contents[ANSWERS_N_SOURCE_FILES];
        uint64_t version; /* of the reader that answered; for instructions their dialect */
};

/* Sets all members but kind and version. False with ERR_UNSUPPORTED if the object cannot be identified,
 * because it has no build id or is not a file; else fails as answers_content_find() does. */
bool answers_key_make(const char *folder, const struct object *own, const struct answers_sources *sources,
                      struct answers_key *ret_key, struct err *err);

/* Adds the .dwo files that contributed answers to the key. `list` has their digests and the ids of their
 * units. They are combined with the digest of the package. */
void answers_key_add_dwos(struct answers_key *key, const struct buf *list);

struct answers_cache_options {
        const char *folder; /* created with mode 0700 when the first file is written */
        /* 0 for the default. A file that is too large keeps its newest answers. If the folder is too large,
         * the files that were not used for the longest time are removed. */
        uint64_t max_file_bytes, max_folder_bytes;
        struct err *save_err; /* receives the first error of saving answers; may be NULL */
};

struct answers_cache;

/* Reads the file for this key. If there is none or it is damaged, the cache is empty. ERR_DENIED if the
 * folder belongs to another user, if others may write to it, or if it would be created below a folder of
 * another user. */
struct answers_cache *answers_cache_open(const struct answers_cache_options *options,
                                         const struct answers_key *key, struct err *err);
void answers_cache_free(struct answers_cache *cache);
AUTO_DEFINE(answers_cache)

/* --- Answers of the key's kind; their texts live as long as the cache. */

/* What the file contained, sorted; NULL if there is no valid file. */
const struct module_answers *answers_cache_file(const struct answers_cache *cache);

bool answers_cache_find(struct answers_cache *cache, uint64_t addr, struct answer_found *ret_found);

/* Adds a text for items that are added next. */
answer_text answers_cache_text(struct answers_cache *cache, const char *text);

/* Adds items of the key's kind. Ignores what exceeds the limit of a file. */
void answers_cache_add(struct answers_cache *cache, uint64_t addr, const void *items, size_t n);

/* --- Frames, from a cache or from a reader of debug information. */

/* Frames of some addresses, from a cache or else from the reader that was asked. Texts live as long as
 * both. */
struct answered_frames {
        struct answer_found *found; /* of each address; NULL if all frames are in `rest` */
        struct source_frames rest;  /* of address i if the cache did not have it */
};

static inline bool answered_is_found(const struct answered_frames *frames, size_t i)
{
        return frames->found && frames->found[i].set;
}

/* The number of frames of address `i`. */
static inline size_t answered_count(const struct answered_frames *frames, size_t i)
{
        return answered_is_found(frames, i) ? frames->found[i].list.n : frames->rest.spans[i].n;
}

/* Frame `k` of address `i`. */
struct source_frame answers_get(const struct answered_frames *frames, size_t i, size_t k);

/* Copies the labels or extents that were found; the caller frees them. Returns their number. */
size_t answers_get_labels(const struct answer_found *found, struct source_label **ret_labels);
size_t answers_get_extents(const struct answer_found *found, struct source_extent **ret_extents);
void answers_frames_release(struct answered_frames *frames);

/* Looks up `n` sorted, distinct addresses. Sets found[i] of those in the cache and returns their number. An
 * empty list is an answer too. */
size_t answers_cache_find_all(struct answers_cache *cache, const uint64_t *addrs, size_t n,
                              struct answer_found *found);

/* Copies the answers of a reader of debug information. */
void answers_cache_add_frames(struct answers_cache *cache, const uint64_t *addrs, size_t n,
                              const struct source_frames *frames);

/* Looks up sorted, distinct addresses that the cache does not have. Returns false if the answers must not be
 * cached, because something was damaged. */
typedef bool answers_ask_frames(void *ctx, const uint64_t *addrs, size_t n, struct source_frames *ret_frames);

/* Looks up `n` sorted, distinct addresses in the cache, and all others in one call of `ask`, whose answers
 * are added to the cache. `cache` may be NULL. */
void answers_cache_look_up(struct answers_cache *cache, const uint64_t *addrs, size_t n,
                           answers_ask_frames *ask, void *ctx, struct answered_frames *ret_frames);

/* --- On disk. */

/* Changes the digests in the key. All answers, including those of the present file, are then saved to the
 * file of the new key. */
void answers_cache_move(struct answers_cache *cache, const struct answers_key *key);

/* Merges what was added with the present content of the file, and replaces the file, so that a concurrent
 * reader sees either the old or the new file. If two processes save at the same time, the later one wins.
 * Does nothing if nothing was added. Must not be called if an object was truncated in the meantime
 * (object_check). The cache can still be used afterwards. */
bool answers_cache_save(struct answers_cache *cache, struct err *err);

/* Says that the file was damaged, one sentence; "" if it was not. */
const char *answers_cache_note(const struct answers_cache *cache);

/* Appends the path of the key's file. */
void answers_cache_add_path(const char *folder, const struct answers_key *key, struct buf *out);

/* Reads a file of the cache. NULL with ERR_FORMAT if it is damaged or belongs to another object,
 * ERR_UNSUPPORTED if it is of another version or machine. */
struct answers *answers_cache_read(const struct answers_key *key, struct cursor file, struct err *err);

#endif
