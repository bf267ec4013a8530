/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks with Windows unwind codes in an image made for it.  Input: u8 flags (1 ARM64), u8 number of
 * entries, u16 bytes of code, u16 offset of the pc in the code, entries of the table as in the image,
 * except that starts and ends are relative to the beginning of the code, the code, and the rest is unwind
 * information.  The stack has all of the input, and addresses of code between its words. */
#include <stdlib.h>
#include <string.h>

#include "cursor.h"
#include "mem.h"
#include "pe_builder.h"
#include "unwind_pe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_BYTES = 1 << 14, MAX_ENTRIES = 16, STACK_ADDR = 0x7000, MAX_STEPS = 64 };

static bool find_module(void *ctx, uint64_t addr, struct unwind_module *ret_module)
{
        const struct unwind_module *module = ctx;

        *ret_module = *module;
        return addr >= module->start && addr < module->end;
}

static struct unwind_regs regs_at(bool is_arm64, uint64_t pc)
{
        struct unwind_regs regs = {.machine = is_arm64 ? OBJECT_MACHINE_ARM64 : OBJECT_MACHINE_X86_64};

        for (unsigned reg = 0; reg < UNWIND_N_REGS; reg++)
                unwind_set_reg(&regs, reg, STACK_ADDR + reg * 8);
        unwind_set_reg(&regs, unwind_reg_sp(&regs), STACK_ADDR);
        unwind_set_reg(&regs, unwind_reg_pc(&regs), pc);
        return regs;
}

static void walk(struct unwind_module *module, bool is_arm64, uint64_t pc, const uint8_t *stack, size_t size)
{
        struct unwind_regs regs = regs_at(is_arm64, pc);
        struct unwind_modules modules = {.find = find_module, .ctx = module};
        struct unwind_memory memory = {.start = STACK_ADDR, .bytes = stack, .size = size};
        struct unwind_frame frames[UNWIND_MAX_FRAMES];
        struct unwind_walked walked;

        unwind_walk(&modules, &regs, &memory, frames, UNWIND_MAX_FRAMES, &walked);
        if (walked.n_frames < 1 || walked.n_frames > UNWIND_MAX_FRAMES || walked.end >= UNWIND_N_ENDS)
                abort();
        if ((walked.end == UNWIND_END_CUT && !memory.is_cut) ||
            (walked.end == UNWIND_END_UNREADABLE && memory.is_cut) || walked.end == UNWIND_END_DAMAGED)
                abort();
        /* No caller lies where nothing is. */
        for (size_t i = 1; i < walked.n_frames; i++) {
                uint64_t addr = frames[i].pc - !frames[i].is_exact;

                if (frames[i].way == UNWIND_WAY_PE && (addr < module->start || addr >= module->end))
                        abort();
        }
}

/* The registers do not change unless the step succeeds. */
static void take_step(const struct object *object, bool is_arm64, uint64_t pc, bool is_exact,
                      const uint8_t *stack, size_t size)
{
        struct unwind_regs regs = regs_at(is_arm64, pc), before = regs;
        struct unwind_memory memory = {.start = STACK_ADDR, .bytes = stack, .size = size};
        bool is_caller_exact;
        enum unwind_pe how = unwind_pe_step(object, 0, is_exact, &regs, &memory, &is_caller_exact);
        bool is_done = how == UNWIND_PE_DONE || how == UNWIND_PE_LEAF;

        if (how > UNWIND_PE_UNREAD || (!is_done && memcmp(&regs, &before, sizeof(regs)) != 0))
                abort();
        if (is_done &&
            (!unwind_has_reg(&regs, unwind_reg_pc(&regs)) || !unwind_has_reg(&regs, unwind_reg_sp(&regs))))
                abort();
}

static void fill_stack(uint8_t *stack, const uint8_t *data, size_t n_words, uint64_t code_bytes)
{
        for (size_t i = 0; i < n_words; i++) {
                uint64_t word = 0;

                memcpy(&word, data + i * 2, 2);
                word = word & 1 ? PE_BASE + PE_CODE_RVA + word % (code_bytes + 1)
                                : STACK_ADDR + (word & ~7ull);
                memcpy(stack + i * 8, &word, 8);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct cursor c = cursor_make(data, size);
        bool is_arm64 = cursor_u8(&c) & 1;
        uint8_t n_entries = cursor_u8(&c) % (MAX_ENTRIES + 1);
        uint16_t code_bytes = cursor_u16(&c), pc_off = cursor_u16(&c);
        struct pe_builder b = {.is_arm64 = is_arm64};
        struct unwind_module module = {.start = PE_BASE, .end = PE_BASE + PE_IMAGE_BYTES};
        size_t n_words = size / 2;
        struct buf file;
        uint8_t *stack;

        for (unsigned i = 0; i < n_entries; i++) {
                uint32_t start = cursor_u16(&c), end = is_arm64 ? 0 : cursor_u16(&c), word = cursor_u32(&c);

                pe_add_entry(&b, start, end, word);
        }
        if (c.failed || size > MAX_BYTES || code_bytes > cursor_left(&c)) {
                pe_builder_release(&b);
                return 0;
        }
        buf_add(&b.code, c.at, code_bytes);
        cursor_skip(&c, code_bytes);
        if (cursor_left(&c))
                buf_add(&b.info, c.at, cursor_left(&c));
        pe_build(&b, &file);
        module.object = object_open_bytes(file.data, file.len, "input", NULL);
        if (!module.object)
                abort();
        stack = mem_new(n_words + 1, 8);
        fill_stack(stack, data, n_words, code_bytes);
        for (unsigned i = 0; i < MAX_STEPS; i++) {
                uint64_t pc = PE_BASE + PE_CODE_RVA + pc_off + i;

                take_step(module.object, is_arm64, pc, i % 2, stack, n_words * 8);
                if (i % 8 == 0)
                        walk(&module, is_arm64, pc, stack, n_words * 8);
        }
        free(stack);
        object_free(module.object);
        buf_release(&file);
        pe_builder_release(&b);
        return 0;
}
