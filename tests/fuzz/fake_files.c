/* SPDX-License-Identifier: BSD-3-Clause */
#include "fake_files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "buf.h"
#include "err.h"
#include "linux_maps.h"
#include "os.h"

static struct {
        const uint8_t *bytes;
        size_t size, next;
} files;

void fake_files_begin(const uint8_t *data, size_t size)
{
        files.bytes = data;
        files.size = size;
        files.next = 0;
}

/* After the last part the first one comes again. */
static const uint8_t *next_part(size_t *ret_size)
{
        const uint8_t *at, *end;

        if (files.next > files.size)
                files.next = 0;
        at = files.bytes + files.next;
        end = files.size > files.next ? memchr(at, FAKE_SEPARATOR, files.size - files.next) : NULL;
        *ret_size = end ? (size_t)(end - at) : files.size - files.next;
        files.next += *ret_size + 1;
        return at;
}

/* --- Instead of functions of os.h --- */

bool __wrap_os_read_file(const char *path, size_t limit, struct buf *out, struct err *err);
bool __wrap_os_list_dir(const char *path, bool (*each)(void *ctx, const char *name), void *ctx,
                        struct err *err);
bool __wrap_os_read_link(const char *path, struct buf *out);
bool __wrap_os_stat(const char *path, struct os_stat *ret_stat);
void __wrap_linux_maps_begin(struct linux_maps *maps, int32_t pid);

bool __wrap_os_read_file(const char *path, size_t limit, struct buf *out, struct err *err)
{
        size_t size;
        const uint8_t *bytes = next_part(&size);

        if (!size)
                return err_set(err, ERR_MISSING, "%s: does not exist", path);
        if (size > limit)
                return err_set(err, ERR_LIMIT, "%s: is larger than %zu bytes", path, limit);
        buf_add(out, bytes, size);
        return true;
}

bool __wrap_os_list_dir(const char *path, bool (*each)(void *ctx, const char *name), void *ctx,
                        struct err *err)
{
        static const char *const names[] = {"self", "2147483632", "2147483633", "99999999999999999999"};

        (void)path, (void)err;
        for (size_t i = 0; i < N_ELEMENTS(names); i++) {
                if (!each(ctx, names[i]))
                        break;
        }
        return true;
}

bool __wrap_os_read_link(const char *path, struct buf *out)
{
        return __wrap_os_read_file(path, 4096, out, NULL);
}

/* Other paths are other files. */
bool __wrap_os_stat(const char *path, struct os_stat *ret_stat)
{
        *ret_stat = (struct os_stat){.size_bytes = 1, .inode = strlen(path), .is_file = true};
        return true;
}

void __wrap_linux_maps_begin(struct linux_maps *maps, int32_t pid)
{
        size_t size;
        const uint8_t *bytes = next_part(&size);

        (void)pid;
        maps->at = maps->len = 0;
        maps->fd = size ? memfd_create("maps", MFD_CLOEXEC) : -1;
        if (size &&
            (maps->fd < 0 || write(maps->fd, bytes, size) != (ssize_t)size || lseek(maps->fd, 0, SEEK_SET)))
                abort();
}
