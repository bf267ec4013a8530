/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the build ids of mapped files and recognizes PE images. Each version of a file is read once. The
 * kernel can put build ids into its records, but then it also sets the build-id bit in records for other
 * profilers without changing their layout, and perf aborts on those. */
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "buf.h"
#include "linux_internal.h"
#include "mem.h"
#include "object.h"
#include "os.h"
#include "text.h"

enum { MAX_MISSED = 64 };   /* after this many failures the file is not opened any more */
enum { IDENTITY_OFF = 40 }; /* offset in an MMAP2 record of device and inode, or the build id */

void mapped_files_release(struct mapped_files *all)
{
        map_release(&all->by_name);
        free(all->items);
}

void mapped_files_forget(struct mapped_files *all)
{
        mapped_files_release(all);
        *all = (struct mapped_files){0};
}

struct mapped_file *mapped_files_get(struct mapped_files *all, const struct record_mmap *map, bool may_add)
{
        uint64_t device = (uint64_t)map->maj << 32 | map->min;
        uint64_t key =
                map_hash_bytes(map->path, strlen(map->path)) ^ map_mix(map_mix(device) ^ (map->inode + 1));
        uint64_t *number = may_add ? map_put(&all->by_name, key, NULL) : map_find(&all->by_name, key);

        if (!number)
                return NULL;
        if (!*number) {
                ARRAY_PUSH(all->items, all->n, all->cap, (struct mapped_file){0});
                *number = all->n;
        }
        return &all->items[*number - 1];
}

static int64_t mtime_ns(const struct stat *st)
{
        return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

bool mapped_file_is_current(struct mapped_file *file, const struct record_mmap *map, uint64_t pass)
{
        bool is_told = file->generation && map->inode_generation;
        struct stat st;

        if (!file->is_read || (is_told && file->generation != map->inode_generation))
                return false;
        if (!file->generation)
                file->generation = map->inode_generation;
        if (!file->inode_there || file->checked == pass)
                return true;
        file->checked = pass;
        if (stat(map->path, &st) || st.st_ino != file->inode_there)
                return is_told;
        return mtime_ns(&st) == file->mtime_ns && (uint64_t)st.st_size == file->size_bytes;
}

/* Whether the path of the open file, from any root, ends with the recorded one. */
static bool has_recorded_path(int fd, const struct record_mmap *map)
{
        static const char deleted[] = " (deleted)";
        AUTO_RELEASE(buf) path = {0};
        size_t len = strlen(map->path);
        char name[32];

        snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
        if (!os_read_link(name, &path))
                return false;
        if (text_ends(buf_text(&path), deleted))
                buf_truncate(&path, path.len - strlen(deleted));
        if (text_ends(map->path, deleted))
                len -= strlen(deleted);
        return path.len >= len && !memcmp(path.data + path.len - len, map->path, len);
}

/* In an overlay file system, the record may have the inode of the lower file. Then the path tells: the
 * process may run another program by now. */
static bool is_recorded(int fd, const struct stat *st, const struct record_mmap *map)
{
        struct statfs fs;

        return st->st_ino == map->inode ||
               (!fstatfs(fd, &fs) && fs.f_type == OVERLAYFS_SUPER_MAGIC && has_recorded_path(fd, map));
}

int mapped_file_reopen(int path_fd, const struct record_mmap *map)
{
        char name[32];
        struct stat st;
        int fd = -1;

        if (path_fd < 0)
                return -1;
        snprintf(name, sizeof(name), "/proc/self/fd/%d", path_fd);
        if (!fstat(path_fd, &st) && S_ISREG(st.st_mode) && is_recorded(path_fd, &st, map))
                fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        close(path_fd);
        return fd;
}

/* Calls stat first, so that no device is opened; checks again after opening, because the file may have been
 * replaced. */
int mapped_file_open(const struct record_mmap *map)
{
        struct stat st;
        int fd;

        if (stat(map->path, &st) || !S_ISREG(st.st_mode))
                return -1;
        fd = open(map->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        if (fd < 0 || (!fstat(fd, &st) && S_ISREG(st.st_mode) && is_recorded(fd, &st, map)))
                return fd;
        close(fd);
        return -1;
}

int mapped_file_check_device(int fd, const struct record_mmap *map)
{
        struct stat st;

        if (fd < 0 ||
            (!fstat(fd, &st) && st.st_dev == makedev(map->maj, map->min) && st.st_ino == map->inode))
                return fd;
        close(fd);
        return -1;
}

static bool has_magic(int fd)
{
        char bytes[4];

        return pread(fd, bytes, sizeof(bytes), 0) == sizeof(bytes) &&
               (!memcmp(bytes, "\177ELF", 4) || !memcmp(bytes, "MZ", 2));
}

static void take_facts(struct mapped_file *file, const struct object_facts *facts)
{
        if (facts->build_id_size > BUILD_ID_MAX)
                return;
        memcpy(file->build_id, facts->build_id, facts->build_id_size);
        file->build_id_size = facts->build_id_size;
}

void mapped_file_read(struct mapped_file *file, int fd, const struct record_mmap *map, bool is_at_path,
                      struct pe_seen *images)
{
        AUTO(object) object = NULL;
        char name[32];
        struct stat st;

        *file = (struct mapped_file){.is_read = true,
                                     .generation = map->inode_generation,
                                     .n_missed = file->n_missed,
                                     .is_counted = file->is_counted};
        if (fd < 0) {
                /* Try again: the next process that maps it may run longer. */
                file->is_read = ++file->n_missed >= MAX_MISSED;
                return;
        }
        if (is_at_path && !fstat(fd, &st)) {
                file->inode_there = st.st_ino;
                file->mtime_ns = mtime_ns(&st);
                file->size_bytes = (uint64_t)st.st_size;
        }
        file->is_object = has_magic(fd);
        if (!file->is_object)
                return;
        snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
        object = object_open(name, NULL);
        if (!object)
                return;
        take_facts(file, object_get_facts(object));
        if (object_get_facts(object)->format == OBJECT_PE)
                pe_see_image(images, object, map->path);
        else if (!file->build_id_size)
                pe_see_go_program(images, object, map->path);
}

void mapped_file_put_build_id(const struct mapped_file *file, uint8_t *record)
{
        uint8_t identity[4 + BUILD_ID_MAX] = {file->build_id_size};
        struct perf_header header;

        memcpy(&header, record, sizeof(header));
        header.misc |= PERF_MISC_MMAP_BUILD_ID;
        memcpy(identity + 4, file->build_id, BUILD_ID_MAX);
        memcpy(record, &header, sizeof(header));
        memcpy(record + IDENTITY_OFF, identity, sizeof(identity));
}
