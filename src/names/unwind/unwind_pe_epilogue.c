/* SPDX-License-Identifier: BSD-3-Clause */
/* Unwind information of version 1 does not describe epilogues on x64; they are recognized by their
 * instructions, of which the ABI allows few forms. The instructions from pc to the return are executed as the
 * processor would, which is correct for any code. Only a jump out of the function is ambiguous: it may end an
 * epilogue, or go to a separate part of the body. It ends an epilogue if an instruction of an epilogue was
 * executed before it, if the instruction before pc is the last one of the function's epilogues, or if version
 * 2 says so. */
#include "unwind_internal.h"

enum { MAX_INSTRUCTIONS = 64, REX = 0x40, REX_B = 1, REX_RX = 6, REX_W = 8, RM_SIB = 4 };

enum form { FORM_OTHER, FORM_NOP, FORM_ADD, FORM_LEA, FORM_POP, FORM_RETURN, FORM_JUMP, FORM_JUMP_OUT };

struct epilogue_insn {
        enum form form;
        unsigned reg;
        int32_t amount; /* FORM_JUMP: relative to the next instruction */
};

/* --- Instructions --- */

static int32_t read_number(struct cursor *c, bool is_byte)
{
        return is_byte ? (int8_t)cursor_u8(c) : (int32_t)cursor_u32(c);
}

static void decode_lea(struct cursor *c, uint8_t rex, struct epilogue_insn *insn)
{
        uint8_t modrm = cursor_u8(c), mode = modrm >> 6;

        if (!(rex & REX_W) || (rex & REX_RX) || (modrm >> 3 & 7) != 4 || (modrm & 7) == RM_SIB ||
            (mode != 1 && mode != 2))
                return;
        insn->form = FORM_LEA;
        insn->reg = unwind_x64_regs[(modrm & 7) | (rex & REX_B) << 3];
        insn->amount = read_number(c, mode == 1);
}

/* Indirect jumps that the ABI uses to leave a function: through rip-relative memory, and those with REX.W.
 * Others belong to a switch. */
static void decode_indirect(struct cursor *c, uint8_t rex, struct epilogue_insn *insn)
{
        uint8_t modrm = cursor_u8(c);

        if (modrm == 0x25 || ((rex & REX_W) && (modrm >> 3 & 7) == 4))
                insn->form = FORM_JUMP_OUT;
}

static void decode_short(struct cursor *c, uint8_t first, struct epilogue_insn *insn)
{
        switch (first) {
        case 0xc2: /* ret n */
        case 0xc3: insn->form = FORM_RETURN; break;
        case 0xf2: /* bnd ret, rep ret */
        case 0xf3: insn->form = cursor_u8(c) == 0xc3 ? FORM_RETURN : FORM_OTHER; break;
        case 0xc5: /* vzeroupper */ insn->form = cursor_u16(c) == 0x77f8 ? FORM_NOP : FORM_OTHER; break;
        case 0xe9:
        case 0xeb:
                insn->form = FORM_JUMP;
                insn->amount = read_number(c, first == 0xeb);
                break;
        }
}

static struct epilogue_insn decode(struct cursor *c)
{
        struct epilogue_insn insn = {FORM_OTHER, 0, 0};
        uint8_t first = cursor_u8(c), rex = (first & 0xf0) == REX ? first : 0;

        if (rex)
                first = cursor_u8(c);
        if (first >= 0x58 && first <= 0x5f) {
                insn.form = FORM_POP;
                insn.reg = unwind_x64_regs[(first & 7) | (rex & REX_B) << 3];
        } else if (rex == (REX | REX_W) && (first == 0x81 || first == 0x83) && cursor_u8(c) == 0xc4) {
                insn.form = FORM_ADD;
                insn.amount = read_number(c, first == 0x83);
        } else if (first == 0x8d) {
                decode_lea(c, rex, &insn);
        } else if (first == 0xff) {
                decode_indirect(c, rex, &insn);
        } else if (!rex) {
                decode_short(c, first, &insn);
        }
        if (c->failed)
                insn.form = FORM_OTHER;
        return insn;
}

/* --- Does a jump end an epilogue? --- */

/* Finds the prologue's first operation, which the epilogue undoes last. */
static bool find_first_op(const struct pe_step *step, const struct unwind_xdata *entry,
                          struct unwind_op *ret_op)
{
        struct unwind_xdata xdata = *entry;
        struct unwind_ops ops;

        while (xdata.chain) {
                if (!unwind_xdata_next(step->object, &xdata, NULL))
                        return false;
        }
        if (!unwind_x64_ops(&xdata.x64, &ops, NULL))
                return false;
        for (unsigned i = ops.n; i-- > 0;) {
                *ret_op = ops.items[i];
                if (ret_op->kind == UNWIND_OP_PUSH || ret_op->kind == UNWIND_OP_ALLOC)
                        return true;
        }
        return false;
}

/* Whether the bytes before the cursor are one instruction of this form. */
static bool ends_in(const struct cursor *c, enum form form, unsigned reg, size_t size)
{
        struct cursor before;
        struct epilogue_insn insn;

        if (cursor_pos(c) < size)
                return false;
        before = cursor_sub(c, cursor_pos(c) - size, size);
        insn = decode(&before);
        return insn.form == form && !cursor_left(&before) && (form != FORM_POP || insn.reg == reg);
}

static bool is_behind_epilogue(const struct pe_step *step, const struct unwind_xdata *xdata,
                               const struct cursor *at)
{
        struct unwind_op op;

        if (!find_first_op(step, xdata, &op))
                return false;
        if (op.kind == UNWIND_OP_PUSH)
                return ends_in(at, FORM_POP, unwind_x64_regs[op.reg], op.reg < 8 ? 1 : 2);
        return ends_in(at, FORM_ADD, 0, 4) || ends_in(at, FORM_ADD, 0, 7) || ends_in(at, FORM_LEA, 0, 4) ||
               ends_in(at, FORM_LEA, 0, 7);
}

static bool is_said_by_version_2(const struct pe_step *step, const struct unwind_xdata *xdata)
{
        struct unwind_ops ops;

        if (xdata->x64.version < 2 || !unwind_x64_ops(&xdata->x64, &ops, NULL))
                return false;
        for (unsigned i = 0; i < ops.n; i++) {
                uint64_t start = xdata->end - ops.items[i].amount;

                if (ops.items[i].kind == UNWIND_OP_EPILOGUE && step->pc - start < xdata->x64.epilogue_bytes)
                        return true;
        }
        return false;
}

/* --- The rest of an epilogue --- */

static bool is_out(const struct cursor *at, int32_t amount, bool is_part)
{
        int64_t to = (int64_t)cursor_pos(at) + amount;

        /* A jump to the function's own start is a tail call to itself. */
        return to < 0 || to >= at->end - at->start || (!to && !is_part);
}

static bool do_insn(struct pe_step *step, const struct epilogue_insn *insn)
{
        uint64_t *sp = &step->regs.values[UNWIND_X64_RSP];

        switch (insn->form) {
        case FORM_NOP: return true;
        case FORM_ADD: *sp += (uint64_t)(int64_t)insn->amount; return true;
        case FORM_LEA:
                *sp = step->regs.values[insn->reg] + (uint64_t)(int64_t)insn->amount;
                return unwind_has_reg(&step->regs, insn->reg);
        case FORM_POP:
                if (insn->reg == UNWIND_X64_RSP)
                        return false;
                unwind_pe_load(step, insn->reg, *sp);
                *sp += 8;
                return true;
        default: return false;
        }
}

/* *pc_at is the position of pc in the code of its entry. False if the instructions do not leave the
 * function. */
static bool do_rest(struct pe_step *step, const struct unwind_xdata *xdata, const struct cursor *pc_at)
{
        struct cursor at = *pc_at;
        unsigned n_done = 0;

        for (unsigned i = 0; i < MAX_INSTRUCTIONS; i++) {
                struct epilogue_insn insn = decode(&at);

                if (insn.form == FORM_RETURN)
                        return true;
                if (insn.form == FORM_JUMP && is_out(&at, insn.amount, xdata->chain))
                        insn.form = FORM_JUMP_OUT;
                if (insn.form == FORM_JUMP_OUT)
                        return n_done || is_behind_epilogue(step, xdata, pc_at) ||
                               is_said_by_version_2(step, xdata);
                if (insn.form == FORM_JUMP) {
                        cursor_seek(&at, cursor_pos(&at) + (uint64_t)(int64_t)insn.amount);
                        continue;
                }
                if (!do_insn(step, &insn))
                        return false;
                n_done += insn.form != FORM_NOP;
        }
        return false;
}

bool unwind_pe_epilogue(struct pe_step *step, const struct unwind_xdata *xdata)
{
        struct unwind_regs before = step->regs;
        struct cursor at;

        if (!object_read_addr(step->object, xdata->start, xdata->end - xdata->start, &at) ||
            !cursor_seek(&at, step->pc - xdata->start))
                return false;
        if (do_rest(step, xdata, &at))
                return true;
        step->regs = before;
        return false;
}
