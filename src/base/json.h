/* SPDX-License-Identifier: BSD-3-Clause */
/* A streaming JSON writer.  It writes commas and checks nesting; the caller chooses the keys. */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"

enum { JSON_MAX_DEPTH = 32 };

struct json {
        struct buf *out;
        unsigned depth;
        bool need_comma;
};

/* Writes to `out`, which must outlive it.  The document is compact, on one line. */
void json_init(struct json *json, struct buf *out);

void json_begin_object(struct json *json);
void json_end_object(struct json *json);
void json_begin_array(struct json *json);
void json_end_array(struct json *json);

/* Before each value inside an object. */
void json_key(struct json *json, const char *key);

void json_str(struct json *json, const char *text); /* invalid UTF-8 becomes U+FFFD */
void json_u64(struct json *json, uint64_t value);
void json_i64(struct json *json, int64_t value);
void json_hex(struct json *json, uint64_t value); /* a string, "0x1f" */
void json_bool(struct json *json, bool value);
void json_null(struct json *json);
void json_fixed(struct json *json, double value, int decimals); /* not finite: null */

/* key and value in one call */
void json_key_str(struct json *json, const char *key, const char *text);
void json_key_u64(struct json *json, const char *key, uint64_t value);
void json_key_i64(struct json *json, const char *key, int64_t value);
void json_key_bool(struct json *json, const char *key, bool value);

#endif
