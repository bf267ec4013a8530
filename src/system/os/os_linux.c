/* SPDX-License-Identifier: BSD-3-Clause */
/* Implements os.h for Linux, except for parts that are in other os_linux_*.c files. */
#include "os.h"

#include <assert.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "attributes.h"
#include "buf.h"
#include "err.h"
#include "os_left_out.h"
#include "os_linux_internal.h"
#include "text.h"

static enum err_code code_of(int os)
{
        switch (os) {
        case ENOENT:
        case ENOTDIR: return ERR_MISSING;
        case EACCES:
        case EPERM: return ERR_DENIED;
        case EMFILE:
        case ENFILE: return ERR_LIMIT;
        default: return ERR_IO;
        }
}

bool os_linux_fail(struct err *err, const char *what)
{
        if (errno == EMFILE) {
                return err_set(err, ERR_LIMIT,
                               "%s: too many open files; raise the limit with 'ulimit -n 1024'", what);
        }
        return err_os(err, code_of(errno), errno, "%s", what);
}

int64_t os_linux_mtime_ns(const struct stat *st)
{
        return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

int64_t os_linux_ctime_ns(const struct stat *st)
{
        return (int64_t)st->st_ctim.tv_sec * 1000000000 + st->st_ctim.tv_nsec;
}

/* --- Files --- */

static bool read_descriptor(int fd, size_t limit, struct buf *out, struct err *err)
{
        size_t total = 0;

        for (;;) {
                char chunk[65536];
                ssize_t n = read(fd, chunk, sizeof(chunk));

                if (n < 0 && errno == EINTR)
                        continue;
                if (n < 0)
                        return os_linux_fail(err, "read");
                if (!n)
                        return true;
                total += (size_t)n;
                if (total > limit)
                        return err_set(err, ERR_LIMIT, "is larger than %zu bytes", limit);
                buf_add(out, chunk, (size_t)n);
        }
}

bool os_read_file(const char *path, size_t limit, struct buf *out, struct err *err)
{
        int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        bool ok;

        if (fd < 0)
                return os_linux_fail(err, path);
        ok = read_descriptor(fd, limit, out, err);
        close(fd);
        return ok || err_in(err, "%s", path);
}

static bool read_opened(int fd, const char *path, size_t limit, struct buf *out, struct err *err)
{
        bool ok;

        if (fd < 0)
                return false;
        ok = read_descriptor(fd, limit, out, err);
        close(fd);
        return ok || err_in(err, "%s", path);
}

bool os_read_regular(const char *path, size_t limit, struct buf *out, struct err *err)
{
        return read_opened(os_linux_open_regular(path, err), path, limit, out, err);
}

bool os_read_public(const char *path, bool is_given, size_t limit, struct buf *out, struct err *err)
{
        return read_opened(os_linux_open_public(path, is_given, err), path, limit, out, err);
}

bool os_read_stdin(size_t limit, struct buf *out, struct err *err)
{
        return read_descriptor(STDIN_FILENO, limit, out, err) || err_in(err, "standard input");
}

bool os_stat(const char *path, struct os_stat *ret_stat)
{
        struct stat st;

        if (os_is_left_out(path) || stat(path, &st))
                return false;
        *ret_stat = (struct os_stat){
                .size_bytes = (uint64_t)st.st_size,
                .dev = st.st_dev,
                .inode = st.st_ino,
                .mtime_ns = os_linux_mtime_ns(&st),
                .ctime_ns = os_linux_ctime_ns(&st),
                .is_dir = S_ISDIR(st.st_mode),
                .is_file = S_ISREG(st.st_mode),
        };
        return true;
}

static DIR *opendir_answering(const char *path)
{
        if (!os_is_left_out(path))
                return opendir(path);
        errno = ETIMEDOUT;
        return NULL;
}

bool os_list_dir(const char *path, bool (*each)(void *ctx, const char *name), void *ctx, struct err *err)
{
        DIR *dir = opendir_answering(path);
        const struct dirent *entry;

        if (!dir)
                return os_linux_fail(err, path);
        while ((entry = readdir(dir))) {
                if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
                        continue;
                if (!each(ctx, entry->d_name))
                        break;
        }
        closedir(dir);
        return true;
}

bool os_rename(const char *from, const char *to, struct err *err)
{
        return !rename(from, to) || os_linux_fail(err, from);
}

bool os_make_dir(const char *path, struct err *err)
{
        return !mkdir(path, 0700) || errno == EEXIST || os_linux_fail(err, path);
}

bool os_remove(const char *path, struct err *err)
{
        return !unlink(path) || os_linux_fail(err, path);
}

bool os_touch(const char *path, struct err *err)
{
        return !utimensat(AT_FDCWD, path, NULL, 0) || os_linux_fail(err, path);
}

bool os_is_own_dir(const char *path)
{
        struct stat st;

        return !stat(path, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid();
}

bool os_is_private_dir(const char *path)
{
        struct stat st;

        return !lstat(path, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
               !(st.st_mode & (S_IWGRP | S_IWOTH));
}

bool os_runs_script(const char *path)
{
        char mark[2] = "";
        FILE *file = access(path, X_OK) ? NULL : fopen(path, "rbe");

        if (!file)
                return false;
        if (fread(mark, 1, sizeof(mark), file) != sizeof(mark))
                mark[0] = 0;
        fclose(file);
        return mark[0] == '#' && mark[1] == '!';
}

const char *os_python(void)
{
        return "python3";
}

bool os_can_write(const char *path, struct err *err)
{
        const char *slash = strrchr(path, '/');
        AUTO_RELEASE(buf) folder = {0};
        struct os_stat there;

        if (os_stat(path, &there)) {
                if (!there.is_dir)
                        return !access(path, W_OK) || os_linux_fail(err, path);
                errno = EISDIR;
                return os_linux_fail(err, path);
        }
        if (slash)
                buf_add(&folder, path, (size_t)(slash - path) + 1);
        else
                buf_add_str(&folder, ".");
        return !access(buf_text(&folder), W_OK) || os_linux_fail(err, path);
}

void os_close_descriptor(int descriptor)
{
        close(descriptor);
}

/* --- Time and machine --- */

static uint64_t clock_ns(clockid_t clock)
{
        struct timespec ts;

        clock_gettime(clock, &ts);
        return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* The advice is for whole pages; it does no harm to other data on the first and the last page. */
void os_expect_use(void *memory, size_t size)
{
        uintptr_t page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
        uintptr_t start = (uintptr_t)memory & ~(page_bytes - 1);

        madvise((void *)start, (uintptr_t)memory + size - start, MADV_HUGEPAGE);
}

/* glibc's heap grows and shrinks with malloc and free.  This lets it grow once, and keeps its size.  The
 * part before the first large page is never used, because it would be in small pages. */
void os_expect_heap(size_t size)
{
        assert(size <= INT_MAX / 2);
#ifdef __GLIBC__
        enum { LARGE_PAGE_BYTES = 2 << 20, CHUNK_BYTES = 32 };
        static void *front;
        uintptr_t past;
        void *memory;

        mallopt(M_MMAP_THRESHOLD, (int)size * 2);
        mallopt(M_TRIM_THRESHOLD, (int)size * 2);
        memory = malloc(size + LARGE_PAGE_BYTES);
        if (!memory)
                return;
        os_expect_use(memory, size + LARGE_PAGE_BYTES);
        past = (uintptr_t)memory & (LARGE_PAGE_BYTES - 1);
        if (!front && past && past < LARGE_PAGE_BYTES - CHUNK_BYTES)
                front = realloc(memory, LARGE_PAGE_BYTES - past - CHUNK_BYTES);
        else
                free(memory);
#endif
}

uint64_t os_monotonic_ns(void)
{
        return clock_ns(CLOCK_MONOTONIC);
}

uint64_t os_wall_clock_ns(void)
{
        return clock_ns(CLOCK_REALTIME);
}

/* A signal that sets the flag just before the wait would be missed, so that it looks often. */
bool os_sleep(uint64_t ns)
{
        enum { LOOK_NS = 50000000 };
        uint64_t end_ns = os_monotonic_ns() + ns, now_ns;

        while ((now_ns = os_monotonic_ns()) < end_ns && !os_stop_requested()) {
                uint64_t left_ns = end_ns - now_ns;
                struct timespec wait = {.tv_nsec = (long)(left_ns < LOOK_NS ? left_ns : LOOK_NS)};

                nanosleep(&wait, NULL);
        }
        return !os_stop_requested();
}

/* --- Threads --- */

struct parallel {
        void (*fn)(void *ctx, unsigned i);
        void *ctx;
        unsigned i;
};

static void *run_thread(void *arg)
{
        const struct parallel *p = arg;

        p->fn(p->ctx, p->i);
        return NULL;
}

void os_parallel(unsigned n, void (*fn)(void *ctx, unsigned i), void *ctx)
{
        struct parallel args[OS_MAX_PARALLEL];
        pthread_t threads[OS_MAX_PARALLEL];
        bool runs[OS_MAX_PARALLEL];

        assert(n <= OS_MAX_PARALLEL);
        for (unsigned i = 1; i < n; i++) {
                args[i] = (struct parallel){fn, ctx, i};
                runs[i] = !pthread_create(&threads[i], NULL, run_thread, &args[i]);
        }
        if (n)
                fn(ctx, 0);
        for (unsigned i = 1; i < n; i++) {
                if (runs[i])
                        pthread_join(threads[i], NULL);
                else
                        fn(ctx, i);
        }
}

/* --- Terminal and streams --- */

bool os_is_terminal(enum os_stream stream)
{
        return isatty((int)stream);
}

bool os_stdin_is_terminal(void)
{
        return isatty(STDIN_FILENO);
}

/* Field 7 of /proc/PID/stat, in the kernel's encoding of device numbers; 0: none. */
static dev_t controlling_terminal(int32_t pid)
{
        AUTO_RELEASE(buf) stat = {0};
        unsigned number = 0;
        const char *at;
        char path[64];

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/stat", pid);
        if (!os_read_file(path, 4096, &stat, NULL) || !(at = strrchr(buf_text(&stat), ')')) ||
            sscanf(at, ") %*c %*d %*d %*d %u", &number) != 1)
                return 0;
        return makedev(number >> 8 & 0xfff, (number & 0xff) | (number >> 12 & 0xfff00));
}

bool os_process_shares_terminal(int32_t pid, enum os_stream stream)
{
        bool is_seen = false;
        struct stat ours, its;

        if (!os_is_terminal(stream) || fstat((int)stream, &ours))
                return false;
        for (int i = 0; i <= STDERR_FILENO; i++) {
                char path[64];

                snprintf(path, sizeof(path), "/proc/%" PRId32 "/fd/%d", pid, i);
                if (stat(path, &its))
                        continue;
                is_seen = true;
                if (S_ISCHR(its.st_mode) && its.st_rdev == ours.st_rdev)
                        return true;
        }
        return !is_seen && controlling_terminal(pid) == ours.st_rdev;
}

unsigned os_terminal_columns(enum os_stream stream)
{
        struct winsize size;

        if (ioctl((int)stream, TIOCGWINSZ, &size) || !size.ws_col)
                return 80;
        return size.ws_col;
}

/* --- Libraries and processes --- */

/* struct os_library is never defined: a pointer to it is the system's handle. */
struct os_library *os_library_open(const char *name, struct err *err)
{
        void *handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);

        if (!handle)
                err_set(err, ERR_MISSING, "%s", dlerror());
        return handle;
}

const char *os_llvm_advice(void)
{
        return "on Debian and Ubuntu install the package libllvm19, libllvm16 or libllvm14";
}

bool os_library_can_open(void)
{
        void *program = dlopen(NULL, RTLD_LAZY);

        if (program)
                dlclose(program);
        return program;
}

void os_library_free(struct os_library *library)
{
        if (library)
                dlclose(library);
}

bool os_library_find(struct os_library *library, const char *name, void *ret_function)
{
        void *address = dlsym(library, name);

        /* ISO C cannot convert a pointer to data into a pointer to a function. */
        if (address)
                memcpy(ret_function, &address, sizeof(address));
        return address;
}

bool os_vdso(const uint8_t **ret_bytes, size_t *ret_size)
{
        AUTO_RELEASE(buf) maps = {0};
        unsigned long start, end;
        const char *at;

        if (!os_read_file("/proc/self/maps", 64 << 20, &maps, NULL) ||
            !(at = strstr(buf_text(&maps), "[vdso]")))
                return false;
        while (at > maps.data && at[-1] != '\n')
                at--;
        if (sscanf(at, "%lx-%lx", &start, &end) != 2)
                return false;
        *ret_bytes = (const uint8_t *)start;
        *ret_size = end - start;
        return true;
}

char **os_arguments(int *argc, char **argv)
{
        return argv;
}

const char *os_environment(const char *name)
{
        return getenv(name);
}
