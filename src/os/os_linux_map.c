/* SPDX-License-Identifier: BSD-3-Clause */
/* Mapped files: a SIGBUS inside a mapping of ours puts a page of zeros under the reader and sets that mapping's flag. */
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

static _Atomic uint32_t n_map_slots; /* slots ever used */
static struct sigaction old_sigbus;

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
        /* Not ours: the second fault, under the old handling, ends the process as it should. */
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

/* With an access control list the mode's bits of the group say what the list allows at most. */
static uint64_t writers_of(const struct stat *st)
{
        mode_t others = st->st_mode & (S_IWGRP | S_IWOTH);

        return !others && os_is_trusted_owner(st->st_uid) ? 0 : (uint64_t)st->st_uid << 32 | others | 1;
}

/* `origin` NULL: it may be anybody's. */
static struct os_map *map_descriptor(int fd, const struct os_origin *origin, struct err *err)
{
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
                bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
                if (bytes == MAP_FAILED) {
                        os_linux_fail(err, "map");
                        return NULL;
                }
                if (!take_slot((uintptr_t)bytes, (size_t)st.st_size, &slot)) {
                        munmap(bytes, (size_t)st.st_size);
                        err_set(err, ERR_LIMIT, "more than %d files are mapped", MAX_MAPS);
                        return NULL;
                }
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
        if (map->bytes) {
                map_slots[map->slot].start = 0;
                munmap((void *)(uintptr_t)map->bytes, map->size_bytes);
        }
        free(map);
}

void os_map_forget(const struct os_map *map, uint64_t from, uint64_t size)
{
        uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), at = (from + page - 1) & ~(page - 1);
        uint64_t end = size < map->size_bytes - from ? from + size : map->size_bytes;

        if (at < end)
                madvise((void *)(uintptr_t)(map->bytes + at), end - at, MADV_DONTNEED);
}

bool os_map_shrank(const struct os_map *map)
{
        return map->bytes && map_slots[map->slot].shrank;
}

bool os_map_check(const struct os_map *map, const char *path, struct err *err)
{
        struct os_stat now;

        /* Inside the last page a cut gives zeros without a signal, hence the second look at the size. */
        if (os_map_shrank(map) || (os_stat(path, &now) && now.inode == map->inode && now.dev == map->dev &&
                                   now.size_bytes < map->size_bytes))
                return err_set(err, ERR_IO, "%s: became shorter while it was read", path);
        return true;
}
