/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODEC_INTERNAL_H
#define CODEC_INTERNAL_H

#include "codec.h"

enum { CODEC_CHUNK_BYTES = 256 * 1024 };

bool codec_zlib_unpack(const void *in, size_t in_size, size_t limit, struct buf *out, struct err *err);
bool codec_zstd_unpack(const void *in, size_t in_size, size_t limit, struct buf *out, struct err *err);
bool codec_xz_unpack(const void *in, size_t in_size, size_t limit, struct buf *out, struct err *err);

/* For streams of a known size, if libdeflate is built in. */
bool codec_deflate_unpack_into(const void *in, size_t in_size, void *out, size_t size, size_t *ret_size,
                               struct err *err);

bool codec_missing(const char *name, struct err *err);
bool codec_too_large(size_t limit, struct err *err);

#endif
