/* SPDX-License-Identifier: BSD-3-Clause */
/* A session with a record of every kind and a feature of every format, valid and malformed. */
#ifndef EVERY_KIND_H
#define EVERY_KIND_H

#include "session_builder.h"

/* Adds a second event, `every-field`, whose samples have every field, and the records. */
void every_kind_records(struct session_builder *b);

/* In this machine's byte order; not for pipes, where they would be records. */
void every_kind_features(struct session_builder *b);

#endif
