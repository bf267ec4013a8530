/* SPDX-License-Identifier: BSD-3-Clause */
#include "digest.h"

#include <string.h>

#include "tap.h"
#include "text.h"

static const char *hex_of(struct digest digest)
{
        static char hex[2 * DIGEST_BYTES + 1];

        text_hex(hex, digest.bytes, DIGEST_BYTES);
        return hex;
}

/* The texts of the self-test in RFC 7693, appendix E.  Its digests of 32 bytes without a key are tested
 * here; the RFC prints a digest of all digests, which Python's hashlib confirms. */
static void make_text(uint8_t *out, size_t size, uint32_t seed)
{
        uint32_t a = 0xdead4bad * seed, b = 1;

        for (size_t i = 0; i < size; i++) {
                uint32_t t = a + b;

                a = b;
                b = t;
                out[i] = (uint8_t)(t >> 24);
        }
}

TEST(published_texts_have_their_published_digests)
{
        static const struct {
                const char *text, *hex;
        } known[] = {
                {"", "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"},
                {"abc", "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319"},
                {"The quick brown fox jumps over the lazy dog",
                 "01718cec35cd3d796dd00020e0bfecb473ad23457d063b75eff29c0ffa2e58a9"},
        };

        for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
                EXPECT_STR(hex_of(digest_of(known[i].text, strlen(known[i].text))), known[i].hex);
}

TEST(texts_of_every_length_have_the_digests_of_the_rfc)
{
        static const struct {
                size_t size;
                const char *hex;
        } known[] = {
                {3, "c6fcb3c3542e65f2db9a75aca089bfe3ff63e5b3889f65bf1d2da61964710782"},
                {128, "9f51dad780c3c7f1915262e80ccbd443a91e5c5c97e8127f9c9f8536aec85960"},
                {129, "5a9585ea35499d7d883d3a22eed1d3ebc46c1b1937d479b8be92b358c3eed78e"},
                {255, "517f6f8c5afea55f1c27cb8cdb4ff015c9602a550ba3080e5ac32796931711d3"},
                {1024, "a001b41dd6bfcb13c73bf83a1fe5c881d49476163e472906c200375d8482b004"},
        };
        uint8_t text[1024];

        for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
                make_text(text, known[i].size, (uint32_t)known[i].size);
                EXPECT_STR(hex_of(digest_of(text, known[i].size)), known[i].hex);
        }
}

TEST(pieces_have_the_digest_of_the_whole)
{
        enum { SIZE = 1000 };
        uint8_t text[SIZE];
        struct digest want;

        make_text(text, SIZE, 7);
        want = digest_of(text, SIZE);
        for (size_t piece = 1; piece < 400; piece++) {
                struct digest_state state;
                struct digest got;

                digest_begin(&state);
                for (size_t at = 0; at < SIZE; at += piece)
                        digest_add(&state, text + at, piece < SIZE - at ? piece : SIZE - at);
                digest_add(&state, text, 0);
                got = digest_end(&state);
                EXPECT_TRUE(!memcmp(&got, &want, sizeof(want)));
        }
}

TEST(every_changed_bit_is_another_digest)
{
        enum { SIZE = 300 };
        uint8_t text[SIZE];
        struct digest was;

        make_text(text, SIZE, 9);
        was = digest_of(text, SIZE);
        for (size_t i = 0; i < 8 * SIZE; i++) {
                struct digest now;

                text[i / 8] ^= (uint8_t)(1u << i % 8);
                now = digest_of(text, SIZE);
                EXPECT_CMP(memcmp(&now, &was, sizeof(was)), !=, 0);
                text[i / 8] ^= (uint8_t)(1u << i % 8);
        }
}

TAP_MAIN
