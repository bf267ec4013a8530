/* SPDX-License-Identifier: BSD-3-Clause */
#define FOLDER "answers_cache.tmp/cache"
#include "cached_answers.h"

#ifndef _WIN32
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "test_data.h"

TEST(an_absent_file_knows_nothing)
{
        struct answers_key key = key_of(1);
        struct answers_cache_options absent = {.folder = "answers_cache.tmp/absent/folder"};
        AUTO(answers_cache) index = answers_cache_open(&absent, &key, NULL);
        struct os_stat st;

        ASSERT_TRUE(index);
        EXPECT_INT(find(index, small, N_SMALL), 0);
        EXPECT_STR(answers_cache_note(index), "");
        save(index);
        EXPECT_TRUE(!os_stat(absent.folder, &st));
}

TEST(answers_come_back)
{
        struct answers_key key = key_of(1);
        uint64_t others[] = {1, 0x1000, 0x1003, 0x1008, UINT64_MAX - 1};

        clean();
        keep(&key, small, N_SMALL);
        EXPECT_INT(count_files(), 1);
        EXPECT_INT(find_again(&key, small, N_SMALL), N_SMALL);
        EXPECT_INT(find_again(&key, small + 2, 1), 1);
        EXPECT_INT(find_again(&key, small, 0), 0);
        EXPECT_INT(find_again(&key, others, N_ELEMENTS(others)), 0);
}

TEST(many_answers_come_back)
{
        enum { N = 5000 };
        struct answers_key key = key_of(1);
        uint64_t *all = make_addrs(3, 7, N), *half = make_addrs(3, 14, N / 2), *none = make_addrs(4, 7, N);

        clean();
        keep(&key, all, N);
        EXPECT_INT(find_again(&key, all, N), N);
        EXPECT_INT(find_again(&key, half, N / 2), N / 2);
        EXPECT_INT(find_again(&key, none, N), 0);
        free(all);
        free(half);
        free(none);
}

TEST(later_runs_add_to_the_file)
{
        struct answers_key key = key_of(1);
        uint64_t more[] = {0x10, 0x1002, 0x2003};

        clean();
        keep(&key, small, N_SMALL);
        keep(&key, more, N_ELEMENTS(more));
        EXPECT_INT(find_again(&key, small, N_SMALL), N_SMALL);
        EXPECT_INT(find_again(&key, more, N_ELEMENTS(more)), N_ELEMENTS(more));
        EXPECT_INT(count_files(), 1);
}

TEST(runs_at_the_same_time_add_to_each_other)
{
        struct answers_key key = key_of(1);
        uint64_t more[] = {0x10, 0x2003};
        AUTO(answers_cache) a = NULL;
        AUTO(answers_cache) b = NULL;

        clean();
        a = open_index(&key);
        b = open_index(&key);
        add(a, small, N_SMALL);
        add(b, more, N_ELEMENTS(more));
        save(a);
        save(b);
        EXPECT_INT(find(b, small, N_SMALL), N_SMALL);
        EXPECT_INT(find_again(&key, small, N_SMALL), N_SMALL);
        EXPECT_INT(find_again(&key, more, N_ELEMENTS(more)), N_ELEMENTS(more));
}

TEST(an_index_goes_on_after_it_was_saved)
{
        struct answers_key key = key_of(1);
        AUTO(answers_cache) index = NULL;
        struct answer_found found[N_SMALL];
        const struct answered_frames frames = {.found = found};
        uint64_t more[] = {0x10, 0x2003};

        clean();
        keep(&key, small, N_SMALL);
        index = open_index(&key);
        EXPECT_INT(answers_cache_find_all(index, small, N_SMALL, found), N_SMALL);
        add(index, more, N_ELEMENTS(more));
        EXPECT_INT(find(index, more, N_ELEMENTS(more)), N_ELEMENTS(more));
        save(index);
        for (size_t i = 0; i < N_SMALL; i++)
                EXPECT_TRUE(is_answer(small[i], &frames, i));
        EXPECT_INT(find(index, small, N_SMALL), N_SMALL);
        EXPECT_INT(find(index, more, N_ELEMENTS(more)), N_ELEMENTS(more));
        more[0] = 0x11;
        add(index, more, 1);
        save(index);
        EXPECT_INT(find_again(&key, more, N_ELEMENTS(more)), N_ELEMENTS(more));
}

/* --- Who is believed --- */

TEST(another_object_or_debug_file_is_another_index)
{
        struct answers_key key = key_of(1), others[8];
        size_t n = N_ELEMENTS(others);

        for (size_t i = 0; i < n; i++)
                others[i] = key;
        others[0].build_id[3]++;
        others[1].build_id_size--;
        others[2].size_bytes++;
        others[3].contents[0].bytes[DIGEST_BYTES - 1]++;
        others[4].contents[1].bytes[DIGEST_BYTES - 1]++;
        others[5].contents[1] = (struct digest){0};
        others[6].contents[2].bytes[0]++;
        others[7].version++;
        clean();
        keep(&key, small, N_SMALL);
        for (size_t i = 0; i < n; i++)
                EXPECT_INT(find_again(&others[i], small, N_SMALL), 0);
        for (size_t i = 0; i < n; i++)
                keep(&others[i], small, 1);
        EXPECT_INT(count_files(), n + 1);
        EXPECT_INT(find_again(&key, small, N_SMALL), N_SMALL);
}

TEST(a_file_under_anothers_name_is_not_believed)
{
        struct answers_key key = key_of(1), other = key_of(1);
        AUTO_RELEASE(buf) bytes = {0};
        AUTO(answers_cache) index = NULL;

        other.contents[0].bytes[0]++;
        clean();
        keep(&key, small, N_SMALL);
        read_whole(&key, &bytes);
        write_whole(path_of(&other), bytes.data, bytes.len);
        index = open_index(&other);
        EXPECT_INT(find(index, small, N_SMALL), 0);
        EXPECT_CONTAINS(answers_cache_note(index), ": was written for other files; wperf creates it again");
}

/* --- Limits --- */

TEST(a_file_has_a_limit_and_keeps_the_newest_answers)
{
        enum { N = 400, LIMIT = 16384 };
        struct answers_key key = key_of(1);
        struct answers_cache_options tight = {.folder = FOLDER, .max_file_bytes = LIMIT};
        uint64_t *old = make_addrs(0x1000, 4, N), *new = make_addrs(0x100, 4, N / 2);
        AUTO(answers_cache) index = NULL;
        struct os_stat st;
        size_t n_old;

        for (size_t i = 0; i < N; i++)
                old[i] += 1;
        for (size_t i = 0; i < N / 2; i++)
                new[i] += 2;
        clean();
        index = answers_cache_open(&tight, &key, NULL);
        add(index, old, N);
        save(index);
        EXPECT_TRUE(os_stat(path_of(&key), &st) && st.size_bytes <= LIMIT);
        n_old = find_again(&key, old, N);
        EXPECT_TRUE(n_old > N / 2 && n_old < N);
        answers_cache_free(index);
        index = answers_cache_open(&tight, &key, NULL);
        EXPECT_INT(find(index, old, N), n_old);
        add(index, new, 100);
        save(index);
        EXPECT_TRUE(os_stat(path_of(&key), &st) && st.size_bytes <= LIMIT);
        EXPECT_INT(find_again(&key, new, 100), 100);
        EXPECT_TRUE(find_again(&key, old, N) > 0 && find_again(&key, old, N) < n_old);
        free(old);
        free(new);
}

static int64_t mtime_of(const struct answers_key *key)
{
        struct os_stat st = {0};

        EXPECT_TRUE(os_stat(path_of(key), &st));
        return st.mtime_ns;
}

/* Sets the time of a file until it is later than that of the other file. */
static void touch_after(const struct answers_key *key, const struct answers_key *other)
{
        int64_t before = mtime_of(other);

        do {
                EXPECT_TRUE(os_touch(path_of(key), NULL));
        } while (mtime_of(key) <= before);
}

TEST(the_folder_has_a_limit_and_the_longest_unused_go)
{
        struct answers_key keys[4];
        struct answers_cache_options tight = {.folder = FOLDER};
        AUTO(answers_cache) index = NULL;
        struct os_stat st;

        clean();
        for (uint8_t i = 0; i < 4; i++)
                keys[i] = key_of(i + 1);
        for (uint8_t i = 0; i < 3; i++) {
                keep(&keys[i], small, N_SMALL);
                if (i)
                        touch_after(&keys[i], &keys[i - 1]);
        }
        ASSERT_TRUE(os_stat(path_of(&keys[0]), &st));
        tight.max_folder_bytes = 3 * st.size_bytes;
        /* The first one is used again. */
        do {
                EXPECT_INT(find_again(&keys[0], small, N_SMALL), N_SMALL);
        } while (mtime_of(&keys[0]) <= mtime_of(&keys[2]));
        index = answers_cache_open(&tight, &keys[3], NULL);
        add(index, small, N_SMALL);
        save(index);
        EXPECT_INT(count_files(), 3);
        EXPECT_TRUE(os_stat(path_of(&keys[0]), &st));
        EXPECT_TRUE(!os_stat(path_of(&keys[1]), &st));
        EXPECT_TRUE(os_stat(path_of(&keys[2]), &st));
        EXPECT_TRUE(os_stat(path_of(&keys[3]), &st));
}

#ifndef _WIN32
TEST(foreign_files_stay_and_unfinished_ones_go_in_time)
{
        struct answers_key key = key_of(1);
        struct answers_cache_options tight = {.folder = FOLDER, .max_folder_bytes = 1};
        struct timespec times[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
        AUTO(answers_cache) index = answers_cache_open(&tight, &key, NULL);
        struct os_stat st;

        clean();
        keep(&key, small, 1);
        write_whole(FOLDER "/a.symbols.abcdef", "x", 1);
        write_whole(FOLDER "/b.symbols.abcdef", "x", 1);
        write_whole(FOLDER "/notes.txt", "x", 1);
        EXPECT_INT(utimensat(AT_FDCWD, FOLDER "/a.symbols.abcdef", times, 0), 0);
        EXPECT_INT(utimensat(AT_FDCWD, FOLDER "/notes.txt", times, 0), 0);
        add(index, small, N_SMALL);
        save(index);
        EXPECT_TRUE(!os_stat(FOLDER "/a.symbols.abcdef", &st));
        EXPECT_TRUE(os_stat(FOLDER "/b.symbols.abcdef", &st));
        EXPECT_TRUE(os_stat(FOLDER "/notes.txt", &st));
        EXPECT_INT(find_again(&key, small, N_SMALL), N_SMALL);
}

/* --- Others --- */

TEST(a_folder_of_others_is_not_used)
{
        struct answers_key key = key_of(1);
        struct err err = {0};
        struct stat st;
        AUTO(answers_cache) index = NULL;

        clean();
        keep(&key, small, N_SMALL);
        EXPECT_TRUE(!stat(FOLDER, &st) && (st.st_mode & 0777) == 0700);
        EXPECT_TRUE(!stat(path_of(&key), &st) && (st.st_mode & 0777) == 0600);
        index = open_index(&key);
        add(index, small, 1);
        EXPECT_INT(chmod(FOLDER, 0770), 0);
        EXPECT_TRUE(!answers_cache_open(&options, &key, &err));
        EXPECT_INT(err.code, ERR_DENIED);
        EXPECT_STR(err.text, FOLDER ": belongs to another user, or others may write to it");
        EXPECT_TRUE(!answers_cache_save(index, &err));
        EXPECT_INT(chmod(FOLDER, 0755), 0);
        save(index);
        EXPECT_INT(chmod(FOLDER, 0700), 0);
        if (geteuid() == 0) {
                EXPECT_INT(chown(FOLDER, 12345, (gid_t)-1), 0);
                EXPECT_TRUE(!answers_cache_open(&options, &key, NULL));
                EXPECT_INT(chown(FOLDER, 0, (gid_t)-1), 0);
        }
        write_whole("answers_cache.tmp/file", "x", 1);
        EXPECT_TRUE(!answers_cache_open(&(struct answers_cache_options){.folder = "answers_cache.tmp/file"},
                                        &key, &err));
        EXPECT_STR(err.text, "answers_cache.tmp/file: is not a folder");
}

TEST(nothing_is_made_below_a_folder_of_others)
{
        struct answers_key key = key_of(1);
        bool is_root = geteuid() == 0;
        struct answers_cache_options foreign = {.folder = is_root ? "answers_cache.tmp/foreign/.cache/wperf"
                                                                  : "/foreign/.cache/wperf"};
        const char *above = is_root ? "answers_cache.tmp/foreign/" : "/";
        AUTO_RELEASE(buf) want = {0};
        AUTO(answers_cache) index = NULL;
        struct err err = {0};
        struct os_stat st;

        clean();
        keep(&key, small, 1);
        if (is_root) {
                ASSERT_TRUE(os_make_dir(above, NULL));
                index = answers_cache_open(&foreign, &key, NULL);
                ASSERT_TRUE(index);
                add(index, small, N_SMALL);
                EXPECT_INT(chown(above, 12345, (gid_t)-1), 0);
                EXPECT_TRUE(!answers_cache_save(index, &err));
        }
        EXPECT_TRUE(!answers_cache_open(&foreign, &key, &err));
        EXPECT_INT(err.code, ERR_DENIED);
        buf_printf(&want, "%s: is not created, because %s belongs to another user", foreign.folder, above);
        EXPECT_STR(err.text, buf_text(&want));
        EXPECT_TRUE(!os_stat("answers_cache.tmp/foreign/.cache", &st));
        if (is_root)
                EXPECT_INT(rmdir(above), 0);
}

enum { N_WRITERS = 4, N_ROUNDS = 40, N_OF_EACH = 200 };

static void write_often(unsigned writer)
{
        struct answers_key key = key_of(1);
        uint64_t *addrs = make_addrs(1 + writer, N_WRITERS, N_OF_EACH);

        for (unsigned i = 0; i < N_ROUNDS; i++)
                keep(&key, addrs + i * (N_OF_EACH / N_ROUNDS), N_OF_EACH / N_ROUNDS);
        free(addrs);
        _exit(tap_failed);
}

TEST(writers_at_the_same_time_never_leave_a_torn_file)
{
        struct answers_key key = key_of(1);
        uint64_t *addrs = make_addrs(1, 1, N_WRITERS * N_OF_EACH);
        unsigned n_left = N_WRITERS;
        size_t most = 0;

        clean();
        fflush(stdout);
        for (unsigned i = 0; i < N_WRITERS; i++) {
                if (!fork())
                        write_often(i);
        }
        while (n_left) {
                size_t n = find_again(&key, addrs, N_WRITERS * N_OF_EACH);
                int status;

                most = n > most ? n : most;
                if (waitpid(-1, &status, WNOHANG) > 0) {
                        EXPECT_INT(status, 0);
                        n_left--;
                }
        }
        EXPECT_CMP(most, >=, N_OF_EACH / N_ROUNDS);
        EXPECT_CMP(find_again(&key, addrs, N_WRITERS * N_OF_EACH), >=, N_OF_EACH / N_ROUNDS);
        EXPECT_INT(count_files(), 1);
        free(addrs);
}
#endif

TEST(a_folder_that_cannot_be_made_is_an_error)
{
        struct answers_key key = key_of(1);
        struct answers_cache_options under_a_file = {.folder = "answers_cache.tmp/file/folder"};
        AUTO(answers_cache) index = answers_cache_open(&under_a_file, &key, NULL);
        struct err err = {0};

        clean();
        keep(&key, small, 1);
        write_whole("answers_cache.tmp/file", "x", 1);
        ASSERT_TRUE(index);
        add(index, small, N_SMALL);
        EXPECT_TRUE(!answers_cache_save(index, &err));
        EXPECT_CONTAINS(err.text, "answers_cache.tmp/file/folder: ");
        EXPECT_INT(find(index, small, N_SMALL), N_SMALL);
}

/* --- Looking up --- */

struct asked {
        size_t n_calls, n_addrs;
        bool is_poor;
};

static bool ask(void *ctx, const uint64_t *addrs, size_t n, struct source_frames *ret_frames)
{
        struct asked *asked = ctx;

        asked->n_calls++;
        asked->n_addrs += n;
        answer_all(addrs, n, ret_frames);
        return !asked->is_poor;
}

static struct asked look_up(struct answers_cache *index, const uint64_t *addrs, size_t n, bool is_poor)
{
        struct asked asked = {.is_poor = is_poor};
        struct answered_frames frames;

        answers_cache_look_up(index, addrs, n, ask, &asked, &frames);
        for (size_t i = 0; i < n; i++)
                EXPECT_TRUE(is_answer(addrs[i], &frames, i));
        answers_frames_release(&frames);
        return asked;
}

TEST(only_the_rest_is_asked_for)
{
        struct answers_key key = key_of(1);
        AUTO(answers_cache) index = NULL;
        struct asked asked;
        uint64_t *addrs = make_addrs(0x1000, 1, 10);

        clean();
        keep(&key, small, N_SMALL);
        index = open_index(&key);
        asked = look_up(index, addrs, 10, true);
        EXPECT_TRUE(asked.n_calls == 1 && asked.n_addrs == 7);
        asked = look_up(index, addrs, 10, false);
        EXPECT_TRUE(asked.n_calls == 1 && asked.n_addrs == 7);
        asked = look_up(index, addrs, 10, false);
        EXPECT_INT(asked.n_calls, 0);
        save(index);
        EXPECT_INT(find_again(&key, addrs, 10), 10);
        asked = look_up(NULL, addrs, 10, false);
        EXPECT_TRUE(asked.n_calls == 1 && asked.n_addrs == 10);
        free(addrs);
}

TAP_MAIN
