/* SPDX-License-Identifier: BSD-3-Clause */
#include "function_names.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "mem.h"

/* What distinguishes functions. Has no padding, so that it can be hashed and compared as bytes. */
struct name_key {
        uint64_t start; /* of a function without a name */
        str_id module;
        str_id name;     /* of the resolver; 0 for none */
        uint32_t status; /* enum symbol_status */
        uint32_t unused;
};

_Static_assert(sizeof(struct name_key) == 24, "no padding");

struct function {
        struct name_key key;
        str_id plain, shown;
        bool is_in_several;
};

struct function_names {
        const struct place_names *names;
        bool arguments;
        struct function *items;
        size_t n, cap;
        struct map by_hash; /* hash of the key to number + 1 */
};

struct function_names *function_names_new(const struct place_names *names, bool arguments)
{
        struct function_names *f = mem_new(1, sizeof(*f));

        f->names = names;
        f->arguments = arguments;
        return f;
}

void function_names_free(struct function_names *f)
{
        if (!f)
                return;
        map_release(&f->by_hash);
        free(f->items);
        free(f);
}

uint32_t function_names_add(struct function_names *f, str_id module, const struct symbol *symbol)
{
        struct function function = {
                .key = {.module = module, .status = (uint32_t)symbol->status},
        };

        if (symbol->status == SYMBOL_NAMED)
                function.key.name = symbol->name;
        if (symbol->status == SYMBOL_RANGE)
                function.key.start = symbol->start;
        /* If the hash is taken by another function, use the next one. */
        for (uint64_t hash = map_hash_bytes(&function.key, sizeof(function.key));; hash++) {
                uint64_t *at = map_put(&f->by_hash, hash, NULL);

                if (*at && !memcmp(&f->items[*at - 1].key, &function.key, sizeof(function.key)))
                        return (uint32_t)*at - 1;
                if (*at)
                        continue;
                function.plain = function.shown = place_names_function(f->names, symbol);
                ARRAY_PUSH(f->items, f->n, f->cap, function);
                *at = f->n;
                return (uint32_t)f->n - 1;
        }
}

/* --- Names --- */

static int compare_u64(uint64_t a, uint64_t b)
{
        return (a > b) - (a < b);
}

/* Sorts functions of a module with equal short names together, then by the name in the file. */
static int compare(const void *x, const void *y)
{
        const struct function *a = *(struct function *const *)x, *b = *(struct function *const *)y;
        int order = compare_u64(a->key.module, b->key.module);

        if (!order)
                order = compare_u64(a->plain, b->plain);
        return order ? order : compare_u64(a->key.name, b->key.name);
}

static str_id with_arguments(const struct function_names *f, const struct function *function)
{
        AUTO_RELEASE(buf) text = {0};

        if (!function->key.name || !resolver_add_arguments(f->names->resolver, function->key.name, &text))
                return function->plain;
        return strpool_add_len(f->names->texts, buf_text(&text), text.len);
}

static void find_in_several(struct function_names *f)
{
        struct map modules = {0}; /* name to its first module + 1; 0 if there is another module */
        bool is_new;

        for (size_t i = 0; i < f->n; i++) {
                uint64_t *module = map_put(&modules, f->items[i].shown, &is_new);

                if (is_new)
                        *module = (uint64_t)f->items[i].key.module + 1;
                else if (*module != (uint64_t)f->items[i].key.module + 1)
                        *module = 0;
        }
        for (size_t i = 0; i < f->n; i++)
                f->items[i].is_in_several = !*map_find(&modules, f->items[i].shown);
        map_release(&modules);
}

void function_names_finish(struct function_names *f)
{
        struct function **order = mem_new(f->n, sizeof(struct function *));
        size_t end;

        for (size_t i = 0; i < f->n; i++)
                order[i] = &f->items[i];
        if (f->n)
                qsort(order, f->n, sizeof(struct function *), compare);
        for (size_t i = 0; i < f->n; i = end) {
                for (end = i + 1; end < f->n && order[end]->key.module == order[i]->key.module &&
                                  order[end]->plain == order[i]->plain;
                     end++)
                        ;
                for (size_t k = i; (end - i > 1 || f->arguments) && k < end; k++)
                        order[k]->shown = with_arguments(f, order[k]);
        }
        free(order);
        find_in_several(f);
}

str_id function_names_get(const struct function_names *f, uint32_t number)
{
        assert(number < f->n);
        return f->items[number].shown;
}

str_id function_names_short(const struct function_names *f, uint32_t number)
{
        assert(number < f->n);
        return f->items[number].plain;
}

bool function_names_is_in_several(const struct function_names *f, uint32_t number)
{
        assert(number < f->n);
        return f->items[number].is_in_several;
}
