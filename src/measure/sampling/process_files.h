/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths to the files of processes: files kept open while recording, files below another root, and files that
 * a process leaves in /tmp for profilers. */
#ifndef PROCESS_FILES_H
#define PROCESS_FILES_H

#include "buf.h"
#include "collector.h"
#include "os.h"

/* Appends a path to a file that was kept open. */
void process_kept_path(const struct kept_file *kept, struct buf *out);

/* Appends a path to a file as the running process sees it. */
void process_file_path(int32_t pid, const char *path, struct buf *out);

/* Appends the path of the process's perf map. `collected` is the result of the recording that was just made,
 * or NULL. */
void process_perf_map_path(const struct collect_result *collected, int32_t pid, struct buf *out);

/* The required owner and age of a process's perf map and jitdump; empty if its user is unknown. */
struct os_origin process_origin(const struct collect_result *collected, int32_t pid);

#endif
