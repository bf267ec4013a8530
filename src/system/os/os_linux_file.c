/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing files and streams. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mem.h"
#include "os_linux_internal.h"

struct os_file {
        int fd;
        bool can_seek;
        char *path;
};

/* --- Creating --- */

bool os_is_fifo(const char *path)
{
        static const char pipe[] = "pipe:";
        char target[sizeof(pipe)];
        struct stat st;

        return !stat(path, &st) && S_ISFIFO(st.st_mode) &&
               (readlink(path, target, sizeof(target)) < (ssize_t)strlen(pipe) ||
                memcmp(target, pipe, strlen(pipe)) != 0);
}

static struct os_file *file_create(const char *path, mode_t mode, struct err *err)
{
        bool is_stdout = !strcmp(path, "-");
        int fd = is_stdout ? dup(STDOUT_FILENO) : os_linux_open_output(path, mode, err);
        struct os_file *file;

        if (fd < 0) {
                if (is_stdout)
                        os_linux_fail(err, "standard output");
                return NULL;
        }
        file = mem_new(1, sizeof(*file));
        file->fd = fd;
        file->path = mem_strdup(is_stdout ? "standard output" : path);
        file->can_seek = !is_stdout && lseek(fd, 0, SEEK_CUR) >= 0;
        return file;
}

struct os_file *os_file_create(const char *path, struct err *err)
{
        return file_create(path, 0666, err);
}

struct os_file *os_file_create_private(const char *path, struct err *err)
{
        return file_create(path, 0600, err);
}

struct os_file *os_file_create_temp(const char *prefix, struct buf *ret_path, struct err *err)
{
        struct os_file *file;
        int fd;

        buf_clear(ret_path);
        buf_printf(ret_path, "%s.XXXXXX", prefix);
        fd = mkostemp(ret_path->data, O_CLOEXEC);
        if (fd < 0) {
                os_linux_fail(err, prefix);
                return NULL;
        }
        file = mem_new(1, sizeof(*file));
        *file = (struct os_file){.fd = fd, .can_seek = true, .path = mem_strdup(ret_path->data)};
        return file;
}

void os_file_free(struct os_file *file)
{
        if (!file)
                return;
        close(file->fd);
        free(file->path);
        free(file);
}

/* Another file may be at the path by now, and a link is not removed. */
void os_file_discard(struct os_file *file)
{
        struct stat st, there;

        if (!file)
                return;
        if (file->can_seek && !fstat(file->fd, &st) && S_ISREG(st.st_mode) && !ftruncate(file->fd, 0) &&
            !lstat(file->path, &there) && there.st_dev == st.st_dev && there.st_ino == st.st_ino)
                unlink(file->path);
        os_file_free(file);
}

/* --- Writing --- */

/* False if a stop was requested and, for some time, nothing more can be written. */
static bool wait_for_reader(int fd)
{
        enum { LOOK_MS = 50, LAST_LOOKS = 10 };
        struct pollfd ready = {.fd = fd, .events = POLLOUT};

        for (int n_looks = 0; n_looks < LAST_LOOKS; n_looks += os_stop_requested() != 0) {
                if (poll(&ready, 1, LOOK_MS) > 0)
                        return true;
        }
        return false;
}

/* With `gives_up`, fails with EAGAIN as wait_for_reader does. A pipe that can be written to takes PIPE_BUF
 * bytes at once. */
static bool write_all(int fd, const void *bytes, size_t size, bool gives_up)
{
        const char *at = bytes;

        while (size) {
                size_t piece = gives_up && size > PIPE_BUF ? PIPE_BUF : size;
                ssize_t n;

                if (gives_up && !wait_for_reader(fd)) {
                        errno = EAGAIN;
                        return false;
                }
                n = write(fd, at, piece);
                if (n < 0 && errno == EINTR)
                        continue;
                if (n < 0)
                        return false;
                at += n;
                size -= (size_t)n;
        }
        return true;
}

bool os_file_write(struct os_file *file, const void *bytes, size_t size, struct err *err)
{
        off_t start = file->can_seek ? lseek(file->fd, 0, SEEK_CUR) : -1;

        if (write_all(file->fd, bytes, size, false))
                return true;
        os_linux_fail(err, file->path);
        if (start >= 0 && !ftruncate(file->fd, start))
                lseek(file->fd, start, SEEK_SET);
        return false;
}

bool os_file_write_at(struct os_file *file, uint64_t file_off, const void *bytes, size_t size,
                      struct err *err)
{
        const char *at = bytes;

        while (size) {
                ssize_t n = pwrite(file->fd, at, size, (off_t)file_off);

                if (n < 0 && errno == EINTR)
                        continue;
                if (n < 0)
                        return os_linux_fail(err, file->path);
                at += n;
                file_off += (uint64_t)n;
                size -= (size_t)n;
        }
        return true;
}

bool os_file_truncate(struct os_file *file, uint64_t size, struct err *err)
{
        if (ftruncate(file->fd, (off_t)size) || lseek(file->fd, (off_t)size, SEEK_SET) < 0)
                return os_linux_fail(err, file->path);
        return true;
}

bool os_file_can_seek(const struct os_file *file)
{
        return file->can_seek;
}

bool os_file_close(struct os_file *file, struct err *err)
{
        bool ok = !close(file->fd);

        if (!ok)
                os_linux_fail(err, file->path);
        free(file->path);
        free(file);
        return ok;
}

static bool write_stream(enum os_stream stream, const void *bytes, size_t size, bool gives_up,
                         struct err *err)
{
        const char *name = stream == OS_STDOUT ? "standard output" : "standard error";
        struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
        bool ok;

        assert(stream == OS_STDOUT || stream == OS_STDERR);
        sigaction(SIGPIPE, &ignore, &before);
        ok = write_all((int)stream, bytes, size, gives_up);
        if (!ok && gives_up && errno == EAGAIN)
                err_set(err, ERR_IO, "%s: its reader takes nothing, so the end of the output is missing",
                        name);
        else if (!ok)
                os_linux_fail(err, name);
        sigaction(SIGPIPE, &before, NULL);
        if (!ok && err && err->os == EPIPE)
                err->code = ERR_CLOSED;
        return ok;
}

bool os_write_stream(enum os_stream stream, const void *bytes, size_t size, struct err *err)
{
        return write_stream(stream, bytes, size, false, err);
}

bool os_offer_stream(enum os_stream stream, const void *bytes, size_t size, struct err *err)
{
        return write_stream(stream, bytes, size, true, err);
}

/* --- Streams of a program that will be run --- */

static void use_descriptor(int fd, int as)
{
        if (fd >= 0 && fd != as)
                dup2(fd, as);
}

void os_redirect_streams(const char *path)
{
        int out = open(path, O_WRONLY | O_APPEND | O_CLOEXEC), in = open("/dev/null", O_RDONLY | O_CLOEXEC);

        use_descriptor(out, STDOUT_FILENO);
        use_descriptor(out, STDERR_FILENO);
        use_descriptor(in, STDIN_FILENO);
}
