/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "codec.h"
#include "tap.h"

/* The text "wperf wperf wperf wperf
 * ", packed by zlib. */
static const uint8_t zlib_bytes[] = {
        0x78, 0x9c, 0x2b, 0x2f, 0x48, 0x2d, 0x4a, 0x53, 0x28, 0x47, 0x27, 0xb9, 0x00, 0x74, 0xd2, 0x08, 0xfb,
};

TEST(zlib_unpacks)
{
        AUTO_RELEASE(buf) out = {0};
        struct err err = {0};

        if (!codec_available(CODEC_ZLIB))
                SKIP("zlib");
        EXPECT_TRUE(codec_unpack(CODEC_ZLIB, zlib_bytes, sizeof(zlib_bytes), 1000, &out, &err));
        EXPECT_STR(buf_text(&out), "wperf wperf wperf wperf\n");
        for (size_t cut = 0; cut < sizeof(zlib_bytes); cut++)
                EXPECT_TRUE(!codec_unpack(CODEC_ZLIB, zlib_bytes, cut, 1000, &out, &err));
        EXPECT_INT(out.len, 24);
        EXPECT_TRUE(!codec_unpack(CODEC_ZLIB, zlib_bytes, sizeof(zlib_bytes), 10, &out, &err));
        EXPECT_INT(err.code, ERR_LIMIT);
}

TEST(zlib_unpacks_to_a_known_size)
{
        uint8_t padded[sizeof(zlib_bytes) + 4] = {0};
        struct err err = {0};
        char out[64];
        size_t size = 0;

        if (!codec_available(CODEC_ZLIB))
                SKIP("zlib");
        EXPECT_TRUE(codec_unpack_into(CODEC_ZLIB, zlib_bytes, sizeof(zlib_bytes), out, 24, &size, &err));
        EXPECT_INT(size, 24);
        EXPECT_TRUE(!memcmp(out, "wperf wperf wperf wperf\n", 24));
        EXPECT_TRUE(
                codec_unpack_into(CODEC_ZLIB, zlib_bytes, sizeof(zlib_bytes), out, sizeof(out), &size, &err));
        EXPECT_INT(size, 24);
        memcpy(padded, zlib_bytes, sizeof(zlib_bytes));
        EXPECT_TRUE(codec_unpack_into(CODEC_ZLIB, padded, sizeof(padded), out, 24, &size, &err));
        EXPECT_INT(size, 24);
}

/* A deflate stream follows the header; the trailer is a checksum and the size. */
enum { GZIP_HEADER_BYTES = 10, GZIP_TRAILER_BYTES = 8 };

static bool unpack_gzip(const struct buf *packed, size_t size, struct buf *out, struct err *err)
{
        AUTO_RELEASE(buf) zlib = {0};
        uint32_t a = 1, b = 0;

        buf_add(&zlib, "\x78\x9c", 2);
        buf_add(&zlib, packed->data + GZIP_HEADER_BYTES,
                packed->len - GZIP_HEADER_BYTES - GZIP_TRAILER_BYTES);
        for (size_t i = 0; i < size; i++) {
                a = (a + (uint8_t)(i * 7 % 251)) % 65521;
                b = (b + a) % 65521;
        }
        for (int shift = 24; shift >= 0; shift -= 8)
                buf_add_u8(&zlib, (uint8_t)((b << 16 | a) >> shift));
        return codec_unpack(CODEC_ZLIB, zlib.data, zlib.len, size, out, err);
}

TEST(gzip_packs)
{
        static const size_t sizes[] = {0, 1, 1000, 3000000};
        struct err err = {0};

        if (!codec_available(CODEC_ZLIB))
                SKIP("zlib");
        for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
                AUTO_RELEASE(buf) in = {0};
                AUTO_RELEASE(buf) packed = {0};
                AUTO_RELEASE(buf) out = {0};

                for (size_t k = 0; k < sizes[i]; k++)
                        buf_add_u8(&in, (uint8_t)(k * 7 % 251));
                buf_add_str(&packed, "before");
                ASSERT_TRUE(codec_pack_gzip(buf_text(&in), in.len, &packed, &err));
                EXPECT_TRUE(!memcmp(packed.data, "before\x1f\x8b\x08\0\0\0\0\0", 14));
                memmove(packed.data, packed.data + 6, packed.len - 6);
                buf_truncate(&packed, packed.len - 6);
                ASSERT_TRUE(unpack_gzip(&packed, sizes[i], &out, &err));
                EXPECT_TRUE(out.len == in.len && !memcmp(buf_text(&out), buf_text(&in), in.len));
        }
}

TEST(zlib_of_another_size_or_damaged)
{
        uint8_t damaged[sizeof(zlib_bytes)];
        struct err err = {0};
        char out[64];
        size_t size = 0;

        if (!codec_available(CODEC_ZLIB))
                SKIP("zlib");
        for (size_t room = 0; room < 24; room++) {
                err = (struct err){0};
                EXPECT_TRUE(!codec_unpack_into(CODEC_ZLIB, zlib_bytes, sizeof(zlib_bytes), out, room, &size,
                                               &err));
                EXPECT_INT(err.code, ERR_LIMIT);
        }
        EXPECT_STR(err.text, "decompresses to more than 23 bytes");
        for (size_t cut = 0; cut < sizeof(zlib_bytes); cut++) {
                err = (struct err){0};
                EXPECT_TRUE(!codec_unpack_into(CODEC_ZLIB, zlib_bytes, cut, out, 24, &size, &err));
                EXPECT_INT(err.code, ERR_FORMAT);
        }
        EXPECT_STR(err.text, "zlib stream is cut or damaged");
        memcpy(damaged, zlib_bytes, sizeof(damaged));
        damaged[sizeof(damaged) - 1] ^= 1; /* the checksum */
        EXPECT_TRUE(!codec_unpack_into(CODEC_ZLIB, damaged, sizeof(damaged), out, 24, &size, &err));
        EXPECT_INT(err.code, ERR_FORMAT);
        EXPECT_INT(size, 0);
}

TEST(zstd_streams_over_pieces)
{
        AUTO_RELEASE(buf) packed = {0};
        AUTO_RELEASE(buf) out = {0};
        struct err err = {0};
        struct codec_packer *packer;
        struct codec_stream *stream;
        size_t first;

        if (!codec_available(CODEC_ZSTD))
                SKIP("zstd");
        packer = codec_packer_new(1, &err);
        EXPECT_TRUE(codec_packer_feed(packer, "first ", 6, &packed, &err));
        first = packed.len;
        EXPECT_TRUE(codec_packer_feed(packer, "second", 6, &packed, &err));
        stream = codec_stream_new(&err);
        EXPECT_TRUE(codec_stream_feed(stream, packed.data, first, 1000, &out, &err));
        EXPECT_STR(buf_text(&out), "first ");
        EXPECT_TRUE(codec_stream_feed(stream, packed.data + first, packed.len - first, 1000, &out, &err));
        EXPECT_STR(buf_text(&out), "first second");
        EXPECT_TRUE(!codec_unpack(CODEC_ZSTD, packed.data, packed.len, 1000, &out, &err));
        EXPECT_CONTAINS(err.text, "cut");
        EXPECT_TRUE(!codec_stream_feed(stream, "not zstd at all", 15, 1000, &out, &err));
        EXPECT_TRUE(!codec_stream_feed(stream, packed.data, first, 1000, &out, &err));
        codec_stream_free(stream);
        codec_packer_free(packer);
}

/* The examples of [MS-XCA] 3.1. */
TEST(xpress_unpacks)
{
        static const uint8_t letters[] = {0x3f, 0,   0,   0,   'a', 'b', 'c', 'd', 'e', 'f',
                                          'g',  'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p',
                                          'q',  'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z'};
        static const uint8_t repeated[] = {0xff, 0xff, 0xff, 0x1f, 'a',  'b', 'c',
                                           0x17, 0,    0x0f, 0xff, 0x26, 0x01};
        char out[300];

        EXPECT_TRUE(codec_unpack_xpress(letters, sizeof(letters), out, 26, NULL));
        EXPECT_TRUE(!memcmp(out, "abcdefghijklmnopqrstuvwxyz", 26));
        EXPECT_TRUE(codec_unpack_xpress(repeated, sizeof(repeated), out, 300, NULL));
        for (size_t i = 0; i < sizeof(out); i++)
                EXPECT_INT(out[i], "abc"[i % 3]);
}

TEST(xpress_that_is_cut_or_damaged)
{
        static const uint8_t repeated[] = {0xff, 0xff, 0xff, 0x1f, 'a',  'b', 'c',
                                           0x17, 0,    0x0f, 0xff, 0x26, 0x01};
        static const uint8_t before_the_begin[] = {0xff, 0xff, 0xff, 0x7f, 'a', 0x0f, 0};
        /* a length of 21 in the long form, which only a writer of damage makes */
        static const uint8_t short_long[] = {0xff, 0xff, 0xff, 0x7f, 'a', 0x07, 0, 0x0f, 0xff, 21, 0};
        struct err err = {0};
        char out[300];

        for (size_t size = 0; size < sizeof(repeated); size++)
                EXPECT_TRUE(!codec_unpack_xpress(repeated, size, out, sizeof(out), &err));
        EXPECT_INT(err.code, ERR_FORMAT);
        /* longer than the output */
        EXPECT_TRUE(!codec_unpack_xpress(repeated, sizeof(repeated), out, 299, NULL));
        EXPECT_TRUE(!codec_unpack_xpress(before_the_begin, sizeof(before_the_begin), out, 10, NULL));
        EXPECT_TRUE(!codec_unpack_xpress(short_long, sizeof(short_long), out, 30, NULL));
}

TEST(xz_refuses_what_it_is_not)
{
        AUTO_RELEASE(buf) out = {0};
        struct err err = {0};

        EXPECT_TRUE(!codec_unpack(CODEC_XZ, zlib_bytes, sizeof(zlib_bytes), 1000, &out, &err));
        EXPECT_INT(err.code, codec_available(CODEC_XZ) ? ERR_FORMAT : ERR_UNSUPPORTED);
}

TAP_MAIN
