/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps open what the path in a map record will not lead to later: deleted files, memfds, files of other
 * mount namespaces, and the roots of processes that live in one. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "linux_internal.h"
#include "text.h"

enum { MAX_KEPT = 4096, MAX_ROOTS = 1024, NAMED_NOT_KEPT = 5, MOUNT_NAMESPACE = 5 };

void keeper_init(struct keeper *keeper)
{
        *keeper = (struct keeper){.own_namespace = proc_mount_namespace(0)};
}

void keeper_release(struct keeper *keeper)
{
        for (size_t i = 0; i < keeper->n_kept; i++)
                close(keeper->kept[i].fd);
        for (size_t i = 0; i < keeper->n_roots; i++) {
                if (keeper->roots[i].root_fd >= 0)
                        close(keeper->roots[i].root_fd);
        }
        free(keeper->kept);
        free(keeper->roots);
        map_release(&keeper->seen);
        map_release(&keeper->foreign);
        buf_release(&keeper->not_kept);
        arena_release(&keeper->names);
}

/* A process that moved to, or was found in, another mount namespace. */
static void see_namespaces(struct keeper *k, struct cursor c)
{
        enum { ENTRY_BYTES = 16 };
        struct kept_root root = {.root_fd = -1};
        uint64_t inode;
        char path[64];
        bool is_new;

        cursor_skip(&c, sizeof(struct perf_header));
        root.pid = (int32_t)cursor_u32(&c);
        if (cursor_u32(&c) != (uint32_t)root.pid) /* one thread of it */
                return;
        if (cursor_u64(&c) <= MOUNT_NAMESPACE)
                return;
        cursor_skip(&c, MOUNT_NAMESPACE * ENTRY_BYTES + 8);
        inode = cursor_u64(&c);
        if (c.failed || !inode || !k->own_namespace || inode == k->own_namespace)
                return;
        map_put(&k->foreign, (uint32_t)root.pid, &is_new);
        if (!is_new || k->n_roots == MAX_ROOTS)
                return;
        snprintf(path, sizeof(path), "/proc/%" PRId32 "/root", root.pid);
        root.root_fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
        root.inner_pid = proc_inner_pid(root.pid);
        ARRAY_PUSH(k->roots, k->n_roots, k->cap_roots, root);
}

static bool is_file_name(const char *path)
{
        return path[0] == '/' && !text_starts(path, "//anon") && !text_starts(path, "/dev/zero") &&
               !text_starts(path, "/SYSV") && !text_starts(path, "/anon_hugepage");
}

static bool needs_keeping(const struct keeper *k, const struct record_mmap *map)
{
        return text_ends(map->path, " (deleted)") || text_starts(map->path, "/memfd:") ||
               map_find(&k->foreign, (uint32_t)map->pid);
}

static int open_mapped(const struct keeper *k, const struct record_mmap *map)
{
        char path[4200];
        int fd;

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/map_files/%" PRIx64 "-%" PRIx64, map->pid, map->start,
                 map->start + map->len);
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (fd >= 0 || !map_find(&k->foreign, (uint32_t)map->pid) || text_ends(map->path, " (deleted)"))
                return fd;
        snprintf(path, sizeof(path), "/proc/%" PRId32 "/root%s", map->pid, map->path);
        return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

static void count_not_kept(struct keeper *k, const char *path)
{
        if (k->n_not_kept++ < NAMED_NOT_KEPT)
                buf_printf(&k->not_kept, "%s%s", k->not_kept.len ? ", " : "", path);
        else if (k->n_not_kept == NAMED_NOT_KEPT + 1)
                buf_add_str(&k->not_kept, ", ...");
}

static void see_map(struct keeper *k, struct cursor record)
{
        enum { PROT_EXEC_BIT = 4 };
        struct record_mmap map;
        uint64_t key;
        bool is_new;
        int fd;

        if (!record_mmap_parse(record, &map) || !(map.prot & PROT_EXEC_BIT) || !is_file_name(map.path) ||
            !needs_keeping(k, &map))
                return;
        key = map_hash_bytes(map.path, strlen(map.path)) ^
              map_hash_bytes(map.build_id, sizeof(map.build_id)) ^ map_mix(map.inode + 1);
        map_put(&k->seen, key, &is_new);
        if (!is_new)
                return;
        fd = k->n_kept < MAX_KEPT ? open_mapped(k, &map) : -1;
        if (fd < 0) {
                count_not_kept(k, map.path);
                return;
        }
        ARRAY_PUSH(k->kept, k->n_kept, k->cap_kept,
                   (struct kept_file){arena_copy(&k->names, map.path, strlen(map.path)), map.pid, fd});
}

void keeper_see(struct keeper *keeper, const struct perf_header *header, struct cursor record)
{
        if (header->type == PERF_RECORD_NAMESPACES)
                see_namespaces(keeper, record);
        else if (header->type == PERF_RECORD_MMAP2)
                see_map(keeper, record);
}
