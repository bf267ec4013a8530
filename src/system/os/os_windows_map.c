/* SPDX-License-Identifier: BSD-3-Clause */
/* Mapped files.  Windows does not allow truncating a mapped file, so it cannot shrink. */
#include "os_windows_internal.h"

#include <windows.h>

#include <stdlib.h>

#include "mem.h"

static struct os_map *map_handle(HANDLE h, struct err *err)
{
        BY_HANDLE_FILE_INFORMATION info;
        struct os_map *map;
        uint64_t size;
        void *bytes = NULL;

        if (!GetFileInformationByHandle(h, &info)) {
                os_windows_fail(err, "stat");
                return NULL;
        }
        size = ((uint64_t)info.nFileSizeHigh << 32) | info.nFileSizeLow;
        if (GetFileType(h) != FILE_TYPE_DISK || (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY)) {
                err_set(err, ERR_FORMAT, "is not a regular file");
                return NULL;
        }
        if (size) {
                HANDLE section = CreateFileMappingW(h, NULL, PAGE_READONLY, 0, 0, NULL);

                if (section) {
                        bytes = MapViewOfFile(section, FILE_MAP_READ, 0, 0, 0);
                        CloseHandle(section);
                }
                if (!bytes) {
                        os_windows_fail(err, "map");
                        return NULL;
                }
        }
        map = mem_new(1, sizeof(*map));
        *map = (struct os_map){
                .bytes = bytes,
                .size_bytes = (size_t)size,
                .dev = info.dwVolumeSerialNumber,
                .inode = ((uint64_t)info.nFileIndexHigh << 32) | info.nFileIndexLow,
                .mtime_ns = os_windows_unix_ns(&info.ftLastWriteTime),
                .ctime_ns = os_windows_changed_ns(h),
        };
        return map;
}

void os_map_by_reading(bool on)
{
}

struct os_map *os_map_open(const char *path, struct err *err)
{
        HANDLE h = os_windows_open(path, GENERIC_READ, OPEN_EXISTING);
        struct os_map *map;

        if (h == INVALID_HANDLE_VALUE) {
                os_windows_fail(err, path);
                return NULL;
        }
        map = map_handle(h, err);
        CloseHandle(h);
        if (!map)
                err_in(err, "%s", path);
        return map;
}

struct os_map *os_map_open_of(const char *path, const struct os_origin *origin, struct err *err)
{
        return os_map_open(path, err);
}

void os_map_free(struct os_map *map)
{
        if (!map)
                return;
        if (map->bytes)
                UnmapViewOfFile(map->bytes);
        free(map);
}

/* Windows reclaims such pages by itself. */
void os_map_forget(const struct os_map *map, uint64_t from, uint64_t size)
{
}

bool os_map_shrank(const struct os_map *map)
{
        return false;
}

bool os_map_check(const struct os_map *map, const char *path, struct err *err)
{
        return true;
}
