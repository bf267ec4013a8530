/* SPDX-License-Identifier: BSD-3-Clause */
/* The folder of the cache: checks its owner, adds files, and removes old files. */
#ifndef ANSWERS_FOLDER_H
#define ANSWERS_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"
#include "os.h"

#define ANSWERS_FOLDER_SUFFIX ".symbols"

/* True if only this user can write to the folder and it is not a symbolic link; or if it does not exist and
 * the nearest existing parent folder belongs to this user. */
bool answers_folder_check(const char *folder, struct err *err);
bool answers_folder_make(const char *folder, struct err *err);

/* Appends the path of a file. It consists of the build id, for people who look into the folder; a digest of
 * `name`, so that nobody can create two names with the same path; and `what`, the type of the file and its
 * version.  `build_id_size` is at most OBJECT_BUILD_ID_BYTES. */
void answers_folder_add_path(const char *folder, const uint8_t *build_id, size_t build_id_size,
                             const struct buf *name, const char *what, struct buf *out);

/* Maps a file of the folder. ERR_DENIED if it belongs to another user or is a symbolic link. */
struct os_map *answers_folder_map(const char *path, struct err *err);

/* Replaces the file by these bytes. */
bool answers_folder_put(const char *path, const struct buf *bytes, struct err *err);

/* Goes through the files from the newest to the oldest and removes each that does not fit into `max_bytes`
 * with those kept so far. Never removes the file `kept`. Also removes old unfinished files. */
void answers_folder_trim(const char *folder, uint64_t max_bytes, const char *kept);

#endif
