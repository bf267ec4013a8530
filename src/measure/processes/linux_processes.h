/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes on Linux: the command, attached processes, and processes that already run. */
#ifndef LINUX_PROCESSES_H
#define LINUX_PROCESSES_H

#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "attributes.h"
#include "buf.h"
#include "err.h"
#include "target.h"

/* --- linux_own_thread.c: threads of the recorder --- */

/* Starts a thread, which handles no signals: those that end the run must reach the thread that waits for
 * them. NULL if none can be created. */
struct own_thread;
struct own_thread *own_thread_start(void *(*run)(void *ctx), void *ctx);
void own_thread_join(struct own_thread *thread); /* waits for its end, and frees it; may be NULL */

/* Lets the calling thread begin its turns at once: with real-time priority, else, since Linux 6.12, by short
 * turns. False: it has no priority. */
bool own_thread_be_prompt(void);

/* fork(2). None of these threads may run, because the child may be one that goes on, as the guardian. */
pid_t own_thread_fork(void);

/* --- linux_spawn.c --- */

struct spawned_command {
        char *const *argv;
        const uint32_t *cpus; /* CPUs to which the command is pinned; NULL for none */
        size_t n_cpus;
        bool output_to_stderr;
        const char *output; /* as in struct target */
};

/* How a command ended, in memory that the process which waits for it shares with wperf. */
struct command_end {
        atomic_bool has_ended; /* the following are valid */
        int status;
        struct rusage usage; /* includes its children that ended */
};

/* A process between wperf and the command. It starts the command, so it is the parent that may trace it. */
struct spawn_parent {
        /* What it does then. It must wait for the command, tell its end by spawn_tell_end, and never
         * return. It still has all descriptors and signal handlers of wperf. */
        void (*run)(void *ctx, pid_t command, struct command_end *end);
        void *ctx;
};

struct child {
        pid_t pid;    /* 0 for none */
        int go_fd;    /* write to it to let the child exec */
        int error_fd; /* receives the errno of a failed exec */
        int pid_fd;   /* readable when the child has ended; -1 for none */
        bool ended;
        int status;
        uint64_t user_ns, kernel_ns;
        struct rusage usage;     /* includes its children that ended; valid after the end */
        pid_t parent;            /* the process between; 0: the child is a child of wperf */
        struct command_end *end; /* what the process between tells; NULL without one */
        bool parent_ended;       /* so has the process between, */
        bool status_unknown;     /* and it was killed, so nobody knows the exit status */
};

/* Starts a process that waits to become the command, by way of `parent` if that is not NULL. */
bool spawn_prepare(struct child *child, const struct spawned_command *command,
                   const struct spawn_parent *parent, struct err *err);

bool spawn_go(struct child *child, const char *name, struct err *err);
void spawn_kill(const struct child *child, int sig);

/* For the process between. spawn_end_as ends it as the command ended, without a core file. */
void spawn_tell_end(struct command_end *end, int status, const struct rusage *usage);
NO_RETURN void spawn_end_as(int status);

bool spawn_reap(struct child *child, bool wait);  /* true if it has ended */
int spawn_exit_status(const struct child *child); /* as a shell reports it; valid after the end */
void spawn_release(struct child *child);

/* --- linux_watched.c: attached processes --- */

struct watched {
        int32_t pid;
        int pid_fd;
        bool ended;
        uint64_t user_ns, kernel_ns; /* CPU time when last read */
};

struct watched_list {
        struct watched *items;
        size_t n;
};

/* Attaches to all processes of `target` and appends their threads to *ret_tids, which the caller frees.
 * Leaves out those that have ended; ERR_MISSING if all have. */
bool watched_attach(struct watched_list *list, const struct target *target, int32_t **ret_tids, size_t *ret_n,
                    struct err *err);
void watched_release(struct watched_list *list);

/* Whether one of the processes still runs. */
bool watched_run(struct watched_list *list);

/* Returns the CPU time so far of the processes and of the command `child` (pid 0 if there is none), or of
 * all processes of the machine if `all`. */
void watched_cpu_time(struct watched_list *list, const struct child *child, bool all, uint64_t *ret_user_ns,
                      uint64_t *ret_kernel_ns);

/* --- linux_proc.c: processes that already run --- */

/* 0: the process has ended, or its parent is not in this PID namespace. */
int32_t proc_parent(int32_t pid);

struct synth {
        struct buf out;
        size_t trailer_bytes;
        bool data_maps; /* also maps without code */
        /* For a trailer of TID, TIME, CPU and IDENTIFIER; 0: before all other records. */
        uint64_t time_ns, id;
};

/* Appends COMM, NAMESPACES and MMAP2 records of a process. Maps are the executable ones and the beginnings of
 * PE images, whose code may be in memory without a file. Appends nothing if the process has ended. */
void proc_synth_process(struct synth *synth, int32_t pid);
void proc_synth_all(struct synth *synth);

/* The name of a thread; `executes`: its process has just executed a program. */
void proc_synth_comm(struct synth *synth, int32_t pid, int32_t tid, bool executes);
void proc_synth_exit(struct synth *synth, int32_t pid, int32_t parent);

/* The maps with code of a process when it was last looked at. Zero-initialize before use. */
struct proc_maps {
        struct proc_map {
                uint64_t start, end, file_off, inode;
        } * items; /* in order of addresses */
        size_t n, cap;
};

/* Appends records of the maps that are not in `maps` yet, and replaces these. */
void proc_synth_new_maps(struct synth *synth, int32_t pid, struct proc_maps *maps);
bool proc_maps_have(const struct proc_maps *maps, uint64_t addr);
void proc_maps_release(struct proc_maps *maps);

void proc_synth_kernel(struct synth *synth);
void proc_synth_release(struct synth *synth);

/* Appends the threads of a process; false if it has ended. The caller frees *ret_tids. */
bool proc_threads(int32_t pid, int32_t **ret_tids, size_t *ret_n);

/* Appends the name of a process, or of a thread; nothing if it has ended. */
void proc_comm(int32_t pid, struct buf *out);
void proc_thread_comm(int32_t pid, int32_t tid, struct buf *out);

/* All processes; free() the result. */
int32_t *proc_all(size_t *ret_n);

/* User and kernel CPU time of a process and its children that ended, or of the machine (pid -1). */
bool proc_cpu_time(int32_t pid, uint64_t *ret_user_ns, uint64_t *ret_kernel_ns);
int32_t proc_inner_pid(int32_t pid);
uint64_t proc_mount_namespace(int32_t pid); /* inode of the namespace; 0 if unknown. pid 0: this process */

/* Whether the process has another map of user ids than this one, as in a container: then only root may trace
 * or sample it. user_namespaces(7) */
bool proc_has_other_user_ids(int32_t pid);

/* --- linux_cgroup.c --- */

/* Whether a process is in this group or below it. */
bool cgroup_has(const char *cgroup, int32_t pid);

/* The CPU time of a group so far; false if the kernel does not tell it. */
bool cgroup_cpu_time(int cgroup_fd, uint64_t *ret_user_ns, uint64_t *ret_kernel_ns);

#endif
