/* SPDX-License-Identifier: BSD-3-Clause */
/* Mounted file systems that another machine or a process serves, such as NFS and FUSE. If the server hangs,
 * whoever asks it for a file waits with the threads that were found to wait for it.
 */
#ifndef LINUX_MOUNTS_H
#define LINUX_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "target.h"

struct linux_mount {
        int32_t id;  /* mnt_id of /proc/PID/fdinfo/N */
        char *point; /* the folder where the process sees it */
};

/* Those of a mount namespace that are served. */
struct linux_mounts {
        struct linux_mount *items;
        size_t n, cap;
};

/* Of /proc/PID/mountinfo; none if it can't be read. Freed by linux_mounts_free(). */
struct linux_mounts *linux_mounts_new(int32_t pid);

/* Of the text of such a file. */
struct linux_mounts *linux_mounts_parse(const char *text);

void linux_mounts_free(struct linux_mounts *mounts);
AUTO_DEFINE(linux_mounts)

/* NULL if the file system of this id is not served. */
const struct linux_mount *linux_mounts_find(const struct linux_mounts *mounts, int32_t id);

/* Has the served file systems that we and these processes see asked before a file of them is (os_left_out.h).
 * To be called before anything of the processes is read but /proc. */
void linux_mounts_watch(const int32_t *pids, size_t n);

/* The same for what is to be measured. */
void linux_mounts_watch_target(const struct target *target);

#endif
