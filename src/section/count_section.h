/* SPDX-License-Identifier: BSD-3-Clause */
/* What the events of a count are: the feature section FEATURE_WPERF_COUNT, "WPCT", version, then lines: whose counts they
 * are, and the list in the words of the event grammar.  docs/session-format.md. */
#ifndef COUNT_SECTION_H
#define COUNT_SECTION_H

#include <stdbool.h>

#include "buf.h"
#include "count_list.h"
#include "cursor.h"
#include "err.h"
#include "perfdata_writer.h"

/* `subject`: whose counts they are, "'./program'" or "process 12". */
void count_section_write(const struct count_list *list, const char *subject, struct perfdata_writer *writer);

/* Appends the subject, and reads the list, which the caller releases.  The attributes of its events are not in the section.
 * ERR_FORMAT and ERR_UNSUPPORTED for a damaged section and for another version; nothing is left to release then. */
bool count_section_read(struct cursor section, struct buf *subject, struct count_list *ret, struct err *err);

#endif
