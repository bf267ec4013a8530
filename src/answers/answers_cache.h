/* SPDX-License-Identifier: BSD-3-Clause */
/* A store of answers on disk, by build id and content, so that addresses which were looked up before cost next to nothing: no debug
 * information is opened for them.  A file is an envelope of magic WPCA, which is not packed: the key, then the store with one
 * module, which has one kind. */
#ifndef ANSWERS_CACHE_H
#define ANSWERS_CACHE_H

#include "answers_content.h"
#include "answers_store.h"
#include "err.h"
#include "object.h"
#include "source_frames.h"

enum {
        /* Raised with the format of the files; a reader that answers otherwise has another version of its answers. */
        ANSWERS_CACHE_VERSION = 3,
        /* Unless the options say otherwise; what an answer takes in memory is counted, which is more than in the file. */
        ANSWERS_CACHE_MAX_FILE_BYTES = 32 << 20,
        ANSWERS_CACHE_MAX_FOLDER_BYTES = 256 << 20,
};

/* Answers are believed only where all of this is the same.  Each kind has files of its own.  A build id, a size and a time
 * are no proof: whoever makes a file chooses them.  The digests are. */
struct answers_key {
        uint8_t kind;                            /* enum answer_kind */
        uint8_t build_id[OBJECT_BUILD_ID_BYTES]; /* of the object that was mapped */
        uint8_t build_id_size;
        uint64_t size_bytes; /* of the same */
        struct digest contents
                [ANSWERS_N_SOURCE_FILES]; /* of answers_sources, in their order; zeros: no such file */
        uint64_t version;                 /* of the reader that answered; of instructions their dialect */
};

/* All but kind and version.  False with ERR_UNSUPPORTED when there is nothing to tell it from others by: an object without a build
 * id, or one that is no file; and as answers_content_find. */
bool answers_key_make(const char *folder, const struct object *own, const struct answers_sources *sources,
                      struct answers_key *ret_key, struct err *err);

/* The key with the .dwo files that answered too, whose digests, with the ids of their units, are in `list`: they and the package
 * are one. */
void answers_key_add_dwos(struct answers_key *key, const struct buf *list);

struct answers_cache_options {
        const char *folder; /* made when the first file is kept, mode 0700 */
        /* 0: the default.  Of a file too large the newest answers are kept; of the folder those files go first that
         * were not used for the longest time. */
        uint64_t max_file_bytes, max_folder_bytes;
        struct err *save_err; /* takes why answers could not be kept, the first time; NULL: nobody asks */
};

struct answers_cache;

/* Reads the file of this key; without one, or with a damaged one, nothing is known.  ERR_DENIED when the folder belongs
 * to another user or others may write to it, or it would be made below one of another user. */
struct answers_cache *answers_cache_open(const struct answers_cache_options *options,
                                         const struct answers_key *key, struct err *err);
void answers_cache_free(struct answers_cache *cache);
AUTO_DEFINE(answers_cache)

/* --- Answers of the key's kind; their texts live as long as the cache. */

/* What the file had, sorted; NULL: there is none. */
const struct module_answers *answers_cache_file(const struct answers_cache *cache);

bool answers_cache_find(struct answers_cache *cache, uint64_t addr, struct answer_found *ret_found);

/* A text for items that are added then. */
answer_text answers_cache_text(struct answers_cache *cache, const char *text);

/* Items of the key's kind.  What goes beyond the limit of a file is left out. */
void answers_cache_add(struct answers_cache *cache, uint64_t addr, const void *items, size_t n);

/* --- Of frames: of a cache, and of who knows the rest. */

/* Frames of some addresses.  Texts live as long as the cache and those of whom the rest was asked. */
struct answered_frames {
        struct answer_found *found; /* of each address; NULL: of all of them the rest knows */
        struct source_frames rest;  /* of address i where nothing was found */
};

static inline bool answered_is_found(const struct answered_frames *frames, size_t i)
{
        return frames->found && frames->found[i].set;
}

/* How many frames address `i` has. */
static inline size_t answered_count(const struct answered_frames *frames, size_t i)
{
        return answered_is_found(frames, i) ? frames->found[i].list.n : frames->rest.spans[i].n;
}

/* Frame `k` of address `i`. */
struct source_frame answers_get(const struct answered_frames *frames, size_t i, size_t k);

/* Labels or extents that were found (free()); returns how many. */
size_t answers_get_labels(const struct answer_found *found, struct source_label **ret_labels);
size_t answers_get_extents(const struct answer_found *found, struct source_extent **ret_extents);
void answers_frames_release(struct answered_frames *frames);

/* What is known of `n` sorted, distinct addresses: found[i] of those; returns their number.  An empty list is an answer
 * too. */
size_t answers_cache_find_all(struct answers_cache *cache, const uint64_t *addrs, size_t n,
                              struct answer_found *found);

/* Copies what a reader of debug information answered. */
void answers_cache_add_frames(struct answers_cache *cache, const uint64_t *addrs, size_t n,
                              const struct source_frames *frames);

/* Looks up sorted, distinct addresses that are not known; false: the answers are poor (something was damaged) and are
 * not to be kept. */
typedef bool answers_ask_frames(void *ctx, const uint64_t *addrs, size_t n, struct source_frames *ret_frames);

/* All of `n` sorted, distinct addresses: what is known from the cache, and the rest, if there is one, in one question
 * to `ask`, whose answers are added.  Without a cache (NULL) everything is asked. */
void answers_cache_look_up(struct answers_cache *cache, const uint64_t *addrs, size_t n,
                           answers_ask_frames *ask, void *ctx, struct answered_frames *ret_frames);

/* --- On disk. */

/* From now on the answers, those that the file has too, are of a key with other digests: what is saved goes into its file. */
void answers_cache_move(struct answers_cache *cache, const struct answers_key *key);

/* Writes what was added, with what the file has by now, to a new file that takes its place: whoever reads meanwhile
 * sees the old or the new one.  Of two that save at once the later one stands.  Does nothing when nothing was added.  Not
 * to be called when an object became shorter meanwhile (object_check).  The cache may be asked afterwards. */
bool answers_cache_save(struct answers_cache *cache, struct err *err);

/* That the file was damaged, one sentence; "" otherwise. */
const char *answers_cache_note(const struct answers_cache *cache);

/* Appends the path of the key's file. */
void answers_cache_add_path(const char *folder, const struct answers_key *key, struct buf *out);

/* Reads a file of the cache; NULL with ERR_FORMAT when it is damaged or another object's, ERR_UNSUPPORTED when it is of another
 * version or machine. */
struct answers *answers_cache_read(const struct answers_key *key, struct cursor file, struct err *err);

#endif
