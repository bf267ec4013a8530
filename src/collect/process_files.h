/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the files of processes lead: those that were kept open while recording, those in another root, and those that a
 * process leaves in /tmp for profilers. */
#ifndef PROCESS_FILES_H
#define PROCESS_FILES_H

#include "buf.h"
#include "collector.h"
#include "os.h"

/* Appends the path of a file that was kept open. */
void process_kept_path(const struct kept_file *kept, struct buf *out);

/* Appends the path of a file as a running process sees it. */
void process_file_path(int32_t pid, const char *path, struct buf *out);

/* Appends the path of the perf map of a process.  `collected` is of the run that was just made, or NULL. */
void process_perf_map_path(const struct collect_result *collected, int32_t pid, struct buf *out);

/* Whose the perf map and the jitdump of a process have to be: its user's, while that is known. */
struct os_origin process_origin(const struct collect_result *collected, int32_t pid);

#endif
