/* SPDX-License-Identifier: BSD-3-Clause */
/* Where Linux shows files about itself, and where perf maps stand: paths as text.  Nothing is opened, so that a reader may put
 * another root in front of a path (a tree of another machine), and so that other systems can name them too. */
#ifndef OS_PATHS_H
#define OS_PATHS_H

#include <stdint.h>

#include "buf.h"

/* The folder of all PMUs. */
const char *os_sysfs_pmus(void);

/* Appends the path of a file or folder of a PMU; "" is the PMU's own folder. */
void os_sysfs_pmu(const char *pmu, const char *file, struct buf *out);

/* The folders of CPUs are this text and a number. */
const char *os_sysfs_cpu_prefix(void);

/* Appends the path of the notes of the running kernel, or of a loaded module (NULL: the kernel). */
void os_sysfs_notes(const char *module, struct buf *out);

/* Where tracefs is mounted by default; then where it was before Linux 4.1; NULL after these. */
const char *os_sysfs_tracing(unsigned i);

const char *os_proc_kallsyms(void);

/* Appends the path of a setting of the kernel; "" is the folder of all. */
void os_proc_kernel(const char *setting, struct buf *out);

/* Appends the path where a process leaves its perf map. */
void os_tmp_perf_map(int32_t pid, struct buf *out);

#endif
