/* SPDX-License-Identifier: BSD-3-Clause */
/* The interface to the operating system.  os_linux*.c and os_windows*.c implement it.  Paths are UTF-8.
 * The rooms that measure (target, kernel, counter, stop, collect) call the operating system themselves. */
#ifndef OS_H
#define OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "err.h"

/* --- Mapped files ----------------------------------------------------------------------------------- */

/* A read-only mapping of a whole file.  If the file becomes shorter while it is mapped, the lost part reads
 * as zeros and os_map_shrank returns true; the process is not killed. */
struct os_map {
        const uint8_t *bytes; /* NULL if size_bytes is 0 */
        size_t size_bytes;
        uint64_t dev, inode; /* identity of the file; 0 if not known */
        int64_t mtime_ns;    /* since 1970 */
        int64_t ctime_ns;    /* time of the last change of content or metadata (ctime), which programs can't
                              * set */
        uint32_t owner;      /* user id; 0 on Windows */
        /* who may change it: 0 if only this user and root; otherwise equal numbers mean equal owner and
         * mode.  0 on Windows */
        uint64_t writers;
        uint32_t slot; /* private */
        bool is_copy;  /* private */
};

/* From now on files are read into memory instead of being mapped, so that no handler for SIGBUS is needed;
 * false: they are mapped again.  A file of more than half of os_memory_bytes() is then ERR_LIMIT.  No
 * effect on Windows, where a mapped file can't become shorter. */
void os_map_by_reading(bool on);

/* Maps a regular file; other files (devices, FIFOs) are not opened.  ERR_MISSING, ERR_DENIED, ERR_FORMAT
 * (not a regular file), ERR_LIMIT, ERR_IO. */
struct os_map *os_map_open(const char *path, struct err *err);

/* Requirements on a file in a folder where every user can create files.  All zeros: the owner must be this
 * process's user, or root. */
struct os_origin {
        bool any_owner; /* any owner is accepted */
        bool has_owner; /* `owner` or root must own it */
        uint32_t owner; /* user id */
        /* the file must not have been written earlier, in ns since 1970; 0: no limit */
        int64_t not_before_ns;
};

/* The same for such a file.  Does not follow a symbolic link; the message of ERR_DENIED says which
 * requirement failed.  On Windows as os_map_open. */
struct os_map *os_map_open_of(const char *path, const struct os_origin *origin, struct err *err);

/* A path for these two functions: for an open descriptor of this process, or for the file `below` an open
 * folder; the latter stays in the folder, even if there are links.  `below` begins with a slash, or is
 * NULL. */
void os_descriptor_path(int descriptor, const char *below, struct buf *out);
void os_map_free(struct os_map *map);
AUTO_DEFINE(os_map)

/* Releases the memory of the pages that begin in these `size` bytes; a later access reads them from the
 * file again.  `from` is in the map, `size` may reach beyond its end. */
void os_map_forget(const struct os_map *map, uint64_t from, uint64_t size);

/* True if a read accessed a page that is no longer in the file. */
bool os_map_shrank(const struct os_map *map);

/* A parser calls this last for a mapped file: false and «PATH: became shorter while it was read» if it
 * shrank. */
bool os_map_check(const struct os_map *map, const char *path, struct err *err);

/* --- Files -------------------------------------------------------------------------------------------- */

/* Reads a whole small file (proc, sysfs, maps) of at most `limit` bytes and appends it to `out`. */
bool os_read_file(const char *path, size_t limit, struct buf *out, struct err *err);

/* The same for a file whose name is not trusted: files other than regular ones are ERR_FORMAT and are not
 * opened. */
bool os_read_regular(const char *path, size_t limit, struct buf *out, struct err *err);

/* The same for text that a file which is not trusted names.  If the superuser runs this, a file that not
 * all users may read is ERR_DENIED: by its mode, and, for text that is given to others, by those of its
 * folders. */
bool os_read_public(const char *path, bool is_given, size_t limit, struct buf *out, struct err *err);

/* Reads standard input to its end, at most `limit` bytes. */
bool os_read_stdin(size_t limit, struct buf *out, struct err *err);

struct os_stat {
        uint64_t size_bytes;
        uint64_t dev, inode;
        int64_t mtime_ns, ctime_ns;
        bool is_dir, is_file;
};

/* False if the path does not exist or its state can't be read; sets no error text. */
bool os_stat(const char *path, struct os_stat *ret_stat);

/* Whether this is a FIFO with a name in a folder; false for a pipe that is a descriptor, such as /dev/fd/63
 * of a shell's >(...). */
bool os_is_fifo(const char *path);

/* Calls `each` for every entry except . and .., in no order, until it returns false. */
bool os_list_dir(const char *path, bool (*each)(void *ctx, const char *name), void *ctx, struct err *err);

/* Appends the path with all links followed to `out`; false if it does not exist. */
bool os_real_path(const char *path, struct buf *out);

/* Appends the target of a symbolic link to `out`; false if it is not a link. */
bool os_read_link(const char *path, struct buf *out);

/* Whether the system runs the file itself, by its first line (#!). Never on Windows. */
bool os_runs_script(const char *path);

/* The program that runs Python files: "python3", on Windows "py". */
const char *os_python(void);

/* True if the file could be written, or created if it does not exist; changes nothing. */
bool os_can_write(const char *path, struct err *err);

bool os_rename(const char *from, const char *to, struct err *err); /* replaces `to` if it exists */
bool os_make_dir(const char *path, struct err *err);               /* mode 0700; succeeds if it exists */
bool os_remove(const char *path, struct err *err);
bool os_touch(const char *path, struct err *err); /* sets its mtime to now */

/* True if this process runs as root, which must not trust files that other users prepared. Always false on
 * Windows. */
bool os_is_superuser(void);

/* Whether the program is setuid or setgid, or has file capabilities, and therefore has rights that its user
 * does not have.  Ambient capabilities are the user's.  False on Windows. */
bool os_has_borrowed_rights(void);

/* Whether the owner of a file is this process's user or root; true on Windows.  In a user namespace only
 * users that are mapped there are known: all others are one other user. */
bool os_is_trusted_owner(uint32_t owner);

/* Whether a folder belongs to this user; on Windows true for every folder. */
bool os_is_own_dir(const char *path);

/* Whether this is a folder, not a link to one, that belongs to this user and that nobody else may write to.
 * On Windows true for every folder, because the rights of a user's profile are inherited there. */
bool os_is_private_dir(const char *path);

/* A file that is being written. */
struct os_file;

/* Creates or truncates a file; "-" is standard output.  In a folder where all users can write (such as
 * /tmp), a link that another user made is not followed, and another user's file is not written:
 * ERR_DENIED. */
struct os_file *os_file_create(const char *path, struct err *err);

/* The path at the end of all links, by the same rules, for a file that is replaced by os_rename; it need
 * not exist. */
bool os_output_follow(const char *path, struct buf *out, struct err *err);

/* As os_file_create, with mode 0600 for a new file.  On Windows the folder determines who may read it. */
struct os_file *os_file_create_private(const char *path, struct err *err);

/* Creates a new file, with mode 0600; *ret_path is `prefix` and a suffix. */
struct os_file *os_file_create_temp(const char *prefix, struct buf *ret_path, struct err *err);
void os_file_free(struct os_file *file); /* closes the file; errors are lost, so call os_file_close first */
AUTO_DEFINE(os_file)

/* Closes a file that could not be written completely, and removes it if it is a regular file. May be NULL. */
void os_file_discard(struct os_file *file);

/* Writes all bytes, or restores the old end of the file; ERR_IO names the path.  Also works for a pipe. */
bool os_file_write(struct os_file *file, const void *bytes, size_t size, struct err *err);
bool os_file_write_at(struct os_file *file, uint64_t file_off, const void *bytes, size_t size,
                      struct err *err);
bool os_file_truncate(struct os_file *file, uint64_t size, struct err *err);
bool os_file_can_seek(const struct os_file *file);
bool os_file_close(struct os_file *file, struct err *err);

/* Closes a file descriptor that a library opened. */
void os_close_descriptor(int descriptor);

/* --- Memory -------------------------------------------------------------------------------------------- */

/* Announces that all of this memory will be written soon: the system may use large pages for it, which
 * causes fewer page faults. */
void os_expect_use(void *memory, size_t size);

/* The same for about `size` bytes, at most 16 MiB, that this thread will allocate in pieces. */
void os_expect_heap(size_t size);

/* Bytes of memory that this process may use: those of the machine, or less because of a control group or a
 * resource limit. */
uint64_t os_memory_bytes(void);

/* Gives freed memory back to the system, which glibc keeps between pieces that are in use. */
void os_give_memory_back(void);

/* --- Time and machine ----------------------------------------------------------------------------------- */

uint64_t os_monotonic_ns(void);

/* Since 1970, by the clock that a user sets. */
uint64_t os_wall_clock_ns(void);

/* Waits; false if a request to end came (os_stop_requested), also one before the wait. */
bool os_sleep(uint64_t ns);

struct os_machine {
        char hostname[256];
        char os_release[128]; /* "6.1.0-13-amd64" */
        char os_version[128];
        char arch[32];      /* "x86_64", "aarch64" */
        char cpu_text[128]; /* the name of the CPU, or "" */
        char cpuid[96];     /* in perf's format: "GenuineIntel,6,85,7", "0x00000000410fd0c0" */
        uint32_t n_cpus_available, n_cpus_online;
        uint64_t memory_kib;
        uint32_t page_bytes;
};

void os_machine_get(struct os_machine *ret_machine);

/* Appends a text that is different after each boot of the machine; false if the system has none. */
bool os_boot_id(struct buf *out);

/* Fills with random bytes that cannot be guessed; false if the system has no source of them. */
bool os_random(void *bytes, size_t size);

/* --- Threads ---------------------------------------------------------------------------------------- */

enum { OS_MAX_PARALLEL = 16 };

/* CPUs that this process may run on, at least 1. */
unsigned os_usable_cpus(void);

/* Runs fn(ctx, 0) to fn(ctx, n - 1) in parallel, the first in this thread, and waits for all; n is at most
 * OS_MAX_PARALLEL. Calls for which no thread could be created run after the first. */
void os_parallel(unsigned n, void (*fn)(void *ctx, unsigned i), void *ctx);

/* Runs run(ctx) in another thread; if no thread can be created, runs it before it returns. */
struct os_task;
struct os_task *os_task_start(void (*run)(void *ctx), void *ctx);
void os_task_join(struct os_task *task); /* waits for its end, and frees it; may be NULL */

/* A lock: only one thread at a time is between enter and leave; others sleep until it leaves.  A thread
 * that has entered must not enter again. */
struct os_lock;
struct os_lock *os_lock_new(void);
void os_lock_free(struct os_lock *lock);
AUTO_DEFINE(os_lock)
void os_lock_enter(struct os_lock *lock);
void os_lock_leave(struct os_lock *lock);

/* Gives this thread a name of at most 15 bytes, which sessions and other tools show.  Does nothing on
 * Windows. */
void os_name_thread(const char *name);

/* --- Terminal and streams ------------------------------------------------------------------------------- */

enum os_stream { OS_STDOUT = 1, OS_STDERR = 2 };

bool os_is_terminal(enum os_stream stream);
bool os_stdin_is_terminal(void);

/* Whether the terminal of `stream` is also one of the process's standard streams or, if these cannot be
 * read, its controlling terminal. */
bool os_process_shares_terminal(int32_t pid, enum os_stream stream);
unsigned os_terminal_columns(enum os_stream stream); /* 80 if not known */

/* Writes all bytes or sets an error, such as a full disk; ERR_CLOSED if the reader of a pipe has closed it.
 * Raises no signal. */
bool os_write_stream(enum os_stream stream, const void *bytes, size_t size, struct err *err);

/* The same, but ERR_IO if a stop was requested (os_catch_stop) and the reader of a pipe takes nothing for
 * half a second. On Windows it waits for the reader. */
bool os_offer_stream(enum os_stream stream, const void *bytes, size_t size, struct err *err);

/* From now on the standard output and errors of this process are added to an existing file, and its input is
 * empty. For a process that was forked and will run another program; not on Windows. */
void os_redirect_streams(const char *path);

/* Shows a text in a pager, started by the system's shell, and waits for its end.  False if it can't be run;
 * then the text was not shown. */
bool os_page(const char *pager, const void *bytes, size_t size);

/* Starts the user's program for a file, such as a browser for a page, and does not wait for it.  ERR_MISSING
 * says why it cannot be started: over ssh, without a display, or because there is no such program. */
bool os_open_viewer(const char *path, struct err *err);

/* --- A terminal as a screen ------------------------------------------------------------------------- */

/* The terminal of standard output, in a mode where each key is received at once and not echoed.  Only one
 * can be open. */
struct os_terminal;

/* A set of events. */
enum os_terminal_event {
        OS_TERMINAL_INPUT = 1,   /* os_terminal_read has bytes */
        OS_TERMINAL_OUTPUT = 2,  /* os_terminal_write takes bytes */
        OS_TERMINAL_RESIZED = 4, /* its size may have changed */
        OS_TERMINAL_RESUMED = 8, /* the process was stopped and continues: the screen must be drawn again */
        OS_TERMINAL_WOKEN = 16,  /* os_terminal_wake was called */
        OS_TERMINAL_CLOSED = 32, /* the terminal is gone */
};

/* `enter` and `leave` are escape codes that are written at the begin and the end, also if a signal ends or
 * stops the process; both texts must outlive the terminal.  os_terminal_close restores the old state.
 * ERR_MISSING: standard output or input is not a terminal; ERR_IO. */
struct os_terminal *os_terminal_open(const char *enter, const char *leave, struct err *err);
void os_terminal_close(struct os_terminal *terminal);

/* Restores the terminal, but does not free it: for a process that ends while its threads still run, which
 * may call os_terminal_wake. */
void os_terminal_leave(struct os_terminal *terminal);

/* Sleeps until there is an event, at most `timeout_ms` (negative: no limit); OS_TERMINAL_OUTPUT only if
 * `wants_output`. Returns the set of events, 0 after the timeout. */
unsigned os_terminal_wait(struct os_terminal *terminal, bool wants_output, int timeout_ms);

/* Both never wait; they return the number of bytes read or written, which may be 0. */
size_t os_terminal_read(struct os_terminal *terminal, void *bytes, size_t size);
size_t os_terminal_write(struct os_terminal *terminal, const void *bytes, size_t size);

/* 80 and 24 if not known. */
void os_terminal_size(const struct os_terminal *terminal, unsigned *ret_columns, unsigned *ret_rows);

/* Does what Ctrl-Z does in other programs: restores the terminal and stops the process group; returns when
 * it continues. */
void os_terminal_suspend(struct os_terminal *terminal);

/* Ends the wait of another thread. */
void os_terminal_wake(struct os_terminal *terminal);

/* --- Requests to end ----------------------------------------------------------------------------------- */

/* If this is the first process of a PID namespace (a container), goes on in a child, for which the first
 * process does what the kernel expects of it: it takes the statuses of orphans and passes signals on. Call
 * before anything else. No effect on Windows. */
void os_run_below_init(void);

/* From now on Ctrl-C, requests to end (SIGTERM, SIGHUP) and other signals that would end the process
 * without an error of its own (SIGPIPE, SIGALRM, SIGXFSZ, ...) set a flag instead; the third request ends
 * the process.  os_stop_requested returns the flag: 0, or the signal's number.  A signal that was ignored
 * stays ignored, except for SIGINT and SIGTERM. */
void os_catch_stop(void);
int os_stop_requested(void);

/* Has the same effect as SIGTERM. */
void os_request_stop(void);

/* Restores the previous handlers of these signals and clears the flag. */
void os_release_stop(void);

/* --- Libraries and processes ------------------------------------------------------------------------ */

/* A library that is loaded at run time. */
struct os_library;

/* Opens a library by its file name, from the system's folders.  ERR_MISSING. */
struct os_library *os_library_open(const char *name, struct err *err);
void os_library_free(struct os_library *library);

/* False for a statically linked program. */
bool os_library_can_open(void);

/* How a user of this system gets LLVM's library: the end of a sentence. */
const char *os_llvm_advice(void);
AUTO_DEFINE(os_library)

/* Stores the address of a function of the library at `ret_function`, which points to a pointer to a
 * function; false if there is no such function. */
bool os_library_find(struct os_library *library, const char *name, void *ret_function);

/* The vdso image of this process, always valid; false if there is none. */
bool os_vdso(const uint8_t **ret_bytes, size_t *ret_size);

/* A path from which a child process can start this program again; NULL on Windows. */
const char *os_own_program(void);

/* The arguments of main() as UTF-8, valid until the end of the program; on Linux `argv` itself. */
char **os_arguments(int *argc, char **argv);

/* The value of an environment variable or NULL; only for cli. */
const char *os_environment(const char *name);

#endif
