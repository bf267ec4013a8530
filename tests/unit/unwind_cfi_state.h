/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects with hand-made call-frame information, and registers and a stack for a step. */
#ifndef UNWIND_CFI_STATE_H
#define UNWIND_CFI_STATE_H

#include "cfi_builder.h"
#include "unwind_cfi.h"

#define BYTES(text) text, sizeof(text) - 1

/* Version 1, "zR", code alignment 1, data alignment -8, column 16, u32 addresses; CFA = r7 + 8, r16 at CFA
 * - 8. */
#define CIE_X64 "\1zR\0\1\x78\20\1\3\x0c\7\10\x90\1"
/* The same with column 30 and CFA = sp, which is r31. */
#define CIE_ARM64 "\1zR\0\1\x78\36\1\3\x0c\37\0"
/* 0x1000 to 0x1100, and augmentation data of no length. */
#define FDE "\0\x10\0\0\0\1\0\0\0"

struct made {
        struct buf file;
        struct object *object;
        struct cfi *cfi;
        struct err err;
};

static inline void open_made(const struct cfi_builder *b, struct made *made)
{
        cfi_build(b, &made->file);
        made->object = object_open_bytes(made->file.data, made->file.len, "made", &made->err);
        if (made->object)
                made->cfi = cfi_open(made->object, NULL, &made->err);
}

static inline void made_release(struct made *made)
{
        cfi_free(made->cfi);
        object_free(made->object);
        buf_release(&made->file);
}

static inline void open_entries(struct made *made, bool is_arm64, const char *cie, size_t cie_size,
                                const char *fde, size_t fde_size)
{
        AUTO_RELEASE(cfi_builder) b = {.is_arm64 = is_arm64};

        cfi_add_entry(&b.eh_frame, 0, false, cie, cie_size);
        cfi_add_entry(&b.eh_frame, 0, true, fde, fde_size);
        open_made(&b, made);
}

enum { STACK_ADDR = 0x7000, N_WORDS = 16 };

struct place {
        struct unwind_regs regs;
        struct unwind_memory memory;
        uint64_t words[N_WORDS];
};

static inline void set_place(struct place *place, enum object_machine machine, uint64_t pc)
{
        *place = (struct place){.regs = {.machine = machine}};
        place->memory = (struct unwind_memory){
                .start = STACK_ADDR, .bytes = (uint8_t *)place->words, .size = sizeof(place->words)};
        for (unsigned reg = 0; reg < 16; reg++)
                unwind_set_reg(&place->regs, reg, reg);
        unwind_set_reg(&place->regs, unwind_reg_sp(&place->regs), STACK_ADDR);
        unwind_set_reg(&place->regs, unwind_reg_pc(&place->regs), pc);
        for (unsigned i = 0; i < N_WORDS; i++)
                place->words[i] = 0x1000 + i;
}

#endif
