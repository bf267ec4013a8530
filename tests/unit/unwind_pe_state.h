/* SPDX-License-Identifier: BSD-3-Clause */
/* Hand-made states for steps by Windows unwind information.  Each word of memory contains a number made
 * from its address, and each register a number of its own, so that the origin of a value is known. */
#ifndef UNWIND_PE_STATE_H
#define UNWIND_PE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "attributes.h"
#include "pe_builder.h"
#include "tap.h"
#include "unwind_pe.h"

#define BYTES(...) (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})
#define STACK      0x7fff00000000ull
#define BIAS       0x20000000ull
#define WORD(n)    (0xabc000000000ull + (n)) /* in memory at STACK + 8 * n */
#define AS_IT_WAS  UINT64_MAX

enum { MAX_WORDS = 1 << 24 };

/* --- States --- */

static inline bool read_word(void *ctx, uint64_t addr, uint64_t *ret_word)
{
        const uint64_t *n_words = ctx;
        uint64_t n = (addr - STACK) / 8;

        if (addr % 8 || n >= (n_words ? *n_words : MAX_WORDS))
                return false;
        *ret_word = WORD(n);
        return true;
}

static inline uint64_t value_of(unsigned reg)
{
        return 0x1000 + reg;
}

static inline struct unwind_regs regs_at(enum object_machine machine, uint64_t code_off)
{
        struct unwind_regs regs = {.machine = machine};

        for (unsigned i = 0; i < UNWIND_N_REGS; i++)
                unwind_set_reg(&regs, i, value_of(i));
        unwind_set_reg(&regs, unwind_reg_sp(&regs), STACK);
        unwind_set_reg(&regs, unwind_reg_pc(&regs), PE_BASE + BIAS + PE_CODE_RVA + code_off);
        return regs;
}

/* An image, and the step that is tested with it. */
struct image {
        struct pe_builder b;
        struct buf file;
        struct object *object;
        struct unwind_regs regs;
        bool is_return, is_caller_exact;
        enum unwind_pe how;
        uint64_t *n_words; /* of memory; NULL: there are many */
};

static inline void image_release(struct image *image)
{
        object_free(image->object);
        buf_release(&image->file);
        pe_builder_release(&image->b);
}

static inline void open_image(struct image *image)
{
        struct err err = {0};

        pe_build(&image->b, &image->file);
        image->object = object_open_bytes(image->file.data, image->file.len, "image", &err);
        if (!image->object)
                TAP_FAIL("%s", err.text);
}

static inline void take_step(struct image *image)
{
        struct unwind_memory memory = {.read = read_word, .ctx = image->n_words};

        image->how = unwind_pe_step(image->object, BIAS, !image->is_return, &image->regs, &memory,
                                    &image->is_caller_exact);
}

/* The register came from word `n` of the stack. */
static inline void expect_reg(const char *what, const struct image *image, unsigned reg, uint64_t n)
{
        uint64_t want = n == AS_IT_WAS ? value_of(reg) : WORD(n);

        if (!unwind_has_reg(&image->regs, reg) || image->regs.values[reg] != want)
                TAP_FAIL("%s: register %u is 0x%llx", what, reg, (unsigned long long)image->regs.values[reg]);
}

#endif
