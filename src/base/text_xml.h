/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts in XML and HTML. */
#ifndef TEXT_XML_H
#define TEXT_XML_H

#include <stddef.h>

#include "buf.h"

/* Appends `text`, in which <, >, & and " become references; control characters must be visible already. */
void text_add_xml(struct buf *out, const char *text, size_t len);

#endif
