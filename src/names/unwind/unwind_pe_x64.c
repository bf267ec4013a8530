/* SPDX-License-Identifier: BSD-3-Clause */
/* Undoes a prologue of x64: first the operations that were executed before pc, then those of the chained
 * entries, then the return address. */
#include "unwind_internal.h"

enum {
        MACHINE_RSP_OFF = 24, /* RIP, CS, EFLAGS, RSP */
        LEAF_BYTES = 64,      /* bytes of code to look at, from pc on */
        PROBE_BYTES = 48,     /* of MinGW's stack probe, and of its first instructions */
        PROBE_START_BYTES = 13,
};

const uint8_t unwind_x64_regs[16] = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};

/* All of the prologue was executed; otherwise the number of its bytes before pc. */
#define ALL_DONE UINT32_MAX

/* The lowest address of the fixed allocation, relative to which registers are stored: the frame register once
 * it is set, which a chained entry may have done. Not DONE if the register is unknown. */
static enum unwind_pe find_base(const struct pe_step *step, const struct unwind_x64 *x64,
                                const struct unwind_ops *ops, uint32_t done, uint64_t *ret_base)
{
        unsigned reg = UNWIND_X64_RSP;

        if (x64->frame_reg != UNWIND_NO_REG) {
                reg = unwind_x64_regs[x64->frame_reg];
                for (unsigned i = 0; i < ops->n; i++) {
                        if (ops->items[i].kind == UNWIND_OP_SET_FP && ops->items[i].off > done)
                                reg = UNWIND_X64_RSP;
                }
        }
        *ret_base = step->regs.values[reg] - (reg == UNWIND_X64_RSP ? 0 : x64->frame_off);
        return unwind_pe_need(step, reg);
}

/* An interrupt frame has its own return address, which is the address of an instruction. */
static enum unwind_pe undo_machine(struct pe_step *step, uint64_t at)
{
        uint64_t pc, sp;

        if (!unwind_read_word(step->memory, at, &pc) ||
            !unwind_read_word(step->memory, at + MACHINE_RSP_OFF, &sp))
                return UNWIND_PE_UNREAD;
        unwind_set_reg(&step->regs, UNWIND_X64_RIP, pc);
        unwind_set_reg(&step->regs, UNWIND_X64_RSP, sp);
        step->is_caller_exact = true;
        return UNWIND_PE_DONE;
}

static enum unwind_pe undo_op(struct pe_step *step, const struct unwind_op *op, enum unwind_pe has_base,
                              uint64_t base)
{
        uint64_t *sp = &step->regs.values[UNWIND_X64_RSP];
        unsigned reg = op->reg != UNWIND_NO_REG ? unwind_x64_regs[op->reg] : UNWIND_X64_RSP;

        switch (op->kind) {
        case UNWIND_OP_ALLOC: *sp += op->amount; return UNWIND_PE_DONE;
        case UNWIND_OP_PUSH:
                if (reg == UNWIND_X64_RSP)
                        return UNWIND_PE_MALFORMED;
                unwind_pe_load(step, reg, *sp);
                *sp += 8;
                return UNWIND_PE_DONE;
        case UNWIND_OP_SET_FP: *sp = base; return has_base;
        case UNWIND_OP_MOVE:
                if (reg == UNWIND_X64_RSP)
                        return UNWIND_PE_MALFORMED;
                if (has_base == UNWIND_PE_DONE)
                        unwind_pe_load(step, reg, base + op->amount);
                return has_base;
        case UNWIND_OP_PUSH_MACHINE: return undo_machine(step, *sp + op->amount);
        default: return UNWIND_PE_DONE;
        }
}

static enum unwind_pe undo(struct pe_step *step, const struct unwind_x64 *x64, uint32_t done)
{
        enum unwind_pe how = UNWIND_PE_DONE, has_base;
        struct err err;
        struct unwind_ops ops;
        uint64_t base;

        if (!unwind_x64_ops(x64, &ops, &err))
                return unwind_pe_refused(&err);
        if (!unwind_pe_count(step, ops.n))
                return UNWIND_PE_MALFORMED;
        has_base = find_base(step, x64, &ops, done, &base);
        for (unsigned i = 0; i < ops.n && how == UNWIND_PE_DONE && !step->is_caller_exact; i++) {
                if (ops.items[i].off <= done)
                        how = undo_op(step, &ops.items[i], has_base, base);
        }
        return how;
}

enum unwind_pe unwind_pe_x64(struct pe_step *step, struct unwind_xdata *xdata)
{
        uint64_t into = step->pc - xdata->start;
        uint32_t done = into < xdata->x64.prologue_bytes ? (uint32_t)into : ALL_DONE;
        enum unwind_pe how;
        struct err err;

        if (step->is_exact && done == ALL_DONE && unwind_pe_epilogue(step, xdata))
                return unwind_pe_return(step);
        for (;;) {
                how = undo(step, &xdata->x64, done);
                if (how != UNWIND_PE_DONE || step->is_caller_exact)
                        return how;
                if (!xdata->chain)
                        return unwind_pe_return(step);
                if (!unwind_xdata_next(step->object, xdata, &err))
                        return unwind_pe_refused(&err);
                done = ALL_DONE;
        }
}

/* MinGW's ___chkstk_ms, which functions with a frame of several pages call, pushes two registers and has no
 * entry. */
static unsigned n_pushed_by_probe(const struct pe_step *step)
{
        struct cursor c;

        if (!object_read_addr(step->object, step->pc - PROBE_BYTES, PROBE_BYTES + PROBE_START_BYTES, &c))
                return 0;
        for (unsigned into = 1; into < PROBE_BYTES; into++) {
                /* push rcx; push rax; cmp rax, 0x1000; lea rcx, [rsp + 0x18] */
                if (!memcmp(c.start + PROBE_BYTES - into, "\x51\x50\x48\x3d\0\x10\0\0\x48\x8d\x4c\x24\x18",
                            PROBE_START_BYTES))
                        return into > 1 ? 2 : 1;
        }
        return 0;
}

void unwind_pe_x64_leaf(struct pe_step *step)
{
        const struct unwind_xdata rest = {.start = step->pc, .end = step->pc + LEAF_BYTES};

        if (!unwind_pe_epilogue(step, &rest))
                step->regs.values[UNWIND_X64_RSP] += 8ull * n_pushed_by_probe(step);
}
