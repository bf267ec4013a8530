/* SPDX-License-Identifier: BSD-3-Clause */
/* The collector's thread, which reads the list of a process's modules, tells which of them is an
 * interpreter. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "stop_binary_internal.h"
#include "text_match.h"

/* The interpreter of a process. */
struct told_binary {
        uint32_t number; /* 0: not supported */
        uint64_t start, bias;
};

static uint64_t key_of(const char *path)
{
        struct os_stat file = {0};

        os_stat(path, &file);
        return map_mix(map_hash_bytes(path, strlen(path)) +
                       map_mix(file.size_bytes + (uint64_t)file.mtime_ns));
}

/* Other libraries are not opened. */
static bool may_be_interpreter(const char *path)
{
        size_t len = strlen(path);

        return stop_binary_is_library(path) || (len > 4 && text_equal_nocase(path + len - 4, ".exe"));
}

static void tell(struct stop_binaries *b, uint32_t image, const char *path, uint64_t start)
{
        uint32_t number = stop_binaries_number(b, key_of(path), path, path);
        const struct stop_binary *binary = stop_binaries_at(b, number);
        struct told_binary *told;
        uint64_t *slot;

        if (!binary && number != STOP_UNSUPPORTED)
                return;
        os_lock_enter(b->lock);
        slot = map_put(&b->told, image, NULL);
        if (!*slot)
                *slot = (uintptr_t)mem_new(1, sizeof(*told));
        told = (struct told_binary *)(uintptr_t)*slot;
        if (binary) {
                told->number = number;
                told->bias = start - object_get_facts(binary->object)->load_addr;
                told->start = start;
        }
        __atomic_add_fetch(&b->n_changes, 1, __ATOMIC_RELEASE);
        os_lock_leave(b->lock);
}

void stop_binaries_tell(struct stop_binaries *b, uint32_t image, const char *path, uint64_t start)
{
        if (may_be_interpreter(path))
                tell(b, image, path, start);
}

void stop_binaries_untell(struct stop_binaries *b, uint32_t image, uint64_t start)
{
        struct told_binary *told;
        const uint64_t *slot;

        os_lock_enter(b->lock);
        slot = map_find(&b->told, image);
        told = slot ? (struct told_binary *)(uintptr_t)*slot : NULL;
        if (told && (!start || told->start == start)) {
                free(told);
                map_remove(&b->told, image);
                __atomic_add_fetch(&b->n_changes, 1, __ATOMIC_RELEASE);
        }
        os_lock_leave(b->lock);
}

uint32_t stop_binaries_find(struct stop_binaries *b, const struct stop_thread *thread, uint64_t *ret_bias,
                            bool *ret_is_unsupported)
{
        const struct told_binary *told;
        const uint64_t *slot;
        uint32_t number = 0;

        *ret_is_unsupported = false;
        os_lock_enter(b->lock);
        slot = map_find(&b->told, thread->image);
        told = slot ? (const struct told_binary *)(uintptr_t)*slot : NULL;
        if (told) {
                number = told->number;
                *ret_bias = told->bias;
                *ret_is_unsupported = !number;
        }
        os_lock_leave(b->lock);
        return number;
}
