/* SPDX-License-Identifier: BSD-3-Clause */
/* Which package of Debian or Ubuntu has the debug file of a module: by the build ids in apt's lists of
 * packages. No program is started, nothing is downloaded or locked. */
#ifndef DEBUG_PACKAGE_H
#define DEBUG_PACKAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"

/* Appends the name of the package; false if the lists have none for this build, can't be read, or were not
 * read within a sixth of a second. `lists` is the folder of the lists; NULL: apt's. Compressed lists are not
 * read. */
bool debug_package_find(const char *lists, const uint8_t *build_id, size_t build_id_size, struct buf *out);

/* The same in the text of one list; `end_ns` is the time at which the search ends, as os_monotonic_ns has
 * it. `hex` is the build id in lower-case hexadecimal. */
bool debug_package_in_list(const char *text, size_t size, const char *hex, uint64_t end_ns, struct buf *out);

#endif
