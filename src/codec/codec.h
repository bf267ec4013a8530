/* SPDX-License-Identifier: BSD-3-Clause */
/* zlib, zstd and xz behind one face.  Each may be missing from a build: ERR_UNSUPPORTED then names it. */
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

/* Unpacks a whole stream, appended to `out`.  More than `limit` bytes is ERR_LIMIT; a cut or damaged stream is
 * ERR_FORMAT; `out` is then as it was. */
bool codec_unpack(enum codec_kind kind, const void *in, size_t in_size, size_t limit, struct buf *out,
                  struct err *err);

/* The same where the unpacked size is known: to `size` bytes at `out`, faster.  *ret_size is how many there were, which
 * may be fewer; after a failure `out` holds anything. */
bool codec_unpack_into(enum codec_kind kind, const void *in, size_t in_size, void *out, size_t size,
                       size_t *ret_size, struct err *err);

/* Packs a whole file by gzip, with neither a name nor a time in it; appended to `out`, which stays as it was after a
 * failure.  ERR_LIMIT above 4 GiB. */
bool codec_pack_gzip(const void *in, size_t in_size, struct buf *out, struct err *err);

/* A zstd stream that goes on over many pieces, as in the COMPRESSED records of perf.data. */
struct codec_stream;

struct codec_stream *codec_stream_new(struct err *err);
void codec_stream_free(struct codec_stream *stream);
AUTO_DEFINE(codec_stream)

/* Feeds a piece; what it gives is appended to `out`, at most `limit` bytes.  After a failure the stream is dead
 * and every later feed fails. */
bool codec_stream_feed(struct codec_stream *stream, const void *in, size_t in_size, size_t limit,
                       struct buf *out, struct err *err);

/* The other way: a zstd stream written in pieces, each flushed so that what is written so far can be read. */
struct codec_packer;

struct codec_packer *codec_packer_new(int level, struct err *err);
void codec_packer_free(struct codec_packer *packer);
AUTO_DEFINE(codec_packer)

bool codec_packer_feed(struct codec_packer *packer, const void *in, size_t in_size, struct buf *out,
                       struct err *err);

#endif
