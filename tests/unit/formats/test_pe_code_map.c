/* SPDX-License-Identifier: BSD-3-Clause */
#include "object.h"
#include "pe_map_builder.h"
#include "tap.h"

static const uint32_t three[][2] = {{0x1001, 0x30}, {0x2000, 0x40}, {0x3002, 0x50}};

TEST(parts_for_two_machines)
{
        AUTO_RELEASE(buf) image = {0};
        AUTO(object) object = NULL;
        struct err err = {0};

        pe_map_build(&image, 3, three);
        object = object_open_bytes(image.data, image.len, "ec.dll", &err);
        EXPECT_STR(err.text, "");
        if (!object)
                return;
        EXPECT_INT(object_get_facts(object)->machine, OBJECT_MACHINE_X86_64);
        EXPECT_INT(object_machine_at(object, PE_MAP_BASE + 0x1000), OBJECT_MACHINE_ARM64);
        EXPECT_INT(object_machine_at(object, PE_MAP_BASE + 0x102f), OBJECT_MACHINE_ARM64);
        EXPECT_INT(object_machine_at(object, PE_MAP_BASE + 0x1030), OBJECT_MACHINE_X86_64);
        EXPECT_INT(object_machine_at(object, PE_MAP_BASE + 0x203f), OBJECT_MACHINE_ARM64);
        EXPECT_INT(object_machine_at(object, PE_MAP_BASE + 0x3010), OBJECT_MACHINE_X86_64);
        EXPECT_INT(object_machine_at(object, 0x1000), OBJECT_MACHINE_X86_64);
        EXPECT_INT(object_code_at(object, PE_MAP_BASE + 0x1000), OBJECT_MACHINE_ARM64EC);
        EXPECT_INT(object_code_at(object, PE_MAP_BASE + 0x203f), OBJECT_MACHINE_ARM64);
        EXPECT_INT(object_code_at(object, PE_MAP_BASE + 0x3010), OBJECT_MACHINE_X86_64);
        EXPECT_TRUE(object_is_hybrid(object));
}

/* What the map cannot have is no map. */
TEST(a_damaged_map)
{
        static const struct {
                size_t at; /* in the section */
                uint32_t value;
        } cases[] = {
                {PE_CHPE_METADATA_POINTER_OFF, 0},
                {PE_CHPE_METADATA_POINTER_OFF, 0xffffffff},
                {PE_MAP_METADATA_OFF + PE_METADATA_CODE_MAP_OFF, 0x9000},
                {PE_MAP_METADATA_OFF + PE_METADATA_CODE_MAP_COUNT_OFF, 0x10000000},
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                AUTO_RELEASE(buf) image = {0};
                AUTO(object) object = NULL;

                pe_map_build(&image, 3, three);
                pe_map_put32(&image, PE_MAP_HEADERS + cases[i].at, cases[i].value);
                object = object_open_bytes(image.data, image.len, "ec.dll", NULL);
                EXPECT_TRUE(object &&
                            object_machine_at(object, PE_MAP_BASE + 0x1000) == OBJECT_MACHINE_X86_64);
        }
}

TAP_MAIN
