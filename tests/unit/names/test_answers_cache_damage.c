/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of the cache that are damaged, cut, or forged. */
#define FOLDER "answers_cache_damage.tmp"
#include "archive_section.h"
#include "cached_answers.h"

static const struct archive_section_kind cache_kind = {"WPCA", ANSWERS_CACHE_VERSION, .is_plain = true};

static volatile size_t sink;

static void read_text(const struct answers *answers, answer_text text)
{
        sink += text ? strlen(answers_text(answers, text)) : 0;
}

/* Every frame at every address. */
static void read_all(const struct answers *answers)
{
        const struct module_answers *module = answers_get_module(answers, 0);

        for (size_t i = 0; i < answers_n_ranges(module, ANSWER_FRAMES); i++) {
                struct answer_found found = answers_of_range(module, ANSWER_FRAMES, i);

                for (size_t k = 0; k < found.list.n; k++) {
                        const struct answer_frame *frame = answer_found_get(&found, k);

                        read_text(answers, frame->function);
                        read_text(answers, frame->path);
                }
        }
}

/* The file gives no answers, a note says so unless it is `quiet`, and the next run writes it again. */
static void expect_refused(const struct answers_key *key, const void *bytes, size_t size, bool quiet)
{
        AUTO(answers_cache) index = NULL;
        const char *note;

        write_whole(path_of(key), bytes, size);
        index = open_index(key);
        EXPECT_INT(find(index, small, N_SMALL), 0);
        note = answers_cache_note(index);
        if (quiet)
                EXPECT_STR(note, "");
        else
                EXPECT_CONTAINS(note, "wperf creates it again");
}

TEST(damage_at_every_byte_is_seen)
{
        struct answers_key key = key_of(1);
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
                expect_refused(&key, bad.data, bad.len, at >= 4 && at < 12);
                if (tap_failed)
                        ASSERT_CMP(at, ==, SIZE_MAX);
        }
        keep(&key, small, N_SMALL);
        EXPECT_INT(find_again(&key, small, N_SMALL), N_SMALL);
}

TEST(cuts_at_every_length_are_seen)
{
        struct answers_key key = key_of(1);
        AUTO_RELEASE(buf) good = {0};

        clean();
        keep(&key, small, N_SMALL);
        read_whole(&key, &good);
        for (size_t size = 0; size < good.len; size++)
                expect_refused(&key, good.data, size, false);
        buf_add_char(&good, 'x');
        expect_refused(&key, good.data, good.len, false);
}

/* A file with a correct checksum and wrong content: it is refused, or gives some answers. */
TEST(a_forged_file_does_no_harm)
{
        struct answers_key key = key_of(1);
        AUTO_RELEASE(buf) good = {0};
        static const uint8_t changes[] = {0x01, 0x80, 0xff};

        clean();
        keep(&key, small, N_SMALL);
        read_whole(&key, &good);
        for (size_t i = ARCHIVE_SECTION_HEAD_BYTES * N_ELEMENTS(changes);
             i < good.len * N_ELEMENTS(changes) && !tap_failed; i++) {
                AUTO_RELEASE(buf) content = {0};
                AUTO_RELEASE(buf) bad = {0};
                AUTO(answers) answers = NULL;
                struct err err = {0};
                size_t at = i / N_ELEMENTS(changes);

                buf_add(&content, good.data + ARCHIVE_SECTION_HEAD_BYTES,
                        good.len - ARCHIVE_SECTION_HEAD_BYTES);
                content.data[at - ARCHIVE_SECTION_HEAD_BYTES] ^= (char)changes[i % N_ELEMENTS(changes)];
                EXPECT_TRUE(archive_section_write(&cache_kind, &content, &bad, NULL));
                answers = answers_cache_read(&key, cursor_make(bad.data, bad.len), &err);
                EXPECT_INT(err.code, answers ? 0 : ERR_FORMAT);
                if (answers)
                        read_all(answers);
        }
}

TEST(another_kind_is_no_answer)
{
        struct answers_key key = key_of(1);
        AUTO(answers_cache) cache = NULL;
        struct answer_found found;

        clean();
        keep(&key, small, N_SMALL);
        key.kind = ANSWER_LABELS;
        cache = open_index(&key);
        EXPECT_TRUE(!answers_cache_find(cache, small[1], &found));
        EXPECT_STR(answers_cache_note(cache), "");
}

TAP_MAIN
