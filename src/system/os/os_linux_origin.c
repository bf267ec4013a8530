/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides which files are opened, and which owners are trusted.  A name from a file may lead to a device,
 * which may act when it is opened, to a FIFO, or by links to any file. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "buf.h"
#include "err.h"
#include "os_left_out.h"
#include "os_linux_internal.h"
#include "text.h"

static const char descriptor_folder[] = "/proc/self/fd/";

enum { OPEN_FLAGS = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY };

void os_descriptor_path(int descriptor, const char *below, struct buf *out)
{
        buf_printf(out, "%s%d%s", descriptor_folder, descriptor, below ? below : "");
}

/* Parses such a path into the descriptor and the part below it ("" for the descriptor itself). */
static bool parse_descriptor_path(const char *path, int *ret_descriptor, const char **ret_below)
{
        char *end;
        long number;

        if (!text_starts(path, descriptor_folder))
                return false;
        path += strlen(descriptor_folder);
        number = strtol(path, &end, 10);
        if (end == path || number < 0 || number > INT32_MAX || (*end && *end != '/'))
                return false;
        *ret_descriptor = (int)number;
        *ret_below = end;
        return true;
}

/* --- Owners --- */

/* In a user namespace all users that are not mapped have the same number, so it identifies nobody. */
static bool is_known_user(uint32_t user)
{
        enum { OVERFLOW_USER = 65534, SMALL_LIMIT = 65536 };
        AUTO_RELEASE(buf) map = {0};
        unsigned long inner, outer, n;

        if (user != OVERFLOW_USER)
                return true;
        return !os_read_file("/proc/self/uid_map", SMALL_LIMIT, &map, NULL) ||
               sscanf(buf_text(&map), "%lu %lu %lu", &inner, &outer, &n) != 3 ||
               (!inner && !outer && n > OVERFLOW_USER);
}

bool os_is_superuser(void)
{
        return !geteuid();
}

static bool is_of(uint32_t owner, uint32_t user)
{
        return !owner || (owner == user && is_known_user(owner));
}

bool os_is_trusted_owner(uint32_t owner)
{
        return is_of(owner, geteuid());
}

/* --- Files --- */

static bool check_regular(const struct stat *st, const char *path, struct err *err)
{
        if (S_ISREG(st->st_mode))
                return true;
        if (S_ISLNK(st->st_mode))
                return err_set(err, ERR_DENIED, "%s: is a symbolic link, which wperf does not follow here",
                               path);
        return err_set(err, ERR_FORMAT, "%s: is not a regular file", path);
}

/* The file may have been replaced since it was checked. */
static int check_opened(int fd, const char *path, struct err *err)
{
        struct stat st;

        if (fd < 0) {
                os_linux_fail(err, path);
                return -1;
        }
        if (!fstat(fd, &st) && check_regular(&st, path, err))
                return fd;
        close(fd);
        return -1;
}

/* The path may lead to another file now than the regular file that was checked. */
static int open_file(const char *path, int flags, struct err *err)
{
        struct stat st;
        int fd;

        if (os_is_left_out(path)) {
                errno = ETIMEDOUT;
                os_linux_fail(err, path);
                return -1;
        }
        if (fstatat(AT_FDCWD, path, &st, flags & O_NOFOLLOW ? AT_SYMLINK_NOFOLLOW : 0)) {
                os_linux_fail(err, path);
                return -1;
        }
        if (!check_regular(&st, path, err))
                return -1;
        fd = open(path, OPEN_FLAGS | flags);
        if (fd < 0)
                os_linux_fail(err, path);
        return fd;
}

int os_linux_open_to_map(const char *path, struct err *err)
{
        return open_file(path, 0, err);
}

int os_linux_open_regular(const char *path, struct err *err)
{
        int fd = open_file(path, 0, err);

        return fd < 0 ? -1 : check_opened(fd, path, err);
}

/* Whether all users may reach the opened file: each folder of its path lets them pass. */
static bool is_reachable(int fd)
{
        AUTO_RELEASE(buf) link = {0};
        AUTO_RELEASE(buf) path = {0};
        struct stat st;

        buf_printf(&link, "%s%d", descriptor_folder, fd);
        if (!os_read_link(buf_text(&link), &path) || path.data[0] != '/')
                return false;
        for (char *slash = strrchr(path.data, '/'); slash; slash = strrchr(path.data, '/')) {
                *slash = '\0';
                if (stat(*path.data ? path.data : "/", &st) || !(st.st_mode & S_IXOTH))
                        return false;
        }
        return true;
}

int os_linux_open_public(const char *path, bool is_given, struct err *err)
{
        int fd = os_linux_open_regular(path, err);
        struct stat st;

        if (fd < 0 || !os_is_superuser() ||
            (!fstat(fd, &st) && st.st_mode & S_IROTH && (!is_given || is_reachable(fd))))
                return fd;
        err_set(err, ERR_DENIED, "%s: not all users may read it", path);
        close(fd);
        return -1;
}

static int open_below_once(int folder, const char *below, uint64_t flags)
{
        struct open_how how = {.flags = flags, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};

        return (int)syscall(__NR_openat2, folder, below, &how, sizeof(how));
}

/* O_PATH is used first, because it does not open the file itself. */
static int open_below(int folder, const char *below, const char *path, struct err *err)
{
        int fd = open_below_once(folder, below, O_PATH | O_NOFOLLOW | O_CLOEXEC);

        fd = check_opened(fd, path, err);
        if (fd < 0)
                return -1;
        close(fd);
        return check_opened(open_below_once(folder, below, OPEN_FLAGS | O_NOFOLLOW), path, err);
}

bool os_linux_check_origin(const struct stat *st, const struct os_origin *origin, struct err *err)
{
        if (!origin->any_owner && !is_of(st->st_uid, origin->has_owner ? origin->owner : geteuid()))
                return err_set(err, ERR_DENIED, "belongs to another user (id %u)%s", (unsigned)st->st_uid,
                               origin->has_owner ? " than its process" : "; read it with --force");
        if (os_linux_mtime_ns(st) < origin->not_before_ns)
                return err_set(err, ERR_DENIED, "is older than its process");
        return true;
}

int os_linux_open_of(const char *path, struct err *err)
{
        const char *below = NULL;
        int descriptor;

        if (!parse_descriptor_path(path, &descriptor, &below))
                return open_file(path, O_NOFOLLOW, err);
        return *below ? open_below(descriptor, below, path, err) : open_file(path, 0, err);
}
