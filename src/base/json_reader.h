/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a JSON document (RFC 8259) value by value, without building a tree.  After the first error all
 * functions do nothing and return false, so that a caller checks once at the end. */
#ifndef JSON_READER_H
#define JSON_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "cursor.h"
#include "err.h"

struct json_reader {
        struct cursor at;
        unsigned depth;
        struct buf text; /* the last string or number */
        bool failed;
        struct err err; /* with the position in bytes */
};

/* `bytes` must outlive the reader. */
void json_reader_init(struct json_reader *reader, const void *bytes, size_t size);
void json_reader_release(struct json_reader *reader);

/* Calls `each` for each key of an object, or each element of an array (`key` is then NULL).  `each` reads
 * exactly one value, or fails the reader.  `key` is valid until the value is read.  At most JSON_MAX_DEPTH
 * levels. */
typedef void json_each_fn(void *ctx, struct json_reader *reader, const char *key);
bool json_read_object(struct json_reader *reader, json_each_fn *each, void *ctx);
bool json_read_array(struct json_reader *reader, json_each_fn *each, void *ctx);

/* The text is valid until the next value is read.  Text with NUL is an error. */
const char *json_read_str(struct json_reader *reader); /* "" on failure */
double json_read_double(struct json_reader *reader);   /* 0 on failure; never infinite */
uint64_t json_read_u64(struct json_reader *reader);    /* 0 on failure, which a fraction or a sign is */
bool json_read_bool(struct json_reader *reader);
void json_skip(struct json_reader *reader); /* any value */

/* Fails at the current position; always returns false. */
bool json_reader_fail(struct json_reader *reader, const char *what);

/* After the last value: whether nothing but blanks follows and nothing failed. */
bool json_reader_end(struct json_reader *reader, struct err *err);

#endif
