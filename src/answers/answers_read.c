/* SPDX-License-Identifier: BSD-3-Clause */
/* The one reader of stores.  Nothing in the bytes is trusted: each is read once, through the cursor, every number is
 * checked against what it counts or names before it is kept, and memory is taken from a budget before it is allocated. */
#include <stdlib.h>
#include <string.h>

#include "answers_internal.h"
#include "mem.h"

/* --- Room --- */

bool answers_reader_take(struct answers_reader *r, uint64_t n, size_t each)
{
        if (r->c.failed || n > UINT32_MAX || !budget_take(&r->budget, BUDGET_NAMES, n * each)) {
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
        return answers_reader_take(r, n, each) ? (size_t)n : 0;
}

/* The number of things that are columns, and so may take no room here. */
static size_t read_n(struct answers_reader *r, size_t each)
{
        uint64_t n = cursor_uleb(&r->c);

        return answers_reader_take(r, n, each) ? (size_t)n : 0;
}

/* --- Texts --- */

void answers_reader_texts(struct answers_reader *r, size_t n, uint64_t size)
{
        struct answers *answers = r->answers;
        const char *bytes = cursor_bytes(&r->c, size);
        struct cursor texts;

        if (!answers_reader_take(r, size, 1))
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

/* Above which no value of the field may be. */
static uint64_t end_of(const struct answers_reader *r, const struct answer_field *field)
{
        return field->form == FIELD_TEXT ? r->answers->n_texts + 1 : field->end;
}

/* False: one is too large. */
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

/* The length of bytes stands in their struct until they are read. */
static void store_wide(const uint64_t *values, size_t n, uint8_t *at, size_t step)
{
        for (size_t i = 0; i < n; i++, at += step)
                memcpy(at, &values[i], sizeof(values[i]));
}

/* Numbers of a field to `n` items from number `at` on; false: one is too large. */
static bool take_field(const struct answers_reader *r, const struct answer_field *field,
                       struct answers_column *column, size_t at, size_t n, uint8_t *items, size_t step)
{
        bool is_narrow = field->form == FIELD_U32 || field->form == FIELD_TEXT;
        uint64_t end = end_of(r, field), values[COLUMN_CHUNK];
        uint8_t *to = items + field->offset;
        size_t done = is_narrow ? column_store(column, at, n, end, to, step) : 0;

        if (done == n || column_is_zero(column))
                return true;
        column_take(column, at + done, n - done, values);
        if (is_narrow)
                return store_narrow(values, n - done, end, to + done * step, step);
        store_wide(values, n, to, step);
        return true;
}

/* --- Sets --- */

static size_t chunk_at(size_t at, size_t n)
{
        return n - at < COLUMN_CHUNK ? n - at : COLUMN_CHUNK;
}

/* All fields of some items before the next ones, so that they stay in the processor's cache. */
static void read_fields(struct answers_reader *r, struct answer_set *set)
{
        const struct kind_facts *kind = set->kind;
        struct answers_column columns[KIND_MAX_FIELDS];

        for (size_t i = 0; i < kind->n_fields; i++)
                columns[i] = column_begin(&r->c, set->n_items);
        for (size_t at = 0, n; at < set->n_items && !r->c.failed; at += n) {
                uint8_t *items = set->items + at * kind->item_bytes;

                n = chunk_at(at, set->n_items);
                memset(items, 0, n * kind->item_bytes);
                for (size_t i = 0; i < kind->n_fields; i++) {
                        if (!take_field(r, &kind->fields[i], &columns[i], at, n, items, kind->item_bytes))
                                cursor_fail(&r->c);
                }
        }
}

/* Bytes behind all columns. */
static void read_bytes(struct answers_reader *r, struct answer_set *set, const struct answer_field *field)
{
        uint8_t *at = set->items + field->offset;

        for (size_t i = 0; i < set->n_items && !r->c.failed; i++, at += set->kind->item_bytes) {
                struct answer_bytes bytes = {NULL, 0};
                const char *foreign;

                memcpy(&bytes.size, at, sizeof(bytes.size));
                foreign = bytes.size < field->end ? cursor_bytes(&r->c, bytes.size) : NULL;
                if (!foreign || !answers_reader_take(r, bytes.size, 1)) {
                        cursor_fail(&r->c);
                        return;
                }
                bytes.at = (uint8_t *)arena_copy(&r->answers->bytes, foreign, (size_t)bytes.size);
                memcpy(at, &bytes, sizeof(bytes));
        }
}

static void read_items(struct answers_reader *r, struct answer_set *set)
{
        set->n_items = read_n(r, set->kind->item_bytes);
        set->items = mem_resize(NULL, set->n_items, set->kind->item_bytes);
        read_fields(r, set);
        for (size_t i = 0; i < set->kind->n_fields; i++) {
                if (set->kind->fields[i].form == FIELD_BYTES)
                        read_bytes(r, set, &set->kind->fields[i]);
        }
}

/* Lists follow each other; returns how many items they have together. */
static uint64_t read_lengths(struct answers_reader *r, struct answer_set *set)
{
        size_t max = set->kind->max_list ? set->kind->max_list : UINT32_MAX;
        uint64_t total = 0, values[COLUMN_CHUNK];
        struct answers_column column;

        set->n_lists = read_n(r, sizeof(*set->lists));
        set->lists = mem_resize(NULL, set->n_lists, sizeof(*set->lists));
        column = column_begin(&r->c, set->n_lists);
        for (size_t at = 0, n; at < set->n_lists && !r->c.failed; at += n) {
                n = chunk_at(at, set->n_lists);
                column_take(&column, at, n, values);
                for (size_t i = 0; i < n; i++) {
                        if (values[i] > max || total + values[i] > UINT32_MAX) {
                                cursor_fail(&r->c);
                                return 0;
                        }
                        set->lists[at + i] = (struct answer_list){(uint32_t)total, (uint32_t)values[i]};
                        total += values[i];
                }
        }
        return total;
}

static void read_lists(struct answers_reader *r, struct answer_set *set)
{
        uint64_t total = read_lengths(r, set), values[COLUMN_CHUNK];
        struct answers_column column;

        if (!set->kind->share_items) {
                if (total != set->n_items)
                        cursor_fail(&r->c);
                return;
        }
        if (!answers_reader_take(r, total, sizeof(*set->members)))
                return;
        set->n_members = (size_t)total;
        set->members = mem_resize(NULL, set->n_members, sizeof(*set->members));
        column = column_begin(&r->c, set->n_members);
        for (size_t at = 0, n; at < set->n_members && !r->c.failed; at += n) {
                n = chunk_at(at, set->n_members);
                column_take(&column, at, n, values);
                if (!store_narrow(values, n, set->n_items, (uint8_t *)&set->members[at],
                                  sizeof(*set->members)))
                        cursor_fail(&r->c);
        }
}

/* The next run behind *next, which is 0 again behind the last address of all. */
static bool place_run(struct answer_run *run, uint64_t gap, uint64_t more, uint64_t *next, bool is_first)
{
        if ((!is_first && !*next) || gap > UINT64_MAX - *next || more > UINT64_MAX - *next - gap)
                return false;
        run->first = *next + gap;
        run->last = run->first + more;
        *next = run->last + 1;
        return true;
}

static void read_runs(struct answers_reader *r, struct answer_set *set)
{
        uint64_t next = 0, gaps[COLUMN_CHUNK], more[COLUMN_CHUNK], lists[COLUMN_CHUNK];
        struct answers_column columns[3];

        set->n_runs = read_n(r, sizeof(*set->runs));
        set->runs = mem_resize(NULL, set->n_runs, sizeof(*set->runs));
        for (size_t i = 0; i < N_ELEMENTS(columns); i++)
                columns[i] = column_begin(&r->c, set->n_runs);
        for (size_t at = 0, n; at < set->n_runs && !r->c.failed; at += n) {
                n = chunk_at(at, set->n_runs);
                column_take(&columns[0], at, n, gaps);
                column_take(&columns[1], at, n, more);
                column_take(&columns[2], at, n, lists);
                for (size_t i = 0; i < n; i++) {
                        if (!place_run(&set->runs[at + i], gaps[i], more[i], &next, !(at + i)) ||
                            lists[i] >= set->n_lists) {
                                cursor_fail(&r->c);
                                return;
                        }
                        set->runs[at + i].list = (uint32_t)lists[i];
                        set->runs[at + i].zero = 0;
                }
        }
        set->n_sorted = set->n_runs;
}

/* The set's own bytes are all of it. */
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
                        read_runs(r, set);
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

                if (list->n && !kind->check_list(set->items + list->first * kind->item_bytes, list->n))
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

/* --- The whole --- */

struct answers *answers_reader_end(struct answers_reader *r, struct cursor *ret_c)
{
        *ret_c = r->c;
        budget_release(&r->budget);
        if (!r->c.failed)
                return r->answers;
        answers_free(r->answers);
        return NULL;
}

struct answers *answers_read(struct cursor *c, uint64_t max_bytes)
{
        struct answers_reader r = {.c = *c, .answers = mem_new(1, sizeof(*r.answers))};
        size_t n;

        budget_init(&r.budget, max_bytes);
        n = answers_reader_count(&r, 1, sizeof(*r.answers->texts));
        answers_reader_texts(&r, n, cursor_uleb(&r.c));
        n = answers_reader_count(&r, 1, sizeof(struct module_answers));
        for (size_t i = 0; i < n && !r.c.failed; i++)
                read_module(&r);
        return answers_reader_end(&r, c);
}
