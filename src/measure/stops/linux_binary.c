/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the interpreter of a process by its maps. A file is identified by device, inode and ctime. For a
 * process that maps a known file, only the maps have to be read. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "linux_maps.h"
#include "stop_binary_internal.h"
#include "text.h"
#include "text_match.h"

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

        if (!find_file(path, inode, pid, &open_path, &file))
                return STOP_NO_INTERPRETER;
        return stop_binaries_number(
                b, map_mix(file.inode + map_mix(file.dev + map_mix((uint64_t)file.ctime_ns))), open_path.data,
                path);
}

/* --- A process --- */

struct finding {
        struct stop_binaries *binaries;
        int32_t pid;
        const char *program;
        uint32_t number; /* 0 until found */
        uint64_t bias;
        bool is_unsupported;
};

static void look_at_map(struct finding *f, const struct linux_map *map)
{
        const struct stop_binary *binary;
        uint64_t addr;
        uint32_t number;

        if (!map->can_execute || *map->path != '/' ||
            (strcmp(map->path, f->program) && !stop_binary_is_library(map->path)))
                return;
        number = number_of(f->binaries, f->pid, map->path, map->inode);
        f->is_unsupported |= number == STOP_UNSUPPORTED;
        binary = stop_binaries_at(f->binaries, number);
        if (!binary || !object_to_addr(binary->object, map->file_off, &addr))
                return;
        f->number = number;
        f->bias = map->start - addr;
}

uint32_t stop_binaries_find(struct stop_binaries *b, const struct stop_thread *thread, uint64_t *ret_bias,
                            bool *ret_is_unsupported)
{
        AUTO_RELEASE(buf) program = {0};
        struct finding f = {.binaries = b, .pid = thread->pid};
        struct linux_maps maps;
        struct linux_map map;
        char path[64];

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/exe", thread->pid);
        os_read_link(path, &program);
        f.program = buf_text(&program);
        linux_maps_begin(&maps, thread->pid);
        while (!f.number && linux_maps_next(&maps, &map))
                look_at_map(&f, &map);
        linux_maps_end(&maps);
        *ret_bias = f.bias;
        *ret_is_unsupported = !f.number && f.is_unsupported;
        return f.number;
}

/* --- Tasks of asyncio --- */

static bool is_asyncio(const struct linux_map *map)
{
        return map->can_execute && *map->path == '/' && text_starts(text_base_name(map->path), "_asyncio.");
}

static void read_tasks(int32_t pid, const struct linux_map *map, struct python_task_layout *ret_layout)
{
        AUTO_RELEASE(buf) open_path = {0};
        struct os_stat file;
        AUTO(object) object = NULL;

        if (!find_file(map->path, map->inode, pid, &open_path, &file))
                return;
        object = object_open(open_path.data, NULL);
        if (object)
                python_binary_read_tasks(object, ret_layout);
}

void stop_binaries_find_tasks(struct stop_binaries *b, uint32_t number, int32_t pid,
                              struct python_task_layout *ret_layout)
{
        const struct python_binary *binary = stop_binaries_get(b, number);
        struct linux_maps maps;
        struct linux_map map;

        *ret_layout = (struct python_task_layout){0};
        if (!binary || binary->layout.minor < 14)
                return;
        *ret_layout = binary->tasks;
        linux_maps_begin(&maps, pid);
        while (!ret_layout->task_bytes && linux_maps_next(&maps, &map)) {
                if (is_asyncio(&map))
                        read_tasks(pid, &map, ret_layout);
        }
        linux_maps_end(&maps);
}
