/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the entry to undo, handles code without an entry, and decides which registers are known in the
 * caller. */
#include "unwind_pe.h"

#include "budget.h"
#include "unwind_internal.h"

enum { OPS_OF_STEP = 2 }; /* as long as four instructions of call-frame information */

/* rbx, rbp, rsp, r12 to r15, rsi and rdi (callee-saved on Windows only), and the return address. */
#define X64_KEPT (1ull << 3 | 3ull << 4 | 3ull << 6 | 0xfull << 12 | 1ull << UNWIND_X64_RIP)
/* x19 to x29, sp, pc. */
#define ARM64_KEPT (0x7ffull << 19 | 1ull << UNWIND_ARM64_SP | 1ull << UNWIND_ARM64_PC)

void unwind_pe_load(struct pe_step *step, unsigned reg, uint64_t addr)
{
        uint64_t value;

        if (unwind_read_word(step->memory, addr, &value)) {
                unwind_set_reg(&step->regs, reg, value);
        } else {
                step->regs.known &= ~(1ull << reg);
                step->unread |= 1ull << reg;
        }
}

bool unwind_pe_count(const struct pe_step *step, unsigned n_ops)
{
        return budget_work(object_budget(step->object), BUDGET_STACKS, 1 + n_ops / OPS_OF_STEP);
}

enum unwind_pe unwind_pe_need(const struct pe_step *step, unsigned reg)
{
        if (unwind_has_reg(&step->regs, reg))
                return UNWIND_PE_DONE;
        return step->unread >> reg & 1 ? UNWIND_PE_UNREAD : UNWIND_PE_NO_REGISTER;
}

enum unwind_pe unwind_pe_refused(const struct err *err)
{
        return err->code == ERR_UNSUPPORTED ? UNWIND_PE_UNSUPPORTED : UNWIND_PE_MALFORMED;
}

enum unwind_pe unwind_pe_return(struct pe_step *step)
{
        uint64_t *sp = &step->regs.values[UNWIND_X64_RSP], pc;

        if (!unwind_read_word(step->memory, *sp, &pc))
                return UNWIND_PE_UNREAD;
        unwind_set_reg(&step->regs, UNWIND_X64_RIP, pc);
        *sp += 8;
        return UNWIND_PE_DONE;
}

/* Code without an entry must be a leaf function. */
static enum unwind_pe step_leaf(struct pe_step *step)
{
        enum unwind_pe how;

        if (!step->is_exact)
                return UNWIND_PE_NO_RULE;
        if (step->regs.machine == OBJECT_MACHINE_ARM64) {
                if (!unwind_has_reg(&step->regs, UNWIND_ARM64_X30))
                        return UNWIND_PE_NO_REGISTER;
                unwind_set_reg(&step->regs, UNWIND_ARM64_PC, step->regs.values[UNWIND_ARM64_X30]);
                return UNWIND_PE_LEAF;
        }
        unwind_pe_x64_leaf(step);
        how = unwind_pe_return(step);
        return how == UNWIND_PE_DONE ? UNWIND_PE_LEAF : how;
}

static enum unwind_pe step_entry(struct pe_step *step, const struct object_unwind *entry)
{
        struct unwind_xdata xdata;
        struct err err;

        if (!unwind_xdata_read(step->object, entry, &xdata, &err))
                return unwind_pe_refused(&err);
        return xdata.machine == OBJECT_MACHINE_ARM64 ? unwind_pe_arm64(step, &xdata)
                                                     : unwind_pe_x64(step, &xdata);
}

enum unwind_pe unwind_pe_step(const struct object *object, uint64_t bias, bool is_exact,
                              struct unwind_regs *regs, struct unwind_memory *memory, bool *ret_is_exact)
{
        struct pe_step step = {
                .object = object,
                .pc = regs->values[unwind_reg_pc(regs)] - bias,
                .is_exact = is_exact,
                .regs = *regs,
                .memory = memory,
        };
        uint64_t addr = step.pc - !is_exact;
        struct object_unwind entry;
        enum unwind_pe how;

        /* The call has overwritten it. */
        if (!is_exact && regs->machine == OBJECT_MACHINE_ARM64)
                step.regs.known &= ~(1ull << UNWIND_ARM64_X30);
        if (object_get_facts(object)->format != OBJECT_PE ||
            object_get_facts(object)->machine != regs->machine ||
            object_machine_at(object, addr) != regs->machine || !object_n_unwind(object))
                return UNWIND_PE_NONE;
        how = object_find_unwind(object, addr, &entry) ? step_entry(&step, &entry) : step_leaf(&step);
        if (how != UNWIND_PE_DONE && how != UNWIND_PE_LEAF)
                return how;
        step.regs.known &= regs->machine == OBJECT_MACHINE_ARM64 ? ARM64_KEPT : X64_KEPT;
        *regs = step.regs;
        *ret_is_exact = step.is_caller_exact;
        return how;
}
