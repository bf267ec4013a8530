/* SPDX-License-Identifier: BSD-3-Clause */
/* The last lines of a sampling command, and the object `quality` of all documents about samples. */
#ifndef QUALITY_VIEW_H
#define QUALITY_VIEW_H

#include "buf.h"
#include "json.h"
#include "quality.h"

/* The last line of a sampling command, "quality: 4980 samples, 0 lost, ...", without a line feed. */
void quality_add_text(const struct quality *quality, struct buf *out);

/* The last line on a terminal, without a line feed: "quality: good, 4980 samples, Python 310/310", or poor
 * and why. Without numbers that are 0. */
void quality_add_line(const struct quality *quality, struct buf *out);

/* The line before it if the profile is poor, "poor: 12 % of the samples have no name: ...", with its line
 * feed. */
void quality_add_poor(const struct quality *quality, struct buf *out);

/* The name of the cause in JSON, "malformed_cfi". */
const char *quality_cut_key(enum quality_cut why);

/* Key and object; `source_note` is NULL or "" if there is no note about the event's source. */
void quality_add_json(const struct quality *quality, const char *source_note, struct json *json);

#endif
