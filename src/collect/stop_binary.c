/* SPDX-License-Identifier: BSD-3-Clause */
/* A file is known by device, inode and time of change, so that a process that maps a known one costs a look at its maps. */
#include "stop_binary.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "mem.h"
#include "object.h"
#include "os.h"
#include "python_eval.h"

enum { MAX_BINARIES = 256, MAPS_LIMIT = 64 << 20 };

struct stop_binary {
        struct python_binary python;
        struct object_range *evals;
        size_t n_evals, cap_evals;
        struct object *object; /* to turn file offsets into addresses */
};

struct stop_binaries {
        struct os_lock *lock;
        struct map numbers; /* of a file -> its number + 1; 1: it defines no interpreter that is supported */
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
                free(b->items[i]->evals);
                free(b->items[i]);
        }
        map_release(&b->numbers);
        os_lock_free(b->lock);
        free(b);
}

static void read_evals(struct stop_binary *binary, enum object_table table)
{
        struct object_symbols symbols;
        struct object_symbol symbol;

        if (!object_symbols_begin(binary->object, table, &symbols))
                return;
        while (object_symbols_next(&symbols, &symbol)) {
                if (symbol.is_defined && symbol.size_bytes &&
                    python_eval_is_name(object_symbols_name(&symbols, &symbol)))
                        ARRAY_PUSH(binary->evals, binary->n_evals, binary->cap_evals,
                                   ((struct object_range){symbol.addr, symbol.size_bytes}));
        }
}

/* NULL: no interpreter, or none that is supported. */
static struct stop_binary *open_binary(const char *open_path, const char *path)
{
        AUTO(object) object = object_open(open_path, NULL);
        struct python_binary python;
        struct stop_binary *binary;

        if (!object || !python_binary_find(object, path, &python, NULL))
                return NULL;
        binary = mem_new(1, sizeof(*binary));
        binary->python = python;
        binary->object = TAKE(object);
        read_evals(binary, OBJECT_SYMBOLS);
        read_evals(binary, OBJECT_DYNAMIC_SYMBOLS);
        return binary;
}

/* A file of a process that may define the interpreter. */
static uint32_t number_of(struct stop_binaries *b, int32_t pid, const char *path)
{
        AUTO_RELEASE(buf) open_path = {0};
        struct os_stat file;
        struct stop_binary *binary;
        uint64_t *known;

        buf_printf(&open_path, "/proc/%" PRId32 "/root%s", pid, path);
        if (!os_stat(open_path.data, &file))
                return 0;
        known = map_put(&b->numbers,
                        map_mix(file.inode + map_mix(file.dev + map_mix((uint64_t)file.ctime_ns))), NULL);
        if (*known)
                return (uint32_t)*known - 1;
        *known = 1;
        if (b->n_items == MAX_BINARIES || !(binary = open_binary(open_path.data, path)))
                return 0;
        os_lock_enter(b->lock);
        b->items[b->n_items++] = binary;
        *known = b->n_items + 1;
        os_lock_leave(b->lock);
        return b->n_items;
}

static bool may_define(const char *path, const char *program)
{
        const char *slash = strrchr(path, '/');

        return path[0] == '/' &&
               (!strcmp(path, program) || !strncmp(slash + 1, "libpython", strlen("libpython")));
}

static bool find_in_line(struct stop_binaries *b, int32_t pid, const char *program, const char *line,
                         uint32_t *ret_number, uint64_t *ret_bias)
{
        uint64_t start, end, pgoff, addr;
        char perms[5];
        int path_at = 0;
        uint32_t number;

        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*x:%*x %*u %n", &start, &end, perms,
                   &pgoff, &path_at) < 4 ||
            !path_at || perms[2] != 'x' || !may_define(line + path_at, program))
                return false;
        number = number_of(b, pid, line + path_at);
        if (!number || !object_to_addr(b->items[number - 1]->object, pgoff, &addr))
                return false;
        *ret_number = number;
        *ret_bias = start - addr;
        return true;
}

uint32_t stop_binaries_find(struct stop_binaries *b, int32_t pid, uint64_t *ret_bias)
{
        AUTO_RELEASE(buf) maps = {0};
        AUTO_RELEASE(buf) program = {0};
        uint32_t number = 0;
        char path[64];
        char *line, *next;

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/exe", pid);
        os_read_link(path, &program);
        snprintf(path, sizeof(path), "/proc/%" PRId32 "/maps", pid);
        if (!os_read_file(path, MAPS_LIMIT, &maps, NULL) || !maps.len)
                return 0;
        for (line = maps.data; *line; line = next) {
                next = line + strcspn(line, "\n");
                if (*next)
                        *next++ = '\0';
                if (find_in_line(b, pid, buf_text(&program), line, &number, ret_bias))
                        break;
        }
        return number;
}

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

bool stop_binaries_is_eval(struct stop_binaries *b, uint32_t number, uint64_t addr)
{
        const struct stop_binary *binary = binary_at(b, number);

        for (size_t i = 0; binary && i < binary->n_evals; i++) {
                if (addr - binary->evals[i].start < binary->evals[i].size_bytes)
                        return true;
        }
        return false;
}
