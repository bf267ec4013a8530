/* SPDX-License-Identifier: BSD-3-Clause */
/* Each file is read once, when the first process is seen that runs it. */
#include "stop_binary_internal.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "search.h"
#include "text.h"
#include "text_match.h"

struct stop_binaries *stop_binaries_new(void)
{
        struct stop_binaries *b = mem_new(1, sizeof(*b));

        b->lock = os_lock_new();
        return b;
}

static void free_told(void *ctx, uint64_t image, uint64_t *told)
{
        (void)ctx;
        (void)image;
        free((void *)(uintptr_t)*told);
}

void stop_binaries_free(struct stop_binaries *b)
{
        if (!b)
                return;
        for (uint32_t i = 0; i < b->n_items; i++) {
                if (!b->items[i])
                        continue;
                object_free(b->items[i]->object);
                free(b->items[i]->functions);
                free(b->items[i]);
        }
        map_each(&b->told, free_told, NULL);
        map_release(&b->told);
        map_release(&b->numbers);
        os_lock_free(b->lock);
        free(b);
}

/* --- Reading a file --- */

static bool read_functions(struct stop_binary *binary, enum object_table table)
{
        struct object_symbols symbols;
        struct object_symbol symbol;

        if (!object_symbols_begin(binary->object, table, &symbols))
                return false;
        while (object_symbols_next(&symbols, &symbol)) {
                enum python_native kind;

                if (!symbol.is_defined || !symbol.size_bytes || symbol.kind != OBJECT_SYMBOL_FUNCTION)
                        continue;
                kind = python_native_of(object_symbols_name(&symbols, &symbol));
                if (binary->is_stripped || kind != PYTHON_NATIVE_OTHER)
                        ARRAY_PUSH(binary->functions, binary->n_functions, binary->cap_functions,
                                   ((struct native_range){symbol.addr, symbol.size_bytes, kind}));
        }
        return symbols.n_symbols > 0;
}

/* Symbols of PE images have no size: the exception directory has the extents of functions, and of their
 * parts. */
static void read_pe_functions(struct stop_binary *binary, enum object_table table)
{
        struct object_symbols symbols;
        struct object_symbol symbol;

        if (!object_symbols_begin(binary->object, table, &symbols))
                return;
        while (object_symbols_next(&symbols, &symbol)) {
                enum python_native kind = python_native_of(object_symbols_name(&symbols, &symbol));
                struct object_unwind entry;

                if (kind != PYTHON_NATIVE_OTHER &&
                    object_find_function(binary->object, symbol.addr, &entry) && entry.start == symbol.addr)
                        ARRAY_PUSH(binary->functions, binary->n_functions, binary->cap_functions,
                                   ((struct native_range){entry.start, entry.end - entry.start, kind}));
        }
}

static void read_all_functions(struct stop_binary *binary)
{
        if (object_get_facts(binary->object)->format == OBJECT_PE) {
                read_pe_functions(binary, OBJECT_SYMBOLS);
                read_pe_functions(binary, OBJECT_DYNAMIC_SYMBOLS);
        } else if (!read_functions(binary, OBJECT_SYMBOLS)) {
                binary->is_stripped = true;
                read_functions(binary, OBJECT_DYNAMIC_SYMBOLS);
        }
}

static int by_start(const void *a, const void *b)
{
        const struct native_range *x = a, *y = b;

        return (x->start > y->start) - (x->start < y->start);
}

bool stop_binary_is_library(const char *path)
{
        const char *name = text_base_name(path);

        if (text_starts(name, "libpython"))
                return true;
        /* python312.dll; python3.dll only refers to it. */
        return object_is_pe_name(name) && text_starts_nocase(name, "python3") && name[7] >= '0' &&
               name[7] <= '9';
}

/* Returns the file's number, STOP_NO_INTERPRETER or STOP_UNSUPPORTED. */
static uint32_t add_binary(struct stop_binaries *b, const char *open_path, const char *path)
{
        AUTO(object) object = object_open(open_path, NULL);
        struct python_binary python;
        struct stop_binary *binary;
        struct err err = {0};

        if (!object || b->n_items == STOP_MAX_BINARIES)
                return STOP_NO_INTERPRETER;
        if (!python_binary_find(object, path, &python, &err))
                return err.code == ERR_UNSUPPORTED || stop_binary_is_library(path) ? STOP_UNSUPPORTED
                                                                                   : STOP_NO_INTERPRETER;
        binary = mem_new(1, sizeof(*binary));
        binary->python = python;
        binary->object = TAKE(object);
        read_all_functions(binary);
        if (binary->n_functions)
                qsort(binary->functions, binary->n_functions, sizeof(*binary->functions), by_start);
        os_lock_enter(b->lock);
        b->items[b->n_items++] = binary;
        os_lock_leave(b->lock);
        if (b->on_add)
                b->on_add(b->on_add_ctx, b->n_items, open_path, path);
        return b->n_items;
}

void stop_binaries_on_add(struct stop_binaries *b, stop_binary_added *on_add, void *ctx)
{
        b->on_add = on_add;
        b->on_add_ctx = ctx;
}

/* Numbers whose file can't be read stay empty. */
void stop_binaries_receive(struct stop_binaries *b, uint32_t number, const char *open_path, const char *path)
{
        if (number != b->n_items + 1 || b->n_items == STOP_MAX_BINARIES)
                return;
        add_binary(b, open_path, path);
        os_lock_enter(b->lock);
        if (b->n_items < number)
                b->items[b->n_items++] = NULL;
        os_lock_leave(b->lock);
}

uint32_t stop_binaries_number(struct stop_binaries *b, uint64_t key, const char *open_path, const char *path)
{
        uint64_t *known = map_put(&b->numbers, key, NULL);

        if (!*known)
                *known = add_binary(b, open_path, path);
        return (uint32_t)*known;
}

/* --- Queries --- */

uint32_t stop_binaries_n_changes(struct stop_binaries *b)
{
        return __atomic_load_n(&b->n_changes, __ATOMIC_ACQUIRE);
}

const struct stop_binary *stop_binaries_at(struct stop_binaries *b, uint32_t number)
{
        const struct stop_binary *binary = NULL;

        os_lock_enter(b->lock);
        if (number && number <= b->n_items)
                binary = b->items[number - 1];
        os_lock_leave(b->lock);
        return binary;
}

const struct python_binary *stop_binaries_get(struct stop_binaries *b, uint32_t number)
{
        const struct stop_binary *binary = stop_binaries_at(b, number);

        return binary ? &binary->python : NULL;
}

/* The last function that starts at or before an address; NULL if there is none. */
static const struct native_range *function_before(const struct stop_binary *binary, uint64_t addr)
{
        size_t low = 0, high = binary->n_functions;

        SEARCH_FIRST(low, high, middle, binary->functions[middle].start <= addr);
        return low ? &binary->functions[low - 1] : NULL;
}

enum python_native stop_binaries_kind(struct stop_binaries *b, uint32_t number, uint64_t addr)
{
        const struct stop_binary *binary = stop_binaries_at(b, number);
        const struct native_range *function;
        struct object_unwind entry;
        uint64_t file_off;

        /* A part of a function may be far from it. */
        if (binary && object_find_function(binary->object, addr, &entry))
                addr = entry.start;
        function = binary ? function_before(binary, addr) : NULL;
        if (function && addr - function->start < function->size_bytes)
                return function->kind;
        /* A stripped file has no symbols for its local functions. */
        return binary && binary->is_stripped && object_to_file_off(binary->object, addr, &file_off)
                       ? PYTHON_NATIVE_UNKNOWN
                       : PYTHON_NATIVE_OTHER;
}

bool stop_binary_is_python(struct object *object)
{
        return python_binary_defines(object);
}
