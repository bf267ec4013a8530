/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of the store: sets in memory, the table of kinds, and columns of numbers in a file.
 *
 * All numbers are LEB128, or columns.  A store consists of
 *
 *     texts     n; their size in bytes; the texts, each with a NUL; text 0 is no text, the first is text 1
 *     modules   n; each:
 *       sets      n; each: kind, size in bytes, and
 *         items     n; a column for each field of the kind, with the lengths of byte strings; then the byte
 *                   strings, field by field
 *         lists     n; a column of their lengths; if lists share items, a column of the indexes of the
 *                   items
 *         ranges      n; columns of the gap before each range, of its length - 1, and of its list
 *
 * Kinds that are not found by address have no lists and no ranges.  The reader skips kinds that it does not
 * know.
 *
 * A column of n > 0 numbers begins with a byte: bits 0 to 3 are the width of each number in bytes (0 to 8);
 * bit 4 is set if numbers are zigzag-encoded differences from the previous one (the first from -1).  The
 * smallest number follows, then for each number what it is above the smallest, in little-endian order.  If
 * bit 5 is set, the width is 0 and the numbers are LEB128, so that a few large numbers do not make all
 * others wide.  Evenly increasing numbers take no space at all. */
#ifndef ANSWERS_INTERNAL_H
#define ANSWERS_INTERNAL_H

#include "answers_store.h"
#include "arena.h"
#include "budget.h"
#include "map.h"
#include "strpool.h"

enum field_form {
        FIELD_U32,    /* less than `end` */
        FIELD_TEXT,   /* answer_text */
        FIELD_ITEM,   /* index of an item in the set */
        FIELD_LIST,   /* index of a list in the set */
        FIELD_LENGTH, /* length of a list */
        FIELD_U64,
        FIELD_BYTES, /* struct answer_bytes with fewer than `end` bytes */
};

struct answer_field {
        uint16_t offset; /* in the row */
        uint8_t form;    /* enum field_form */
        uint64_t end;
};

/* Rows that are read and written as columns. */
struct rows_form {
        uint16_t bytes; /* size of a row in memory */
        uint8_t n_fields;
        const struct answer_field *fields;
};

struct answer_set {
        const struct kind_facts *kind;
        uint8_t *items;
        uint32_t *members; /* of lists that share items */
        struct answer_list *lists;
        struct answer_range *ranges;
        size_t n_items, cap_items, n_members, cap_members, n_lists, cap_lists, n_ranges, cap_ranges;
        size_t n_sorted;               /* number of ranges that can be found */
        struct map items_of, lists_of; /* while adding: hash to index + 1 */
};

struct kind_facts {
        struct rows_form item;
        bool by_addr;      /* found by address */
        bool share_items;  /* its lists share items */
        uint16_t max_list; /* 0 for no limit */
        /* Check a list, and the whole set after reading. NULL if all values are valid. */
        bool (*check_list)(const void *items, size_t n);
        bool (*check)(const struct answer_set *set);
};

extern const struct kind_facts answer_kinds[ANSWER_N_KINDS];

/* The rows of the lengths of lists, of the items of shared lists, and of ranges. In a file, ranges have
 * gaps and lengths - 1. */
extern const struct rows_form answer_list_rows, answer_member_rows, answer_range_rows;

struct module_answers {
        struct answers *store;
        struct answer_set sets[ANSWER_N_KINDS];
};

struct answers {
        struct strpool *pool; /* text i is at i - 1; NULL if the store was read */
        const char **texts;   /* the texts if the store was read */
        size_t n_texts;
        uint64_t texts_bytes;
        struct arena bytes; /* texts that were read, and byte strings */
        struct module_answers **modules;
        size_t n_modules, cap_modules;
};

/* Appends an item to a set. Does not copy its byte strings. */
void answer_set_push(struct answer_set *set, const void *item);

/* --- Columns */

/* A column that is being read. */
struct answers_column {
        const uint8_t *bytes;
        size_t n;
        uint64_t least, before;
        unsigned width;
        bool is_delta, is_leb;
        struct cursor lebs; /* with is_leb: the rest of the numbers */
};

enum {
        COLUMN_CHUNK = 256,
        KIND_MAX_FIELDS = 8,
        KIND_MAX_ITEM_BYTES = 64,
        /* size of a set's counts and of the heads of its columns */
        SET_MAX_HEAD_BYTES = 256,
};

/* Begins to read `n` numbers. Sets c->failed if the column is truncated or malformed. */
struct answers_column column_begin(struct cursor *c, size_t n);

/* Whether all numbers are 0. */
static inline bool column_is_zero(const struct answers_column *column)
{
        return !column->width && !column->least && !column->is_delta && !column->is_leb;
}

/* Reads `n` numbers from `at` on, at most COLUMN_CHUNK. Must be called in order, from 0 on. */
void column_take(struct answers_column *column, size_t at, size_t n, uint64_t *ret_values);

/* Reads numbers that can be read as whole words and stores them as 32 bits at `to`, `step` bytes apart.
 * Returns how many it has read from the beginning, possibly 0, for example if one is not below `end`; read
 * the others with column_take(). */
size_t column_store(const struct answers_column *column, size_t at, size_t n, uint64_t end, uint8_t *to,
                    size_t step);

/* `is_small` as in answers_write(). */
void column_write(const uint64_t *values, size_t n, bool is_small, struct buf *out);

/* --- Reading, for both layouts */

struct answers_reader {
        struct cursor c;
        struct budget *budget; /* the memory that may still be used */
        struct answers *answers;
};

/* Reads a number of entries that take `each` bytes in memory and at least `least` bytes here. Returns 0 and
 * sets c.failed if that is impossible. */
size_t answers_reader_count(struct answers_reader *r, size_t least, size_t each);

/* Reads the texts, which have `size` bytes together. Copies them before parsing, because the bytes may
 * change. */
void answers_reader_texts(struct answers_reader *r, size_t n, uint64_t size);

/* Reads a byte string of `size` bytes into the struct answer_bytes at `at`. */
void answers_reader_bytes(struct answers_reader *r, const struct answer_field *field, uint64_t size,
                          uint8_t *at);

/* The limit of a field of this set: all numbers must be below it. */
uint64_t answers_reader_end_of(const struct answers_reader *r, const struct answer_set *set,
                               const struct answer_field *field);

/* Whether the sets of the module pass the checks of their kinds. */
bool answers_reader_check(const struct module_answers *module);

/* Returns the store, or NULL if reading failed. Sets *ret_c to the position after it. */
struct answers *answers_reader_end(struct answers_reader *r, struct cursor *ret_c);

#endif
