/* SPDX-License-Identifier: BSD-3-Clause */
/* The events of a count, as the feature section FEATURE_WPERF_COUNT: "WPCT", the version, then lines. They
 * give the subject of the count and its list of events, written in the event grammar. See
 * docs/session-format.md. */
#ifndef COUNT_SECTION_H
#define COUNT_SECTION_H

#include <stdbool.h>

#include "buf.h"
#include "count_list.h"
#include "cursor.h"
#include "err.h"
#include "perfdata_writer.h"

/* `subject` names what was counted, such as "'./program'" or "process 12". */
void count_section_write(const struct count_list *list, const char *subject, struct perfdata_writer *writer);

/* Appends the subject to `subject` and reads the list, which the caller releases. The section does not
 * contain the attributes of the events. ERR_FORMAT if the section is damaged, ERR_UNSUPPORTED for another
 * version; the caller has nothing to release then. */
bool count_section_read(struct cursor section, struct buf *subject, struct count_list *ret, struct err *err);

#endif
