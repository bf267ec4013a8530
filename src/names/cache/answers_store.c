/* SPDX-License-Identifier: BSD-3-Clause */
/* The store in memory: adds answers without duplicates, and finds them. */
#include "answers_store.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "answers_internal.h"
#include "mem.h"
#include "search.h"

struct answers *answers_new(void)
{
        struct answers *answers = mem_new(1, sizeof(*answers));

        answers->pool = strpool_new();
        answers->texts_bytes = 1;
        return answers;
}

static void release_set(struct answer_set *set)
{
        free(set->items);
        free(set->members);
        free(set->lists);
        free(set->ranges);
        map_release(&set->items_of);
        map_release(&set->lists_of);
}

void answers_free(struct answers *answers)
{
        if (!answers)
                return;
        for (size_t i = 0; i < answers->n_modules; i++) {
                for (size_t kind = 0; kind < ANSWER_N_KINDS; kind++)
                        release_set(&answers->modules[i]->sets[kind]);
                free(answers->modules[i]);
        }
        free(answers->modules);
        free(answers->texts);
        strpool_free(answers->pool);
        arena_release(&answers->bytes);
        free(answers);
}

/* --- Texts and modules --- */

answer_text answers_add_text(struct answers *answers, const char *text)
{
        size_t n_before = strpool_count(answers->pool);
        str_id id;

        assert(answers->pool);
        if (!text)
                return 0;
        id = strpool_add(answers->pool, text);
        if (strpool_count(answers->pool) > n_before)
                answers->texts_bytes += strlen(text) + 1;
        return id + 1;
}

const char *answers_text(const struct answers *answers, answer_text text)
{
        if (!text)
                return NULL;
        return answers->pool ? strpool_get(answers->pool, text - 1) : answers->texts[text - 1];
}

struct module_answers *answers_add_module(struct answers *answers)
{
        struct module_answers *module = mem_new(1, sizeof(*module));

        module->store = answers;
        for (size_t kind = 0; kind < ANSWER_N_KINDS; kind++)
                module->sets[kind].kind = &answer_kinds[kind];
        ARRAY_PUSH(answers->modules, answers->n_modules, answers->cap_modules, module);
        return module;
}

size_t answers_n_modules(const struct answers *answers)
{
        return answers->n_modules;
}

const struct module_answers *answers_get_module(const struct answers *answers, size_t index)
{
        assert(index < answers->n_modules);
        return answers->modules[index];
}

const struct answers *answers_store_module(const struct module_answers *module)
{
        return module->store;
}

uint64_t answers_size(const struct module_answers *module, enum answer_kind kind)
{
        const struct answer_set *set = &module->sets[kind];

        assert(kind < ANSWER_N_KINDS);
        return SET_MAX_HEAD_BYTES + module->store->texts_bytes + module->store->bytes.total_bytes +
               set->n_items * set->kind->item.bytes + set->n_members * sizeof(*set->members) +
               set->n_lists * sizeof(*set->lists) + set->n_ranges * sizeof(*set->ranges);
}

/* --- Adding --- */

size_t answers_max_list(enum answer_kind kind)
{
        assert(kind < ANSWER_N_KINDS);
        return answer_kinds[kind].max_list ? answer_kinds[kind].max_list : UINT32_MAX;
}

void answer_set_push(struct answer_set *set, const void *item)
{
        if (set->n_items == set->cap_items)
                set->items = mem_grow(set->items, set->n_items, &set->cap_items, set->kind->item.bytes);
        memcpy(set->items + set->n_items * set->kind->item.bytes, item, set->kind->item.bytes);
        set->n_items++;
}

/* Copies the byte strings of the item into the store. */
static void keep_bytes(struct answers *answers, struct answer_set *set, size_t index)
{
        for (size_t i = 0; i < set->kind->item.n_fields; i++) {
                const struct answer_field *field = &set->kind->item.fields[i];
                uint8_t *at = set->items + index * set->kind->item.bytes + field->offset;
                struct answer_bytes bytes;

                if (field->form != FIELD_BYTES)
                        continue;
                memcpy(&bytes, at, sizeof(bytes));
                bytes.at = (const uint8_t *)arena_copy(
                        &answers->bytes, bytes.size ? (const char *)bytes.at : "", (size_t)bytes.size);
                memcpy(at, &bytes, sizeof(bytes));
        }
}

void answers_add_item(struct module_answers *module, enum answer_kind kind, const void *item)
{
        struct answer_set *set = &module->sets[kind];

        assert(!set->kind->by_addr);
        answer_set_push(set, item);
        keep_bytes(module->store, set, set->n_items - 1);
}

/* Returns the index of an equal item, or adds it. If the hash is taken by another item, tries the next
 * one. */
static uint32_t item_number(struct answer_set *set, const void *item)
{
        size_t size = set->kind->item.bytes;

        for (uint64_t hash = map_hash_bytes(item, size);; hash++) {
                uint64_t *at = map_put(&set->items_of, hash, NULL);

                if (!*at) {
                        answer_set_push(set, item);
                        *at = set->n_items;
                } else if (memcmp(set->items + (*at - 1) * size, item, size) != 0) {
                        continue;
                }
                return (uint32_t)(*at - 1);
        }
}

/* The bytes that identify a list: indexes of items, or items. */
static const void *list_bytes(const struct answer_set *set, const struct answer_list *list, size_t *ret_size)
{
        size_t each = set->kind->share_items ? sizeof(*set->members) : set->kind->item.bytes;
        const uint8_t *bytes = set->kind->share_items ? (const uint8_t *)set->members : set->items;

        *ret_size = list->n * each;
        return list->n ? bytes + list->first * each : (const uint8_t *)"";
}

/* Returns the index of the list that was just appended. If there is an equal list, removes the new one. */
static uint32_t list_number(struct answer_set *set, struct answer_list list)
{
        size_t size, other_size;
        const void *bytes = list_bytes(set, &list, &size);

        for (uint64_t hash = map_hash_bytes(bytes, size);; hash++) {
                uint64_t *at = map_put(&set->lists_of, hash, NULL);
                const void *other;

                if (!*at) {
                        ARRAY_PUSH(set->lists, set->n_lists, set->cap_lists, list);
                        *at = set->n_lists;
                        return (uint32_t)set->n_lists - 1;
                }
                other = list_bytes(set, &set->lists[*at - 1], &other_size);
                if (size != other_size || memcmp(bytes, other, size) != 0)
                        continue;
                if (set->kind->share_items)
                        set->n_members = list.first;
                else
                        set->n_items = list.first;
                return (uint32_t)(*at - 1);
        }
}

uint32_t answers_add_list(struct module_answers *module, enum answer_kind kind, const void *items, size_t n)
{
        struct answer_set *set = &module->sets[kind];
        bool share = set->kind->share_items;
        struct answer_list list = {(uint32_t)(share ? set->n_members : set->n_items), (uint32_t)n};

        assert(set->kind->by_addr && n <= answers_max_list(kind));
        for (size_t i = 0; i < n; i++) {
                const uint8_t *item = (const uint8_t *)items + i * set->kind->item.bytes;

                if (share)
                        ARRAY_PUSH(set->members, set->n_members, set->cap_members, item_number(set, item));
                else
                        answer_set_push(set, item);
        }
        return list_number(set, list);
}

void answers_add_range(struct module_answers *module, enum answer_kind kind, uint64_t first, uint64_t last,
                       uint32_t list)
{
        struct answer_set *set = &module->sets[kind];
        struct answer_range *before = set->n_ranges ? &set->ranges[set->n_ranges - 1] : NULL;

        assert(list < set->n_lists && first <= last);
        if (before && before->list == list && before->last + 1 == first && first)
                before->last = last;
        else
                ARRAY_PUSH(set->ranges, set->n_ranges, set->cap_ranges,
                           (struct answer_range){first, last, list, 0});
}

/* --- Finding --- */

struct numbered_range {
        struct answer_range range;
        size_t number;
};

static int compare_ranges(const void *a, const void *b)
{
        const struct numbered_range *x = a, *y = b;

        if (x->range.first != y->range.first)
                return x->range.first < y->range.first ? -1 : 1;
        return (x->number > y->number) - (x->number < y->number);
}

static void sort_ranges(struct answer_set *set)
{
        struct numbered_range *order = mem_new(set->n_ranges, sizeof(*order));

        for (size_t i = 0; i < set->n_ranges; i++)
                order[i] = (struct numbered_range){set->ranges[i], i};
        qsort(order, set->n_ranges, sizeof(*order), compare_ranges);
        for (size_t i = 0; i < set->n_ranges; i++)
                set->ranges[i] = order[i].range;
        free(order);
}

void answers_sort(struct module_answers *module, enum answer_kind kind)
{
        struct answer_set *set = &module->sets[kind];
        bool is_sorted = true;
        size_t n = 0;

        assert(kind < ANSWER_N_KINDS);
        if (set->n_sorted == set->n_ranges)
                return;
        for (size_t i = set->n_sorted ? set->n_sorted : 1; i < set->n_ranges && is_sorted; i++)
                is_sorted = set->ranges[i].first > set->ranges[i - 1].last;
        if (!is_sorted)
                sort_ranges(set);
        for (size_t i = 0; i < set->n_ranges; i++) {
                if (!n || set->ranges[i].first > set->ranges[n - 1].last)
                        set->ranges[n++] = set->ranges[i];
        }
        set->n_ranges = set->n_sorted = n;
}

/* Returns the first range from `from` on that ends at or after `addr`. Searches nearby first, because the
 * addresses are often close together. */
static size_t seek_range(const struct answer_set *set, size_t from, uint64_t addr)
{
        const struct answer_range *ranges = set->ranges;
        size_t step = 1, low = from, high;

        while (low + step < set->n_sorted && ranges[low + step].last < addr) {
                low += step;
                step *= 2;
        }
        high = low + step < set->n_sorted ? low + step : set->n_sorted;
        SEARCH_FIRST(low, high, middle, ranges[middle].last < addr);
        return low;
}

size_t answers_find_all(const struct module_answers *module, enum answer_kind kind, const uint64_t *addrs,
                        size_t n, struct answer_found *found)
{
        const struct answer_set *set = &module->sets[kind];
        size_t at = 0, n_found = 0;

        assert(kind < ANSWER_N_KINDS);
        for (size_t i = 0; i < n; i++) {
                found[i] = (struct answer_found){0};
                at = seek_range(set, at, addrs[i]);
                if (at == set->n_sorted || set->ranges[at].first > addrs[i])
                        continue;
                found[i] = answers_of_range(module, kind, at);
                n_found++;
        }
        return n_found;
}

bool answers_find(const struct module_answers *module, enum answer_kind kind, uint64_t addr,
                  struct answer_found *ret_found)
{
        return answers_find_all(module, kind, &addr, 1, ret_found);
}

const void *answer_found_get(const struct answer_found *found, size_t i)
{
        const struct answer_set *set = found->set;
        size_t at = found->list.first + i;

        assert(i < found->list.n);
        return set->items + (set->members ? set->members[at] : at) * set->kind->item.bytes;
}

size_t answers_n_items(const struct module_answers *module, enum answer_kind kind)
{
        assert(kind < ANSWER_N_KINDS);
        return module->sets[kind].n_items;
}

const void *answers_get_item(const struct module_answers *module, enum answer_kind kind, size_t index)
{
        const struct answer_set *set = &module->sets[kind];

        assert(index < set->n_items);
        return set->items + index * set->kind->item.bytes;
}

size_t answers_n_ranges(const struct module_answers *module, enum answer_kind kind)
{
        assert(kind < ANSWER_N_KINDS);
        return module->sets[kind].n_sorted;
}

struct answer_range answers_get_range(const struct module_answers *module, enum answer_kind kind,
                                      size_t index)
{
        assert(index < module->sets[kind].n_sorted);
        return module->sets[kind].ranges[index];
}

struct answer_found answers_of_range(const struct module_answers *module, enum answer_kind kind, size_t index)
{
        const struct answer_set *set = &module->sets[kind];

        return (struct answer_found){set, module->store, set->lists[set->ranges[index].list]};
}
