/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions common to all codecs, and the list of codecs.  Each codec has its own file. */
#include "codec_internal.h"

#include <string.h>

bool codec_available(enum codec_kind kind)
{
        switch (kind) {
        case CODEC_ZLIB: return HAVE_ZLIB;
        case CODEC_ZSTD: return HAVE_ZSTD;
        case CODEC_XZ: return HAVE_LZMA;
        }
        return false;
}

bool codec_unpack(enum codec_kind kind, const void *in, size_t in_size, size_t limit, struct buf *out,
                  struct err *err)
{
        size_t before = out->len;
        bool ok = false;

        switch (kind) {
        case CODEC_ZLIB: ok = codec_zlib_unpack(in, in_size, limit, out, err); break;
        case CODEC_ZSTD: ok = codec_zstd_unpack(in, in_size, limit, out, err); break;
        case CODEC_XZ: ok = codec_xz_unpack(in, in_size, limit, out, err); break;
        }
        if (!ok)
                buf_truncate(out, before);
        return ok;
}

/* Unpacks into a buffer and copies. */
static bool unpack_and_copy(enum codec_kind kind, const void *in, size_t in_size, void *out, size_t size,
                            size_t *ret_size, struct err *err)
{
        AUTO_RELEASE(buf) unpacked = {0};

        if (!codec_unpack(kind, in, in_size, size, &unpacked, err))
                return false;
        if (unpacked.len)
                memcpy(out, unpacked.data, unpacked.len);
        *ret_size = unpacked.len;
        return true;
}

bool codec_unpack_into(enum codec_kind kind, const void *in, size_t in_size, void *out, size_t size,
                       size_t *ret_size, struct err *err)
{
        if (kind == CODEC_ZLIB && HAVE_LIBDEFLATE)
                return codec_deflate_unpack_into(in, in_size, out, size, ret_size, err);
        return unpack_and_copy(kind, in, in_size, out, size, ret_size, err);
}

bool codec_missing(const char *name, struct err *err)
{
        return err_set(err, ERR_UNSUPPORTED, "this build of wperf does not support %s", name);
}

bool codec_too_large(size_t limit, struct err *err)
{
        return err_set(err, ERR_LIMIT, "decompresses to more than %zu bytes", limit);
}
