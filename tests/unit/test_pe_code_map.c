/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "buf.h"
#include "object.h"
#include "tap.h"

enum {
        HEADERS = 0x200,
        SECTION_RVA = 0x4000,
        SECTION_BYTES = 0x400,
        CONFIG_BYTES = 0x100,
        METADATA_OFF = 0x100, /* in the section */
        MAP_OFF = 0x200,
};

#define BASE 0x180000000ull

static void put32(struct buf *out, size_t at, uint32_t value)
{
        memcpy(out->data + at, &value, sizeof(value));
}

static void put64(struct buf *out, size_t at, uint64_t value)
{
        memcpy(out->data + at, &value, sizeof(value));
}

/* A PE32+ image of x64 with one section, whose load configuration points to a map of `n` entries. */
static void make_image(struct buf *out, uint32_t n, const uint32_t (*entries)[2])
{
        enum {
                PE = 0x40,
                OPTIONAL = PE + 24,
                OPTIONAL_BYTES = 112 + 16 * 8,
                SECTION = OPTIONAL + OPTIONAL_BYTES
        };

        buf_add_zeros(out, HEADERS + SECTION_BYTES);
        memcpy(out->data, "MZ", 2);
        put32(out, 0x3c, PE);
        memcpy(out->data + PE, "PE\0\0\x64\x86\x01", 7);
        put32(out, PE + 20, OPTIONAL_BYTES | 0x2022u << 16);
        put32(out, OPTIONAL, 0x20b);
        put64(out, OPTIONAL + 24, BASE);
        put32(out, OPTIONAL + 56, SECTION_RVA + SECTION_BYTES);
        put32(out, OPTIONAL + 60, HEADERS);
        put32(out, OPTIONAL + 108, 16);
        put32(out, OPTIONAL + 112 + 10 * 8, SECTION_RVA);
        put32(out, OPTIONAL + 112 + 10 * 8 + 4, CONFIG_BYTES);
        memcpy(out->data + SECTION, ".rdata", 6);
        put32(out, SECTION + 8, SECTION_BYTES);
        put32(out, SECTION + 12, SECTION_RVA);
        put32(out, SECTION + 16, SECTION_BYTES);
        put32(out, SECTION + 20, HEADERS);
        put64(out, HEADERS + 0xc8, BASE + SECTION_RVA + METADATA_OFF);
        put32(out, HEADERS + METADATA_OFF, 1);
        put32(out, HEADERS + METADATA_OFF + 4, SECTION_RVA + MAP_OFF);
        put32(out, HEADERS + METADATA_OFF + 8, n);
        for (uint32_t i = 0; i < n && entries; i++) {
                put32(out, HEADERS + MAP_OFF + 8 * i, entries[i][0]);
                put32(out, HEADERS + MAP_OFF + 8 * i + 4, entries[i][1]);
        }
}

static const uint32_t three[][2] = {{0x1001, 0x30}, {0x2000, 0x40}, {0x3002, 0x50}};

TEST(parts_for_two_machines)
{
        AUTO_RELEASE(buf) image = {0};
        AUTO(object) object = NULL;
        struct err err = {0};

        make_image(&image, 3, three);
        object = object_open_bytes(image.data, image.len, "ec.dll", &err);
        EXPECT_STR(err.text, "");
        if (!object)
                return;
        EXPECT_INT(object_get_facts(object)->machine, OBJECT_MACHINE_X86_64);
        EXPECT_INT(object_machine_at(object, BASE + 0x1000), OBJECT_MACHINE_ARM64);
        EXPECT_INT(object_machine_at(object, BASE + 0x102f), OBJECT_MACHINE_ARM64);
        EXPECT_INT(object_machine_at(object, BASE + 0x1030), OBJECT_MACHINE_X86_64);
        EXPECT_INT(object_machine_at(object, BASE + 0x203f), OBJECT_MACHINE_ARM64);
        EXPECT_INT(object_machine_at(object, BASE + 0x3010), OBJECT_MACHINE_X86_64);
        EXPECT_INT(object_machine_at(object, 0x1000), OBJECT_MACHINE_X86_64);
}

/* What the map cannot have is no map. */
TEST(a_damaged_map)
{
        static const struct {
                size_t at; /* in the section */
                uint32_t value;
        } cases[] = {
                {0xc8, 0},
                {0xc8, 0xffffffff},
                {METADATA_OFF + 4, 0x9000},
                {METADATA_OFF + 8, 0x10000000},
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                AUTO_RELEASE(buf) image = {0};
                AUTO(object) object = NULL;

                make_image(&image, 3, three);
                put32(&image, HEADERS + cases[i].at, cases[i].value);
                object = object_open_bytes(image.data, image.len, "ec.dll", NULL);
                EXPECT_TRUE(object && object_machine_at(object, BASE + 0x1000) == OBJECT_MACHINE_X86_64);
        }
}

TAP_MAIN
