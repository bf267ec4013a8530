/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions where threads begin: by call-frame information, by the entry point, by name, by their use
 * of a result. */
#include "unwind_outermost.h"

#include <stdio.h>
#include <stdlib.h>

#include "cfi_builder.h"
#include "tap.h"
#include "test_data.h"

#define BYTES(text) (text), sizeof(text) - 1

/* An object with 0x100 bytes of code, `code` at its beginning. */
struct made {
        struct cfi_builder b;
        struct buf file;
        struct object *object;
        struct cfi *cfi;
        struct outermost *outermost;
};

static void made_release(struct made *made)
{
        outermost_free(made->outermost);
        cfi_free(made->cfi);
        object_free(made->object);
        buf_release(&made->file);
        cfi_builder_release(&made->b);
}

/* `rules`, if any, apply to all of the code. */
static void make(struct made *made, const void *code, size_t size, const void *rules, size_t rules_size)
{
        static const char cie[] = "\1zR\0\1\x78\20\1\3\x0c\7\x08\x90\1";
        struct err err = {0};

        buf_add(&made->b.text, code, size);
        buf_add_zeros(&made->b.text, 0x100 - size);
        if (rules_size) {
                AUTO_RELEASE(buf) fde = {0};

                cfi_add_entry(&made->b.eh_frame, 0, false, cie, sizeof(cie) - 1);
                buf_add_u32(&fde, CFI_TEXT_ADDR);
                buf_add_u32(&fde, 0x100);
                buf_add_u8(&fde, 0);
                buf_add(&fde, rules, rules_size);
                cfi_add_entry(&made->b.eh_frame, 0, true, fde.data, fde.len);
        }
        cfi_build(&made->b, &made->file);
        made->object = object_open_bytes(made->file.data, made->file.len, "made", &err);
        ASSERT_TRUE(made->object);
        made->cfi = cfi_open(made->object, NULL, NULL);
        made->outermost = outermost_new(made->object, made->cfi);
}

TEST(an_undefined_return_address_is_the_end)
{
        AUTO_RELEASE(made) outer = {0};
        AUTO_RELEASE(made) inner = {0};

        make(&outer, "", 0, BYTES("\7\20"));
        make(&inner, "", 0, BYTES("\0\0"));
        EXPECT_TRUE(outermost_has(outer.outermost, CFI_TEXT_ADDR + 0x10, false));
        EXPECT_TRUE(outermost_has(outer.outermost, CFI_TEXT_ADDR + 0x10, true));
        EXPECT_TRUE(!outermost_has(inner.outermost, CFI_TEXT_ADDR + 0x10, false));
        EXPECT_TRUE(!outermost_has(outer.outermost, CFI_TEXT_ADDR + 0x100, false));
}

/* mov %rax, %fs:0x628 after a call, after cltq, after jumps. */
TEST(a_result_that_becomes_the_threads_own)
{
        static const struct {
                const char *code;
                size_t size;
                bool wanted;
        } cases[] = {
                {BYTES("\xff\xd0\x64\x48\x89\x04\x25\x28\6\0\0"), true},
                {BYTES("\xff\xd0\x48\x98\x64\x48\x89\x04\x25\x28\6\0\0"), true},
                {BYTES("\xff\xd0\xeb\2\x90\x90\x64\x48\x89\x04\x25\x28\6\0\0"), true},
                {BYTES("\xff\xd0\xe9\1\0\0\0\x90\x64\x48\x89\x04\x25\x28\6\0\0"), true},
                {BYTES("\xff\xd0\x90\x64\x48\x89\x04\x25\x28\6\0\0"), false},
                {BYTES("\xff\xd0\x64\x48\x8b\x04\x25\x28\6\0\0"), false},
                {BYTES("\xff\xd0\xe9\xff\xff\xff\x7f\x90"), false},
                {BYTES("\xff\xd0\x89\xc7\xe8\0\0\0\0"), false}, /* to nothing that ends */
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                AUTO_RELEASE(made) made = {0};

                make(&made, cases[i].code, cases[i].size, BYTES("\0\0"));
                if (outermost_has(made.outermost, CFI_TEXT_ADDR + 1, false) != cases[i].wanted)
                        TAP_FAIL("case %zu is not %d", i, cases[i].wanted);
                /* The instruction itself, which may be reached differently. */
                EXPECT_TRUE(!outermost_has(made.outermost, CFI_TEXT_ADDR + 1, true));
        }
}

TEST(the_entry_point_is_the_end)
{
        struct err err = {0};
        AUTO(object) object = object_open(data_path("elf/caller-now.exe"), &err); /* stripped */
        struct outermost *without, *with;
        struct cfi *cfi;
        uint64_t entry;

        ASSERT_TRUE(object);
        cfi = cfi_open(object, NULL, &err);
        entry = object_get_facts(object)->entry;
        without = outermost_new(object, NULL);
        with = outermost_new(object, cfi);
        EXPECT_TRUE(outermost_has(without, entry, true));
        EXPECT_TRUE(outermost_has(without, entry + 63, false));
        EXPECT_TRUE(!outermost_has(without, entry + 64, false));
        EXPECT_TRUE(!outermost_has(without, entry - 1, true));
        EXPECT_TRUE(outermost_has(with, entry, true));
        EXPECT_TRUE(outermost_has(with, entry + 0x30, false)); /* in another row of the same function */
        EXPECT_TRUE(!outermost_has(with, entry - 1, true));
        outermost_free(with);
        outermost_free(without);
        cfi_free(cfi);
}

TEST(names_without_versions)
{
        EXPECT_TRUE(outermost_is_name("_start"));
        EXPECT_TRUE(outermost_is_name("__libc_start_main@@GLIBC_2.34"));
        EXPECT_TRUE(outermost_is_name("clone3"));
        EXPECT_TRUE(!outermost_is_name("_start_of_all"));
        EXPECT_TRUE(!outermost_is_name("main"));
        EXPECT_TRUE(!outermost_is_name(""));
}

TAP_MAIN
