/* SPDX-License-Identifier: BSD-3-Clause */
/* Answers of dwarf_find that are kept on disk by build id, so that addresses which were looked up before cost next to
 * nothing: no debug information is opened for them. */
#ifndef SYMBOL_INDEX_H
#define SYMBOL_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "dwarf.h"
#include "err.h"
#include "object.h"

enum {
        /* Raised with the format of the files; a reader that answers otherwise raises DWARF_ANSWERS_VERSION. */
        SYMBOL_INDEX_VERSION = 1,
        /* Unless the options say otherwise.  A file of that size has some 150,000 addresses of five frames each. */
        SYMBOL_INDEX_MAX_FILE_BYTES = 32 << 20,
        SYMBOL_INDEX_MAX_FOLDER_BYTES = 256 << 20,
        SYMBOL_INDEX_LIMIT_BYTES = 1 << 30, /* a larger file is not read */
};

/* A file that answers come from; all 0 when there is none. */
struct symbol_index_source {
        uint8_t build_id[OBJECT_BUILD_ID_BYTES];
        uint8_t build_id_size;
        uint64_t size_bytes;
        int64_t mtime_ns;
};

/* What a file's answers are about; each kind has files of its own. */
enum symbol_index_kind {
        SYMBOL_INDEX_FRAMES,
        SYMBOL_INDEX_LABELS, /* of the function at an address: each is a frame, where `column` is 1 with an address */
        SYMBOL_INDEX_EXTENTS, /* of the same: frames in pairs that start where one begins and where it ends */
        SYMBOL_INDEX_INSNS, /* of the piece of code that begins at an address: each is a frame, with its text as
                                 `function`, its bytes' number as `line` and their hash as `start` */
        SYMBOL_INDEX_N_KINDS,
};

/* Answers are believed only where all of this is the same. */
struct symbol_index_key {
        uint8_t kind;                            /* enum symbol_index_kind */
        uint8_t build_id[OBJECT_BUILD_ID_BYTES]; /* of the object that was mapped */
        uint8_t build_id_size;
        struct symbol_index_source debug; /* the file with its debug information, or the object itself */
        struct symbol_index_source alt;   /* what .gnu_debugaltlink names */
        uint64_t
                answers_version; /* DWARF_ANSWERS_VERSION of the reader that answered; of instructions their dialect */
};

/* `alt` may be NULL.  False when there is nothing to tell it from others by: an object without a build id, or one that
 * is no file. */
bool symbol_index_key_make(const struct object *own, const struct object *debug, const struct object *alt,
                           struct symbol_index_key *ret_key);

struct symbol_index_options {
        const char *folder; /* made when the first file is kept, mode 0700 */
        /* 0: the default.  Of a file too large the newest answers are kept; of the folder those files go first that
         * were not used for the longest time. */
        uint64_t max_file_bytes, max_folder_bytes;
        struct err *save_err; /* takes why answers could not be kept, the first time; NULL: nobody asks */
};

struct symbol_index;

/* Maps the file of this key; without one, or with a damaged one, nothing is known.  ERR_DENIED when the folder belongs
 * to another user or others may write to it, or it would be made below one of another user. */
struct symbol_index *symbol_index_open(const struct symbol_index_options *options,
                                       const struct symbol_index_key *key, struct err *err);
void symbol_index_free(struct symbol_index *index);
AUTO_DEFINE(symbol_index)

/* Answers those of `n` sorted, distinct addresses that it knows: known[i] and spans[i] (an empty span is an answer
 * too); returns their number.  Texts live as long as the index. */
size_t symbol_index_find(struct symbol_index *index, const uint64_t *addrs, size_t n,
                         struct source_frames *ret_frames, bool *ret_known);

/* Copies what dwarf_find answered.  What goes beyond the limit of a file is left out. */
void symbol_index_add(struct symbol_index *index, const uint64_t *addrs, size_t n,
                      const struct source_frames *frames);

/* Looks up sorted, distinct addresses that are not known; false: the answers are poor (something was damaged) and are
 * not to be kept. */
typedef bool symbol_index_ask(void *ctx, const uint64_t *addrs, size_t n, struct source_frames *ret_frames);

/* All of `n` sorted, distinct addresses: what is known from the index, and the rest, if there is one, in one question
 * to `ask`, whose answers are added.  Without an index (NULL) everything is asked.  Texts live as long as the index and
 * those of `ask`. */
void symbol_index_look_up(struct symbol_index *index, const uint64_t *addrs, size_t n, symbol_index_ask *ask,
                          void *ctx, struct source_frames *ret_frames);

/* Writes what was added, with what the file has by now, to a new file that takes its place: whoever reads meanwhile
 * sees the old or the new one.  Of two that save at once the later one stands.  Does nothing when nothing was added.  Not
 * to be called when an object became shorter meanwhile (object_check).  The index may be asked afterwards. */
bool symbol_index_save(struct symbol_index *index, struct err *err);

/* That the file was damaged, one sentence; "" otherwise. */
const char *symbol_index_note(const struct symbol_index *index);

#endif
