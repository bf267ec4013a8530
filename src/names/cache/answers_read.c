/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a store without trusting its bytes: each is read once through the cursor, every number is checked
 * against its limit before it is stored, and memory is taken from a budget before it is allocated. */
#include <stdlib.h>
#include <string.h>

#include "answers_internal.h"
#include "archive_section.h"
#include "mem.h"

/* --- Memory --- */

/* Takes memory for `n` entries of `each` bytes from the budget. Sets c.failed if there is not enough, or if
 * 32 bits cannot number the entries. */
static bool take_room(struct answers_reader *r, uint64_t n, size_t each)
{
        if (r->c.failed || n > UINT32_MAX || !archive_section_take(r->budget, n * each)) {
                cursor_fail(&r->c);
                return false;
        }
        return true;
}

size_t answers_reader_count(struct answers_reader *r, size_t least, size_t each)
{
        uint64_t n = cursor_uleb(&r->c);

        if (n > cursor_left(&r->c) / least)
                cursor_fail(&r->c);
        return take_room(r, n, each) ? (size_t)n : 0;
}

/* --- Texts --- */

void answers_reader_texts(struct answers_reader *r, size_t n, uint64_t size)
{
        struct answers *answers = r->answers;
        const char *bytes = cursor_bytes(&r->c, size);
        struct cursor texts;

        if (!take_room(r, size, 1))
                return;
        texts = cursor_make(arena_copy(&answers->bytes, bytes, (size_t)size), (size_t)size);
        answers->texts = mem_resize(NULL, n, sizeof(*answers->texts));
        answers->n_texts = n;
        for (size_t i = 0; i < n && !texts.failed; i++)
                answers->texts[i] = cursor_str(&texts, NULL);
        if (texts.failed || cursor_left(&texts))
                cursor_fail(&r->c);
}

/* --- Columns --- */

uint64_t answers_reader_end_of(const struct answers_reader *r, const struct answer_set *set,
                               const struct answer_field *field)
{
        switch ((enum field_form)field->form) {
        case FIELD_TEXT: return r->answers->n_texts + 1;
        case FIELD_ITEM: return set->n_items;
        case FIELD_LIST: return set->n_lists;
        case FIELD_LENGTH: return (set->kind->max_list ? set->kind->max_list : (uint64_t)UINT32_MAX) + 1;
        default: return field->end;
        }
}

/* False if a number is not below `end`. */
static bool store_narrow(const uint64_t *values, size_t n, uint64_t end, uint8_t *at, size_t step)
{
        uint64_t most = 0;

        for (size_t i = 0; i < n; i++, at += step) {
                uint32_t narrow = (uint32_t)values[i];

                most = values[i] > most ? values[i] : most;
                memcpy(at, &narrow, sizeof(narrow));
        }
        return !n || most < end;
}

/* For byte strings, stores the length in their struct until they are read. */
static void store_wide(const uint64_t *values, size_t n, uint8_t *at, size_t step)
{
        for (size_t i = 0; i < n; i++, at += step)
                memcpy(at, &values[i], sizeof(values[i]));
}

/* Reads `n` numbers of a field from row `at` on into `rows`. False if one is not below `end`. */
static bool take_field(const struct answer_field *field, uint64_t end, struct answers_column *column,
                       size_t at, size_t n, uint8_t *rows, size_t step)
{
        bool is_narrow = field->form != FIELD_U64 && field->form != FIELD_BYTES;
        uint8_t *to = rows + field->offset;
        size_t done = is_narrow ? column_store(column, at, n, end, to, step) : 0;
        uint64_t values[COLUMN_CHUNK];

        if (done == n)
                return true;
        if (column_is_zero(column))
                return !is_narrow || end;
        column_take(column, at + done, n - done, values);
        if (is_narrow)
                return store_narrow(values, n - done, end, to + done * step, step);
        store_wide(values, n, to, step);
        return true;
}

/* Reads all fields of a chunk of rows before the next chunk, so that the rows stay in the CPU cache. */
static void *read_rows(struct answers_reader *r, const struct answer_set *set, const struct rows_form *form,
                       uint64_t n_rows)
{
        struct answers_column columns[KIND_MAX_FIELDS];
        uint8_t *rows;

        if (!take_room(r, n_rows, form->bytes))
                return NULL;
        rows = mem_resize(NULL, (size_t)n_rows, form->bytes);
        for (size_t i = 0; i < form->n_fields; i++)
                columns[i] = column_begin(&r->c, (size_t)n_rows);
        for (size_t at = 0, n; at < n_rows && !r->c.failed; at += n) {
                uint8_t *some = rows + at * form->bytes;

                n = n_rows - at < COLUMN_CHUNK ? (size_t)n_rows - at : COLUMN_CHUNK;
                memset(some, 0, n * form->bytes);
                for (size_t i = 0; i < form->n_fields; i++) {
                        const struct answer_field *field = &form->fields[i];

                        if (!take_field(field, answers_reader_end_of(r, set, field), &columns[i], at, n, some,
                                        form->bytes))
                                cursor_fail(&r->c);
                }
        }
        return rows;
}

/* --- Sets --- */

void answers_reader_bytes(struct answers_reader *r, const struct answer_field *field, uint64_t size,
                          uint8_t *at)
{
        const char *foreign = size < field->end ? cursor_bytes(&r->c, size) : NULL;
        struct answer_bytes bytes = {NULL, size};

        if (!foreign || !take_room(r, size, 1)) {
                cursor_fail(&r->c);
                return;
        }
        bytes.at = (uint8_t *)arena_copy(&r->answers->bytes, foreign, (size_t)size);
        memcpy(at, &bytes, sizeof(bytes));
}

/* Byte strings follow the columns, which contain their lengths. */
static void read_items(struct answers_reader *r, struct answer_set *set)
{
        const struct rows_form *form = &set->kind->item;

        set->n_items = (size_t)cursor_uleb(&r->c);
        set->items = read_rows(r, set, form, set->n_items);
        for (size_t i = 0; i < form->n_fields && !r->c.failed; i++) {
                uint8_t *at = set->items + form->fields[i].offset;

                if (form->fields[i].form != FIELD_BYTES)
                        continue;
                for (size_t k = 0; k < set->n_items && !r->c.failed; k++, at += form->bytes) {
                        uint64_t size;

                        memcpy(&size, at, sizeof(size));
                        answers_reader_bytes(r, &form->fields[i], size, at);
                }
        }
}

/* The items of a list follow those of the list before. */
static void read_lists(struct answers_reader *r, struct answer_set *set)
{
        uint64_t total = 0;

        set->n_lists = (size_t)cursor_uleb(&r->c);
        set->lists = read_rows(r, set, &answer_list_rows, set->n_lists);
        for (size_t i = 0; i < set->n_lists && !r->c.failed; i++) {
                set->lists[i].first = (uint32_t)total;
                total += set->lists[i].n;
                if (total > UINT32_MAX)
                        cursor_fail(&r->c);
        }
        if (set->kind->share_items) {
                set->n_members = (size_t)total;
                set->members = read_rows(r, set, &answer_member_rows, total);
        } else if (total != set->n_items) {
                cursor_fail(&r->c);
        }
}

/* Converts the gap before a range and its length - 1 to addresses. No range may follow the last possible
 * address. */
static void read_ranges(struct answers_reader *r, struct answer_set *set)
{
        uint64_t next = 0;

        set->n_ranges = set->n_sorted = (size_t)cursor_uleb(&r->c);
        set->ranges = read_rows(r, set, &answer_range_rows, set->n_ranges);
        for (size_t i = 0; i < set->n_ranges && !r->c.failed; i++) {
                struct answer_range *range = &set->ranges[i];

                if ((i && !next) || range->first > UINT64_MAX - next ||
                    range->last > UINT64_MAX - next - range->first)
                        cursor_fail(&r->c);
                range->first += next;
                range->last += range->first;
                next = range->last + 1;
        }
}

/* Reads a set, which must use exactly its number of bytes. */
static void read_set(struct answers_reader *r, struct module_answers *module)
{
        uint64_t kind = cursor_uleb(&r->c), size = cursor_uleb(&r->c);
        struct cursor body = cursor_sub(&r->c, cursor_pos(&r->c), size), rest = r->c;
        struct answer_set *set = kind < ANSWER_N_KINDS ? &module->sets[kind] : NULL;

        if (r->c.failed || body.failed || !cursor_skip(&rest, size) || (set && set->items)) {
                cursor_fail(&r->c);
                return;
        }
        r->c = body;
        if (set) {
                read_items(r, set);
                if (set->kind->by_addr && !r->c.failed)
                        read_lists(r, set);
                if (set->kind->by_addr && !r->c.failed)
                        read_ranges(r, set);
                if (cursor_left(&r->c))
                        cursor_fail(&r->c);
        }
        rest.failed = r->c.failed;
        r->c = rest;
}

static bool check_set(const struct answer_set *set)
{
        const struct kind_facts *kind = set->kind;

        for (size_t i = 0; kind->check_list && i < set->n_lists; i++) {
                const struct answer_list *list = &set->lists[i];

                if (list->n && !kind->check_list(set->items + list->first * kind->item.bytes, list->n))
                        return false;
        }
        return !kind->check || kind->check(set);
}

bool answers_reader_check(const struct module_answers *module)
{
        for (size_t i = 0; i < ANSWER_N_KINDS; i++) {
                if (module->sets[i].items && !check_set(&module->sets[i]))
                        return false;
        }
        return true;
}

static void read_module(struct answers_reader *r)
{
        struct module_answers *module = answers_add_module(r->answers);
        uint64_t n = cursor_uleb(&r->c);

        for (uint64_t i = 0; i < n && !r->c.failed; i++)
                read_set(r, module);
        if (!r->c.failed && !answers_reader_check(module))
                cursor_fail(&r->c);
}

/* --- The store --- */

struct answers *answers_reader_end(struct answers_reader *r, struct cursor *ret_c)
{
        *ret_c = r->c;
        if (!r->c.failed)
                return r->answers;
        answers_free(r->answers);
        return NULL;
}

struct answers *answers_read(struct cursor *c, struct budget *budget)
{
        struct answers_reader r = {.c = *c, .answers = mem_new(1, sizeof(*r.answers)), .budget = budget};
        size_t n;

        n = answers_reader_count(&r, 1, sizeof(*r.answers->texts));
        answers_reader_texts(&r, n, cursor_uleb(&r.c));
        n = answers_reader_count(&r, 1, sizeof(struct module_answers));
        for (size_t i = 0; i < n && !r.c.failed; i++)
                read_module(&r);
        return answers_reader_end(&r, c);
}
