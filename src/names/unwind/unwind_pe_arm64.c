/* SPDX-License-Identifier: BSD-3-Clause */
/* Undoes a prologue of ARM64, or executes the rest of an epilogue. Each operation is one instruction, so the
 * pc tells how many were executed. */
#include "unwind_internal.h"

enum { INSTRUCTION_BYTES = 4 };

/* The number of instructions in this part of the function; those after END_C were executed in another
 * part. */
static unsigned n_instructions(const struct unwind_ops *ops)
{
        unsigned n = 0;

        for (unsigned i = 0; i < ops->n && ops->items[i].kind != UNWIND_OP_END_C; i++)
                n += unwind_op_instructions(&ops->items[i]);
        return n;
}

static void load_pair(struct pe_step *step, const struct unwind_op *op)
{
        uint64_t sp = step->regs.values[UNWIND_ARM64_SP],
                 at = op->flags & UNWIND_OP_DOWN ? sp : sp + op->amount;

        unwind_pe_load(step, op->reg, at);
        if (op->reg2 != UNWIND_NO_REG)
                unwind_pe_load(step, op->reg2, at + 8);
}

static enum unwind_pe undo_op(struct pe_step *step, const struct unwind_op *op)
{
        struct unwind_regs *regs = &step->regs;
        uint64_t *sp = &regs->values[UNWIND_ARM64_SP];
        enum unwind_pe how;

        switch (op->kind) {
        case UNWIND_OP_ALLOC: *sp += op->amount; break;
        case UNWIND_OP_SET_FP:
                how = unwind_pe_need(step, UNWIND_ARM64_X29);
                if (how != UNWIND_PE_DONE)
                        return how;
                *sp = regs->values[UNWIND_ARM64_X29] - op->amount;
                break;
        case UNWIND_OP_SAVE_X: load_pair(step, op); break;
        case UNWIND_OP_SIGN_LR:
                regs->values[UNWIND_ARM64_X30] = unwind_strip(regs, regs->values[UNWIND_ARM64_X30]);
                break;
        case UNWIND_OP_CLEAR_UNWOUND_TO_CALL: step->is_caller_exact = true; break;
        /* The length of vectors and the contents of kernel frames are unknown here. */
        case UNWIND_OP_ALLOC_Z:
        case UNWIND_OP_TRAP_FRAME:
        case UNWIND_OP_MACHINE_FRAME:
        case UNWIND_OP_CONTEXT:
        case UNWIND_OP_EC_CONTEXT: return UNWIND_PE_UNSUPPORTED;
        default: break;
        }
        if (op->flags & UNWIND_OP_DOWN)
                *sp += op->amount;
        return UNWIND_PE_DONE;
}

/* Undoes all but the first `n_skipped` instructions; then lr is the return address. */
static enum unwind_pe undo(struct pe_step *step, const struct unwind_ops *ops, unsigned n_skipped)
{
        enum unwind_pe how;

        for (unsigned i = 0; i < ops->n && ops->items[i].kind != UNWIND_OP_END; i++) {
                unsigned n = unwind_op_instructions(&ops->items[i]);

                if (n && n <= n_skipped) {
                        n_skipped -= n;
                        continue;
                }
                how = undo_op(step, &ops->items[i]);
                if (how != UNWIND_PE_DONE)
                        return how;
        }
        how = unwind_pe_need(step, UNWIND_ARM64_X30);
        if (how != UNWIND_PE_DONE)
                return how;
        unwind_set_reg(&step->regs, UNWIND_ARM64_PC, step->regs.values[UNWIND_ARM64_X30]);
        return UNWIND_PE_DONE;
}

/* Whether pc is in an epilogue; then *ret_ops has its operations, and the first *ret_n are done. */
static bool find_epilogue(const struct pe_step *step, const struct unwind_arm64 *arm64, uint64_t into,
                          struct unwind_ops *ret_ops, unsigned *ret_n)
{
        for (unsigned i = 0; i < arm64->n_epilogues; i++) {
                uint32_t start;

                if (!unwind_pe_count(step, ret_ops->n))
                        return false;
                if (!unwind_arm64_epilogue(arm64, i, &start, ret_ops, NULL) || into < start)
                        continue;
                *ret_n = (unsigned)((into - start) / INSTRUCTION_BYTES);
                /* The return follows the operations. */
                if (*ret_n <= n_instructions(ret_ops))
                        return true;
        }
        return false;
}

enum unwind_pe unwind_pe_arm64(struct pe_step *step, const struct unwind_xdata *xdata)
{
        const struct unwind_arm64 *arm64 = &xdata->arm64;
        uint64_t into = step->pc - xdata->start;
        struct unwind_ops ops;
        unsigned n_done = (unsigned)(into / INSTRUCTION_BYTES), n;
        struct err err;

        if (!unwind_arm64_prologue(arm64, &ops, &err))
                return unwind_pe_refused(&err);
        n = arm64->is_fragment ? 0 : n_instructions(&ops);
        if (n_done < n)
                return undo(step, &ops, n - n_done);
        if (step->is_exact && find_epilogue(step, arm64, into, &ops, &n_done))
                return undo(step, &ops, n_done);
        if (!unwind_pe_count(step, ops.n))
                return UNWIND_PE_MALFORMED;
        if (!unwind_arm64_prologue(arm64, &ops, &err))
                return unwind_pe_refused(&err);
        return undo(step, &ops, 0);
}
