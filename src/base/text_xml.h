/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts in XML and HTML. */
#ifndef TEXT_XML_H
#define TEXT_XML_H

#include <stddef.h>

#include "buf.h"

/* Appends `text`, in which <, >, & and " become references, and U+FFFE and U+FFFF become U+FFFD, because XML
 * does not allow them; control characters must be visible already. */
void text_add_xml(struct buf *out, const char *text, size_t len);

/* The same for U+FFFE and U+FFFF in `out`, from byte `from`: for texts of which others may make XML. */
void text_replace_noncharacters(struct buf *out, size_t from);

#endif
