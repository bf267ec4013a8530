/* SPDX-License-Identifier: BSD-3-Clause */
/* Small PE images that are made to cause much work or to need much memory: both are taken from the budget. */
#include <stdlib.h>

#include "budget.h"
#include "mem.h"
#include "object.h"
#include "pe_builder.h"
#include "pe_layout.h"
#include "pe_map_builder.h"
#include "tap.h"

enum { N_SYMBOLS = 2000, NAME_BYTES = 30000, EXPORT_HEADER_BYTES = 40, LIMIT_MIB = 8 };
enum {
        PE_OFF = 64,
        SYMBOLS_OFF = PE_OFF + PE_POINTER_TO_SYMBOL_TABLE_OFF,
        N_SYMBOLS_OFF = PE_OFF + PE_NUMBER_OF_SYMBOLS_OFF,
        EXPORT_DIR_OFF = PE_OFF + PE_OPTIONAL_HEADER_OFF + PE_DATA_DIRECTORY_OFF,
};

static void put_u32(struct buf *file, size_t at, uint32_t value)
{
        memcpy(file->data + at, &value, sizeof(value));
}

/* Functions whose names are the ends of one string. */
static void build_coff(struct buf *file)
{
        struct pe_builder b = {0};

        buf_add_zeros(&b.code, 16);
        pe_build(&b, file);
        put_u32(file, SYMBOLS_OFF, (uint32_t)file->len);
        put_u32(file, N_SYMBOLS_OFF, N_SYMBOLS);
        for (uint32_t i = 0; i < N_SYMBOLS; i++) {
                buf_add_u32(file, 0);
                buf_add_u32(file, 4 + i);
                buf_add_u32(file, 0);
                buf_add_u16(file, 1);
                buf_add_u16(file, 0x20);
                buf_add_u8(file, 2);
                buf_add_u8(file, 0);
        }
        buf_add_u32(file, 4 + NAME_BYTES + 1);
        memset(buf_extend(file, NAME_BYTES), 'n', NAME_BYTES);
        buf_add_u8(file, 0);
        pe_builder_release(&b);
}

static void build_exports(struct buf *file)
{
        enum { NAMES_RVA = PE_INFO_RVA + EXPORT_HEADER_BYTES + 10 * N_SYMBOLS };
        struct pe_builder b = {0};

        buf_add_zeros(&b.code, N_SYMBOLS);
        buf_add_zeros(&b.info, 16);
        buf_add_u32(&b.info, 1);
        buf_add_u32(&b.info, N_SYMBOLS);
        buf_add_u32(&b.info, N_SYMBOLS);
        for (uint32_t i = 0; i < 3; i++)
                buf_add_u32(&b.info, PE_INFO_RVA + EXPORT_HEADER_BYTES + i * 4 * N_SYMBOLS);
        for (uint32_t i = 0; i < N_SYMBOLS; i++)
                buf_add_u32(&b.info, PE_CODE_RVA + i);
        for (uint32_t i = 0; i < N_SYMBOLS; i++)
                buf_add_u32(&b.info, NAMES_RVA + i);
        for (uint32_t i = 0; i < N_SYMBOLS; i++)
                buf_add_u16(&b.info, (uint16_t)i);
        memset(buf_extend(&b.info, NAME_BYTES), 'n', NAME_BYTES);
        buf_add_u8(&b.info, 0);
        pe_build(&b, file);
        put_u32(file, EXPORT_DIR_OFF + PE_DIRECTORY_RVA_OFF, PE_INFO_RVA);
        put_u32(file, EXPORT_DIR_OFF + PE_DIRECTORY_SIZE_OFF, EXPORT_HEADER_BYTES);
        pe_builder_release(&b);
}

/* Some symbols are there, and the memory of all is given back. */
static void expect_limited(const struct buf *file, enum object_table table)
{
        AUTO(object) object = object_open_bytes(file->data, file->len, "many.dll", NULL);
        struct object_symbols symbols;
        struct budget command;

        budget_init(&command, (uint64_t)LIMIT_MIB << 20);
        ASSERT_TRUE(object);
        object_set_budget(object, &command);
        EXPECT_TRUE(object_symbols_begin(object, table, &symbols));
        EXPECT_CMP(symbols.n_symbols, >, (LIMIT_MIB << 20) / NAME_BYTES - 10);
        EXPECT_CMP(symbols.names_size, <, LIMIT_MIB << 20);
        EXPECT_TRUE(budget_has_left_out(&command, BUDGET_NAMES));
        object_free(TAKE(object));
        EXPECT_INT(command.used_bytes, 0);
        budget_release(&command);
}

TEST(symbols_with_one_long_name)
{
        AUTO_RELEASE(buf) file = {0};

        build_coff(&file);
        expect_limited(&file, OBJECT_SYMBOLS);
}

TEST(exported_functions_with_one_long_name)
{
        AUTO_RELEASE(buf) file = {0};

        build_exports(&file);
        expect_limited(&file, OBJECT_DYNAMIC_SYMBOLS);
}

/* After too much work every address has the machine of the file. */
TEST(each_search_in_a_long_code_map_counts)
{
        enum { N = 64, ENTRIES_OF_STEP = 8 };
        uint32_t(*entries)[2] = mem_new(N, sizeof(*entries));
        AUTO_RELEASE(buf) image = {0};
        AUTO(object) object = NULL;
        struct budget command, file;

        for (uint32_t i = 0; i < N; i++) {
                entries[i][0] = 0x100000 + i * 16 + 1;
                entries[i][1] = 16;
        }
        pe_map_build(&image, N, (const uint32_t(*)[2])entries);
        free(entries);
        object = object_open_bytes(image.data, image.len, "ec.dll", NULL);
        ASSERT_TRUE(object);
        budget_init(&command, 0);
        budget_init_file(&file, &command, "ec.dll");
        budget_allow_work(&file, BUDGET_WORK_UNWIND, 1);
        object_set_budget(object, &file);
        EXPECT_INT(object_code_at(object, PE_MAP_BASE + 0x100000), OBJECT_MACHINE_ARM64EC);
        EXPECT_INT(file.n_steps, N / ENTRIES_OF_STEP);
        EXPECT_TRUE(budget_work(&file, BUDGET_STACKS, budget_steps_left(&file)));
        EXPECT_INT(object_code_at(object, PE_MAP_BASE + 0x100000), OBJECT_MACHINE_X86_64);
        EXPECT_TRUE(budget_has_given_up(&command));
        object_free(TAKE(object));
        budget_release(&file);
        budget_release(&command);
}

TAP_MAIN
