/* SPDX-License-Identifier: BSD-3-Clause */
/* What the store's parts share: sets in memory, the table of kinds, and columns of numbers in a file.
 *
 * All numbers are LEB128, or columns.  A store is
 *
 *     texts     n, their size in bytes, the texts, each with a NUL; text 0 is none, the first one is text 1
 *     modules   n, each:
 *       sets      n, each: kind, size in bytes, and then
 *         items     n, and a column for each field of the kind, of byte strings the lengths; then these bytes, field by field
 *         lists     n, a column of their lengths; where lists share items a column of these items' numbers
 *         runs      n, columns of the gap before it, of length - 1, and of the list
 *
 * Kinds that are not found by address have no lists and no runs.  A kind that the reader does not know is stepped over.
 *
 * A column of n > 0 numbers is: a byte, bits 0 to 3 the width of each in bytes (0 to 8), bit 4 set where each is the
 * zigzagged difference to the one before (of the first to -1); the least of them; then
 * what each is above it, lowest byte first.  With bit 5 set the width is 0 and the numbers are LEB128: a few far ones make no others wide.  So numbers that go up evenly take no room at all. */
#ifndef ANSWERS_INTERNAL_H
#define ANSWERS_INTERNAL_H

#include "answers_store.h"
#include "arena.h"
#include "budget.h"
#include "map.h"
#include "strpool.h"

enum field_form {
        FIELD_U32,    /* below `end` */
        FIELD_TEXT,   /* answer_text */
        FIELD_ITEM,   /* number of an item of the set */
        FIELD_LIST,   /* number of a list of the set */
        FIELD_LENGTH, /* of a list of the kind */
        FIELD_U64,
        FIELD_BYTES, /* struct answer_bytes of fewer than `end` bytes */
};

struct answer_field {
        uint16_t offset; /* in the row */
        uint8_t form;    /* enum field_form */
        uint64_t end;
};

/* What is read and written as columns. */
struct rows_form {
        uint16_t bytes; /* of a row in memory */
        uint8_t n_fields;
        const struct answer_field *fields;
};

struct answer_set {
        const struct kind_facts *kind;
        uint8_t *items;
        uint32_t *members; /* of lists that share items */
        struct answer_list *lists;
        struct answer_run *runs;
        size_t n_items, cap_items, n_members, cap_members, n_lists, cap_lists, n_runs, cap_runs;
        size_t n_sorted;               /* runs that can be found */
        struct map items_of, lists_of; /* while they are added: a hash to the number + 1 */
};

struct kind_facts {
        struct rows_form item;
        bool by_addr;      /* found by address */
        bool share_items;  /* its lists do */
        uint16_t max_list; /* 0: no limit */
        /* Whether a list, and the whole set once it was read, are as they have to be; NULL: every value is allowed. */
        bool (*check_list)(const void *items, size_t n);
        bool (*check)(const struct answer_set *set);
};

extern const struct kind_facts answer_kinds[ANSWER_N_KINDS];

/* The lengths of lists, the items of shared ones, and runs: in a file their gaps, lengths - 1 and lists. */
extern const struct rows_form answer_list_rows, answer_member_rows, answer_run_rows;

struct module_answers {
        struct answers *store;
        struct answer_set sets[ANSWER_N_KINDS];
};

struct answers {
        struct strpool *pool; /* text i at i - 1; NULL when it was read */
        const char **texts;   /* the same when it was read */
        size_t n_texts;
        uint64_t texts_bytes;
        struct arena bytes; /* texts that were read, and byte strings */
        struct module_answers **modules;
        size_t n_modules, cap_modules;
};

/* Puts an item at the end of a set, as it is. */
void answer_set_push(struct answer_set *set, const void *item);

/* --- Columns */

/* A column while it is read. */
struct answers_column {
        const uint8_t *bytes;
        size_t n;
        uint64_t least, before;
        unsigned width;
        bool is_delta, is_leb;
        struct cursor lebs; /* with is_leb: what is left of the numbers */
};

enum {
        COLUMN_CHUNK = 256,
        KIND_MAX_FIELDS = 8,
        KIND_MAX_ITEM_BYTES = 64,
        /* Of a set: its numbers, and the heads of its columns. */
        SET_MAX_HEAD_BYTES = 256,
};

/* Begins to read `n` numbers; c->failed when they are not there. */
struct answers_column column_begin(struct cursor *c, size_t n);

/* Whether all of its numbers are 0. */
static inline bool column_is_zero(const struct answers_column *column)
{
        return !column->width && !column->least && !column->is_delta && !column->is_leb;
}

/* Numbers `at` to `at` + `n`, at most COLUMN_CHUNK, in order from 0 on. */
void column_take(struct answers_column *column, size_t at, size_t n, uint64_t *ret_values);

/* The same of those that can be read by whole words, each below `end`, to 32 bits at `to` and every `step` behind it.
 * Returns how many at the beginning are done, which may be none; the others are taken. */
size_t column_store(const struct answers_column *column, size_t at, size_t n, uint64_t end, uint8_t *to,
                    size_t step);

/* is_small: as in answers_write. */
void column_write(const uint64_t *values, size_t n, bool is_small, struct buf *out);

/* --- Reading, for both layouts */

struct answers_reader {
        struct cursor c;
        struct budget budget; /* what it may still take */
        struct answers *answers;
};

/* Reads how many things follow, of `each` bytes in memory and at least `least` here; 0 with c.failed when they can't be. */
size_t answers_reader_count(struct answers_reader *r, size_t least, size_t each);

/* The texts, of `size` bytes together: they are copied before they are looked at. */
void answers_reader_texts(struct answers_reader *r, size_t n, uint64_t size);

/* A byte string of `size` bytes, to the place of its struct. */
void answers_reader_bytes(struct answers_reader *r, const struct answer_field *field, uint64_t size,
                          uint8_t *at);

/* Above which no number of a field of this set may be. */
uint64_t answers_reader_end_of(const struct answers_reader *r, const struct answer_set *set,
                               const struct answer_field *field);

/* Whether the sets of the module are as their kinds want them. */
bool answers_reader_check(const struct module_answers *module);

/* What was read, or NULL; the reader's cursor is the caller's again. */
struct answers *answers_reader_end(struct answers_reader *r, struct cursor *ret_c);

#endif
