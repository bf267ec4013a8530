/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads sections of version 1 into the same store.  The content, all numbers in LEB128, "+" differences from the one before:
 *
 *     texts    n, each with a NUL; text 0 is none
 *     modules  n, each:
 *       identity   kind, path, pid, build id (length u8, bytes), dev, inode, start, end
 *       facts      flags u8 (1: has an image, 2: is executable, 4: names are to be made readable), entry, load
 *                  address, build id, machine u8, time of the file, note of names and of lines (0: none, i: text i - 1)
 *       sections   n: name, address, size
 *       spans      n: gap, length - 1, distance from offset to address
 *       symbols    n: status, name, module, +start, size; runs of addresses
 *       frames     n: function, path, +line, column * 2 + inlined, +start
 *       stacks     n: number of frames, +frame; runs of addresses
 *       functions  n: extents (n: +start, +end), labels (n: name, path, +line, has address u8, address); runs
 *       code       n: address, size, bytes
 *     runs     n: gap, length - 1, answer */
#include <string.h>

#include "answers_internal.h"
#include "object.h"

/* Below `end`; a number that can't be fails. */
static uint32_t read_below(struct answers_reader *r, uint64_t end)
{
        uint64_t value = cursor_uleb(&r->c);

        if (!r->c.failed && value < end && value <= UINT32_MAX)
                return (uint32_t)value;
        cursor_fail(&r->c);
        return 0;
}

static answer_text read_text(struct answers_reader *r)
{
        return read_below(r, (uint64_t)r->answers->n_texts + 1);
}

/* An empty note counted as 1. */
static answer_text read_note(struct answers_reader *r)
{
        uint32_t note = read_below(r, (uint64_t)r->answers->n_texts + 2);

        return note ? note - 1 : 0;
}

static uint64_t read_difference(struct answers_reader *r, uint64_t *before)
{
        *before += (uint64_t)cursor_sleb(&r->c);
        return *before;
}

static uint32_t read_difference_below(struct answers_reader *r, uint64_t *before, uint64_t end)
{
        uint64_t value = read_difference(r, before);

        if (value < end)
                return (uint32_t)value;
        cursor_fail(&r->c);
        return 0;
}

static struct answer_bytes read_bytes(struct answers_reader *r, uint64_t size)
{
        const void *bytes = cursor_bytes(&r->c, size);

        return answers_reader_take(r, size, 1) ? (struct answer_bytes){bytes, size}
                                               : (struct answer_bytes){NULL, 0};
}

static struct answer_bytes read_build_id(struct answers_reader *r)
{
        uint8_t size = cursor_u8(&r->c);

        if (size > OBJECT_BUILD_ID_BYTES)
                cursor_fail(&r->c);
        return read_bytes(r, size);
}

/* --- Parts of a module: numbers of answers are numbers of lists --- */

static void push_list(struct answer_set *set, size_t first, size_t n)
{
        ARRAY_PUSH(set->lists, set->n_lists, set->cap_lists,
                   (struct answer_list){(uint32_t)first, (uint32_t)n});
}

static void read_runs(struct answers_reader *r, struct module_answers *m, enum answer_kind kind)
{
        size_t n = answers_reader_count(r, 3, 2 * sizeof(struct answer_run));
        uint64_t next = 0;

        for (size_t i = 0; i < n; i++) {
                uint64_t gap = cursor_uleb(&r->c), more = cursor_uleb(&r->c);
                uint32_t list = read_below(r, m->sets[kind].n_lists);

                if ((i && !next) || gap > UINT64_MAX - next || more > UINT64_MAX - next - gap)
                        cursor_fail(&r->c);
                if (r->c.failed)
                        return;
                answers_add_run(m, kind, next + gap, next + gap + more, list);
                next += gap + more + 1;
        }
}

static void read_identity(struct answers_reader *r, struct module_answers *m)
{
        struct answer_identity identity = {.kind = read_below(r, (uint64_t)UINT32_MAX + 1)};

        identity.path = read_text(r);
        identity.pid = (uint64_t)cursor_sleb(&r->c);
        identity.build_id = read_build_id(r);
        identity.dev = cursor_uleb(&r->c);
        identity.inode = cursor_uleb(&r->c);
        identity.start = cursor_uleb(&r->c);
        identity.end = cursor_uleb(&r->c);
        if (!r->c.failed)
                answers_add_item(m, ANSWER_IDENTITY, &identity);
}

static void read_facts(struct answers_reader *r, struct module_answers *m)
{
        struct answer_facts facts = {.flags = cursor_u8(&r->c) & 7};

        facts.entry = cursor_uleb(&r->c);
        facts.load_addr = cursor_uleb(&r->c);
        facts.build_id = read_build_id(r);
        facts.machine = cursor_u8(&r->c);
        facts.built_ns = (uint64_t)cursor_sleb(&r->c);
        facts.name_note = read_note(r);
        facts.line_note = read_note(r);
        if (!r->c.failed)
                answers_add_item(m, ANSWER_FACTS, &facts);
}

static void read_places(struct answers_reader *r, struct module_answers *m)
{
        size_t n = answers_reader_count(r, 3, 2 * sizeof(struct answer_section));
        uint64_t next = 0;

        for (size_t i = 0; i < n && !r->c.failed; i++) {
                struct answer_section section = {.name = read_text(r)};

                section.addr = cursor_uleb(&r->c);
                section.size = cursor_uleb(&r->c);
                answers_add_item(m, ANSWER_SECTIONS, &section);
        }
        n = answers_reader_count(r, 3, 2 * sizeof(struct answer_offset));
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
        size_t n = answers_reader_count(r, 5, 2 * (sizeof(struct answer_symbol) + sizeof(*set->lists)));
        uint64_t start = 0;

        for (size_t i = 0; i < n && !r->c.failed; i++) {
                struct answer_symbol symbol = {.status = read_below(r, ANSWER_N_STATUS)};

                symbol.name = read_text(r);
                symbol.module = read_text(r);
                symbol.start = read_difference(r, &start);
                symbol.size = cursor_uleb(&r->c);
                answer_set_push(set, &symbol);
                push_list(set, i, 1);
        }
        read_runs(r, m, ANSWER_SYMBOLS);
}

static void read_frames(struct answers_reader *r, struct answer_set *set)
{
        size_t n = answers_reader_count(r, 5, 2 * sizeof(struct answer_frame));
        uint64_t line = 0, start = 0;

        for (size_t i = 0; i < n && !r->c.failed; i++) {
                struct answer_frame frame = {.function = read_text(r)};
                uint64_t column;

                frame.path = read_text(r);
                frame.line = read_difference_below(r, &line, (uint64_t)UINT32_MAX + 1);
                column = cursor_uleb(&r->c);
                if (column >> 33)
                        cursor_fail(&r->c);
                frame.column = (uint32_t)(column >> 1);
                frame.flags = column & 1 ? ANSWER_IS_INLINED : 0;
                frame.start = read_difference(r, &start);
                answer_set_push(set, &frame);
        }
}

static void read_stacks(struct answers_reader *r, struct module_answers *m)
{
        struct answer_set *set = &m->sets[ANSWER_FRAMES];
        uint64_t number = 0;
        size_t n;

        read_frames(r, set);
        n = answers_reader_count(r, 1, 2 * sizeof(*set->lists));
        for (size_t i = 0; i < n && !r->c.failed; i++) {
                size_t n_frames = answers_reader_count(r, 1, 2 * sizeof(*set->members));

                if (n_frames > ANSWERS_MAX_FRAMES || n_frames > UINT32_MAX - set->n_members) {
                        cursor_fail(&r->c);
                        return;
                }
                push_list(set, set->n_members, n_frames);
                for (size_t k = 0; k < n_frames && !r->c.failed; k++)
                        ARRAY_PUSH(set->members, set->n_members, set->cap_members,
                                   read_difference_below(r, &number, set->n_items));
        }
        read_runs(r, m, ANSWER_FRAMES);
}

static void read_extents(struct answers_reader *r, struct answer_set *set, uint64_t *at)
{
        size_t n = answers_reader_count(r, 2, 2 * sizeof(struct answer_extent));

        push_list(set, set->n_items, n);
        for (size_t i = 0; i < n && !r->c.failed; i++) {
                struct answer_extent extent = {.start = read_difference(r, at)};

                if (read_difference(r, at) < extent.start)
                        cursor_fail(&r->c);
                extent.size = *at - extent.start;
                answer_set_push(set, &extent);
        }
}

static void read_labels(struct answers_reader *r, struct answer_set *set, uint64_t *line)
{
        size_t n = answers_reader_count(r, 5, 2 * sizeof(struct answer_label));

        push_list(set, set->n_items, n);
        for (size_t i = 0; i < n && !r->c.failed; i++) {
                struct answer_label label = {.name = read_text(r)};

                label.path = read_text(r);
                label.line = read_difference_below(r, line, (uint64_t)UINT32_MAX + 1);
                label.has_addr = cursor_u8(&r->c) != 0;
                label.addr = cursor_uleb(&r->c);
                answer_set_push(set, &label);
        }
}

/* A function was found by the sampled addresses in it, and by its first one. */
static void read_members(struct answers_reader *r, struct module_answers *m, enum answer_kind kind)
{
        const struct answer_set *extents = &m->sets[ANSWER_EXTENTS];

        read_runs(r, m, kind);
        for (uint32_t i = 0; i < extents->n_lists && !r->c.failed; i++) {
                const struct answer_extent *first = (const void *)extents->items;

                if (!extents->lists[i].n)
                        continue;
                first += extents->lists[i].first;
                answers_add_run(m, kind, first->start, first->start, i);
        }
}

static void read_functions(struct answers_reader *r, struct module_answers *m)
{
        size_t n = answers_reader_count(r, 2, 4 * (sizeof(struct answer_list) + sizeof(struct answer_run)));
        uint64_t at = 0, line = 0;
        struct cursor members;

        for (size_t i = 0; i < n && !r->c.failed; i++) {
                read_extents(r, &m->sets[ANSWER_EXTENTS], &at);
                read_labels(r, &m->sets[ANSWER_LABELS], &line);
        }
        members = r->c;
        read_members(r, m, ANSWER_EXTENTS);
        if (r->c.failed)
                return;
        r->c = members;
        read_members(r, m, ANSWER_LABELS);
}

static void read_code(struct answers_reader *r, struct module_answers *m)
{
        size_t n = answers_reader_count(r, 2, 2 * sizeof(struct answer_code));

        for (size_t i = 0; i < n && !r->c.failed; i++) {
                struct answer_code code = {.addr = cursor_uleb(&r->c)};

                code.bytes = read_bytes(r, cursor_uleb(&r->c));
                if (!r->c.failed)
                        answers_add_item(m, ANSWER_CODE, &code);
        }
}

static void read_module(struct answers_reader *r)
{
        struct module_answers *m = answers_add_module(r->answers);

        read_identity(r, m);
        read_facts(r, m);
        read_places(r, m);
        read_symbols(r, m);
        read_stacks(r, m);
        read_functions(r, m);
        read_code(r, m);
        for (size_t kind = 0; kind < ANSWER_N_KINDS; kind++)
                answers_sort(m, (enum answer_kind)kind);
        if (!r->c.failed && !answers_reader_check(m))
                cursor_fail(&r->c);
}

/* --- The whole --- */

/* How many bytes `n` texts take. */
static uint64_t size_of_texts(struct cursor c, size_t n)
{
        size_t start = cursor_pos(&c);

        for (size_t i = 0; i < n && !c.failed; i++)
                cursor_str(&c, NULL);
        return cursor_pos(&c) - start;
}

struct answers *answers_read_old(struct cursor *c, uint64_t max_bytes)
{
        struct answers_reader r = {.c = *c, .answers = mem_new(1, sizeof(*r.answers))};
        size_t n;

        budget_init(&r.budget, max_bytes);
        n = answers_reader_count(&r, 1, sizeof(*r.answers->texts));
        answers_reader_texts(&r, n, size_of_texts(r.c, n));
        n = answers_reader_count(&r, 16, sizeof(struct module_answers));
        for (size_t i = 0; i < n && !r.c.failed; i++)
                read_module(&r);
        return answers_reader_end(&r, c);
}
