/* SPDX-License-Identifier: BSD-3-Clause */
/* The packed form of ARM64's unwind information, which describes a prologue of a fixed shape in 30 bits of
 * .pdata.
 *
 *   2 bits flag (1 a function, 2 a part without prologue and epilogue), 11 length / 4, 3 RegF, 4 RegI, 1 H,
 *   2 CR, 9 size of the frame / 16
 *
 * The shape: [sign lr]; x19.. and lr; d8..; parameters; then locals, with x29 and lr below them. The first
 * store allocates the stack of all saved registers. */
#include "unwind_internal.h"

enum {
        CR_LR = 1,
        CR_SIGNED_CHAIN = 2,
        CR_CHAIN = 3,
        N_PARAMS = 8,
        MAX_REG_I = 10,        /* x19 to x28 */
        MAX_CHAIN_STORE = 512, /* the largest allocation of the instruction that stores x29 and lr */
        MAX_SUB_BYTES = 4080,  /* the largest allocation of one subtraction */
        INSTRUCTION_BYTES = 4,
};

/* Sizes in bytes. */
struct packed_layout {
        uint32_t ints, floats, saved, locals;
        bool is_chained;
};

bool unwind_arm64_unpack(uint32_t word, struct unwind_arm64 *ret_arm64, struct err *err)
{
        struct unwind_arm64 arm64 = {
                .is_packed = true,
                .is_fragment = (word & 3) == 2,
                .length_bytes = (word >> 2 & 0x7ff) * INSTRUCTION_BYTES,
                .n_epilogues = (word & 3) == 1,
                .packed =
                        {
                                .reg_f = word >> 13 & 7,
                                .reg_i = word >> 16 & 0xf,
                                .h = word >> 20 & 1,
                                .cr = word >> 21 & 3,
                                .frame_bytes = (uint16_t)((word >> 23) * 16),
                        },
        };

        if ((word & 3) != 1 && (word & 3) != 2)
                return err_set(err, ERR_UNSUPPORTED, "packed unwind information of kind %u is not known",
                               word & 3);
        *ret_arm64 = arm64;
        return true;
}

static uint32_t n_floats(const struct unwind_arm64_packed *p)
{
        return p->reg_f ? p->reg_f + 1u : 0;
}

static struct packed_layout lay_out(const struct unwind_arm64_packed *p)
{
        struct packed_layout l = {.ints = 8u * p->reg_i + (p->cr == CR_LR ? 8 : 0),
                                  .floats = 8 * n_floats(p)};

        l.is_chained = p->cr == CR_CHAIN || p->cr == CR_SIGNED_CHAIN;
        l.saved = (l.ints + l.floats + (p->h ? 8 * N_PARAMS : 0) + 15) & ~15u;
        l.locals = p->frame_bytes - l.saved; /* valid if they fit */
        return l;
}

static bool fits(const struct unwind_arm64_packed *p, const struct packed_layout *l, struct err *err)
{
        uint32_t needed = l->saved + (l->is_chained ? 16 : 0);

        if (p->reg_i > MAX_REG_I)
                return err_set(err, ERR_FORMAT, "packed unwind information saves %u registers from x19 on",
                               p->reg_i);
        if (p->frame_bytes < needed)
                return err_set(err, ERR_FORMAT,
                               "packed unwind information: %u bytes of frame hold %u bytes of registers",
                               p->frame_bytes, needed);
        return true;
}

static void add(struct unwind_ops *ops, enum unwind_op_kind kind, uint32_t amount)
{
        ops->items[ops->n] = (struct unwind_op){.kind = (uint8_t)kind,
                                                .reg = UNWIND_NO_REG,
                                                .reg2 = UNWIND_NO_REG,
                                                .off = ops->n,
                                                .amount = amount};
        ops->n++;
}

static void add_save(struct unwind_ops *ops, enum unwind_op_kind kind, unsigned reg, unsigned reg2,
                     uint32_t amount, bool is_down)
{
        struct unwind_op *op = &ops->items[ops->n];

        add(ops, kind, amount);
        op->reg = (uint8_t)reg;
        op->reg2 = (uint8_t)reg2;
        op->flags = is_down ? UNWIND_OP_DOWN : 0;
}

/* From here to unwind_packed_prologue, the last executed instruction comes first. */

static void add_locals(const struct packed_layout *l, struct unwind_ops *ops)
{
        bool is_one_store = l->is_chained && l->locals <= MAX_CHAIN_STORE;

        if (l->is_chained) {
                add(ops, UNWIND_OP_SET_FP, 0);
                add_save(ops, UNWIND_OP_SAVE_X, UNWIND_FP, UNWIND_LR, is_one_store ? l->locals : 0,
                         is_one_store);
        }
        if (!l->locals || is_one_store)
                return;
        if (l->locals > MAX_SUB_BYTES)
                add(ops, UNWIND_OP_ALLOC, l->locals - MAX_SUB_BYTES);
        add(ops, UNWIND_OP_ALLOC, l->locals > MAX_SUB_BYTES ? MAX_SUB_BYTES : l->locals);
}

static void add_params(const struct unwind_arm64_packed *p, const struct packed_layout *l,
                       struct unwind_ops *ops)
{
        if (!p->h)
                return;
        for (unsigned reg = N_PARAMS; reg > 0;) {
                bool is_first;

                reg -= 2;
                is_first = !reg && !l->ints && !l->floats;
                add_save(ops, UNWIND_OP_SAVE_PARAMS, reg, reg + 1,
                         is_first ? l->saved : l->saved - 8 * (N_PARAMS - reg), is_first);
        }
}

static void add_floats(const struct unwind_arm64_packed *p, const struct packed_layout *l,
                       struct unwind_ops *ops)
{
        for (unsigned i = (n_floats(p) + 1) / 2; i-- > 0;) {
                unsigned reg = UNWIND_FIRST_D + 2 * i;
                bool is_single = 2 * i + 1 == n_floats(p), is_first = !i && !l->ints;

                add_save(ops, UNWIND_OP_SAVE_D, reg, is_single ? UNWIND_NO_REG : reg + 1,
                         is_first ? l->saved : l->ints + 16 * i, is_first);
        }
}

static void add_ints(const struct unwind_arm64_packed *p, const struct packed_layout *l,
                     struct unwind_ops *ops)
{
        bool has_lr = p->cr == CR_LR;

        /* There is no code for storing this pair and changing sp, so compilers use two instructions. */
        if (has_lr && p->reg_i == 1) {
                add_save(ops, UNWIND_OP_SAVE_X, UNWIND_FIRST_X, UNWIND_LR, 0, false);
                add(ops, UNWIND_OP_ALLOC, l->saved);
                return;
        }
        if (has_lr && p->reg_i % 2 == 0)
                add_save(ops, UNWIND_OP_SAVE_X, UNWIND_LR, UNWIND_NO_REG, p->reg_i ? l->ints - 8 : l->saved,
                         !p->reg_i);
        for (unsigned i = (p->reg_i + 1u) / 2; i-- > 0;) {
                unsigned reg = UNWIND_FIRST_X + 2 * i, alone = has_lr ? UNWIND_LR : UNWIND_NO_REG;
                bool is_single = 2 * i + 1 == p->reg_i;

                add_save(ops, UNWIND_OP_SAVE_X, reg, is_single ? alone : reg + 1, i ? 16 * i : l->saved, !i);
        }
}

bool unwind_packed_prologue(const struct unwind_arm64 *arm64, struct unwind_ops *ret_ops, struct err *err)
{
        const struct unwind_arm64_packed *p = &arm64->packed;
        struct packed_layout l = lay_out(p);

        if (!fits(p, &l, err))
                return false;
        ret_ops->n = 0;
        add_locals(&l, ret_ops);
        add_params(p, &l, ret_ops);
        add_floats(p, &l, ret_ops);
        add_ints(p, &l, ret_ops);
        if (p->cr == CR_SIGNED_CHAIN)
                add(ret_ops, UNWIND_OP_SIGN_LR, 0);
        add(ret_ops, UNWIND_OP_END, 0);
        return true;
}

/* The prologue in reverse without operations that need not be undone: sp is not set from x29, and parameters
 * are not restored. */
bool unwind_packed_epilogue(const struct unwind_arm64 *arm64, struct unwind_ops *ret_ops, struct err *err)
{
        uint16_t n = 0;

        if (!unwind_packed_prologue(arm64, ret_ops, err))
                return false;
        for (uint16_t i = 0; i < ret_ops->n; i++) {
                struct unwind_op op = ret_ops->items[i];

                if (op.kind == UNWIND_OP_SET_FP)
                        continue;
                if (op.kind == UNWIND_OP_SAVE_PARAMS && !(op.flags & UNWIND_OP_DOWN))
                        continue;
                if (op.kind == UNWIND_OP_SAVE_PARAMS)
                        op = (struct unwind_op){.kind = UNWIND_OP_ALLOC,
                                                .reg = UNWIND_NO_REG,
                                                .reg2 = UNWIND_NO_REG,
                                                .off = op.off,
                                                .amount = op.amount};
                ret_ops->items[n++] = op;
        }
        ret_ops->n = n;
        return true;
}
