/* SPDX-License-Identifier: BSD-3-Clause */
/* Relocations of relocatable and linked objects, as readelf -rS shows them. */
#include <stdlib.h>

#include "object.h"
#include "tap.h"

static const struct object_relocation *at(const struct object_relocation *list, size_t n, uint64_t addr)
{
        for (size_t i = 0; i < n; i++) {
                if (list[i].addr == addr)
                        return &list[i];
        }
        return NULL;
}

TEST(relocations_of_a_relocatable_object)
{
        AUTO(object) object = object_open(TEST_DATA "/elf/names.o", NULL);
        struct object_relocation *list;
        const struct object_relocation *one;
        size_t n;

        ASSERT_TRUE(object);
        n = object_list_relocations(object, &list);
        for (size_t i = 1; i < n; i++)
                EXPECT_CMP(list[i].addr, >=, list[i - 1].addr);
        one = at(list, n, 0x90 + 3); /* in .text.local_leaf, at file offset 0x90 */
        ASSERT_TRUE(one);
        EXPECT_INT(one->kind, OBJECT_RELOCATION_GOT);
        EXPECT_STR(one->name, "counter");
        EXPECT_TRUE(one->is_defined);
        one = at(list, n, 0xb0 + 1); /* a call in .text.global_one */
        ASSERT_TRUE(one);
        EXPECT_INT(one->kind, OBJECT_RELOCATION_RELATIVE);
        EXPECT_INT(one->target, 0x90 - 4);
        ASSERT_TRUE(one->section);
        EXPECT_STR(one->section->name, ".text.local_leaf");
        free(list);
}

TEST(dynamic_relocations)
{
        AUTO(object) object = object_open(TEST_DATA "/elf/caller-ibt.exe", NULL);
        struct object_relocation *list;
        const struct object_relocation *one;
        size_t n;

        ASSERT_TRUE(object);
        n = object_list_relocations(object, &list);
        one = at(list, n, 0x404008);
        ASSERT_TRUE(one);
        EXPECT_INT(one->kind, OBJECT_RELOCATION_ABSOLUTE);
        EXPECT_STR(one->name, "_underscored");
        EXPECT_TRUE(!one->is_defined);
        free(list);
}

TEST(an_image_without_relocations)
{
        AUTO(object) object = object_open(TEST_DATA "/pe/x64.dll", NULL);
        struct object_relocation *list;

        ASSERT_TRUE(object);
        EXPECT_INT(object_list_relocations(object, &list), 0);
        EXPECT_TRUE(!list);
}

TAP_MAIN
