/* SPDX-License-Identifier: BSD-3-Clause */
/* The store of answers: what was looked up about modules, by kind, in typed items. A store contains texts and
 * modules; a module contains a set per kind. It is stored as a file of the cache (answers_cache.h) or as a
 * section of a session. */
#ifndef ANSWERS_STORE_H
#define ANSWERS_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "budget.h"
#include "buf.h"
#include "cursor.h"

/* These numbers are part of the file format. Append new kinds, and add them to the table in
 * answer_kinds.c. */
enum answer_kind {
        ANSWER_SYMBOLS,
        ANSWER_FRAMES,
        ANSWER_LABELS,  /* of the function at an address */
        ANSWER_EXTENTS, /* of the function at an address; sorted */
        ANSWER_INSNS,   /* of the piece of code that begins at an address */
        /* The following kinds describe the module and are not found by address, except ANSWER_DWOS. */
        ANSWER_IDENTITY, /* one item */
        ANSWER_FACTS,    /* one item */
        ANSWER_SECTIONS,
        ANSWER_OFFSETS, /* sorted by offset */
        ANSWER_CODE,
        ANSWER_KEPT, /* one item if the recorder made the answers */
        ANSWER_DWOS, /* found by the id of a unit instead of an address; one item each */
        ANSWER_N_KINDS,
};

enum {
        ANSWERS_MAX_FRAMES = 256, /* at an address, so that a small file cannot have large answers */
        ANSWERS_MAX_INSN_BYTES = 15,
};

/* --- Items, without padding: equal items have equal bytes -------------------------------------------- */

/* A text of the store; 0 for none. */
typedef uint32_t answer_text;

struct answer_symbol {
        uint64_t start, size;
        answer_text name, module;
        uint32_t status; /* below ANSWER_N_STATUS */
        uint32_t zero;
};

enum { ANSWER_N_STATUS = 2 };

enum { ANSWER_IS_INLINED = 1 }; /* flag of a frame: inlined into the next frame */

struct answer_frame {
        uint64_t start; /* first address of the function or of its inlined copy */
        answer_text function, path;
        uint32_t line, column;
        uint32_t flags, zero;
};

struct answer_label {
        uint64_t addr;
        answer_text name, path;
        uint32_t line, has_addr;
};

struct answer_extent {
        uint64_t start, size; /* size: at least 1 */
};

struct answer_insn {
        uint64_t code[2]; /* its bytes, padded with zeros */
        answer_text text;
        uint32_t size_bytes; /* 1 to ANSWERS_MAX_INSN_BYTES */
};

struct answer_bytes {
        const uint8_t *at;
        uint64_t size;
};

struct answer_identity {
        struct answer_bytes build_id;
        uint64_t pid; /* signed */
        uint64_t dev, inode, start, end;
        uint32_t kind;
        answer_text path;
};

/* Flags of answer_facts. */
enum { ANSWER_HAS_IMAGE = 1, ANSWER_IS_EXECUTABLE = 2, ANSWER_HAS_READABLE_NAMES = 4 };

struct answer_facts {
        struct answer_bytes build_id;
        uint64_t entry, load_addr;
        uint64_t built_ns; /* signed */
        uint32_t flags, machine;
        answer_text name_note, line_note;
};

struct answer_section {
        uint64_t addr, size;
        answer_text name;
        uint32_t zero;
};

/* Converts offsets first to first + more to addresses: offset + distance. */
struct answer_offset {
        uint64_t first, more, distance;
};

struct answer_code {
        struct answer_bytes bytes;
        uint64_t addr;
};

struct answer_kept {
        uint32_t by; /* ANSWER_KEPT_BY_RECORDER; readers treat any other number as this one */
};

enum { ANSWER_KEPT_BY_RECORDER = 1 };

/* The .dwo file that a unit names. */
struct answer_dwo {
        answer_text folder, name;
};

/* --- A set: the answers of one kind ------------------------------------------------------------------ */

/* The items from `first` on, or if lists of the kind share items, those with the indexes members[first] and
 * following. */
struct answer_list {
        uint32_t first, n;
};

/* Addresses `first` to `last`, inclusive, have this list. */
struct answer_range {
        uint64_t first, last;
        uint32_t list, zero;
};

struct answer_set; /* answers_internal.h */
struct module_answers;
struct answers;

/* --- A store ----------------------------------------------------------------------------------------- */

/* Creates an empty store to be filled. */
struct answers *answers_new(void);
void answers_free(struct answers *answers);
AUTO_DEFINE(answers)

/* Adds the text if the store does not have it. Returns 0 for NULL. */
answer_text answers_add_text(struct answers *answers, const char *text);

/* NULL for 0. Valid as long as the store. */
const char *answers_text(const struct answers *answers, answer_text text);

struct module_answers *answers_add_module(struct answers *answers);
size_t answers_n_modules(const struct answers *answers);
const struct module_answers *answers_get_module(const struct answers *answers, size_t index);
const struct answers *answers_store_module(const struct module_answers *module);

/* The memory that the store's texts and one kind of the module take, which is at least their size in a
 * file. */
uint64_t answers_size(const struct module_answers *module, enum answer_kind kind);

/* --- Adding: `items` are of the kind's type, with texts of this store.  Bytes are copied. */

void answers_add_item(struct module_answers *module, enum answer_kind kind, const void *item);

/* Returns the index of the list, or that of an equal list. `n` is at most answers_max_list(). */
uint32_t answers_add_list(struct module_answers *module, enum answer_kind kind, const void *items, size_t n);

/* If an address is in several ranges, the range added first is used. */
void answers_add_range(struct module_answers *module, enum answer_kind kind, uint64_t first, uint64_t last,
                       uint32_t list);

size_t answers_max_list(enum answer_kind kind);

/* --- Finding: only what was sorted after it was added, or was read. */

void answers_sort(struct module_answers *module, enum answer_kind kind);

/* What was found: the items of a list. */
struct answer_found {
        const struct answer_set *set;
        const struct answers *store;
        struct answer_list list;
};

/* False if the address is not known. An empty list is an answer. */
bool answers_find(const struct module_answers *module, enum answer_kind kind, uint64_t addr,
                  struct answer_found *ret_found);

/* The same for `n` ascending addresses. found[i].set is NULL if address i is not known. Returns the number of
 * known addresses. */
size_t answers_find_all(const struct module_answers *module, enum answer_kind kind, const uint64_t *addrs,
                        size_t n, struct answer_found *found);

/* Item `i` of what was found. */
const void *answer_found_get(const struct answer_found *found, size_t i);

/* Items of a kind without addresses, and their number. */
size_t answers_n_items(const struct module_answers *module, enum answer_kind kind);
const void *answers_get_item(const struct module_answers *module, enum answer_kind kind, size_t index);

size_t answers_n_ranges(const struct module_answers *module, enum answer_kind kind);
struct answer_range answers_get_range(const struct module_answers *module, enum answer_kind kind,
                                      size_t index);
struct answer_found answers_of_range(const struct module_answers *module, enum answer_kind kind,
                                     size_t index);

/* --- Bytes ------------------------------------------------------------------------------------------- */

/* Appends the store and sorts its sets. With `is_small`, columns with a few large numbers take less space,
 * but up to three times as long to read. */
void answers_write(struct answers *answers, bool is_small, struct buf *out);

/* Reads what answers_write() wrote, with memory from `budget`, as archive_section_take does. NULL if it is
 * damaged, or if there is not enough memory. The bytes are not needed afterwards, and may change while they
 * are read. */
struct answers *answers_read(struct cursor *c, struct budget *budget);

/* Reads the content of a session's section of version 1, after its first two numbers, into the present
 * format. */
struct answers *answers_read_old(struct cursor *c, struct budget *budget);

#endif
