/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec_internal.h"

#if HAVE_ZLIB
#include <zlib.h>

static bool inflate_into(z_stream *z, size_t limit, struct buf *out, struct err *err)
{
        size_t total = 0;
        int status = Z_OK;

        while (status != Z_STREAM_END) {
                size_t start = out->len;

                z->next_out = buf_extend(out, CODEC_CHUNK_BYTES);
                z->avail_out = CODEC_CHUNK_BYTES;
                status = inflate(z, Z_NO_FLUSH);
                buf_truncate(out, start + CODEC_CHUNK_BYTES - z->avail_out);
                total += CODEC_CHUNK_BYTES - z->avail_out;
                if (total > limit)
                        return codec_too_large(limit, err);
                if (status != Z_OK && status != Z_STREAM_END)
                        return err_set(err, ERR_FORMAT, "zlib stream is cut or damaged");
        }
        return true;
}

bool codec_zlib_unpack(const void *in, size_t in_size, size_t limit, struct buf *out, struct err *err)
{
        z_stream z = {.next_in = (Bytef *)(uintptr_t)in, .avail_in = (uInt)in_size};
        bool ok;

        if (in_size > UINT32_MAX)
                return err_set(err, ERR_LIMIT, "zlib stream is larger than 4 GiB");
        if (inflateInit(&z) != Z_OK)
                return err_set(err, ERR_INTERNAL, "can't initialize zlib");
        ok = inflate_into(&z, limit, out, err);
        inflateEnd(&z);
        return ok;
}

enum { GZIP_WINDOW_BITS = 15 + 16, GZIP_MEMORY = 8 };

bool codec_pack_gzip(const void *in, size_t in_size, struct buf *out, struct err *err)
{
        z_stream z = {.next_in = (Bytef *)(uintptr_t)in, .avail_in = (uInt)in_size};
        size_t before = out->len;
        int status;

        if (in_size > UINT32_MAX)
                return err_set(err, ERR_LIMIT, "gzip can't compress more than 4 GiB at once");
        if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW_BITS, GZIP_MEMORY,
                         Z_DEFAULT_STRATEGY) != Z_OK)
                return err_set(err, ERR_INTERNAL, "can't initialize zlib");
        do {
                z.next_out = buf_extend(out, CODEC_CHUNK_BYTES);
                z.avail_out = CODEC_CHUNK_BYTES;
                status = deflate(&z, Z_FINISH);
                buf_truncate(out, out->len - z.avail_out);
        } while (status == Z_OK);
        deflateEnd(&z);
        if (status == Z_STREAM_END)
                return true;
        buf_truncate(out, before);
        return err_set(err, ERR_INTERNAL, "zlib can't compress");
}
#else
bool codec_pack_gzip(const void *in, size_t in_size, struct buf *out, struct err *err)
{
        return codec_missing("zlib", err);
}

bool codec_zlib_unpack(const void *in, size_t in_size, size_t limit, struct buf *out, struct err *err)
{
        return codec_missing("zlib", err);
}
#endif
