/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses the value of --sort. */
#ifndef SORT_KEYS_H
#define SORT_KEYS_H

#include "access_keys.h"
#include "err.h"
#include "row_keys.h"

/* Words that stand for a table of its own, which sort_keys_parse does not take, and the keys that may stand
 * beside them: whose rows the table has. */
#define SORT_TABLE_WORDS  "syscall lock"
#define SORT_WAITER_WORDS "comm pid tid process thread"

/* A comma-separated list of keys; NULL and "" are an empty list. */
bool sort_keys_parse(const char *text, struct row_keys *ret_keys, struct err *err);

/* The keys of `text` beside `table`, one of SORT_TABLE_WORDS. */
bool sort_keys_parse_beside(const char *text, const char *table, struct row_keys *ret_keys, struct err *err);

/* The same as sort_keys_parse for --mem: *ret_access is a set of enum access_key. */
bool sort_keys_parse_access(const char *text, struct row_keys *ret_keys, unsigned *ret_access,
                            struct err *err);

/* Whether all of `text` is a list of keys, so that it was probably meant for --sort. */
bool sort_keys_are(const char *text);

#endif
