/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec_internal.h"

#if HAVE_ZSTD
#include <stdlib.h>
#include <zstd.h>

#include "mem.h"

struct codec_stream {
        ZSTD_DStream *d;
        bool dead;
        bool at_end; /* at the end of a frame */
};

struct codec_packer {
        ZSTD_CStream *c;
};

enum { ZSTD_WINDOW_LOG_LIMIT = 27 }; /* 128 MiB, the largest window of levels up to 19 */

struct codec_stream *codec_stream_new(struct err *err)
{
        struct codec_stream *stream = mem_new(1, sizeof(*stream));

        stream->d = ZSTD_createDStream();
        stream->at_end = true;
        if (!stream->d) {
                free(stream);
                err_set(err, ERR_INTERNAL, "can't initialize zstd");
                return NULL;
        }
        ZSTD_DCtx_setParameter(stream->d, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG_LIMIT);
        return stream;
}

void codec_stream_free(struct codec_stream *stream)
{
        if (!stream)
                return;
        ZSTD_freeDStream(stream->d);
        free(stream);
}

bool codec_stream_feed(struct codec_stream *stream, const void *in, size_t in_size, size_t limit,
                       struct buf *out, struct err *err)
{
        ZSTD_inBuffer input = {.src = in, .size = in_size};
        size_t total = 0, given;

        if (stream->dead)
                return err_set(err, ERR_FORMAT, "zstd stream was damaged before");
        do {
                size_t start = out->len, status;
                ZSTD_outBuffer output = {.dst = buf_extend(out, CODEC_CHUNK_BYTES),
                                         .size = CODEC_CHUNK_BYTES};

                status = ZSTD_decompressStream(stream->d, &output, &input);
                given = output.pos;
                buf_truncate(out, start + given);
                total += given;
                if (ZSTD_isError(status)) {
                        stream->dead = true;
                        return err_set(err, ERR_FORMAT, "zstd stream is damaged: %s",
                                       ZSTD_getErrorName(status));
                }
                if (total > limit) {
                        stream->dead = true;
                        return codec_too_large(limit, err);
                }
                stream->at_end = !status;
        } while (input.pos < input.size || given == CODEC_CHUNK_BYTES);
        return true;
}

bool codec_zstd_unpack(const void *in, size_t in_size, size_t limit, struct buf *out, struct err *err)
{
        AUTO(codec_stream) stream = codec_stream_new(err);

        if (!stream || !codec_stream_feed(stream, in, in_size, limit, out, err))
                return false;
        return stream->at_end || err_set(err, ERR_FORMAT, "zstd stream is cut");
}

struct codec_packer *codec_packer_new(int level, struct err *err)
{
        struct codec_packer *packer = mem_new(1, sizeof(*packer));

        packer->c = ZSTD_createCStream();
        if (!packer->c || ZSTD_isError(ZSTD_initCStream(packer->c, level))) {
                codec_packer_free(packer);
                err_set(err, ERR_INTERNAL, "can't initialize zstd");
                return NULL;
        }
        return packer;
}

void codec_packer_free(struct codec_packer *packer)
{
        if (!packer)
                return;
        ZSTD_freeCStream(packer->c);
        free(packer);
}

bool codec_packer_feed(struct codec_packer *packer, const void *in, size_t in_size, struct buf *out,
                       struct err *err)
{
        ZSTD_inBuffer input = {.src = in, .size = in_size};
        size_t left;

        do {
                size_t start = out->len;
                ZSTD_outBuffer output = {.dst = buf_extend(out, CODEC_CHUNK_BYTES),
                                         .size = CODEC_CHUNK_BYTES};

                left = ZSTD_compressStream2(packer->c, &output, &input, ZSTD_e_flush);
                buf_truncate(out, start + output.pos);
                if (ZSTD_isError(left))
                        return err_set(err, ERR_INTERNAL, "zstd: %s", ZSTD_getErrorName(left));
        } while (left);
        return true;
}
#else
struct codec_stream *codec_stream_new(struct err *err)
{
        codec_missing("zstd", err);
        return NULL;
}

void codec_stream_free(struct codec_stream *stream)
{
}

bool codec_stream_feed(struct codec_stream *stream, const void *in, size_t in_size, size_t limit,
                       struct buf *out, struct err *err)
{
        return codec_missing("zstd", err);
}

bool codec_zstd_unpack(const void *in, size_t in_size, size_t limit, struct buf *out, struct err *err)
{
        return codec_missing("zstd", err);
}

struct codec_packer *codec_packer_new(int level, struct err *err)
{
        codec_missing("zstd", err);
        return NULL;
}

void codec_packer_free(struct codec_packer *packer)
{
}

bool codec_packer_feed(struct codec_packer *packer, const void *in, size_t in_size, struct buf *out,
                       struct err *err)
{
        return codec_missing("zstd", err);
}
#endif
