/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec_internal.h"

#if HAVE_LZMA
#include <lzma.h>

enum { XZ_MEMORY_LIMIT = 256 << 20 };

static bool decode_into(lzma_stream *xz, size_t limit, struct buf *out, struct err *err)
{
        size_t total = 0;
        lzma_ret status = LZMA_OK;

        while (status != LZMA_STREAM_END) {
                size_t start = out->len;

                xz->next_out = buf_extend(out, CODEC_CHUNK_BYTES);
                xz->avail_out = CODEC_CHUNK_BYTES;
                status = lzma_code(xz, LZMA_FINISH);
                buf_truncate(out, start + CODEC_CHUNK_BYTES - xz->avail_out);
                total += CODEC_CHUNK_BYTES - xz->avail_out;
                if (total > limit)
                        return codec_too_large(limit, err);
                if (status != LZMA_OK && status != LZMA_STREAM_END)
                        return err_set(err, ERR_FORMAT, "xz stream is cut or damaged");
        }
        return true;
}

bool codec_xz_unpack(const void *in, size_t in_size, size_t limit, struct buf *out, struct err *err)
{
        lzma_stream xz = LZMA_STREAM_INIT;
        bool ok;

        if (lzma_stream_decoder(&xz, XZ_MEMORY_LIMIT, 0) != LZMA_OK)
                return err_set(err, ERR_INTERNAL, "can't initialize liblzma");
        xz.next_in = in;
        xz.avail_in = in_size;
        ok = decode_into(&xz, limit, out, err);
        lzma_end(&xz);
        return ok;
}
#else
bool codec_xz_unpack(const void *in, size_t in_size, size_t limit, struct buf *out, struct err *err)
{
        return codec_missing("liblzma", err);
}
#endif
