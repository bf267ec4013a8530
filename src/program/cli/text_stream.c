/* SPDX-License-Identifier: BSD-3-Clause */
#include "text_stream.h"

#include <string.h>

#include "text_code.h"

/* So much text is made safe at a time, to need little memory. */
enum { PIECE_BYTES = 1 << 20 };

/* A size near PIECE_BYTES that ends after a line, or all that is left. */
static size_t piece_size(const char *at, size_t left)
{
        const char *end;

        if (left <= PIECE_BYTES)
                return left;
        end = memchr(at + PIECE_BYTES, '\n', left - PIECE_BYTES);
        return end ? (size_t)(end - at) + 1 : left;
}

typedef bool write_fn(enum os_stream stream, const void *bytes, size_t size, struct err *err);

/* Writes to the file, or by `write` to the stream if there is none. */
static bool write_text(struct os_file *file, enum os_stream stream, write_fn *write, const char *at,
                       size_t left, struct err *err)
{
        AUTO_RELEASE(buf) safe = {0};

        do {
                size_t size = piece_size(at, left);

                const char *text = at;
                size_t n = size;

                /* Most text is written from where it is. */
                if (text_plain_output(at, size) < size) {
                        buf_clear(&safe);
                        text_add_output(&safe, at, size);
                        text = safe.data;
                        n = safe.len;
                }
                if (!(file ? os_file_write(file, text, n, err) : write(stream, text, n, err)))
                        return false;
                at += size;
                left -= size;
        } while (left);
        return true;
}

bool text_stream_write(enum os_stream stream, const void *text, size_t size, struct err *err)
{
        return write_text(NULL, stream, os_write_stream, text, size, err);
}

bool text_stream_offer(enum os_stream stream, const void *text, size_t size, struct err *err)
{
        return write_text(NULL, stream, os_offer_stream, text, size, err);
}

bool text_stream_to_file(struct os_file *file, const void *text, size_t size, struct err *err)
{
        return write_text(file, OS_STDOUT, NULL, text, size, err);
}

bool text_stream_page(const char *pager, const struct buf *text)
{
        AUTO_RELEASE(buf) safe = {0};

        text_add_output(&safe, text->data, text->len);
        return os_page(pager, buf_text(&safe), safe.len);
}

bool text_stream_write_bytes(const char *path, const struct buf *bytes, struct err *err)
{
        struct os_file *file;

        if (!path || !strcmp(path, "-"))
                return os_write_stream(OS_STDOUT, bytes->data, bytes->len, err);
        file = os_file_create(path, err);
        if (!file)
                return false;
        if (os_file_write(file, bytes->data, bytes->len, err))
                return os_file_close(file, err);
        os_file_discard(file);
        return false;
}
