/* SPDX-License-Identifier: BSD-3-Clause */
/* Files with nothing but the bytes of an SPE buffer, such as WindowsPerf's spe.data. They have no header,
 * so they are recognised by their content; around their bytes a session is made in memory, for the one
 * reader of sessions. */
#ifndef RAW_SPE_H
#define RAW_SPE_H

#include <stdbool.h>

#include "buf.h"
#include "cursor.h"

/* Whether the bytes are whole SPE records and padding. A buffer may begin and end within a record; at most
 * a tenth of the first MiB may be damaged. */
bool raw_spe_is(struct cursor bytes);

/* Appends a session with one event and the bytes as its AUX data: no process, no module, no time. */
void raw_spe_wrap(struct cursor bytes, struct buf *out);

#endif
