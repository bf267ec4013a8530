/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a store; answers_internal.h describes the format. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "answers_internal.h"
#include "archive_section.h"
#include "mem.h"

/* Reads the field of each row; for byte strings the length. */
static void take_field(const struct answer_field *field, const uint8_t *rows, size_t n, size_t step,
                       uint64_t *values)
{
        for (size_t i = 0; i < n; i++) {
                const uint8_t *value = rows + i * step + field->offset;
                struct answer_bytes bytes;
                uint32_t narrow;

                switch ((enum field_form)field->form) {
                case FIELD_U64: memcpy(&values[i], value, sizeof(values[i])); break;
                case FIELD_BYTES:
                        memcpy(&bytes, value, sizeof(bytes));
                        values[i] = bytes.size;
                        break;
                default:
                        memcpy(&narrow, value, sizeof(narrow));
                        values[i] = narrow;
                        break;
                }
        }
}

static void write_bytes(const struct answer_field *field, const uint8_t *rows, size_t n, size_t step,
                        struct buf *out)
{
        for (size_t i = 0; i < n; i++) {
                const uint8_t *value = rows + i * step + field->offset;
                struct answer_bytes bytes;

                memcpy(&bytes, value, sizeof(bytes));
                buf_add(out, bytes.at, (size_t)bytes.size);
        }
}

static void write_rows(const struct rows_form *form, const void *rows, size_t n, bool is_small,
                       struct buf *out)
{
        uint64_t *values = mem_new(n, sizeof(*values));

        for (size_t i = 0; i < form->n_fields; i++) {
                take_field(&form->fields[i], rows, n, form->bytes, values);
                column_write(values, n, is_small, out);
        }
        free(values);
        for (size_t i = 0; i < form->n_fields; i++) {
                if (form->fields[i].form == FIELD_BYTES)
                        write_bytes(&form->fields[i], rows, n, form->bytes, out);
        }
}

static void write_ranges(const struct answer_set *set, bool is_small, struct buf *out)
{
        struct answer_range *ranges = mem_new(set->n_ranges, sizeof(*ranges));
        uint64_t next = 0;

        for (size_t i = 0; i < set->n_ranges; i++) {
                const struct answer_range *range = &set->ranges[i];

                ranges[i] = (struct answer_range){range->first - next, range->last - range->first,
                                                  range->list, 0};
                next = range->last + 1;
        }
        buf_add_uleb(out, set->n_ranges);
        write_rows(&answer_range_rows, ranges, set->n_ranges, is_small, out);
        free(ranges);
}

static void write_set(const struct answer_set *set, bool is_small, struct buf *out)
{
        AUTO_RELEASE(buf) body = {0};

        buf_add_uleb(&body, set->n_items);
        write_rows(&set->kind->item, set->items, set->n_items, is_small, &body);
        if (set->kind->by_addr) {
                buf_add_uleb(&body, set->n_lists);
                write_rows(&answer_list_rows, set->lists, set->n_lists, is_small, &body);
                if (set->kind->share_items)
                        write_rows(&answer_member_rows, set->members, set->n_members, is_small, &body);
                write_ranges(set, is_small, &body);
        }
        buf_add_uleb(out, (uint64_t)(set->kind - answer_kinds));
        buf_add_uleb(out, body.len);
        buf_add(out, body.data, body.len);
}

static bool is_empty(const struct answer_set *set)
{
        return !set->n_items && !set->n_ranges;
}

static void write_module(struct module_answers *module, bool is_small, struct buf *out)
{
        size_t n = 0;

        for (size_t kind = 0; kind < ANSWER_N_KINDS; kind++)
                n += !is_empty(&module->sets[kind]);
        buf_add_uleb(out, n);
        for (size_t kind = 0; kind < ANSWER_N_KINDS; kind++) {
                answers_sort(module, (enum answer_kind)kind);
                if (!is_empty(&module->sets[kind]))
                        write_set(&module->sets[kind], is_small, out);
        }
}

void answers_write(struct answers *answers, bool is_small, struct buf *out)
{
        size_t n = strpool_count(answers->pool);

        assert(answers->pool);
        buf_add_uleb(out, n);
        buf_add_uleb(out, answers->texts_bytes);
        for (str_id id = 0; id < n; id++)
                buf_add(out, strpool_get(answers->pool, id), strlen(strpool_get(answers->pool, id)) + 1);
        buf_add_uleb(out, answers->n_modules);
        for (size_t i = 0; i < answers->n_modules; i++)
                write_module(answers->modules[i], is_small, out);
}
