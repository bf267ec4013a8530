/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes of Linux: the command that is started, those that are attached to, and what runs already. */
#ifndef LINUX_PROCESSES_H
#define LINUX_PROCESSES_H

#include <sys/resource.h>
#include <sys/types.h>

#include "buf.h"
#include "err.h"
#include "target.h"

/* --- linux_spawn.c --- */

struct spawned_command {
        char *const *argv;
        const uint32_t *cpus; /* it is pinned to them; NULL: it is not */
        size_t n_cpus;
        bool output_to_stderr;
};

struct child {
        pid_t pid;    /* 0: none */
        int go_fd;    /* writing to it lets the child exec */
        int error_fd; /* exec's errno comes here */
        int pid_fd;   /* readable when it has ended; -1 */
        bool ended;
        int status;
        uint64_t user_ns, kernel_ns;
        struct rusage usage; /* with its ended children; valid once it has ended */
};

bool spawn_prepare(struct child *child, const struct spawned_command *command, struct err *err);

bool spawn_go(struct child *child, const char *name, struct err *err);

/* It has ended, and another one has waited for it. */
void spawn_take_status(struct child *child, int status, const struct rusage *usage);
bool spawn_reap(struct child *child, bool wait);  /* true when it has ended */
int spawn_exit_status(const struct child *child); /* as a shell gives it; valid once it has ended */
void spawn_release(struct child *child);

/* --- linux_watched.c: processes that are attached to --- */

struct watched {
        int32_t pid;
        int pid_fd;
        bool ended;
        uint64_t user_ns, kernel_ns; /* of its CPU time, as last seen */
};

struct watched_list {
        struct watched *items;
        size_t n;
};

/* All processes of `target`; appends their threads. */
bool watched_attach(struct watched_list *list, const struct target *target, int32_t **ret_tids, size_t *ret_n,
                    struct err *err);
void watched_release(struct watched_list *list);

/* Whether one of them still runs. */
bool watched_run(struct watched_list *list);

/* Adds the CPU time that they have had. */
void watched_add_time(struct watched_list *list, uint64_t *user_ns, uint64_t *kernel_ns);

/* --- linux_proc.c: what runs already --- */

struct synth {
        struct buf out;
        size_t trailer_bytes;
        bool data_maps; /* maps without code too */
};

/* COMM, NAMESPACES and MMAP2 records of a process, of what is executable and of the beginnings of PE images, whose code
 * may lie in memory without a file; a process that is gone gives none. */
void proc_synth_process(struct synth *synth, int32_t pid);
void proc_synth_all(struct synth *synth);
void proc_synth_kernel(struct synth *synth);
void proc_synth_release(struct synth *synth);

/* The threads of a process, appended; false when it is gone. */
bool proc_threads(int32_t pid, int32_t **ret_tids, size_t *ret_n);

/* User and kernel CPU time of a process with its ended children, or of the machine (pid -1). */
bool proc_cpu_time(int32_t pid, uint64_t *ret_user_ns, uint64_t *ret_kernel_ns);
int32_t proc_inner_pid(int32_t pid);
uint64_t proc_mount_namespace(int32_t pid); /* 0: not known; pid 0: ours */

#endif
