/* SPDX-License-Identifier: BSD-3-Clause */
/* A growing byte buffer.  Its content is always followed by a NUL once anything was added. */
#ifndef BUF_H
#define BUF_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"

/* Zero-initialised is empty and ready; `data` may be NULL while `len` is 0. */
struct buf {
        char *data;
        size_t len;
        size_t cap;
};

void buf_release(struct buf *buf);
void buf_clear(struct buf *buf);

/* The same for a buffer that is filled many times: frees the memory if it is more than 1 MiB and less than
 * a quarter of it was used, so that one large record does not use memory for ever. */
void buf_clear_and_shrink(struct buf *buf);

/* Gives back the memory beyond the content, of a buffer that is full. */
void buf_fit(struct buf *buf);

/* Swaps the contents of two buffers. */
void buf_swap(struct buf *a, struct buf *b);
void buf_truncate(struct buf *buf, size_t len); /* to at most its current length */

/* Appends room for `size` bytes, not initialised, and returns it. */
void *buf_extend(struct buf *buf, size_t size);

void buf_add(struct buf *buf, const void *bytes, size_t size);
void buf_add_zeros(struct buf *buf, size_t size);
void buf_add_str(struct buf *buf, const char *text);
void buf_add_char(struct buf *buf, char c);
void buf_add_u8(struct buf *buf, uint8_t v);
void buf_add_u16(struct buf *buf, uint16_t v); /* in the machine's byte order */
void buf_add_u32(struct buf *buf, uint32_t v);
void buf_add_u64(struct buf *buf, uint64_t v);
/* LEB128, as in DWARF and protobuf; cursor_uleb and cursor_sleb read it. */
void buf_add_uleb(struct buf *buf, uint64_t value);
void buf_add_sleb(struct buf *buf, int64_t value);
void buf_add_base64(struct buf *buf, const void *bytes, size_t size); /* padded with '=' */
void buf_printf(struct buf *buf, const char *fmt, ...) PRINTF_LIKE(2, 3);
void buf_vprintf(struct buf *buf, const char *fmt, va_list args) PRINTF_LIKE(2, 0);

/* The content; "" if empty. */
const char *buf_text(const struct buf *buf);

/* Gives the allocated content to the caller (free()) and empties the buffer; never NULL. */
char *buf_take(struct buf *buf);

#endif
