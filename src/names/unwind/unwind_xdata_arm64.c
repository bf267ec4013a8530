/* SPDX-License-Identifier: BSD-3-Clause */
/* Unwind information of ARM64 in .xdata.
 *
 *   u32     length / 4 in 18 bits, version (0) in 2, X: has a handler, E: the only epilogue is at the end,
 *           number of epilogues in 5 (with E: index of its codes), words of codes in 5
 *   u32     only if both numbers are 0: number of epilogues in 16 bits, words of codes in 8
 *   u32 []  epilogues, not with E: start / 4 in 18 bits, 4 reserved, index of the codes in 10
 *   u8 []   codes of 1 to 4 bytes, the most significant first; those of the prologue begin at index 0
 *   u32     with X: the handler
 */
#include <assert.h>

#include "unwind_internal.h"

enum { VERSION = 0, WORD_BYTES = 4, INSTRUCTION_BYTES = 4 };

/* --- The record --- */

struct arm64_header {
        uint32_t n_epilogues, n_words;
        bool has_handler, has_index;
};

static bool read_header(struct cursor *c, struct unwind_arm64 *arm64, struct arm64_header *h, struct err *err)
{
        uint32_t word = cursor_u32(c), version = word >> 18 & 3;

        arm64->length_bytes = (word & 0x3ffff) * 4;
        h->has_handler = word >> 20 & 1;
        h->has_index = word >> 21 & 1;
        h->n_epilogues = word >> 22 & 0x1f;
        h->n_words = word >> 27;
        if (!h->n_epilogues && !h->n_words) {
                word = cursor_u32(c);
                h->n_epilogues = word & 0xffff;
                h->n_words = word >> 16 & 0xff;
        }
        if (c->failed)
                return err_set(err, ERR_FORMAT, "unwind information is cut in its header");
        if (version != VERSION)
                return err_set(err, ERR_UNSUPPORTED, "unwind information of version %u is not supported",
                               version);
        return true;
}

bool unwind_arm64_read(const struct cursor *info, struct unwind_arm64 *ret_arm64, struct err *err)
{
        struct unwind_arm64 arm64 = {0};
        struct cursor c = *info;
        struct arm64_header h;
        uint32_t n_scopes;

        if (!read_header(&c, &arm64, &h, err))
                return false;
        n_scopes = h.has_index ? 0 : h.n_epilogues;
        arm64.has_one_epilogue_at_end = h.has_index;
        arm64.epilogue_index = h.has_index ? (uint16_t)h.n_epilogues : 0;
        arm64.n_epilogues = h.has_index ? 1 : (uint16_t)h.n_epilogues;
        arm64.n_code_bytes = (uint16_t)(h.n_words * WORD_BYTES);
        arm64.scopes = cursor_sub(info, cursor_pos(&c), (uint64_t)n_scopes * WORD_BYTES);
        cursor_skip(&c, (uint64_t)n_scopes * WORD_BYTES);
        arm64.codes = cursor_sub(info, cursor_pos(&c), arm64.n_code_bytes);
        cursor_skip(&c, arm64.n_code_bytes);
        arm64.has_handler = h.has_handler;
        if (h.has_handler)
                arm64.handler = cursor_u32(&c);
        if (c.failed)
                return err_set(err, ERR_FORMAT, "unwind information is cut: %u epilogues, %u bytes of codes",
                               n_scopes, arm64.n_code_bytes);
        *ret_arm64 = arm64;
        return true;
}

/* --- Codes --- */

/* A code of two bytes that stores registers, identified by its leading bits. `x` and `z` are the fields of
 * the documentation; z is at the right end, x to the left of it. */
struct save_code {
        uint8_t mask, value;
        uint8_t kind;
        uint8_t n_regs;
        uint8_t first_reg;
        uint8_t x_bits, z_bits;
        bool is_down;
};

static const struct save_code save_codes[] = {
        {0xfc, 0xc8, UNWIND_OP_SAVE_X, 2, UNWIND_FIRST_X, 4, 6, false}, /* save_regp */
        {0xfc, 0xcc, UNWIND_OP_SAVE_X, 2, UNWIND_FIRST_X, 4, 6, true},  /* save_regp_x */
        {0xfc, 0xd0, UNWIND_OP_SAVE_X, 1, UNWIND_FIRST_X, 4, 6, false}, /* save_reg */
        {0xfe, 0xd4, UNWIND_OP_SAVE_X, 1, UNWIND_FIRST_X, 4, 5, true},  /* save_reg_x */
        {0xfe, 0xd8, UNWIND_OP_SAVE_D, 2, UNWIND_FIRST_D, 3, 6, false}, /* save_fregp */
        {0xfe, 0xda, UNWIND_OP_SAVE_D, 2, UNWIND_FIRST_D, 3, 6, true},  /* save_fregp_x */
        {0xfe, 0xdc, UNWIND_OP_SAVE_D, 1, UNWIND_FIRST_D, 3, 6, false}, /* save_freg */
        {0xff, 0xde, UNWIND_OP_SAVE_D, 1, UNWIND_FIRST_D, 3, 5, true},  /* save_freg_x */
};

static void set_op(struct unwind_op *op, enum unwind_op_kind kind, uint32_t amount)
{
        op->kind = (uint8_t)kind;
        op->amount = amount;
}

static void set_save(struct unwind_op *op, uint8_t kind, unsigned reg, unsigned reg2, uint32_t amount,
                     bool is_down)
{
        set_op(op, kind, amount);
        op->reg = (uint8_t)reg;
        op->reg2 = (uint8_t)reg2;
        op->flags = is_down ? UNWIND_OP_DOWN : 0;
}

static bool decode_two_bytes(uint8_t first, uint8_t second, struct unwind_op *op)
{
        uint32_t both = (uint32_t)first << 8 | second;

        for (size_t i = 0; i < sizeof(save_codes) / sizeof(save_codes[0]); i++) {
                const struct save_code *code = &save_codes[i];
                unsigned x = both >> code->z_bits & ((1u << code->x_bits) - 1);
                unsigned z = both & ((1u << code->z_bits) - 1);
                unsigned reg = code->first_reg + x;

                if ((first & code->mask) != code->value)
                        continue;
                set_save(op, code->kind, reg, code->n_regs == 2 ? reg + 1 : UNWIND_NO_REG,
                         (z + code->is_down) * 8, code->is_down);
                return true;
        }
        if ((first & 0xfe) != 0xd6)
                return false;
        /* save_lrpair */
        set_save(op, UNWIND_OP_SAVE_X, UNWIND_FIRST_X + 2 * (both >> 6 & 7), UNWIND_LR, (both & 0x3f) * 8,
                 false);
        return true;
}

/* 0xe7: save_any_reg, and SVE registers. */
static bool decode_any_reg(uint8_t first, uint8_t second, struct unwind_op *op)
{
        static const uint8_t kinds[] = {UNWIND_OP_SAVE_X, UNWIND_OP_SAVE_D, UNWIND_OP_SAVE_Q};
        bool is_pair = first & 0x40, is_down = first & 0x20;
        unsigned reg = first & 0x1f, kind = second >> 6, off = second & 0x3f;
        bool is_wide = is_down || is_pair || kind == 2;

        if (first & 0x80)
                return false;
        if (kind == 3) {
                bool is_p = first & 0x10;

                set_save(op, is_p ? UNWIND_OP_SAVE_P : UNWIND_OP_SAVE_Z,
                         (first & 0xf) + (is_p ? 0 : UNWIND_FIRST_D), UNWIND_NO_REG,
                         (first & 0x60u) << 1 | off, false);
                return true;
        }
        set_save(op, kinds[kind], reg, is_pair ? reg + 1 : UNWIND_NO_REG,
                 (off + is_down) * (is_wide ? 16 : 8), is_down);
        return true;
}

static bool decode_one_byte(uint8_t code, struct unwind_op *op)
{
        static const uint8_t kinds[256] = {
                [0xe1] = UNWIND_OP_SET_FP,
                [0xe3] = UNWIND_OP_NOP,
                [0xe4] = UNWIND_OP_END,
                [0xe5] = UNWIND_OP_END_C,
                [0xe8] = UNWIND_OP_TRAP_FRAME,
                [0xe9] = UNWIND_OP_MACHINE_FRAME,
                [0xea] = UNWIND_OP_CONTEXT,
                [0xeb] = UNWIND_OP_EC_CONTEXT,
                [0xec] = UNWIND_OP_CLEAR_UNWOUND_TO_CALL,
                [0xfc] = UNWIND_OP_SIGN_LR,
        };

        set_op(op, kinds[code], 0);
        return kinds[code];
}

/* Codes whose operands take whole bytes. */
static bool decode_long(uint8_t code, struct cursor *c, struct unwind_op *op)
{
        uint8_t first, second;

        switch (code) {
        case 0xdf: set_op(op, UNWIND_OP_ALLOC_Z, cursor_u8(c)); return true;
        case 0xe0:
                first = cursor_u8(c);
                second = cursor_u8(c);
                set_op(op, UNWIND_OP_ALLOC,
                       ((uint32_t)first << 16 | (uint32_t)second << 8 | cursor_u8(c)) * 16);
                return true;
        case 0xe2: set_op(op, UNWIND_OP_SET_FP, cursor_u8(c) * 8u); return true;
        case 0xe6: op->flags = UNWIND_OP_NEXT; return true;
        case 0xe7:
                first = cursor_u8(c);
                second = cursor_u8(c);
                return decode_any_reg(first, second, op);
        default: return decode_one_byte(code, op);
        }
}

static bool decode(struct cursor *c, struct unwind_op *op)
{
        uint8_t code = cursor_u8(c);

        switch (code >> 5) {
        case 0: set_op(op, UNWIND_OP_ALLOC, (code & 0x1f) * 16u); return true;
        case 1: /* save_r19r20_x */
                set_save(op, UNWIND_OP_SAVE_X, UNWIND_FIRST_X, UNWIND_FIRST_X + 1, (code & 0x1f) * 8u, true);
                return true;
        case 2:
        case 3: set_save(op, UNWIND_OP_SAVE_X, UNWIND_FP, UNWIND_LR, (code & 0x3f) * 8u, false); return true;
        case 4:
        case 5:
                set_save(op, UNWIND_OP_SAVE_X, UNWIND_FP, UNWIND_LR, (code & 0x3f) * 8u + 8, true);
                return true;
        }
        if (code < 0xc8) {
                set_op(op, UNWIND_OP_ALLOC, ((code & 7u) << 8 | cursor_u8(c)) * 16);
                return true;
        }
        return code < 0xdf ? decode_two_bytes(code, cursor_u8(c), op) : decode_long(code, c, op);
}

static bool has_its_registers(const struct unwind_op *op)
{
        unsigned n = op->kind == UNWIND_OP_SAVE_X ? UNWIND_LR + 1 : 32;

        return (op->reg == UNWIND_NO_REG || op->reg < n) && (op->reg2 == UNWIND_NO_REG || op->reg2 < n);
}

/* "save_next" stores the pair after the one that was stored just before it, which follows it here; after x27
 * and x28 come d8 and d9. */
static bool fill_next(struct unwind_op *op, const struct unwind_op *before)
{
        unsigned last = before->kind == UNWIND_OP_SAVE_X ? 27 : 14, reg = before->reg + 2u;
        uint8_t kind = before->kind;

        if ((kind != UNWIND_OP_SAVE_X && kind != UNWIND_OP_SAVE_D) || before->reg2 != before->reg + 1 ||
            before->reg > last || (before->reg == last && kind == UNWIND_OP_SAVE_D))
                return false;
        if (before->reg == last) {
                kind = UNWIND_OP_SAVE_D;
                reg = UNWIND_FIRST_D;
        }
        set_save(op, kind, reg, reg + 1, before->flags & UNWIND_OP_DOWN ? 16 : before->amount + 16, false);
        op->flags |= UNWIND_OP_NEXT;
        return true;
}

static bool fill_all_next(struct unwind_ops *ops, struct err *err)
{
        for (unsigned i = ops->n; i-- > 0;) {
                struct unwind_op *op = &ops->items[i];

                if ((op->flags & UNWIND_OP_NEXT) && (i + 1u == ops->n || !fill_next(op, op + 1)))
                        return err_set(err, ERR_FORMAT,
                                       "unwind code save_next at index %u: no pair is stored before it",
                                       op->off);
        }
        return true;
}

/* A sequence ends with its end code or at the end of the codes. */
static bool decode_sequence(const struct unwind_arm64 *arm64, unsigned index, struct unwind_ops *ops,
                            struct err *err)
{
        struct cursor c = arm64->codes;

        ops->n = 0;
        if (!cursor_skip(&c, index))
                return err_set(err, ERR_FORMAT,
                               "unwind codes from index %u on lie behind the %u bytes of codes", index,
                               arm64->n_code_bytes);
        while (cursor_left(&c)) {
                struct unwind_op *op = &ops->items[ops->n++];
                const uint8_t *code = c.at;

                *op = (struct unwind_op){
                        .reg = UNWIND_NO_REG, .reg2 = UNWIND_NO_REG, .off = (uint16_t)cursor_pos(&c)};
                if (!decode(&c, op) || !has_its_registers(op))
                        return err_set(err, ERR_UNSUPPORTED, "unwind code 0x%02x at index %u is not known",
                                       *code, op->off);
                if (c.failed)
                        return err_set(err, ERR_FORMAT, "unwind code 0x%02x at index %u is cut", *code,
                                       op->off);
                if (op->kind == UNWIND_OP_END)
                        break;
        }
        return fill_all_next(ops, err);
}

bool unwind_arm64_prologue(const struct unwind_arm64 *arm64, struct unwind_ops *ret_ops, struct err *err)
{
        if (arm64->is_packed)
                return unwind_packed_prologue(arm64, ret_ops, err);
        return decode_sequence(arm64, 0, ret_ops, err);
}

/* --- Epilogues --- */

/* The return, its last instruction, is the last instruction of the function. */
static bool start_at_end(const struct unwind_arm64 *arm64, const struct unwind_ops *ops,
                         uint32_t *ret_start_bytes, struct err *err)
{
        uint32_t bytes = INSTRUCTION_BYTES;

        for (unsigned i = 0; i < ops->n; i++)
                bytes += unwind_op_instructions(&ops->items[i]) * INSTRUCTION_BYTES;
        if (bytes > arm64->length_bytes)
                return err_set(err, ERR_FORMAT, "an epilogue of %u bytes in a function of %u", bytes,
                               arm64->length_bytes);
        *ret_start_bytes = arm64->length_bytes - bytes;
        return true;
}

bool unwind_arm64_epilogue(const struct unwind_arm64 *arm64, unsigned i, uint32_t *ret_start_bytes,
                           struct unwind_ops *ret_ops, struct err *err)
{
        struct cursor c = cursor_sub(&arm64->scopes, (uint64_t)i * WORD_BYTES, WORD_BYTES);
        uint32_t scope = cursor_u32(&c);

        assert(i < arm64->n_epilogues);
        if (arm64->is_packed)
                return unwind_packed_epilogue(arm64, ret_ops, err) &&
                       start_at_end(arm64, ret_ops, ret_start_bytes, err);
        if (arm64->has_one_epilogue_at_end)
                return decode_sequence(arm64, arm64->epilogue_index, ret_ops, err) &&
                       start_at_end(arm64, ret_ops, ret_start_bytes, err);
        *ret_start_bytes = (scope & 0x3ffff) * 4;
        return decode_sequence(arm64, scope >> 22, ret_ops, err);
}
