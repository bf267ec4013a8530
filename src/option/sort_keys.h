/* SPDX-License-Identifier: BSD-3-Clause */
/* What --sort takes. */
#ifndef SORT_KEYS_H
#define SORT_KEYS_H

#include "err.h"
#include "row_keys.h"

/* A list of keys with commas between them; NULL and "" are none. */
bool sort_keys_parse(const char *text, struct row_keys *ret_keys, struct err *err);

/* Whether all of `text` is a list of keys, so that it is one that was meant for --sort. */
bool sort_keys_are(const char *text);

#endif
