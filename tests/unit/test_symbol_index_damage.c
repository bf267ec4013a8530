/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of the symbol index that are damaged, cut, or made to do harm. */
#define FOLDER "symbol_index_damage.tmp"
#include "symbol_index_answers.h"

/* Nothing is known of the file, which is said unless it is `quiet`, and the next run makes it anew. */
static void expect_refused(const struct symbol_index_key *key, const void *bytes, size_t size, bool quiet)
{
        AUTO(symbol_index) index = NULL;
        const char *note;

        write_whole(path_of(key), bytes, size);
        index = open_index(key);
        EXPECT_INT(find(index, small, N_SMALL), 0);
        note = symbol_index_note(index);
        if (quiet)
                EXPECT_STR(note, "");
        else
                EXPECT_CONTAINS(note, "it is made anew");
}

TEST(damage_at_every_byte_is_seen)
{
        struct symbol_index_key key = key_of(1);
        AUTO_RELEASE(buf) good = {0};
        AUTO_RELEASE(buf) bad = {0};
        static const uint8_t changes[] = {0x01, 0x80, 0xff};

        clean();
        keep(&key, small, N_SMALL);
        read_whole(&key, &good);
        for (size_t i = 0; i < good.len * N_ELEMENTS(changes); i++) {
                size_t at = i / N_ELEMENTS(changes);

                buf_clear(&bad);
                buf_add(&bad, good.data, good.len);
                bad.data[at] = (char)(bad.data[at] ^ changes[i % N_ELEMENTS(changes)]);
                expect_refused(&key, bad.data, bad.len, at >= 8 && at < 16);
                if (tap_failed)
                        ASSERT_TRUE(at == SIZE_MAX);
        }
        keep(&key, small, N_SMALL);
        EXPECT_INT(find_again(&key, small, N_SMALL), N_SMALL);
}

TEST(cuts_at_every_length_are_seen)
{
        struct symbol_index_key key = key_of(1);
        AUTO_RELEASE(buf) good = {0};

        clean();
        keep(&key, small, N_SMALL);
        read_whole(&key, &good);
        for (size_t size = 0; size < good.len; size++)
                expect_refused(&key, good.data, size, false);
        buf_add_char(&good, 'x');
        expect_refused(&key, good.data, good.len, false);
}

/* A file whose checksum is right all the same. */
struct forged {
        struct buf bytes;
        struct symbol_image_header header;
        size_t spans_off, frames_off, offs_off, texts_off;
};

static void forged_release(struct forged *f)
{
        buf_release(&f->bytes);
}

static void forged_read(struct forged *f, const struct symbol_index_key *key)
{
        clean();
        keep(key, small, N_SMALL);
        read_whole(key, &f->bytes);
        memcpy(&f->header, f->bytes.data, sizeof(f->header));
        f->spans_off = sizeof(f->header) + 8u * f->header.n_addrs;
        f->frames_off = f->spans_off + 8u * f->header.n_addrs;
        f->offs_off = f->frames_off + sizeof(struct symbol_image_frame) * f->header.n_frames;
        f->texts_off = f->offs_off + 4u * f->header.n_texts;
}

static void forge(struct forged *f, size_t off, uint32_t value)
{
        uint64_t sum;

        memcpy(f->bytes.data + off, &value, sizeof(value));
        sum = symbol_image_checksum((const uint8_t *)f->bytes.data + SYMBOL_IMAGE_CHECKED_FROM,
                                    f->bytes.len - SYMBOL_IMAGE_CHECKED_FROM);
        memcpy(f->bytes.data + offsetof(struct symbol_image_header, checksum), &sum, sizeof(sum));
}

/* What is known of a forged file up to the damage, without the right answers being asked for. */
static size_t find_forged(struct forged *f, const struct symbol_index_key *key, size_t off, uint32_t value)
{
        AUTO_RELEASE(forged) own = *f;
        AUTO(symbol_index) index = NULL;
        struct source_frames frames;
        bool known[N_SMALL];
        size_t n;

        own.bytes = (struct buf){0};
        buf_add(&own.bytes, f->bytes.data, f->bytes.len);
        forge(&own, off, value);
        write_whole(path_of(key), own.bytes.data, own.bytes.len);
        index = open_index(key);
        n = symbol_index_find(index, small, N_SMALL, &frames, known);
        EXPECT_TRUE(frames.n_frames <= f->header.n_frames);
        if (n < N_SMALL)
                EXPECT_CONTAINS(symbol_index_note(index), ": is damaged; it is made anew");
        source_frames_release(&frames);
        return n;
}

TEST(a_forged_file_does_no_harm)
{
        struct symbol_index_key key = key_of(1);
        AUTO_RELEASE(forged) f = {0};

        forged_read(&f, &key);
        EXPECT_INT(f.header.n_addrs, N_SMALL);
        EXPECT_INT(find_forged(&f, &key, f.spans_off, 0), N_SMALL);
        /* Numbers of things. */
        EXPECT_INT(find_forged(&f, &key, offsetof(struct symbol_image_header, n_addrs), UINT32_MAX), 0);
        EXPECT_INT(find_forged(&f, &key, offsetof(struct symbol_image_header, n_frames), UINT32_MAX), 0);
        EXPECT_INT(find_forged(&f, &key, offsetof(struct symbol_image_header, n_texts), UINT32_MAX), 0);
        EXPECT_INT(find_forged(&f, &key, offsetof(struct symbol_image_header, texts_size), 1), 0);
        /* The span of the second address: its first, its number. */
        EXPECT_INT(find_forged(&f, &key, f.spans_off + 8, f.header.n_frames + 1), 1);
        EXPECT_INT(find_forged(&f, &key, f.spans_off + 8, UINT32_MAX), 1);
        EXPECT_INT(find_forged(&f, &key, f.spans_off + 12, f.header.n_frames + 1), 1);
        EXPECT_INT(find_forged(&f, &key, f.spans_off + 12, UINT32_MAX), 1);
        /* The texts of the first frame. */
        EXPECT_INT(find_forged(&f, &key, f.frames_off + 8, f.header.n_texts), N_SMALL);
        EXPECT_INT(find_forged(&f, &key, f.frames_off + 8, f.header.n_texts + 1), 1);
        EXPECT_INT(find_forged(&f, &key, f.frames_off + 12, UINT32_MAX), 1);
        /* Where the second text is. */
        EXPECT_INT(find_forged(&f, &key, f.offs_off + 4, (uint32_t)f.header.texts_size - 1), N_SMALL);
        EXPECT_INT(find_forged(&f, &key, f.offs_off + 4, (uint32_t)f.header.texts_size), 1);
        EXPECT_INT(find_forged(&f, &key, f.offs_off + 4, UINT32_MAX), 1);
        /* The last text does not end. */
        EXPECT_TRUE(find_forged(&f, &key, f.bytes.len - 4, 0x41414141) < N_SMALL);
}

TEST(a_forged_file_gives_nothing_twice)
{
        struct symbol_index_key key = key_of(1);
        AUTO_RELEASE(forged) f = {0};

        forged_read(&f, &key);
        /* All frames for the second address leave none for the others. */
        forge(&f, f.spans_off + 8, 0);
        EXPECT_INT(find_forged(&f, &key, f.spans_off + 12, f.header.n_frames), 2);
        /* Every text is all texts. */
        forged_release(&f);
        f = (struct forged){0};
        forged_read(&f, &key);
        for (size_t i = f.texts_off; i < f.bytes.len - 1; i++)
                f.bytes.data[i] = 'A';
        for (size_t i = 1; i < f.header.n_texts; i++)
                forge(&f, f.offs_off + 4 * i, 1);
        EXPECT_INT(find_forged(&f, &key, f.offs_off, 0), 1);
}

TAP_MAIN
