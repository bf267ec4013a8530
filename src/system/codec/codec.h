/* SPDX-License-Identifier: BSD-3-Clause */
/* One API for zlib, zstd and xz. A build may lack any of them: ERR_UNSUPPORTED then names it. */
#ifndef CODEC_H
#define CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "err.h"

enum codec_kind { CODEC_ZLIB, CODEC_ZSTD, CODEC_XZ };

bool codec_available(enum codec_kind kind);

/* Unpacks a whole stream and appends it to `out`.  More than `limit` bytes is ERR_LIMIT; a cut or damaged
 * stream is ERR_FORMAT; `out` does not change then. */
bool codec_unpack(enum codec_kind kind, const void *in, size_t in_size, size_t limit, struct buf *out,
                  struct err *err);

/* The same if the unpacked size is known: to `size` bytes at `out`, faster.  *ret_size is the number of
 * bytes, which may be smaller; after a failure `out` is undefined. */
bool codec_unpack_into(enum codec_kind kind, const void *in, size_t in_size, void *out, size_t size,
                       size_t *ret_size, struct err *err);

/* Unpacks XPRESS (plain LZ77), whose unpacked size is known: exactly `size` bytes at `out`.  ERR_FORMAT if
 * the stream is cut or damaged; `out` is undefined then. */
bool codec_unpack_xpress(const void *in, size_t in_size, void *out, size_t size, struct err *err);

/* Compresses a whole file with gzip, without a name and a time, and appends it to `out`, which does not
 * change on failure. ERR_LIMIT above 4 GiB. */
bool codec_pack_gzip(const void *in, size_t in_size, struct buf *out, struct err *err);

/* Decompresses a zstd stream that is split into many pieces, as in the COMPRESSED records of perf.data. */
struct codec_stream;

struct codec_stream *codec_stream_new(struct err *err);
void codec_stream_free(struct codec_stream *stream);
AUTO_DEFINE(codec_stream)

/* Decompresses a piece and appends the result, at most `limit` bytes, to `out`. After a failure every later
 * call fails. */
bool codec_stream_feed(struct codec_stream *stream, const void *in, size_t in_size, size_t limit,
                       struct buf *out, struct err *err);

/* Compresses a zstd stream in pieces; each piece is flushed, so that a reader can decompress all pieces
 * written so far. */
struct codec_packer;

struct codec_packer *codec_packer_new(int level, struct err *err);
void codec_packer_free(struct codec_packer *packer);
AUTO_DEFINE(codec_packer)

bool codec_packer_feed(struct codec_packer *packer, const void *in, size_t in_size, struct buf *out,
                       struct err *err);

#endif
