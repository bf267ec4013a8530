/* SPDX-License-Identifier: BSD-3-Clause */
/* A file is identified by device, inode and ctime. For a process that maps a known file, only the maps have
 * to be read. */
#include "stop_binary.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linux_maps.h"
#include "map.h"
#include "mem.h"
#include "object.h"
#include "os.h"
#include "search.h"
#include "text.h"

enum { MAX_BINARIES = 256 };

/* Values in the map of files that are not file numbers. */
enum { NOT_KNOWN, NO_INTERPRETER = INT32_MAX - 1, UNSUPPORTED = INT32_MAX };

struct native_range {
        uint64_t start, size_bytes;
        enum python_native kind;
};

struct stop_binary {
        struct python_binary python;
        /* if the file is stripped, all functions with a symbol; else only eval functions and similar */
        struct native_range *functions;
        size_t n_functions, cap_functions;
        bool is_stripped;
        struct object *object; /* used to convert file offsets to addresses */
};

struct stop_binaries {
        struct map numbers;   /* file to its number, NO_INTERPRETER or UNSUPPORTED; used by the engine only */
        struct os_lock *lock; /* protects the fields below */
        struct stop_binary *items[MAX_BINARIES];
        uint32_t n_items;
};

struct stop_binaries *stop_binaries_new(void)
{
        struct stop_binaries *b = mem_new(1, sizeof(*b));

        b->lock = os_lock_new();
        return b;
}

void stop_binaries_free(struct stop_binaries *b)
{
        if (!b)
                return;
        for (uint32_t i = 0; i < b->n_items; i++) {
                object_free(b->items[i]->object);
                free(b->items[i]->functions);
                free(b->items[i]);
        }
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

static int by_start(const void *a, const void *b)
{
        const struct native_range *x = a, *y = b;

        return (x->start > y->start) - (x->start < y->start);
}

static bool is_libpython(const char *path)
{
        return text_starts(text_base_name(path), "libpython");
}

/* Returns the file's number, NO_INTERPRETER or UNSUPPORTED. */
static uint32_t add_binary(struct stop_binaries *b, const char *open_path, const char *path)
{
        AUTO(object) object = object_open(open_path, NULL);
        struct python_binary python;
        struct stop_binary *binary;
        struct err err = {0};

        if (!object || b->n_items == MAX_BINARIES)
                return NO_INTERPRETER;
        if (!python_binary_find(object, path, &python, &err))
                return err.code == ERR_UNSUPPORTED || is_libpython(path) ? UNSUPPORTED : NO_INTERPRETER;
        binary = mem_new(1, sizeof(*binary));
        binary->python = python;
        binary->object = TAKE(object);
        if (!read_functions(binary, OBJECT_SYMBOLS)) {
                binary->is_stripped = true;
                read_functions(binary, OBJECT_DYNAMIC_SYMBOLS);
        }
        if (binary->n_functions)
                qsort(binary->functions, binary->n_functions, sizeof(*binary->functions), by_start);
        os_lock_enter(b->lock);
        b->items[b->n_items++] = binary;
        os_lock_leave(b->lock);
        return b->n_items;
}

/* Finds the file below the root of the process, or below ours for a process that called chroot. Its inode
 * must be that of the mapped file. */
static bool find_file(const char *path, uint64_t inode, int32_t pid, struct buf *ret_path,
                      struct os_stat *ret)
{
        for (int is_ours = 0; is_ours < 2; is_ours++) {
                buf_clear(ret_path);
                if (!is_ours)
                        buf_printf(ret_path, "/proc/%" PRId32 "/root", pid);
                buf_add_str(ret_path, path);
                if (os_stat(ret_path->data, ret) && ret->is_file && ret->inode == inode)
                        return true;
        }
        return false;
}

/* The number of a file that a process maps. */
static uint32_t number_of(struct stop_binaries *b, int32_t pid, const char *path, uint64_t inode)
{
        AUTO_RELEASE(buf) open_path = {0};
        struct os_stat file;
        uint64_t *known;

        if (!find_file(path, inode, pid, &open_path, &file))
                return NO_INTERPRETER;
        known = map_put(&b->numbers,
                        map_mix(file.inode + map_mix(file.dev + map_mix((uint64_t)file.ctime_ns))), NULL);
        if (*known == NOT_KNOWN)
                *known = add_binary(b, open_path.data, path);
        return (uint32_t)*known;
}

/* --- A process --- */

struct finding {
        struct stop_binaries *binaries;
        int32_t pid;
        const char *program;
        uint32_t number; /* NOT_KNOWN until found */
        uint64_t bias;
        bool is_unsupported;
};

static void look_at_map(struct finding *f, const struct linux_map *map)
{
        uint64_t addr;
        uint32_t number;

        if (!map->can_execute || *map->path != '/' ||
            (strcmp(map->path, f->program) && !is_libpython(map->path)))
                return;
        number = number_of(f->binaries, f->pid, map->path, map->inode);
        f->is_unsupported |= number == UNSUPPORTED;
        if (number > MAX_BINARIES ||
            !object_to_addr(f->binaries->items[number - 1]->object, map->file_off, &addr))
                return;
        f->number = number;
        f->bias = map->start - addr;
}

uint32_t stop_binaries_find(struct stop_binaries *b, int32_t pid, uint64_t *ret_bias,
                            bool *ret_is_unsupported)
{
        AUTO_RELEASE(buf) program = {0};
        struct finding f = {.binaries = b, .pid = pid};
        struct linux_maps maps;
        struct linux_map map;
        char path[64];

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/exe", pid);
        os_read_link(path, &program);
        f.program = buf_text(&program);
        linux_maps_begin(&maps, pid);
        while (!f.number && linux_maps_next(&maps, &map))
                look_at_map(&f, &map);
        linux_maps_end(&maps);
        *ret_bias = f.bias;
        *ret_is_unsupported = !f.number && f.is_unsupported;
        return f.number;
}

/* --- Queries --- */

static const struct stop_binary *binary_at(struct stop_binaries *b, uint32_t number)
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
        const struct stop_binary *binary = binary_at(b, number);

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
        const struct stop_binary *binary = binary_at(b, number);
        const struct native_range *function = binary ? function_before(binary, addr) : NULL;
        uint64_t file_off;

        if (function && addr - function->start < function->size_bytes)
                return function->kind;
        /* A stripped file has no symbols for its local functions. */
        return binary && binary->is_stripped && object_to_file_off(binary->object, addr, &file_off)
                       ? PYTHON_NATIVE_UNKNOWN
                       : PYTHON_NATIVE_OTHER;
}
