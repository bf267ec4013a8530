/* SPDX-License-Identifier: BSD-3-Clause */
/* Everything that wperf asks of an operating system, on one page.  os_linux.c and os_windows.c implement
 * it.  Paths are UTF-8.  What collects events has its own files in collect/. */
#ifndef OS_H
#define OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "err.h"

/* --- Mapped files ----------------------------------------------------------------------------------- */

/* A read-only mapping of a whole file.  If the file becomes shorter while it is mapped, reading the lost
 * part gives zeros and os_map_shrank says so; the process is not killed. */
struct os_map {
        const uint8_t *bytes; /* NULL when size_bytes is 0 */
        size_t size_bytes;
        uint64_t dev, inode; /* identity of the file; 0 where unknown */
        int64_t mtime_ns;    /* since 1970 */
        int64_t ctime_ns;    /* when anything about it was changed last; programs can't set it */
        uint32_t owner;      /* user id; 0 on Windows */
        uint64_t
                writers; /* who may change it: 0 for nobody but this user and root, else the same number for the same owner
                           * and mode.  0 on Windows */
        uint32_t slot; /* private */
};

/* Maps a regular file; nothing else (a device, a FIFO) is opened.  ERR_MISSING, ERR_DENIED, ERR_FORMAT (not a regular
 * file), ERR_LIMIT, ERR_IO. */
struct os_map *os_map_open(const char *path, struct err *err);

/* Whose a file has to be that was left where every user may leave one.  Zeros: this process's user's, or root's. */
struct os_origin {
        bool any_owner;        /* it may be anybody's */
        bool has_owner;        /* it has to be `owner`'s or root's */
        uint32_t owner;        /* user id */
        int64_t not_before_ns; /* when it was written last is not earlier, since 1970; 0: it may be */
};

/* The same for such a file.  A symbolic link is not followed; ERR_DENIED says what is wrong with it.  On Windows as
 * os_map_open. */
struct os_map *os_map_open_of(const char *path, const struct os_origin *origin, struct err *err);

/* A path for these two: of what a descriptor of this process has open, or of the file `below` a folder that it has open;
 * the latter does not lead out of the folder, whatever links are in it.  `below` begins with a slash, or is NULL. */
void os_descriptor_path(int descriptor, const char *below, struct buf *out);
void os_map_free(struct os_map *map);
AUTO_DEFINE(os_map)

/* Lets the pages that begin in these `size` bytes leave memory; they are read from the file again when they are needed. */
void os_map_forget(const struct os_map *map, uint64_t from, uint64_t size);

/* True once a read met a page that is no longer in the file. */
bool os_map_shrank(const struct os_map *map);

/* The parser's last word on a mapped file: false and «PATH: became shorter while it was read» if it shrank. */
bool os_map_check(const struct os_map *map, const char *path, struct err *err);

/* --- Files -------------------------------------------------------------------------------------------- */

/* Reads a whole small file (proc, sysfs, maps), at most `limit` bytes, appended to `out`. */
bool os_read_file(const char *path, size_t limit, struct buf *out, struct err *err);

/* The same of a file whose name comes from elsewhere: anything but a regular file is ERR_FORMAT and is not opened. */
bool os_read_regular(const char *path, size_t limit, struct buf *out, struct err *err);

/* The same, for text that may be passed on.  To the superuser a file that not all users may read (by its own mode; that of
 * its folders does not count) is ERR_DENIED. */
bool os_read_public(const char *path, size_t limit, struct buf *out, struct err *err);

/* Standard input to its end, at most `limit` bytes. */
bool os_read_stdin(size_t limit, struct buf *out, struct err *err);

struct os_stat {
        uint64_t size_bytes;
        uint64_t dev, inode;
        int64_t mtime_ns, ctime_ns;
        bool is_dir, is_file;
};

/* False when the path is not there or cannot be asked about; no error text. */
bool os_stat(const char *path, struct os_stat *ret_stat);

/* A FIFO by its name in a folder; not a pipe that is known by a descriptor, as /dev/fd/63 of a shell's >(...). */
bool os_is_fifo(const char *path);

/* Calls `each` for every entry but . and .., in no order, until it returns false. */
bool os_list_dir(const char *path, bool (*each)(void *ctx, const char *name), void *ctx, struct err *err);

/* The path with all links followed, appended to `out`; false when it is not there. */
bool os_real_path(const char *path, struct buf *out);

/* The target of a symbolic link, appended to `out`; false when there is none. */
bool os_read_link(const char *path, struct buf *out);

/* Whether a file could be written there, or made in its folder where there is none; nothing is changed. */
bool os_can_write(const char *path, struct err *err);

bool os_rename(const char *from, const char *to, struct err *err); /* replaces `to` */
bool os_make_dir(const char *path, struct err *err);               /* mode 0700; an existing one is success */
bool os_remove(const char *path, struct err *err);
bool os_touch(const char *path, struct err *err); /* makes its mtime now */

/* The superuser reads what others have made for it to read: it has more to lose.  Never on Windows. */
bool os_is_superuser(void);

/* Whether the owner of a file is this process's user or root; true on Windows.  In a user namespace only users that are
 * mapped there are known: all others are one other user. */
bool os_is_trusted_owner(uint32_t owner);

/* A folder that belongs to this user; on Windows every folder. */
bool os_is_own_dir(const char *path);

/* A folder, not a link to one, that belongs to this user and that nobody else may write to.  On Windows every folder: the rights of a
 * user's profile are inherited there. */
bool os_is_private_dir(const char *path);

/* A file that is being written. */
struct os_file;

/* Creates or truncates; "-" is standard output.  A link that another user made in a folder where all may do so (as /tmp) is
 * not followed: ERR_DENIED. */
struct os_file *os_file_create(const char *path, struct err *err);

/* The same, mode 0600 when it creates.  On Windows the folder says who may read. */
struct os_file *os_file_create_private(const char *path, struct err *err);

/* Creates a file that nobody else has, mode 0600: `prefix` and an ending, which *ret_path is made of. */
struct os_file *os_file_create_temp(const char *prefix, struct buf *ret_path, struct err *err);
void os_file_free(struct os_file *file); /* closes; errors are lost, so os_file_close first */
AUTO_DEFINE(os_file)

/* Closes a file that could not be written whole, and removes it where it is a regular one.  NULL is fine. */
void os_file_discard(struct os_file *file);

/* All or nothing at the end of the file; ERR_IO names the path.  A pipe takes it too. */
bool os_file_write(struct os_file *file, const void *bytes, size_t size, struct err *err);
bool os_file_write_at(struct os_file *file, uint64_t file_off, const void *bytes, size_t size,
                      struct err *err);
bool os_file_truncate(struct os_file *file, uint64_t size, struct err *err);
bool os_file_can_seek(const struct os_file *file);
bool os_file_close(struct os_file *file, struct err *err);

/* Closes a file descriptor that a library opened. */
void os_close_descriptor(int descriptor);

/* --- Memory -------------------------------------------------------------------------------------------- */

/* That all of it will be written soon: the system may give it large pages, each of which is asked for only once. */
void os_expect_use(void *memory, size_t size);

/* The same of about `size` bytes, at most 16 MiB, that this thread will allocate piece by piece. */
void os_expect_heap(size_t size);

/* What this process may use: the machine's memory, or less where a control group or a resource limit says so. */
uint64_t os_memory_bytes(void);

/* --- Time and machine ----------------------------------------------------------------------------------- */

uint64_t os_monotonic_ns(void);

struct os_machine {
        char hostname[256];
        char os_release[128]; /* "6.1.0-13-amd64" */
        char os_version[128];
        char arch[32];      /* "x86_64", "aarch64" */
        char cpu_text[128]; /* the CPU's own name, or "" */
        char cpuid[96];     /* as perf writes it: "GenuineIntel,6,85,7", "0x00000000410fd0c0" */
        uint32_t n_cpus_available, n_cpus_online;
        uint64_t memory_kib;
        uint32_t page_bytes;
};

void os_machine_get(struct os_machine *ret_machine);

/* Text that is another one after each start of the machine, appended; false where there is none. */
bool os_boot_id(struct buf *out);

/* Bytes that nobody can guess; false where the machine has none to give. */
bool os_random(void *bytes, size_t size);

/* --- Threads --------------------------------------------------------------------------------------------- */

enum { OS_MAX_PARALLEL = 16 };

/* CPUs that this process may run on, at least 1. */
unsigned os_usable_cpus(void);

/* Runs fn(ctx, 0) to fn(ctx, n - 1) at the same time, the first of them here, and waits for all; n is at most
 * OS_MAX_PARALLEL.  One for which there is no thread runs after the first. */
void os_parallel(unsigned n, void (*fn)(void *ctx, unsigned i), void *ctx);

/* One thread at a time is between enter and leave; the others sleep until it leaves.  A thread that has entered must not enter
 * again. */
struct os_lock;
struct os_lock *os_lock_new(void);
void os_lock_free(struct os_lock *lock);
AUTO_DEFINE(os_lock)
void os_lock_enter(struct os_lock *lock);
void os_lock_leave(struct os_lock *lock);

/* --- Terminal and streams ------------------------------------------------------------------------------- */

enum os_stream { OS_STDOUT = 1, OS_STDERR = 2 };

bool os_is_terminal(enum os_stream stream);

/* The terminal of `stream` is also one of the process's standard streams or, where these cannot be seen, the terminal that
 * controls it. */
bool os_process_shares_terminal(int32_t pid, enum os_stream stream);
unsigned os_terminal_columns(enum os_stream stream); /* 80 where unknown */

/* Writes all of it or says why not (a full disk); ERR_CLOSED for a pipe that its reader has left.  Raises no signal. */
bool os_write_stream(enum os_stream stream, const void *bytes, size_t size, struct err *err);

/* Shows a text through a pager that the system's shell starts, and waits for its end.  False when it can't be run; the text
 * has not been shown then. */
bool os_page(const char *pager, const void *bytes, size_t size);

/* --- Ends ------------------------------------------------------------------------------------------------ */

/* From now on Ctrl-C, a polite request to end (SIGTERM, SIGHUP) and all signals that would end the process for what is no
 * mistake of its own (SIGPIPE, SIGALRM, SIGXFSZ, ...) set a flag instead; the third request ends it.  The flag is what
 * os_stop_requested returns: 0, or the signal's number.  One that was ignored stays so, but for SIGINT and SIGTERM. */
void os_catch_stop(void);
int os_stop_requested(void);

/* As if SIGTERM had come. */
void os_request_stop(void);

/* Ends that: they do again what they did before, and the flag is 0. */
void os_release_stop(void);

/* --- Libraries and processes ------------------------------------------------------------------------------- */

/* A library that is loaded at run time. */
struct os_library;

/* By its file name, from where the system keeps libraries.  ERR_MISSING. */
struct os_library *os_library_open(const char *name, struct err *err);
void os_library_free(struct os_library *library);

/* False in a static program. */
bool os_library_can_open(void);
AUTO_DEFINE(os_library)

/* Stores the address of a function of the library at `ret_function`, which points to a pointer to a function; false when
 * it has none of that name. */
bool os_library_find(struct os_library *library, const char *name, void *ret_function);

/* The vdso image of this process, valid for ever; false where there is none. */
bool os_vdso(const uint8_t **ret_bytes, size_t *ret_size);

/* The value of an environment variable or NULL; for cli alone. */
const char *os_environment(const char *name);

#endif
