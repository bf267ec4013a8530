/* SPDX-License-Identifier: BSD-3-Clause */
/* The folder of the cache: whose it may be, how a file gets into it, and which of them have to go. */
#ifndef ANSWERS_FOLDER_H
#define ANSWERS_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"
#include "os.h"

#define ANSWERS_FOLDER_SUFFIX ".symbols"

/* True when it is this user's alone and no symbolic link, or not there yet and the folder above that is there is this user's. */
bool answers_folder_check(const char *folder, struct err *err);
bool answers_folder_make(const char *folder, struct err *err);

/* Appends the path of a file: the build id, for those who look into the folder, a digest of `name`, so that nobody can make two
 * names of one path, and what the file is, with its version. */
void answers_folder_add_path(const char *folder, const uint8_t *build_id, size_t build_id_size,
                             const struct buf *name, const char *what, struct buf *out);

/* A file of the folder.  One that is another user's, or a symbolic link, is ERR_DENIED. */
struct os_map *answers_folder_map(const char *path, struct err *err);

/* Makes these bytes the file. */
bool answers_folder_put(const char *path, const struct buf *bytes, struct err *err);

/* Removes what is oldest until all files together have at most `max_bytes`, and what others began and did not end;
 * the file `kept` stays. */
void answers_folder_trim(const char *folder, uint64_t max_bytes, const char *kept);

#endif
