/* SPDX-License-Identifier: BSD-3-Clause */
/* Decompresses zlib streams with libdeflate, which is two to three times as fast as zlib but needs the
 * whole stream at once. */
#include "codec_internal.h"

#if HAVE_LIBDEFLATE
#include <libdeflate.h>

bool codec_deflate_unpack_into(const void *in, size_t in_size, void *out, size_t size, size_t *ret_size,
                               struct err *err)
{
        struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
        enum libdeflate_result result;
        size_t n_bytes;

        if (!decompressor)
                return err_set(err, ERR_INTERNAL, "can't initialize libdeflate");
        result = libdeflate_zlib_decompress(decompressor, in, in_size, out, size, &n_bytes);
        libdeflate_free_decompressor(decompressor);
        if (result == LIBDEFLATE_INSUFFICIENT_SPACE)
                return codec_too_large(size, err);
        if (result != LIBDEFLATE_SUCCESS)
                return err_set(err, ERR_FORMAT, "zlib stream is cut or damaged");
        *ret_size = n_bytes;
        return true;
}
#else
bool codec_deflate_unpack_into(const void *in, size_t in_size, void *out, size_t size, size_t *ret_size,
                               struct err *err)
{
        return codec_missing("libdeflate", err);
}
#endif
