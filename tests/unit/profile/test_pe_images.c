/* SPDX-License-Identifier: BSD-3-Clause */
#include "pe_images.h"

#include <string.h>

#include "buf.h"
#include "tap.h"

static const uint8_t id_of_a[] = {0x79, 0xec, 0xaf, 0xa2, 0x83, 0x59, 0xb1, 0x00, 0x4c, 0x4c,
                                  0x44, 0x20, 0x50, 0x44, 0x42, 0x2e, 0x01, 0x00, 0x00, 0x00};

static struct pe_images *read_text(const char *magic, uint32_t version, const char *text)
{
        AUTO_RELEASE(buf) section = {0};

        buf_add(&section, magic, 4);
        buf_add_u32(&section, version);
        buf_add_str(&section, text);
        return pe_images_new(cursor_make(section.data, section.len));
}

/* In id_of_a: the age follows the GUID. */
enum { AGE_OFF = 16 };

#define ID_OF_A "build_id=79ecafa28359b1004c4c44205044422e01000000\n"

TEST(images_by_path_and_identity)
{
        AUTO(pe_images)
        images = read_text("WPIM", 1,
                           "image=C:\\p\\a.exe\n" ID_OF_A
                           "image_size=24576\ntime_stamp=4000000000\npdb=D:\\b\\a.pdb\n"
                           "image=/w/b.dll\nimage_size=8192\n");
        const struct pe_identity *a = pe_images_find(images, "C:\\p\\a.exe", id_of_a, sizeof(id_of_a));
        const struct pe_identity *b = pe_images_find(images, "/w/b.dll", NULL, 0);
        uint8_t other[sizeof(id_of_a)];

        EXPECT_TRUE(a && a->image_size == 24576 && a->time_stamp == 4000000000u);
        EXPECT_STR(a ? a->pdb_path : NULL, "D:\\b\\a.pdb");
        EXPECT_TRUE(b && b->image_size == 8192 && !b->pdb_path);
        EXPECT_CMP(pe_images_find(images, "C:\\p\\a.exe", NULL, 0), !=, NULL);
        memcpy(other, id_of_a, sizeof(other));
        other[AGE_OFF] = 2;
        EXPECT_TRUE(!pe_images_find(images, "C:\\p\\a.exe", other, sizeof(other)));
        EXPECT_INT(pe_images_size(images, "/w/b.dll", NULL, 0), 8192);
        EXPECT_INT(pe_images_size(images, "/w/none.dll", NULL, 0), 0);
}

TEST(what_is_damaged_is_left_out)
{
        static const struct {
                const char *magic;
                uint32_t version;
                const char *text;
                bool is_found;
        } cases[] = {
                {"WPIX", 1, "image=a\nimage_size=1\n", false},
                {"WPIM", 2, "image=a\nimage_size=1\n", false},
                {"WPIM", 1, "image_size=1\nimage=b\n", false},
                {"WPIM", 1, "image=a\nimage_size=1\n", true},
                {"WPIM", 1, "\n\n=x\nimage=a\nfuture=1\nimage_size=1", true},
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                AUTO(pe_images) images = read_text(cases[i].magic, cases[i].version, cases[i].text);
                const struct pe_identity *a = pe_images_find(images, "a", NULL, 0);

                EXPECT_INT(a != NULL, cases[i].is_found);
                EXPECT_TRUE(!a || a->image_size == 1);
        }
}

TEST(numbers_and_ids_that_cannot_be)
{
        AUTO(pe_images)
        images = read_text("WPIM", 1,
                           "image=a\nimage_size=99999999999\ntime_stamp=x\nbuild_id=79\nbuild_id=zz\n");
        const struct pe_identity *a = pe_images_find(images, "a", id_of_a, sizeof(id_of_a));

        EXPECT_TRUE(a && !a->image_size && !a->time_stamp);
}

TEST(programs_of_go_are_no_images)
{
        AUTO(pe_images)
        images = read_text("WPIM", 1,
                           "image=/a\ngo_build_id=x/1\nimage=/a\ngo_build_id=x/1\n"
                           "image=/b\ngo_build_id=x/1\nimage=/b\ngo_build_id=x/2\n"
                           "image=/c\nimage_size=1\n");

        EXPECT_STR(pe_images_go_build_id(images, "/a"), "x/1");
        EXPECT_TRUE(!pe_images_go_build_id(images, "/b")); /* two builds: which one is not known */
        EXPECT_TRUE(!pe_images_go_build_id(images, "/c"));
        EXPECT_TRUE(!pe_images_find(images, "/a", NULL, 0) && pe_images_find(images, "/c", NULL, 0));
}

TAP_MAIN
