/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides which files are written.  In a folder such as /tmp another user may have made a link to a file
 * that only this user may write, or a file whose content this user would then trust or give away. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os_linux_internal.h"

enum { MAX_LINKS = 40 };

static void add_folder(const char *path, size_t len, struct buf *out)
{
        while (len && path[len - 1] != '/')
                len--;
        buf_add(out, len ? path : "./", len ? len : 2);
}

/* As the kernel decides with fs.protected_symlinks and fs.protected_regular, which may be off. */
static bool is_of_stranger(const char *path, size_t len, const struct stat *st)
{
        AUTO_RELEASE(buf) folder = {0};
        struct stat there;

        if (st->st_uid == geteuid())
                return false;
        add_folder(path, len, &folder);
        return stat(buf_text(&folder), &there) ||
               ((there.st_mode & S_ISVTX) && (there.st_mode & (S_IWGRP | S_IWOTH)) &&
                there.st_uid != st->st_uid);
}

static bool refuse(const char *path, const char *what, struct err *err)
{
        return err_set(
                err, ERR_DENIED,
                "%s: not written, because %s of another user in a folder that several users may write to; "
                "remove it, or choose another file",
                path, what);
}

/* Whether no part of the path is a link of a stranger. */
static bool check_links(const char *path, struct err *err)
{
        AUTO_RELEASE(buf) part = {0};
        struct stat st;

        for (size_t end = 1; *path && end <= strlen(path); end++) {
                if (path[end] && path[end] != '/')
                        continue;
                buf_clear(&part);
                buf_add(&part, path, end);
                if (!lstat(buf_text(&part), &st) && S_ISLNK(st.st_mode) && is_of_stranger(path, end, &st))
                        return refuse(buf_text(&part), "it is a link", err);
        }
        return true;
}

static bool check_file(const char *path, const struct stat *st, struct err *err)
{
        if ((S_ISREG(st->st_mode) || S_ISFIFO(st->st_mode)) && is_of_stranger(path, strlen(path), st))
                return refuse(path, "it is a file", err);
        return true;
}

/* Links that lead to what this process has open already, maybe to a pipe. */
static bool is_descriptor(const char *path)
{
        return !strncmp(path, "/dev/fd/", 8) || !strncmp(path, "/dev/std", 8) || !strncmp(path, "/proc/", 6);
}

bool os_output_follow(const char *path, struct buf *out, struct err *err)
{
        struct stat st;

        buf_clear(out);
        buf_add_str(out, path);
        for (int i = 0; i < MAX_LINKS; i++) {
                AUTO_RELEASE(buf) target = {0};
                AUTO_RELEASE(buf) folder = {0};

                if (is_descriptor(buf_text(out)))
                        return true;
                if (!check_links(buf_text(out), err))
                        return false;
                if (!os_read_link(buf_text(out), &target))
                        return lstat(buf_text(out), &st) || check_file(buf_text(out), &st, err);
                if (target.data[0] != '/')
                        add_folder(out->data, out->len, &folder);
                buf_clear(out);
                buf_add(out, folder.data, folder.len);
                buf_add(out, target.data, target.len);
        }
        errno = ELOOP;
        return os_linux_fail(err, path);
}

/* Empties a file that was opened, unless it is not the one that was checked. */
static bool empty(int fd, const char *path, struct err *err)
{
        struct stat st;

        if (fstat(fd, &st))
                return os_linux_fail(err, path);
        if (!check_file(path, &st, err))
                return false;
        return !S_ISREG(st.st_mode) || !st.st_size || !ftruncate(fd, 0) || os_linux_fail(err, path);
}

/* A FIFO is opened for writing only, so that the end of its reader is noticed.  The path was followed to
 * its end, so that it must not be a link. */
int os_linux_open_output(const char *path, unsigned mode, struct err *err)
{
        AUTO_RELEASE(buf) place = {0};
        struct stat st;
        bool is_fifo = !stat(path, &st) && S_ISFIFO(st.st_mode);
        int flags = O_CREAT | O_CLOEXEC | (is_fifo ? O_WRONLY : O_RDWR);
        int fd;

        if (!os_output_follow(path, &place, err))
                return -1;
        flags |= is_descriptor(buf_text(&place)) ? 0 : O_NOFOLLOW;
        fd = open(buf_text(&place), flags, mode);
        if (fd < 0) {
                os_linux_fail(err, path);
                return -1;
        }
        if (empty(fd, buf_text(&place), err))
                return fd;
        close(fd);
        return -1;
}
