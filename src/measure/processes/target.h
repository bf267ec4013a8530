/* SPDX-License-Identifier: BSD-3-Clause */
/* What to measure, where and when; for sampling and for counting. */
#ifndef TARGET_H
#define TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "control.h"
#include "err.h"

/* Everything that it points to must outlive the measurement. */
struct target {
        char *const *argv;   /* command to start and to measure, NULL-terminated; NULL for none */
        char *const *until;  /* command that runs unmeasured, and whose end ends the run; NULL for none */
        const int32_t *pids; /* processes to attach to */
        size_t n_pids;
        bool system_wide;
        /* with system_wide: only processes of this control group, as in /proc/PID/cgroup; NULL for all */
        const char *cgroup;
        int cgroup_fd;        /* its folder; valid with `cgroup` */
        const uint32_t *cpus; /* only these CPUs; a command is pinned to them. NULL for all */
        size_t n_cpus;
        bool output_to_stderr; /* the command's standard output goes to standard error */
        const char *output; /* an existing file, to which the command's output and errors are added, and its
                               input is empty; NULL: those of wperf */
        /* events are enabled this long after the start; CONTROL_NEVER: until a controlling program enables
         * them */
        uint64_t delay_ns;
        const char *control; /* the argument of --control (control.h); NULL for none */
        struct control_listener listener;
};

/* The command that is started, measured or not; NULL for none. */
char *const *target_command_argv(const struct target *target);

/* Functions that control the command that is started. */
struct target_command {
        void (*stop)(void *ctx, bool force); /* SIGTERM, or SIGKILL when `force` */
        bool (*runs)(void *ctx);
        void (*wait_ms)(void *ctx, int ms); /* waits `ms` at most; returns early when the command ends */
};

/* Ends the command with SIGTERM, and with SIGKILL if it still runs two seconds later. Returns when it has
 * ended. */
void target_end_command(const struct target_command *command, void *ctx);

/* Finds the processes whose program is `image`: the base name, or the file if `image` is a path, of the
 * executable or of an image that wine or an emulator runs. *ret_pids is a new array; free() it. ERR_MISSING
 * if there is none. */
bool target_find_image(const char *image, int32_t **ret_pids, size_t *ret_n, struct err *err);

/* The same for processes whose name (/proc/PID/comm) is one of `names`, which are separated by commas, and
 * for Pythons that run such a script. */
bool target_find_comm(const char *names, int32_t **ret_pids, size_t *ret_n, struct err *err);

/* All processes whose memory this user may read, without this one and without kernel threads. ERR_MISSING if
 * there is none. */
bool target_find_readable(int32_t **ret_pids, size_t *ret_n, struct err *err);

/* Appends the name of the script that an interpreter runs: of its command line the first word that is no
 * option, without folders, or with its option as in `-m http.server`. False if there is none. */
bool target_add_script(int32_t pid, struct buf *out);

/* Appends the control group of a process, as in /proc/PID/cgroup; of several the one with the longest path.
 * False if it is not known. */
bool target_add_cgroup(int32_t pid, struct buf *out);

/* Opens the folder of a control group: a path below the mount point of control groups, or with it. Returns
 * the descriptor, and appends the path as in /proc/PID/cgroup; -1 and ERR_MISSING if there is none. */
int target_open_cgroup(const char *name, struct buf *ret_path, struct err *err);

/* Appends the running descendants of the processes. A process of `except` is left out with its descendants,
 * unless it is one of `*pids`. `*pids` is from malloc(), or NULL; `except` may be NULL. */
void target_add_children(int32_t **pids, size_t *n, const int32_t *except, size_t n_except);

/* What a PID stands for. */
enum target_kind {
        TARGET_PROCESS,
        TARGET_NO_PROCESS,
        TARGET_HAS_ENDED,     /* its parent has not asked for its status yet */
        TARGET_KERNEL_THREAD, /* it has no code outside of the kernel */
        TARGET_HIDDEN,        /* /proc does not show it to this user (hidepid) */
};
enum target_kind target_kind_of(int32_t pid);

/* What to add to a message that there is no such process, if /proc shows only one's own; else "". */
const char *target_hidden_note(void);

/* The processes whose memory can't be read, because a thread of them has locked it for a second (Linux), by
 * number; 0 after the last one. */
int32_t target_locked(size_t number);

/* This process; 0 on Windows. */
int32_t target_own_process(void);

/* The process of a thread; 0 if there is no such thread. */
int32_t target_process_of(int32_t tid);

/* The number of threads of a process; 0 if not known. */
size_t target_n_threads(int32_t pid);

/* A thread that lives of a process that TARGET_HAS_ENDED is said of, because its first thread has ended; 0 if
 * there is none. */
int32_t target_living_thread(int32_t pid);

#endif
