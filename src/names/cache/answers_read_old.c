/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads sections of version 1 into the same store.  In the content all numbers are LEB128, and "+" is the
 * difference from the previous entry:
 *
 *     texts    n; each with a NUL; text 0 is no text
 *     modules  n; each:
 *       identity   kind, path, pid, build id (length u8, bytes), dev, inode, start, end
 *       facts      flags u8 (1: has an image, 2: is executable, 4: demangle names), entry, load address,
 *                  build id, machine u8, time of the file, note on names and on lines (0: none, i: text i -
 *                  1)
 *       sections   n; name, address, size
 *       spans      n; gap, length - 1, distance from offset to address
 *       symbols    n; status, name, module, +start, size; then ranges of addresses
 *       frames     n; function, path, +line, column * 2 + inlined, +start
 *       stacks     n; number of frames, +frame; then ranges of addresses
 *       functions  n; extents (n; +start, +end), labels (n; name, path, +line, has address u8, address);
 *       then ranges
 *       code       n; address, size, bytes
 *     ranges     n; gap, length - 1, answer */
#include <assert.h>
#include <string.h>

#include "answers_internal.h"
#include "mem.h"

/* Fields stored as the difference from the row before. */
#define DELTA(index) (1u << (index))

/* --- Rows: the fields of a kind in order --- */

static void read_field(struct answers_reader *r, const struct answer_set *set,
                       const struct answer_field *field, uint64_t value, uint8_t *at)
{
        uint32_t narrow = (uint32_t)value;

        if (field->form == FIELD_BYTES) {
                answers_reader_bytes(r, field, value, at);
        } else if (field->form == FIELD_U64) {
                memcpy(at, &value, sizeof(value));
        } else {
                if (value >= answers_reader_end_of(r, set, field))
                        cursor_fail(&r->c);
                memcpy(at, &narrow, sizeof(narrow));
        }
}

/* Adds `n` items to a set. `before` has the previous number of each field. */
static void read_rows(struct answers_reader *r, struct answer_set *set, size_t n, unsigned deltas,
                      uint64_t *before)
{
        bool is_frame = set->kind == &answer_kinds[ANSWER_FRAMES];

        assert(set->kind->item.bytes <= KIND_MAX_ITEM_BYTES);
        for (size_t row = 0; row < n && !r->c.failed; row++) {
                uint8_t item[KIND_MAX_ITEM_BYTES] = {0};

                for (size_t i = 0; i < set->kind->item.n_fields; i++) {
                        const struct answer_field *field = &set->kind->item.fields[i];
                        uint64_t value = deltas & DELTA(i) ? before[i] += (uint64_t)cursor_sleb(&r->c)
                                                           : cursor_uleb(&r->c);

                        /* The lowest bit of the column is the flag. */
                        if (is_frame && field->offset == offsetof(struct answer_frame, column)) {
                                read_field(r, set, field, value >> 1, item + field->offset);
                                field = &set->kind->item.fields[++i];
                                value &= 1;
                        }
                        read_field(r, set, field, value, item + field->offset);
                }
                if (!r->c.failed)
                        answer_set_push(set, item);
        }
}

/* Reads the number of rows, and the rows. */
static void read_table(struct answers_reader *r, struct module_answers *m, enum answer_kind kind,
                       unsigned deltas)
{
        struct answer_set *set = &m->sets[kind];
        uint64_t before[KIND_MAX_FIELDS] = {0};
        size_t each = set->kind->item.bytes + sizeof(struct answer_list);

        read_rows(r, set, answers_reader_count(r, 2, 2 * each), deltas, before);
}

static void push_list(struct answer_set *set, size_t first, size_t n)
{
        ARRAY_PUSH(set->lists, set->n_lists, set->cap_lists,
                   (struct answer_list){(uint32_t)first, (uint32_t)n});
}

/* --- Parts of a module: the number of an answer is the index of a list --- */

static void read_ranges(struct answers_reader *r, struct module_answers *m, enum answer_kind kind)
{
        /* Ranges of functions become ranges of labels too. */
        size_t n_sets = kind == ANSWER_EXTENTS ? 2 : 1;
        size_t n = answers_reader_count(r, 3, 2 * n_sets * sizeof(struct answer_range));
        uint64_t next = 0;

        for (size_t i = 0; i < n; i++) {
                uint64_t gap = cursor_uleb(&r->c), more = cursor_uleb(&r->c), list = cursor_uleb(&r->c);

                if ((i && !next) || gap > UINT64_MAX - next || more > UINT64_MAX - next - gap ||
                    list >= m->sets[kind].n_lists)
                        cursor_fail(&r->c);
                if (r->c.failed)
                        return;
                answers_add_range(m, kind, next + gap, next + gap + more, (uint32_t)list);
                next += gap + more + 1;
        }
}

/* A note was stored as the number of its text + 1. */
static void read_facts(struct answers_reader *r, struct module_answers *m)
{
        struct answer_set *set = &m->sets[ANSWER_FACTS];
        uint64_t before[KIND_MAX_FIELDS] = {0};
        struct answer_facts *facts;

        r->answers->n_texts++;
        read_rows(r, set, 1, DELTA(5), before);
        r->answers->n_texts--;
        if (r->c.failed)
                return;
        facts = (void *)set->items;
        facts->name_note -= facts->name_note > 0;
        facts->line_note -= facts->line_note > 0;
}

static void read_offsets(struct answers_reader *r, struct module_answers *m)
{
        size_t n = answers_reader_count(r, 3, 2 * sizeof(struct answer_offset));
        uint64_t next = 0;

        for (size_t i = 0; i < n && !r->c.failed; i++) {
                struct answer_offset offset = {.first = next + cursor_uleb(&r->c)};

                offset.more = cursor_uleb(&r->c);
                offset.distance = (uint64_t)cursor_sleb(&r->c);
                next = offset.first + offset.more + 1;
                answers_add_item(m, ANSWER_OFFSETS, &offset);
        }
}

static void read_symbols(struct answers_reader *r, struct module_answers *m)
{
        struct answer_set *set = &m->sets[ANSWER_SYMBOLS];

        read_table(r, m, ANSWER_SYMBOLS, DELTA(3));
        for (size_t i = 0; i < set->n_items; i++)
                push_list(set, i, 1);
        read_ranges(r, m, ANSWER_SYMBOLS);
}

static void read_stacks(struct answers_reader *r, struct module_answers *m)
{
        struct answer_set *set = &m->sets[ANSWER_FRAMES];
        uint64_t number = 0;
        size_t n;

        read_table(r, m, ANSWER_FRAMES, DELTA(2) | DELTA(5));
        n = answers_reader_count(r, 1, 2 * sizeof(*set->lists));
        for (size_t i = 0; i < n && !r->c.failed; i++) {
                size_t n_frames = answers_reader_count(r, 1, 2 * sizeof(*set->members));

                if (n_frames > ANSWERS_MAX_FRAMES || n_frames > UINT32_MAX - set->n_members)
                        cursor_fail(&r->c);
                push_list(set, set->n_members, n_frames);
                for (size_t k = 0; k < n_frames && !r->c.failed; k++) {
                        number += (uint64_t)cursor_sleb(&r->c);
                        if (number >= set->n_items)
                                cursor_fail(&r->c);
                        ARRAY_PUSH(set->members, set->n_members, set->cap_members, (uint32_t)number);
                }
        }
        read_ranges(r, m, ANSWER_FRAMES);
}

static void read_extents(struct answers_reader *r, struct answer_set *set, uint64_t *at)
{
        size_t n = answers_reader_count(r, 2, 2 * sizeof(struct answer_extent));

        push_list(set, set->n_items, n);
        for (size_t i = 0; i < n && !r->c.failed; i++) {
                struct answer_extent extent = {.start = *at + (uint64_t)cursor_sleb(&r->c)};

                extent.size = (uint64_t)cursor_sleb(&r->c);
                *at = extent.start + extent.size;
                answer_set_push(set, &extent);
        }
}

/* Functions were found by the sampled addresses in them and by their first address. Their labels are found in
 * the same way. */
static void read_members(struct answers_reader *r, struct module_answers *m)
{
        const struct answer_set *extents = &m->sets[ANSWER_EXTENTS];
        const struct answer_extent *items = (const void *)extents->items;

        read_ranges(r, m, ANSWER_EXTENTS);
        for (uint32_t i = 0; i < extents->n_lists && !r->c.failed; i++) {
                const struct answer_list *list = &extents->lists[i];

                if (list->n)
                        answers_add_range(m, ANSWER_EXTENTS, items[list->first].start,
                                          items[list->first].start, i);
        }
        for (size_t i = 0; i < extents->n_ranges && !r->c.failed; i++)
                answers_add_range(m, ANSWER_LABELS, extents->ranges[i].first, extents->ranges[i].last,
                                  extents->ranges[i].list);
}

static void read_functions(struct answers_reader *r, struct module_answers *m)
{
        size_t n = answers_reader_count(r, 2, 4 * (sizeof(struct answer_list) + sizeof(struct answer_range)));
        struct answer_set *labels = &m->sets[ANSWER_LABELS];
        uint64_t at = 0, before[KIND_MAX_FIELDS] = {0};

        for (size_t i = 0; i < n && !r->c.failed; i++) {
                size_t n_labels;

                read_extents(r, &m->sets[ANSWER_EXTENTS], &at);
                n_labels = answers_reader_count(r, 5, 2 * sizeof(struct answer_label));
                push_list(labels, labels->n_items, n_labels);
                read_rows(r, labels, n_labels, DELTA(2), before);
        }
        read_members(r, m);
}

static void read_module(struct answers_reader *r)
{
        struct module_answers *m = answers_add_module(r->answers);
        uint64_t before[KIND_MAX_FIELDS] = {0};

        read_rows(r, &m->sets[ANSWER_IDENTITY], 1, DELTA(2), before);
        read_facts(r, m);
        read_table(r, m, ANSWER_SECTIONS, 0);
        read_offsets(r, m);
        read_symbols(r, m);
        read_stacks(r, m);
        read_functions(r, m);
        read_table(r, m, ANSWER_CODE, 0);
        for (size_t kind = 0; kind < ANSWER_N_KINDS; kind++)
                answers_sort(m, (enum answer_kind)kind);
        if (!r->c.failed && !answers_reader_check(m))
                cursor_fail(&r->c);
}

/* --- The store --- */

/* The size of `n` texts in bytes. */
static uint64_t size_of_texts(struct cursor c, size_t n)
{
        size_t start = cursor_pos(&c);

        for (size_t i = 0; i < n && !c.failed; i++)
                cursor_str(&c, NULL);
        return cursor_pos(&c) - start;
}

struct answers *answers_read_old(struct cursor *c, struct budget *budget)
{
        struct answers_reader r = {.c = *c, .answers = mem_new(1, sizeof(*r.answers)), .budget = budget};
        size_t n;

        n = answers_reader_count(&r, 1, sizeof(*r.answers->texts));
        answers_reader_texts(&r, n, size_of_texts(r.c, n));
        n = answers_reader_count(&r, 16, sizeof(struct module_answers));
        for (size_t i = 0; i < n && !r.c.failed; i++)
                read_module(&r);
        return answers_reader_end(&r, c);
}
