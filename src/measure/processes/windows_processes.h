/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes on Windows: the command and its job, and processes that already run.  A HANDLE is a `void *`. */
#ifndef WINDOWS_PROCESSES_H
#define WINDOWS_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"
#include "target.h"

/* --- windows_spawn.c --- */

/* Appends the command line that Microsoft's C library splits into these arguments again. */
void windows_command_line(char *const *argv, struct buf *out);

struct windows_command {
        void *process; /* NULL: there is no command */
        void *thread;  /* its first thread */
        void *job;     /* the command and its descendants; NULL if Windows refused it */
        void *port;    /* tells of new processes in the job */
        uint32_t pid, tid;
        bool runs; /* it was resumed */
};

/* Creates the command, suspended before its first instruction and pinned to the CPUs of `target`.
 * ERR_MISSING: it is not found; ERR_DENIED: it can't be run; ERR_USAGE: a CPU does not exist. */
bool windows_command_start(struct windows_command *command, const struct target *target, struct err *err);

void windows_command_resume(struct windows_command *command);

/* Takes the number of a process that the command or a descendant has started; false if there is none. */
bool windows_command_next_child(struct windows_command *command, uint32_t *ret_pid);

/* Asks the command to end: Ctrl-Break for a console program, WM_CLOSE to the windows of another.  Ends it
 * at once with `force`. */
void windows_command_stop(struct windows_command *command, bool force);

/* Whether it has ended; *ret_status is its exit code. */
bool windows_command_has_ended(const struct windows_command *command, int *ret_status);

/* Ends a command that still runs. */
void windows_command_release(struct windows_command *command);

/* --- windows_cpus.c --- */

/* CPUs of one processor group. */
struct windows_cpus {
        uint16_t group;
        uint64_t mask; /* 0: no CPU was chosen */
};

/* ERR_USAGE: a CPU does not exist, or the CPUs are of several groups. */
bool windows_cpus_choose(const uint32_t *cpus, size_t n, struct windows_cpus *ret, struct err *err);

/* The number of the only CPU that the process may run on; UINT32_MAX if there are several. */
uint32_t windows_cpus_only(void *process);

/* --- windows_list.c --- */

struct windows_process {
        uint32_t pid, ppid;
        const wchar_t *name; /* base name of the executable */
};

struct windows_thread {
        uint32_t tid, pid;
};

struct windows_listener {
        void (*process)(void *ctx, const struct windows_process *process); /* may be NULL */
        void (*thread)(void *ctx, const struct windows_thread *thread);    /* may be NULL */
        void *ctx;
};

/* Calls the listener for each process, and then for each thread. */
void windows_list(const struct windows_listener *listener);

/* Appends the path of the executable; false if it can't be read. */
bool windows_process_path(void *process, struct buf *out);

#endif
