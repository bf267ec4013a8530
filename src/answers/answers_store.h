/* SPDX-License-Identifier: BSD-3-Clause */
/* The one store of answers: what was found out about modules, by kind, in typed items.  A store holds texts and modules;
 * a module holds a set of each kind.  It is kept as a file of the cache (answers_cache.h) or as a section of a session. */
#ifndef ANSWERS_STORE_H
#define ANSWERS_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "cursor.h"

/* These numbers stand in files: a new kind goes to the end, and into the table of answer_kinds.c. */
enum answer_kind {
        ANSWER_SYMBOLS,
        ANSWER_FRAMES,
        ANSWER_LABELS,  /* of the function at an address */
        ANSWER_EXTENTS, /* of the same, by address */
        ANSWER_INSNS,   /* of the piece of code that begins at an address */
        /* These have no address: they say something about the module. */
        ANSWER_IDENTITY, /* one item */
        ANSWER_FACTS,    /* one item */
        ANSWER_SECTIONS,
        ANSWER_OFFSETS, /* by offset */
        ANSWER_CODE,
        ANSWER_KEPT, /* one item, where the recorder kept the answers */
        ANSWER_DWOS, /* by the id of the unit, in the place of an address: an item */
        ANSWER_N_KINDS,
};

enum {
        ANSWERS_MAX_FRAMES = 256, /* at an address: so that a small file can't make large answers */
        ANSWERS_MAX_INSN_BYTES = 15,
};

/* --- Items, of which equal ones have equal bytes: no holes ------------------------------------------- */

/* A text of the store; 0: none. */
typedef uint32_t answer_text;

struct answer_symbol {
        uint64_t start, size;
        answer_text name, module;
        uint32_t status; /* below ANSWER_N_STATUS */
        uint32_t zero;
};

enum { ANSWER_N_STATUS = 2 };

enum { ANSWER_IS_INLINED = 1 }; /* a flag of a frame: into the next one */

struct answer_frame {
        uint64_t start; /* of the function or of its inlined copy */
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
        uint64_t start, size; /* at least 1 */
};

struct answer_insn {
        uint64_t code[2]; /* its bytes as they stand in memory, and zeros */
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

/* Flags of a module's facts. */
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

/* Offsets from `first` on, `more` after it, stand at `distance` more. */
struct answer_offset {
        uint64_t first, more, distance;
};

struct answer_code {
        struct answer_bytes bytes;
        uint64_t addr;
};

struct answer_kept {
        uint32_t by; /* ANSWER_KEPT_BY_RECORDER; a reader takes every other number for it too */
};

enum { ANSWER_KEPT_BY_RECORDER = 1 };

/* Which .dwo file a unit says that it is in. */
struct answer_dwo {
        answer_text folder, name;
};

/* --- A set: the answers of one kind ------------------------------------------------------------------ */

/* Items of a list: those from `first` on, or where the kind's lists share items, those that members[first] and the
 * following name. */
struct answer_list {
        uint32_t first, n;
};

/* Addresses first to last have this list. */
struct answer_run {
        uint64_t first, last;
        uint32_t list, zero;
};

struct answer_set; /* answers_internal.h */
struct module_answers;
struct answers;

/* --- A store ----------------------------------------------------------------------------------------- */

/* An empty one, to be filled. */
struct answers *answers_new(void);
void answers_free(struct answers *answers);
AUTO_DEFINE(answers)

/* Copies the text once; NULL is 0. */
answer_text answers_add_text(struct answers *answers, const char *text);

/* NULL for 0.  As long as the store. */
const char *answers_text(const struct answers *answers, answer_text text);

struct module_answers *answers_add_module(struct answers *answers);
size_t answers_n_modules(const struct answers *answers);
const struct module_answers *answers_get_module(const struct answers *answers, size_t index);
const struct answers *answers_store_module(const struct module_answers *module);

/* How much the store's texts and a kind of the module take: at least as much as their bytes in a file. */
uint64_t answers_size(const struct module_answers *module, enum answer_kind kind);

/* --- Adding: `items` are of the kind's type, with texts of this store.  Bytes are copied. */

void answers_add_item(struct module_answers *module, enum answer_kind kind, const void *item);

/* Returns the list's number, which may be that of an equal one.  At most `answers_max_list` items. */
uint32_t answers_add_list(struct module_answers *module, enum answer_kind kind, const void *items, size_t n);

/* Of addresses that were added already the first answer stands. */
void answers_add_run(struct module_answers *module, enum answer_kind kind, uint64_t first, uint64_t last,
                     uint32_t list);

size_t answers_max_list(enum answer_kind kind);

/* --- Asking: finds what was sorted since it was added, or read. */

void answers_sort(struct module_answers *module, enum answer_kind kind);

/* What was found: items of a list. */
struct answer_found {
        const struct answer_set *set;
        const struct answers *store;
        struct answer_list list;
};

/* False: nothing is known of the address.  An empty list is an answer. */
bool answers_find(const struct module_answers *module, enum answer_kind kind, uint64_t addr,
                  struct answer_found *ret_found);

/* The same of `n` ascending addresses, which are known where found[i].set is not NULL; returns how many. */
size_t answers_find_all(const struct module_answers *module, enum answer_kind kind, const uint64_t *addrs,
                        size_t n, struct answer_found *found);

/* Item `i` of what was found. */
const void *answer_found_get(const struct answer_found *found, size_t i);

/* Items of a kind without addresses, and how many. */
size_t answers_n_items(const struct module_answers *module, enum answer_kind kind);
const void *answers_get_item(const struct module_answers *module, enum answer_kind kind, size_t index);

size_t answers_n_runs(const struct module_answers *module, enum answer_kind kind);
struct answer_run answers_get_run(const struct module_answers *module, enum answer_kind kind, size_t index);
struct answer_found answers_of_run(const struct module_answers *module, enum answer_kind kind, size_t index);

/* --- Bytes ------------------------------------------------------------------------------------------- */

/* Appends the store; its sets are sorted by that.  is_small: columns with a few far numbers take less room, and up to three
 * times as long to read. */
void answers_write(struct answers *answers, bool is_small, struct buf *out);

/* Reads what answers_write wrote, and takes at most `max_bytes` of memory for it.  NULL when it is damaged.  The bytes are
 * not needed afterwards, and may change meanwhile. */
struct answers *answers_read(struct cursor *c, uint64_t max_bytes);

/* The content of a section of a session of version 1, behind its first two numbers, as the same answers. */
struct answers *answers_read_old(struct cursor *c, uint64_t max_bytes);

#endif
