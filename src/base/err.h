/* SPDX-License-Identifier: BSD-3-Clause */
/* The error record that every function that can fail takes as its last argument. */
#ifndef ERR_H
#define ERR_H

#include <stdbool.h>
#include <stdint.h>

#include "attributes.h"

#define ERR_CODES(X)                                                                                         \
        X(NONE, "none")                                                                                      \
        X(IO, "input or output failed")                                                                      \
        X(FORMAT, "malformed input")                                                                         \
        X(LIMIT, "limit exceeded")                                                                           \
        X(UNSUPPORTED, "not supported")                                                                      \
        X(DENIED, "permission denied")                                                                       \
        X(BUSY, "resource busy")                                                                             \
        X(CLOSED, "nobody reads it any more")                                                                \
        X(MISSING, "not found")                                                                              \
        X(USAGE, "wrong usage")                                                                              \
        X(INTERNAL, "internal error")

enum err_code {
#define ERR_ENUM(code, text) ERR_##code,
        ERR_CODES(ERR_ENUM)
#undef ERR_ENUM
};

/* Owned by the caller, usually on its stack; zero-initialised means no error.  `os` is the operating
 * system's error number or 0; `text` is one sentence, lower case, without a full stop. */
struct err {
        enum err_code code;
        int32_t os;
        char text[240];
};

/* Sets code and text; always returns false, so that `return err_set(...)` is one line.  `err` may be NULL. */
bool err_set(struct err *err, enum err_code code, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* The same with the operating system's error number `os`, whose message is appended after ": ". */
bool err_os(struct err *err, enum err_code code, int32_t os, const char *fmt, ...) PRINTF_LIKE(4, 5);

/* Adds context before the text ("PREFIX: old text"); always returns false. */
bool err_in(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* A general text for a code; never NULL. */
const char *err_code_text(enum err_code code);

#endif
