/* SPDX-License-Identifier: BSD-3-Clause */
/* How much call-frame information is kept in memory: a recorder runs for days and reads many objects. */
#include <stdlib.h>

#include "budget.h"
#include "buf.h"
#include "cfi_builder.h"
#include "tap.h"
#include "unwind_cfi.h"

#define BYTES(text) text, sizeof(text) - 1

/* x86-64: CFA = r7 + 8, r16 at CFA - 8; from 0x1000 to 0x1100, and from 0x1080 on CFA = r7 + 16. */
#define CIE "\1zR\0\1\x78\20\1\3\x0c\7\10\x90\1"
#define FDE "\0\x10\0\0\0\1\0\0\0\2\x80\x0e\20"
/* From 0x2000 to 0x2100. */
#define OTHER_FDE "\0\x20\0\0\0\1\0\0\0"
/* Of a function that the linker threw away. */
#define LOST_FDE "\0\0\0\0\0\1\0\0\0"

enum { FDE_OFF = 8 + sizeof(CIE) - 1, STACK_ADDR = 0x7000, N_WORDS = 16 };

struct made {
        struct buf file;
        struct object *object;
        struct cfi *cfi;
};

/* The sorted table, if there is one, has only the first entry.  `other` is OTHER_FDE, LOST_FDE or NULL. */
static void open_made(struct made *made, const char *other, bool has_table)
{
        AUTO_RELEASE(cfi_builder) b = {0};

        cfi_add_entry(&b.eh_frame, 0, false, BYTES(CIE));
        cfi_add_entry(&b.eh_frame, 0, true, BYTES(FDE));
        if (other)
                cfi_add_entry(&b.eh_frame, 0, true, other, sizeof(OTHER_FDE) - 1);
        if (has_table) {
                buf_add(&b.eh_frame_hdr, "\1\x03\x03\x3b\0\0\x20\0\1\0\0\0", 12);
                buf_add_u32(&b.eh_frame_hdr, 0x1000u - CFI_HDR_ADDR);
                buf_add_u32(&b.eh_frame_hdr, CFI_FRAME_ADDR + FDE_OFF - CFI_HDR_ADDR);
        }
        cfi_build(&b, &made->file);
        made->object = object_open_bytes(made->file.data, made->file.len, "made", NULL);
        if (made->object)
                made->cfi = cfi_open(made->object, NULL, NULL);
}

static void made_release(struct made *made)
{
        cfi_free(made->cfi);
        object_free(made->object);
        buf_release(&made->file);
}

/* One step at the address; returns the caller's stack pointer, 0 if it fails. */
static uint64_t step(struct made *made, uint64_t addr)
{
        uint64_t words[N_WORDS] = {0};
        struct unwind_regs regs = {.machine = OBJECT_MACHINE_X86_64};
        struct unwind_memory memory = {.start = STACK_ADDR, .bytes = (uint8_t *)words, .size = sizeof(words)};
        struct cfi_stepped stepped;

        unwind_set_reg(&regs, unwind_reg_sp(&regs), STACK_ADDR);
        unwind_set_reg(&regs, unwind_reg_pc(&regs), addr);
        return cfi_step(made->cfi, addr, 0, &regs, &memory, &stepped) == CFI_STEP_DONE
                       ? regs.values[unwind_reg_sp(&regs)]
                       : 0;
}

TEST(equal_rows_are_kept_once)
{
        AUTO_RELEASE(made) made = {0};

        open_made(&made, NULL, false);
        ASSERT_TRUE(made.cfi);
        for (unsigned i = 0; i < 2; i++) {
                for (uint64_t addr = 0xf00; addr < 0x1000; addr++)
                        EXPECT_INT(step(&made, addr), 0);
                for (uint64_t addr = 0x1000; addr < 0x1080; addr++)
                        EXPECT_INT(step(&made, addr), STACK_ADDR + 8);
                for (uint64_t addr = 0x1080; addr < 0x1100; addr++)
                        EXPECT_INT(step(&made, addr), STACK_ADDR + 16);
        }
        EXPECT_INT(cfi_get_counts(made.cfi).n_read, 0x200);
        EXPECT_INT(cfi_get_counts(made.cfi).n_held, 0x200);
        EXPECT_INT(cfi_get_counts(made.cfi).n_different, 3);
}

/* The lookup of an address that is in no entry makes an index of all entries. */
/* .eh_frame of a jitdump: N entries of functions of 16 bytes from 0x1000 on, with `extra` bytes of
 * instructions each. */
static struct cfi *open_frames(struct buf *frames, unsigned n, const void *extra, size_t size,
                               struct budget *budget)
{
        cfi_add_entry(frames, 0, false, BYTES(CIE));
        for (unsigned i = 0; i < n; i++) {
                AUTO_RELEASE(buf) fde = {0};

                buf_add_u32(&fde, 0x1000 + 16 * i);
                buf_add_u32(&fde, 16);
                buf_add_u8(&fde, 0);
                buf_add(&fde, extra, size);
                cfi_add_entry(frames, 0, true, (const char *)fde.data, fde.len);
        }
        return cfi_open_frames(cursor_make(frames->data, frames->len), CFI_FRAME_ADDR, OBJECT_MACHINE_X86_64,
                               budget);
}

TEST(the_index_of_a_jitdumps_frames_takes_from_its_budget)
{
        enum { N = 5000 };
        AUTO_RELEASE(buf) frames = {0}, again = {0};
        struct made made = {0};
        struct budget budget;

        budget_init(&budget, 16 << 20);
        made.cfi = open_frames(&frames, N, "", 0, &budget);
        ASSERT_TRUE(made.cfi);
        EXPECT_INT(step(&made, 0x1000 + 16 * (N - 1)), STACK_ADDR + 8);
        EXPECT_CMP(budget.used_bytes, >, (uint64_t)N * 24);
        cfi_free(made.cfi);
        EXPECT_INT(budget.used_bytes, 0);
        budget_release(&budget);
        budget_init(&budget, 4096);
        made.cfi = open_frames(&again, N, "", 0, &budget);
        EXPECT_INT(step(&made, 0x1000 + 16 * (N - 1)), 0);
        EXPECT_TRUE(budget_has_left_out(&budget, BUDGET_STACKS));
        cfi_free(made.cfi);
        budget_release(&budget);
}

TEST(the_rules_of_a_jitdumps_frames_count_as_work)
{
        enum { N_PAIRS = 4000, N_ADDRS = 10 };
        AUTO_RELEASE(buf) frames = {0}, rules = {0};
        struct made made = {0};
        struct budget budget;
        unsigned n_done = 0;

        for (unsigned i = 0; i < N_PAIRS; i++)
                buf_add(&rules, "\x0a\x0b", 2);
        budget_init(&budget, 0);
        budget.max_steps = 4 * N_PAIRS * 2;
        made.cfi = open_frames(&frames, 1, rules.data, rules.len, &budget);
        ASSERT_TRUE(made.cfi);
        for (uint64_t addr = 0x1000; addr < 0x1000 + N_ADDRS; addr++)
                n_done += step(&made, addr) == STACK_ADDR + 8;
        EXPECT_TRUE(n_done > 0 && n_done < N_ADDRS);
        EXPECT_TRUE(budget_has_given_up(&budget));
        cfi_free(made.cfi);
        budget_release(&budget);
}

/* Many entries may refer to two entries with very long augmentations in turn, which are then read again for
 * each. */
TEST(a_long_augmentation_is_refused)
{
        AUTO_RELEASE(buf) frames = {0}, cie = {0};
        struct made made = {0};

        buf_add(&cie, BYTES("\1zSSSSSSSSSSSSSSSSSSSSSSSSR\0\1\x78\20\1\3\x0c\7\10\x90\1"));
        cfi_add_entry(&frames, 0, false, (const char *)cie.data, cie.len);
        cfi_add_entry(&frames, 0, true, BYTES(FDE));
        made.cfi = cfi_open_frames(cursor_make(frames.data, frames.len), CFI_FRAME_ADDR,
                                   OBJECT_MACHINE_X86_64, NULL);
        EXPECT_INT(step(&made, 0x1000), 0);
        cfi_free(made.cfi);
}

static size_t count_indexed(const char *other, bool has_other, bool has_table)
{
        AUTO_RELEASE(made) made = {0};

        open_made(&made, other, has_table);
        if (!made.cfi)
                return SIZE_MAX;
        EXPECT_INT(step(&made, 0x3000), 0);
        EXPECT_INT(step(&made, 0x1000), STACK_ADDR + 8);
        EXPECT_INT(step(&made, 0x2000), has_other ? STACK_ADDR + 8 : 0);
        EXPECT_INT(step(&made, 0x10ff), STACK_ADDR + 16);
        return cfi_get_counts(made.cfi).n_indexed;
}

TEST(entries_that_the_sorted_table_has_are_not_indexed)
{
        EXPECT_INT(count_indexed(NULL, false, true), 0);
        EXPECT_INT(count_indexed(OTHER_FDE, true, true), 2);
        EXPECT_INT(count_indexed(NULL, false, false), 1);
        /* The table has one entry less than there are, and lacks none. */
        EXPECT_INT(count_indexed(LOST_FDE, false, true), 0);
}

TAP_MAIN
