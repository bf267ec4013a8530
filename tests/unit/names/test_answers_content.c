/* SPDX-License-Identifier: BSD-3-Clause */
/* Which answers are used: digests of files, and how files are recognised. */
#define FOLDER "answers_content.tmp"
#include "answers_content.h"

#include <stdio.h>
#include <stdlib.h>

#ifndef _WIN32
#include <sys/stat.h>
#include <unistd.h>
#endif

#include "answers_folder.h"
#include "cached_answers.h"
#include "dwarf.h"
#include "test_data.h"

enum { N_COPIES = ANSWERS_MAX_SEEN + 1 };

/* A copy of dwarf/labels2.so whose section `name` has another byte in its middle; NULL: none has. */
static const char *write_copy(int number, const char *name)
{
        static char path[100];
        AUTO(object) from = object_open(data_path("dwarf/labels2.so"), NULL);
        AUTO_RELEASE(buf) bytes = {0};

        snprintf(path, sizeof(path), "answers_content_%d.so", number);
        EXPECT_TRUE(from && os_read_file(object_name(from), MAX_FILE_BYTES, &bytes, NULL));
        if (name) {
                const struct object_section *section = object_find_section(from, name);

                EXPECT_TRUE(section);
                bytes.data[section->file_off + section->file_size / 2] ^= 1;
        }
        write_whole(path, bytes.data, bytes.len);
        return path;
}

static struct object *open_copy(int number, const char *name)
{
        struct object *object = object_open(write_copy(number, name), NULL);

        EXPECT_TRUE(object);
        return object;
}

static struct digest content_of(const struct object *object)
{
        struct digest digest = {0};

        EXPECT_TRUE(answers_content_make(object, dwarf_section_name, &digest));
        return digest;
}

static struct digest find_content(const struct object *object)
{
        struct digest digest = {0};
        struct err err = {0};

        if (!answers_content_find(FOLDER, object, dwarf_section_name, &digest, &err))
                TAP_FAIL("%s", err.text);
        return digest;
}

static bool is_same(struct digest a, struct digest b)
{
        return !memcmp(&a, &b, sizeof(a));
}

TEST(a_digest_is_of_what_answers_come_from)
{
        static const char *const read[] = {".debug_info", ".debug_line", ".debug_str", ".debug_abbrev"};
        AUTO(object) plain = open_copy(0, NULL);
        AUTO(object) same = open_copy(1, NULL);
        AUTO(object) code = open_copy(2, ".text");
        struct digest want = content_of(plain);

        EXPECT_TRUE(is_same(content_of(same), want));
        EXPECT_TRUE(is_same(content_of(code), want));
        for (size_t i = 0; i < N_ELEMENTS(read); i++) {
                AUTO(object) other = open_copy(3, read[i]);

                EXPECT_TRUE(!is_same(content_of(other), want));
        }
}

TEST(bytes_in_memory_have_no_content)
{
        AUTO_RELEASE(buf) bytes = {0};
        AUTO(object) object = NULL;
        struct answers_key key;
        struct err err = {0};
        struct digest digest;

        ASSERT_TRUE(os_read_file(data_path("dwarf/labels2.so"), MAX_FILE_BYTES, &bytes, NULL));
        object = object_open_bytes(bytes.data, bytes.len, "labels2.so", NULL);
        ASSERT_TRUE(object);
        EXPECT_TRUE(!answers_content_make(object, dwarf_section_name, &digest));
        EXPECT_TRUE(!answers_key_make(FOLDER, object, &(struct answers_sources){{object}, dwarf_section_name},
                                      &key, &err));
        EXPECT_INT(err.code, ERR_UNSUPPORTED);
}

TEST(a_key_is_of_all_files)
{
        AUTO(object) own = open_copy(0, NULL);
        AUTO(object) poisoned = open_copy(1, ".debug_str");
        AUTO(object) no_id = object_open(data_path("elf/names.o"), NULL);
        struct answers_sources sources = {{own}, dwarf_section_name};
        struct answers_key plain, key;

        clean();
        ASSERT_TRUE(own && poisoned && no_id);
        ASSERT_TRUE(answers_key_make(FOLDER, own, &sources, &plain, NULL));
        EXPECT_INT(plain.build_id_size, object_get_facts(own)->build_id_size);
        EXPECT_TRUE(is_same(plain.contents[0], content_of(own)));
        EXPECT_TRUE(is_same(plain.contents[1], (struct digest){0}));
        for (size_t i = 0; i < ANSWERS_N_SOURCE_FILES; i++) {
                sources = (struct answers_sources){{own}, dwarf_section_name};
                sources.files[i] = poisoned;
                ASSERT_TRUE(answers_key_make(FOLDER, own, &sources, &key, NULL));
                EXPECT_TRUE(is_same(key.contents[i], content_of(poisoned)));
                EXPECT_TRUE(!is_same(key.contents[i], plain.contents[i]));
        }
        EXPECT_TRUE(!answers_key_make(FOLDER, no_id, &sources, &key, NULL));
}

/* The digests that the folder has of an object's build id and size. */
static struct answers_seen_list seen_of(const struct object *object)
{
        struct answers_seen_list list = {0};
        AUTO_RELEASE(buf) path = {0};
        AUTO_RELEASE(buf) name = {0};
        AUTO_RELEASE(buf) bytes = {0};

        answers_seen_add_path(FOLDER, object, &path);
        answers_seen_add_name(object, &name);
        EXPECT_TRUE(os_read_file(buf_text(&path), MAX_FILE_BYTES, &bytes, NULL));
        EXPECT_TRUE(answers_seen_read(&name, cursor_make(bytes.data, bytes.len), &list));
        return list;
}

static void put_seen(const struct object *object, const struct answers_seen_list *list)
{
        AUTO_RELEASE(buf) path = {0};
        AUTO_RELEASE(buf) name = {0};
        AUTO_RELEASE(buf) bytes = {0};

        answers_seen_add_path(FOLDER, object, &path);
        answers_seen_add_name(object, &name);
        answers_seen_write(&name, list, &bytes);
        write_whole(buf_text(&path), bytes.data, bytes.len);
}

/* So that it shows where a digest comes from. */
static const struct digest planted = {{0x70, 0x6c, 0x61, 0x6e, 0x74}};

TEST(a_file_that_was_seen_is_not_read_again)
{
        AUTO(object) object = open_copy(0, NULL);
        AUTO(object) again = object_open(object_name(object), NULL);
        AUTO(object) copy = open_copy(1, NULL);
        struct answers_seen_list list;

        clean();
        EXPECT_TRUE(is_same(find_content(object), content_of(object)));
        list = seen_of(object);
        EXPECT_INT(list.n, 1);
        list.items[0].content = planted;
        put_seen(object, &list);
        EXPECT_TRUE(is_same(find_content(object), planted));
        EXPECT_TRUE(is_same(find_content(again), planted));
        EXPECT_TRUE(is_same(find_content(copy), content_of(copy)));
        EXPECT_INT(seen_of(object).n, 2);
        EXPECT_INT(count_files(), 1);
}

/* Everything that tells files apart counts. */
TEST(a_file_that_differs_in_anything_is_read)
{
        AUTO(object) object = open_copy(0, NULL);
        struct answers_seen_list list;

        clean();
        find_content(object);
        list = seen_of(object);
        list.items[0].content = planted;
        for (size_t i = 0; i < sizeof(list.items[0].file) / sizeof(uint64_t); i++) {
                struct answers_seen_list other = list;

                ((uint64_t *)(void *)&other.items[0].file)[i]++;
                put_seen(object, &other);
                EXPECT_TRUE(is_same(find_content(object), content_of(object)));
        }
        put_seen(object, &list);
        EXPECT_TRUE(is_same(find_content(object), planted));
}

TEST(of_too_many_files_the_oldest_falls_out)
{
        struct object *copies[N_COPIES];
        struct answers_seen_list list;
        struct digest want;

        clean();
        for (int i = 0; i < N_COPIES; i++) {
                copies[i] = open_copy(i, NULL);
                find_content(copies[i]);
        }
        list = seen_of(copies[0]);
        EXPECT_INT(list.n, ANSWERS_MAX_SEEN);
        for (size_t i = 0; i < list.n; i++) {
                struct object_file file;

                EXPECT_TRUE(object_get_file(copies[N_COPIES - 1 - i], &file));
                EXPECT_TRUE(!memcmp(&file, &list.items[i].file, sizeof(file)));
                list.items[i].content = planted;
        }
        want = content_of(copies[0]);
        put_seen(copies[0], &list);
        EXPECT_TRUE(is_same(find_content(copies[1]), planted));
        EXPECT_TRUE(is_same(find_content(copies[0]), want));
        EXPECT_TRUE(is_same(find_content(copies[2]), planted));
        EXPECT_TRUE(is_same(find_content(copies[1]), want));
        for (int i = 0; i < N_COPIES; i++)
                object_free(copies[i]);
}

TEST(a_damaged_file_is_made_anew)
{
        AUTO(object) object = open_copy(0, NULL);
        AUTO_RELEASE(buf) path = {0};
        AUTO_RELEASE(buf) good = {0};

        clean();
        find_content(object);
        answers_seen_add_path(FOLDER, object, &path);
        ASSERT_TRUE(os_read_file(buf_text(&path), MAX_FILE_BYTES, &good, NULL));
        for (size_t i = 0; i < 2 * good.len; i++) {
                AUTO_RELEASE(buf) bad = {0};

                buf_add(&bad, good.data, i < good.len ? good.len : i - good.len);
                if (i < good.len)
                        bad.data[i] ^= 1;
                write_whole(buf_text(&path), buf_text(&bad), bad.len);
                EXPECT_TRUE(is_same(find_content(object), content_of(object)));
                EXPECT_INT(seen_of(object).n, 1);
        }
}

/* Makes the section of that header the whole file. */
static void widen_section(struct buf *bytes, const struct object_section *section)
{
        enum { HEADER_BYTES = 64, OFFSET_AT = 0x18, SIZE_AT = 0x20, HEADERS_AT = 0x28 };
        uint64_t headers, file_off, zero = 0, size = bytes->len;

        memcpy(&headers, bytes->data + HEADERS_AT, sizeof(headers));
        for (uint64_t at = headers; at + HEADER_BYTES <= bytes->len; at += HEADER_BYTES) {
                memcpy(&file_off, bytes->data + at + OFFSET_AT, sizeof(file_off));
                if (file_off != section->file_off)
                        continue;
                memcpy(bytes->data + at + OFFSET_AT, &zero, sizeof(zero));
                memcpy(bytes->data + at + SIZE_AT, &size, sizeof(size));
                return;
        }
        TAP_FAIL("no header of %s", section->name);
}

TEST(sections_that_overlap_have_no_digest)
{
        AUTO(object) object = open_copy(0, NULL);
        AUTO(object) wide = NULL;
        AUTO_RELEASE(buf) bytes = {0};
        struct digest digest;

        ASSERT_TRUE(os_read_file(object_name(object), MAX_FILE_BYTES, &bytes, NULL));
        widen_section(&bytes, object_find_section(object, ".debug_info"));
        widen_section(&bytes, object_find_section(object, ".debug_str"));
        write_whole("answers_content_wide.so", bytes.data, bytes.len);
        wide = object_open("answers_content_wide.so", NULL);
        ASSERT_TRUE(wide && object_find_section(wide, ".debug_info"));
        EXPECT_TRUE(!answers_content_make(wide, dwarf_section_name, &digest));
}

#ifndef _WIN32
TEST(who_may_change_a_file_is_part_of_its_digest)
{
        mode_t usual = umask(022); /* with 002 the user's group may change the file, too */
        AUTO(object) mine = open_copy(0, NULL);
        AUTO(object) anybodys = NULL;
        AUTO(object) again = NULL;
        AUTO(object) theirs = NULL;
        const char *path = object_name(mine);

        umask(usual);
        EXPECT_INT(chmod(path, 0777), 0);
        anybodys = object_open(path, NULL);
        EXPECT_TRUE(!is_same(content_of(anybodys), content_of(mine)));
        EXPECT_INT(chmod(path, 0700), 0);
        again = object_open(path, NULL);
        EXPECT_TRUE(is_same(content_of(again), content_of(mine)));
        if (geteuid() == 0) {
                EXPECT_INT(chown(path, 12345, (gid_t)-1), 0);
                theirs = object_open(path, NULL);
                EXPECT_TRUE(!is_same(content_of(theirs), content_of(mine)));
        }
}

TEST(a_file_that_is_changed_while_it_is_read_is_not_remembered)
{
        AUTO(object) object = open_copy(0, NULL);
        AUTO_RELEASE(buf) path = {0};
        struct os_stat there, before;

        clean();
        ASSERT_TRUE(os_stat(object_name(object), &before));
        EXPECT_TRUE(!object_is_changed(object));
        do {
                EXPECT_INT(chmod(object_name(object), 0700), 0);
                ASSERT_TRUE(os_stat(object_name(object), &there));
        } while (there.ctime_ns == before.ctime_ns);
        EXPECT_TRUE(object_is_changed(object));
        EXPECT_TRUE(is_same(find_content(object), content_of(object)));
        answers_seen_add_path(FOLDER, object, &path);
        EXPECT_TRUE(!os_stat(buf_text(&path), &there));
}

TEST(links_and_files_of_others_in_the_folder_are_not_read)
{
        AUTO(object) object = open_copy(0, NULL);
        AUTO_RELEASE(buf) path = {0};
        struct answers_seen_list list;
        struct err err = {0};

        clean();
        find_content(object);
        list = seen_of(object);
        list.items[0].content = planted;
        put_seen(object, &list);
        answers_seen_add_path(FOLDER, object, &path);
        if (geteuid() == 0) {
                EXPECT_INT(chown(buf_text(&path), 12345, (gid_t)-1), 0);
                EXPECT_TRUE(is_same(find_content(object), content_of(object)));
                put_seen(object, &list);
        }
        EXPECT_INT(rename(buf_text(&path), "answers_content_elsewhere.tmp"), 0);
        EXPECT_INT(symlink("../answers_content_elsewhere.tmp", buf_text(&path)), 0);
        EXPECT_TRUE(is_same(find_content(object), content_of(object)));
        EXPECT_INT(symlink(FOLDER, "answers_content_link.tmp"), 0);
        EXPECT_TRUE(!answers_folder_check("answers_content_link.tmp", &err));
        EXPECT_STR(err.text, "answers_content_link.tmp: is a symbolic link");
        unlink("answers_content_link.tmp");
        unlink("answers_content_elsewhere.tmp");
}
#endif

TAP_MAIN
