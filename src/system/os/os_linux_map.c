/* SPDX-License-Identifier: BSD-3-Clause */
/* Mapped files: on a SIGBUS inside one of our mappings, the handler maps a page of zeros there and sets
 * that mapping's flag.  A library must not install a handler; it reads files instead. */
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mem.h"
#include "os.h"
#include "os_linux_internal.h"

enum { MAX_MAPS = 16384 };

static struct {
        _Atomic uintptr_t start;
        _Atomic size_t size;
        atomic_bool shrank;
} map_slots[MAX_MAPS];

static _Atomic uint32_t n_map_slots; /* number of slots that were ever used */
static struct sigaction old_sigbus;
static atomic_bool reads_files;

void os_map_by_reading(bool on)
{
        reads_files = on;
}

static void on_sigbus(int sig, siginfo_t *info, void *context)
{
        uintptr_t addr = (uintptr_t)info->si_addr;
        uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

        for (uint32_t i = 0; i < n_map_slots; i++) {
                uintptr_t start = map_slots[i].start;

                if (!start || addr < start || addr - start >= map_slots[i].size)
                        continue;
                map_slots[i].shrank = true;
                if (mmap((void *)(addr & ~(page - 1)), page, PROT_READ,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED)
                        return;
                break;
        }
        /* Not one of our mappings: the old handler is restored, and the next fault ends the process. */
        os_linux_restore_terminal();
        sigaction(sig, &old_sigbus, NULL);
}

static bool take_slot(uintptr_t start, size_t size, uint32_t *ret_slot)
{
        for (uint32_t i = 0; i < MAX_MAPS; i++) {
                if (i < n_map_slots && map_slots[i].start)
                        continue;
                if (!n_map_slots) {
                        struct sigaction action = {.sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO};

                        sigaction(SIGBUS, &action, &old_sigbus);
                }
                map_slots[i].shrank = false;
                map_slots[i].size = size;
                map_slots[i].start = start;
                if (i >= n_map_slots)
                        n_map_slots = i + 1;
                *ret_slot = i;
                return true;
        }
        return false;
}

/* If there is an access control list, the group bits of the mode are the upper limit of its permissions. */
static uint64_t writers_of(const struct stat *st)
{
        mode_t others = st->st_mode & (S_IWGRP | S_IWOTH);

        return !others && os_is_trusted_owner(st->st_uid) ? 0 : (uint64_t)st->st_uid << 32 | others | 1;
}

static void *map_bytes(int fd, size_t size, uint32_t *ret_slot, struct err *err)
{
        void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);

        if (bytes == MAP_FAILED) {
                os_linux_fail(err, "map");
                return NULL;
        }
        if (!take_slot((uintptr_t)bytes, size, ret_slot)) {
                munmap(bytes, size);
                err_set(err, ERR_LIMIT, "more than %d files are mapped", MAX_MAPS);
                return NULL;
        }
        return bytes;
}

/* What is not there any more reads as zeros; os_map_check() compares the size again. */
static void *read_bytes(int fd, size_t size, struct err *err)
{
        uint8_t *bytes = size <= os_memory_bytes() / 2 ? calloc(1, size) : NULL;
        size_t at = 0;

        if (!bytes) {
                err_set(err, ERR_LIMIT, "%zu bytes do not fit into memory", size);
                return NULL;
        }
        while (at < size) {
                ssize_t n = pread(fd, bytes + at, size - at, (off_t)at);

                if (n < 0 && errno == EINTR)
                        continue;
                if (n < 0) {
                        os_linux_fail(err, "read");
                        free(bytes);
                        return NULL;
                }
                if (!n)
                        break;
                at += (size_t)n;
        }
        return bytes;
}

/* `origin` NULL: any file is accepted. */
static struct os_map *map_descriptor(int fd, const struct os_origin *origin, struct err *err)
{
        bool is_copy = reads_files;
        struct os_map *map;
        struct stat st;
        void *bytes = NULL;
        uint32_t slot = 0;

        if (fstat(fd, &st)) {
                os_linux_fail(err, "stat");
                return NULL;
        }
        if (!S_ISREG(st.st_mode)) {
                err_set(err, ERR_FORMAT, "is not a regular file");
                return NULL;
        }
        if (origin && !os_linux_check_origin(&st, origin, err))
                return NULL;
        if ((uint64_t)st.st_size > SIZE_MAX / 2) {
                err_set(err, ERR_LIMIT, "is too large to map");
                return NULL;
        }
        if (st.st_size) {
                bytes = is_copy ? read_bytes(fd, (size_t)st.st_size, err)
                                : map_bytes(fd, (size_t)st.st_size, &slot, err);
                if (!bytes)
                        return NULL;
        }
        map = mem_new(1, sizeof(*map));
        *map = (struct os_map){
                .bytes = bytes,
                .size_bytes = (size_t)st.st_size,
                .dev = st.st_dev,
                .inode = st.st_ino,
                .mtime_ns = os_linux_mtime_ns(&st),
                .ctime_ns = os_linux_ctime_ns(&st),
                .owner = st.st_uid,
                .writers = writers_of(&st),
                .slot = slot,
                .is_copy = is_copy,
        };
        return map;
}

static struct os_map *map_opened(int fd, const char *path, const struct os_origin *origin, struct err *err)
{
        struct os_map *map;

        if (fd < 0)
                return NULL;
        map = map_descriptor(fd, origin, err);
        close(fd);
        if (!map)
                err_in(err, "%s", path);
        return map;
}

struct os_map *os_map_open(const char *path, struct err *err)
{
        return map_opened(os_linux_open_to_map(path, err), path, NULL, err);
}

struct os_map *os_map_open_of(const char *path, const struct os_origin *origin, struct err *err)
{
        return map_opened(os_linux_open_of(path, err), path, origin, err);
}

void os_map_free(struct os_map *map)
{
        if (!map)
                return;
        if (map->is_copy) {
                free((void *)(uintptr_t)map->bytes);
        } else if (map->bytes) {
                map_slots[map->slot].start = 0;
                munmap((void *)(uintptr_t)map->bytes, map->size_bytes);
        }
        free(map);
}

void os_map_forget(const struct os_map *map, uint64_t from, uint64_t size)
{
        uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), at = (from + page - 1) & ~(page - 1);
        uint64_t end = size < map->size_bytes - from ? from + size : map->size_bytes;

        assert(from <= map->size_bytes);
        if (at < end && !map->is_copy)
                madvise((void *)(uintptr_t)(map->bytes + at), end - at, MADV_DONTNEED);
}

bool os_map_shrank(const struct os_map *map)
{
        return map->bytes && !map->is_copy && map_slots[map->slot].shrank;
}

bool os_map_check(const struct os_map *map, const char *path, struct err *err)
{
        struct os_stat now;

        /* A cut inside the last page causes no signal, so the size is checked again. */
        if (os_map_shrank(map) || (os_stat(path, &now) && now.inode == map->inode && now.dev == map->dev &&
                                   now.size_bytes < map->size_bytes))
                return err_set(err, ERR_IO, "%s: became shorter while it was read", path);
        return true;
}
