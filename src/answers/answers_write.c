/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a store; answers_internal.h has the layout. */
#include <stdlib.h>
#include <string.h>

#include "answers_internal.h"
#include "archive_section.h"
#include "mem.h"

/* The field of every item; of byte strings the length. */
static void take_field(const struct answer_set *set, const struct answer_field *field, uint64_t *values)
{
        for (size_t i = 0; i < set->n_items; i++) {
                const uint8_t *at = set->items + i * set->kind->item_bytes + field->offset;
                struct answer_bytes bytes;
                uint32_t narrow;

                switch ((enum field_form)field->form) {
                case FIELD_U32:
                case FIELD_TEXT:
                        memcpy(&narrow, at, sizeof(narrow));
                        values[i] = narrow;
                        break;
                case FIELD_U64: memcpy(&values[i], at, sizeof(values[i])); break;
                case FIELD_BYTES:
                        memcpy(&bytes, at, sizeof(bytes));
                        values[i] = bytes.size;
                        break;
                }
        }
}

static void write_bytes(const struct answer_set *set, const struct answer_field *field, struct buf *out)
{
        for (size_t i = 0; i < set->n_items; i++) {
                struct answer_bytes bytes;

                memcpy(&bytes, set->items + i * set->kind->item_bytes + field->offset, sizeof(bytes));
                buf_add(out, bytes.at, (size_t)bytes.size);
        }
}

static void write_items(const struct answer_set *set, uint64_t *values, bool is_small, struct buf *out)
{
        archive_add_uleb(out, set->n_items);
        for (size_t i = 0; i < set->kind->n_fields; i++) {
                take_field(set, &set->kind->fields[i], values);
                column_write(values, set->n_items, is_small, out);
        }
        for (size_t i = 0; i < set->kind->n_fields; i++) {
                if (set->kind->fields[i].form == FIELD_BYTES)
                        write_bytes(set, &set->kind->fields[i], out);
        }
}

static void write_lists(const struct answer_set *set, uint64_t *values, bool is_small, struct buf *out)
{
        archive_add_uleb(out, set->n_lists);
        for (size_t i = 0; i < set->n_lists; i++)
                values[i] = set->lists[i].n;
        column_write(values, set->n_lists, is_small, out);
        if (!set->kind->share_items)
                return;
        for (size_t i = 0; i < set->n_members; i++)
                values[i] = set->members[i];
        column_write(values, set->n_members, is_small, out);
}

static void write_runs(const struct answer_set *set, uint64_t *values, bool is_small, struct buf *out)
{
        uint64_t next = 0;

        archive_add_uleb(out, set->n_runs);
        for (size_t i = 0; i < set->n_runs; i++) {
                values[i] = set->runs[i].first - next;
                next = set->runs[i].last + 1;
        }
        column_write(values, set->n_runs, is_small, out);
        for (size_t i = 0; i < set->n_runs; i++)
                values[i] = set->runs[i].last - set->runs[i].first;
        column_write(values, set->n_runs, is_small, out);
        for (size_t i = 0; i < set->n_runs; i++)
                values[i] = set->runs[i].list;
        column_write(values, set->n_runs, is_small, out);
}

static size_t max_of(size_t a, size_t b)
{
        return a > b ? a : b;
}

static void write_set(const struct answer_set *set, bool is_small, struct buf *out)
{
        size_t n = max_of(max_of(set->n_items, set->n_members), max_of(set->n_lists, set->n_runs));
        uint64_t *values = mem_new(n, sizeof(*values));
        AUTO_RELEASE(buf) body = {0};

        write_items(set, values, is_small, &body);
        if (set->kind->by_addr) {
                write_lists(set, values, is_small, &body);
                write_runs(set, values, is_small, &body);
        }
        archive_add_uleb(out, (uint64_t)(set->kind - answer_kinds));
        archive_add_uleb(out, body.len);
        buf_add(out, body.data, body.len);
        free(values);
}

static bool is_empty(const struct answer_set *set)
{
        return !set->n_items && !set->n_runs;
}

static void write_module(struct module_answers *module, bool is_small, struct buf *out)
{
        size_t n = 0;

        for (size_t kind = 0; kind < ANSWER_N_KINDS; kind++)
                n += !is_empty(&module->sets[kind]);
        archive_add_uleb(out, n);
        for (size_t kind = 0; kind < ANSWER_N_KINDS; kind++) {
                answers_sort(module, (enum answer_kind)kind);
                if (!is_empty(&module->sets[kind]))
                        write_set(&module->sets[kind], is_small, out);
        }
}

void answers_write(struct answers *answers, bool is_small, struct buf *out)
{
        size_t n = strpool_count(answers->pool);

        archive_add_uleb(out, n);
        archive_add_uleb(out, answers->texts_bytes);
        for (str_id id = 0; id < n; id++)
                buf_add(out, strpool_get(answers->pool, id), strlen(strpool_get(answers->pool, id)) + 1);
        archive_add_uleb(out, answers->n_modules);
        for (size_t i = 0; i < answers->n_modules; i++)
                write_module(answers->modules[i], is_small, out);
}
