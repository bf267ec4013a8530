/* SPDX-License-Identifier: BSD-3-Clause */
#include "answers_store.h"

#include <stdlib.h>
#include <string.h>

#include "archive_section.h"
#include "mem.h"
#include "tap.h"

enum { MEMORY = 1 << 20 };

/* Writes and reads a store; NULL if it is refused, or if there are bytes after it. */
static struct answers *read_bytes(const char *bytes, size_t size, uint64_t memory)
{
        /* A copy of the exact size, so that reads after the end are detected. */
        char *copy = mem_new(size + 1, 1);
        struct cursor c = cursor_make(memcpy(copy, bytes, size), size);
        struct budget budget;
        struct answers *answers;

        budget_init(&budget, memory);
        answers = answers_read(&c, &budget);

        if (answers && cursor_left(&c)) {
                answers_free(answers);
                answers = NULL;
        }
        /* Nothing of it is needed any more. */
        free(copy);
        return answers;
}

static struct answers *write_and_read(struct answers *answers)
{
        AUTO_RELEASE(buf) out = {0};
        AUTO_RELEASE(buf) small = {0};

        answers_write(answers, false, &out);
        answers_write(answers, true, &small);
        EXPECT_CMP(small.len, <=, out.len);
        return read_bytes(small.data, small.len, MEMORY);
}

static const char *text_of(const struct answer_found *found, answer_text text)
{
        return answers_text(found->store, text);
}

TEST(frames_that_are_equal_are_kept_once)
{
        AUTO(answers) answers = answers_new();
        AUTO(answers) again = NULL;
        struct module_answers *m = answers_add_module(answers);
        const struct answer_frame inner = {.start = 1, .function = answers_add_text(answers, "f"), .line = 7};
        const struct answer_frame outer = {.start = UINT64_MAX, .path = answers_add_text(answers, "")};
        const struct answer_frame frames[] = {inner, outer, inner};
        uint32_t one = answers_add_list(m, ANSWER_FRAMES, frames, 1);
        uint32_t all = answers_add_list(m, ANSWER_FRAMES, frames, 3);
        uint32_t none = answers_add_list(m, ANSWER_FRAMES, NULL, 0);
        struct answer_found found;

        EXPECT_TRUE(one != all && one != none && all != none);
        EXPECT_INT(answers_add_list(m, ANSWER_FRAMES, frames, 3), all);
        EXPECT_INT(answers_add_list(m, ANSWER_FRAMES, frames + 2, 1), one);
        EXPECT_INT(answers_n_items(m, ANSWER_FRAMES), 2);
        answers_add_range(m, ANSWER_FRAMES, 10, 10, all);
        answers_add_range(m, ANSWER_FRAMES, 11, 12, all);
        answers_add_range(m, ANSWER_FRAMES, UINT64_MAX, UINT64_MAX, none);
        answers_add_range(m, ANSWER_FRAMES, 0, 0, one);
        EXPECT_TRUE(!answers_find(m, ANSWER_FRAMES, 10, &found));
        again = write_and_read(answers);
        ASSERT_TRUE(again);
        EXPECT_INT(answers_n_modules(again), 1);
        EXPECT_INT(answers_n_ranges(answers_get_module(again, 0), ANSWER_FRAMES), 3);
        ASSERT_TRUE(answers_find(answers_get_module(again, 0), ANSWER_FRAMES, 12, &found));
        ASSERT_CMP(found.list.n, ==, 3);
        for (size_t i = 0; i < 3; i++) {
                const struct answer_frame *frame = answer_found_get(&found, i);

                EXPECT_TRUE(frame->start == frames[i].start && frame->line == frames[i].line);
        }
        EXPECT_STR(text_of(&found, ((const struct answer_frame *)answer_found_get(&found, 2))->function),
                   "f");
        EXPECT_TRUE(!text_of(&found, ((const struct answer_frame *)answer_found_get(&found, 1))->function));
        EXPECT_STR(text_of(&found, ((const struct answer_frame *)answer_found_get(&found, 1))->path), "");
        EXPECT_TRUE(answers_find(answers_get_module(again, 0), ANSWER_FRAMES, UINT64_MAX, &found));
        EXPECT_INT(found.list.n, 0);
        EXPECT_TRUE(!answers_find(answers_get_module(again, 0), ANSWER_FRAMES, 13, &found));
        EXPECT_TRUE(!answers_find(answers_get_module(again, 0), ANSWER_FRAMES, 9, &found));
        EXPECT_TRUE(!answers_find(answers_get_module(again, 0), ANSWER_LABELS, 10, &found));
}

TEST(the_first_answer_to_an_address_stands)
{
        AUTO(answers) answers = answers_new();
        struct module_answers *m = answers_add_module(answers);
        struct answer_found found;

        for (uint64_t i = 0; i < 3; i++) {
                const struct answer_extent extent = {i, 1};
                uint32_t list = answers_add_list(m, ANSWER_EXTENTS, &extent, 1);

                answers_add_range(m, ANSWER_EXTENTS, 100, 100, list);
                answers_add_range(m, ANSWER_EXTENTS, 50 - i, 50 - i, list);
        }
        answers_sort(m, ANSWER_EXTENTS);
        EXPECT_INT(answers_n_ranges(m, ANSWER_EXTENTS), 4);
        for (uint64_t i = 0; i < 4; i++) {
                ASSERT_TRUE(answers_find(m, ANSWER_EXTENTS, i < 3 ? 50 - i : 100, &found));
                EXPECT_INT(((const struct answer_extent *)answer_found_get(&found, 0))->start, i % 3);
        }
}

/* Random, even, falling, equal, and of every width. */
TEST(numbers_of_every_width_come_back)
{
        enum { N = 1000 };
        AUTO(answers) answers = answers_new();
        AUTO(answers) again = NULL;
        struct module_answers *m = answers_add_module(answers);
        uint64_t state = 1;

        for (uint64_t i = 0; i < N; i++) {
                struct answer_offset offset = {.first = 16 * i, .distance = UINT64_MAX - i};
                struct answer_section section = {.addr = state >> (8 * (i / 125)), .size = i & 1 ? ~0ull : 0};

                state = state * 6364136223846793005u + 1442695040888963407u;
                answers_add_item(m, ANSWER_OFFSETS, &offset);
                answers_add_item(m, ANSWER_SECTIONS, &section);
        }
        again = write_and_read(answers);
        ASSERT_TRUE(again);
        for (size_t kind = ANSWER_SECTIONS; kind <= ANSWER_OFFSETS; kind++) {
                size_t size = kind == ANSWER_SECTIONS ? sizeof(struct answer_section)
                                                      : sizeof(struct answer_offset);

                ASSERT_CMP(answers_n_items(answers_get_module(again, 0), kind), ==, N);
                EXPECT_TRUE(!memcmp(answers_get_item(answers_get_module(again, 0), kind, 0),
                                    answers_get_item(m, kind, 0), N * size));
        }
}

TEST(bytes_come_back)
{
        static const uint8_t id[] = {1, 2, 0, 4};
        AUTO(answers) answers = answers_new();
        AUTO(answers) again = NULL;
        struct module_answers *m = answers_add_module(answers);
        const struct answer_code code[] = {{{id, 4}, 0x10}, {{NULL, 0}, 0x20}, {{id + 1, 2}, 0x30}};

        for (size_t i = 0; i < N_ELEMENTS(code); i++)
                answers_add_item(m, ANSWER_CODE, &code[i]);
        again = write_and_read(answers);
        ASSERT_TRUE(again && answers_n_items(answers_get_module(again, 0), ANSWER_CODE) == 3);
        for (size_t i = 0; i < N_ELEMENTS(code); i++) {
                const struct answer_code *got =
                        answers_get_item(answers_get_module(again, 0), ANSWER_CODE, i);

                EXPECT_TRUE(got->addr == code[i].addr && got->bytes.size == code[i].bytes.size);
                EXPECT_TRUE(!got->bytes.size || !memcmp(got->bytes.at, code[i].bytes.at, got->bytes.size));
        }
}

/* --- Foreign bytes --- */

static void add_ulebs(struct buf *out, const uint64_t *values, size_t n)
{
        for (size_t i = 0; i < n; i++)
                buf_add_uleb(out, values[i]);
}

/* No texts, one module with one set. */
static struct answers *read_set(uint64_t kind, const struct buf *body, uint64_t memory)
{
        const uint64_t numbers[] = {0, 0, 1, 1, kind, body->len};
        AUTO_RELEASE(buf) out = {0};

        add_ulebs(&out, numbers, N_ELEMENTS(numbers));
        buf_add(&out, buf_text(body), body->len);
        return read_bytes(out.data, out.len, memory);
}

TEST(a_kind_that_is_not_known_is_stepped_over)
{
        AUTO_RELEASE(buf) body = {0};
        AUTO(answers) answers = NULL;

        buf_add_str(&body, "of a later version");
        answers = read_set(ANSWER_N_KINDS, &body, MEMORY);
        ASSERT_TRUE(answers);
        EXPECT_INT(answers_n_modules(answers), 1);
        EXPECT_TRUE(!read_set(ANSWER_SECTIONS, &body, MEMORY));
}

/* `n` sections whose numbers are all 0 and take no space: 3 columns, each with a width and the smallest
 * number. */
TEST(what_takes_no_room_has_a_limit)
{
        const uint64_t n[] = {1000, MEMORY / sizeof(struct answer_section), UINT32_MAX, UINT64_MAX};

        for (size_t i = 0; i < N_ELEMENTS(n); i++) {
                AUTO_RELEASE(buf) body = {0};
                AUTO(answers) answers = NULL;

                buf_add_uleb(&body, n[i]);
                buf_add_zeros(&body, 6);
                answers = read_set(ANSWER_SECTIONS, &body, MEMORY);
                EXPECT_CMP(!answers, ==, (i > 0));
        }
}

/* Extents of one list at one address. */
static bool reads_extents(const struct answer_extent *extents, size_t n)
{
        AUTO(answers) answers = answers_new();
        AUTO(answers) again = NULL;
        struct module_answers *m = answers_add_module(answers);

        answers_add_range(m, ANSWER_EXTENTS, 5, 5, answers_add_list(m, ANSWER_EXTENTS, extents, n));
        again = write_and_read(answers);
        return again;
}

TEST(extents_are_in_order)
{
        static const struct answer_extent good[] = {{0x10, 0x10}, {0x20, 1}, {UINT64_MAX - 1, 1}};
        static const struct answer_extent overlapping[] = {{0x10, 0x11}, {0x20, 1}};
        static const struct answer_extent empty[] = {{0x10, 0}};
        static const struct answer_extent too_far[] = {{UINT64_MAX, 1}};

        EXPECT_TRUE(reads_extents(good, 3));
        EXPECT_TRUE(!reads_extents(overlapping, 2));
        EXPECT_TRUE(!reads_extents(empty, 1));
        EXPECT_TRUE(!reads_extents(too_far, 1));
}

TEST(a_dwo_file_has_a_name)
{
        for (uint32_t has_name = 0; has_name < 2; has_name++) {
                AUTO(answers) answers = answers_new();
                AUTO(answers) again = NULL;
                struct module_answers *m = answers_add_module(answers);
                struct answer_dwo dwo = {.folder = answers_add_text(answers, "/src"), .name = has_name};

                answers_add_range(m, ANSWER_DWOS, UINT64_MAX, UINT64_MAX,
                                  answers_add_list(m, ANSWER_DWOS, &dwo, 1));
                again = write_and_read(answers);
                EXPECT_INT(again != NULL, has_name);
        }
}

/* Changes every byte of a store with all kinds of numbers: it is refused, or every answer can be read. */
TEST(every_change_is_harmless)
{
        AUTO(answers) answers = answers_new();
        AUTO_RELEASE(buf) out = {0};
        struct module_answers *m = answers_add_module(answers);
        size_t n_refused = 0, n_read = 0;

        for (uint32_t i = 0; i < 20; i++) {
                struct answer_label labels[2] = {{.addr = i,
                                                  .name = answers_add_text(answers, i & 1 ? "odd" : "even"),
                                                  .line = i * i}};
                struct answer_insn insn = {
                        {~0ull / (i + 1), i}, answers_add_text(answers, "nop"), 1 + i % 15};

                answers_add_range(m, ANSWER_LABELS, 7 * i, 7 * i + i % 7,
                                  answers_add_list(m, ANSWER_LABELS, labels, 1 + i % 2));
                answers_add_range(m, ANSWER_INSNS, i * i, i * i, answers_add_list(m, ANSWER_INSNS, &insn, 1));
        }
        answers_write(answers, true, &out);
        for (size_t i = 0; i < out.len * 8; i++) {
                AUTO(answers) read = NULL;

                out.data[i / 8] = (char)(out.data[i / 8] ^ 1 << i % 8);
                read = read_bytes(out.data, out.len, MEMORY);
                out.data[i / 8] = (char)(out.data[i / 8] ^ 1 << i % 8);
                n_refused += !read;
                for (size_t k = 0; read && answers_n_modules(read) && k < 200; k++) {
                        struct answer_found found;

                        if (!answers_find(answers_get_module(read, 0), ANSWER_LABELS, k, &found))
                                continue;
                        for (size_t l = 0; l < found.list.n; l++) {
                                const struct answer_label *label = answer_found_get(&found, l);

                                n_read += label->name ? strlen(text_of(&found, label->name)) : 1;
                        }
                }
        }
        EXPECT_TRUE(n_refused && n_read);
        for (size_t size = 0; size < out.len; size++)
                EXPECT_TRUE(!read_bytes(out.data, size, MEMORY));
}

TAP_MAIN
