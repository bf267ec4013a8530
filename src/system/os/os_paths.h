/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths of /sys and /proc, and of perf maps, as text.  Does not open files, so that a caller can add
 * another root before a path (a tree of another machine), and other systems can use the paths, too. */
#ifndef OS_PATHS_H
#define OS_PATHS_H

#include <stdint.h>

#include "buf.h"

/* Appends the path of a file or folder for which there is no function below, such as
 * "class/dmi/id/sys_vendor". */
void os_sysfs(const char *below, struct buf *out);

/* The folder with all PMUs. */
const char *os_sysfs_pmus(void);

/* Appends the path of a file or folder of a PMU; with "" the PMU's own folder. */
void os_sysfs_pmu(const char *pmu, const char *file, struct buf *out);

/* Folders of CPUs are this text and a number. */
const char *os_sysfs_cpu_prefix(void);

/* Appends the path of the notes of the running kernel (NULL), or of a loaded module. */
void os_sysfs_notes(const char *module, struct buf *out);

/* The default mount point of tracefs (i = 0), and that of Linux before 4.1; NULL for greater i. */
const char *os_sysfs_tracing(unsigned i);

const char *os_proc_kallsyms(void);

/* Appends the path of a setting of the kernel; with "" the folder of all settings. */
void os_proc_kernel(const char *setting, struct buf *out);

/* The folder for temporary files if no variable of the environment names one. */
const char *os_tmp_folder(void);

/* Appends the path of a process's perf map. */
void os_tmp_perf_map(int32_t pid, struct buf *out);

#endif
