/* SPDX-License-Identifier: BSD-3-Clause */
/* MD5 (RFC 1321), only to compare source files with the checksums in debug information: it does not
 * withstand an attacker. */
#ifndef MD5_H
#define MD5_H

#include <stddef.h>
#include <stdint.h>

enum { MD5_BYTES = 16 };

struct md5 {
        uint8_t bytes[MD5_BYTES];
};

struct md5 md5_of(const void *bytes, size_t size);

#endif
