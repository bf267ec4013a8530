/* SPDX-License-Identifier: BSD-3-Clause */
/* The object `quality` of every document that is made of samples. */
#ifndef QUALITY_VIEW_H
#define QUALITY_VIEW_H

#include "json.h"
#include "quality.h"

/* Key and object; `source_note` is NULL or "" where there is nothing to say of the event's source. */
void quality_add_json(const struct quality *quality, const char *source_note, struct json *json);

#endif
