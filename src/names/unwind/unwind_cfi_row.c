/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs the instructions of a CIE and an FDE up to an address (DW_CFA_*, DWARF 5, section 6.4.2). The result
 * is the rules for that address and the range in which they are valid. */
#include <string.h>

#include "unwind_cfi_internal.h"

enum {
        /* The operand is in the low six bits. */
        CFA_ADVANCE_LOC = 0x40,
        CFA_OFFSET = 0x80,
        CFA_RESTORE = 0xc0,
        CFA_LOW_MASK = 0x3f,

        CFA_NOP = 0x00,
        CFA_SET_LOC = 0x01,
        CFA_ADVANCE_LOC1 = 0x02,
        CFA_ADVANCE_LOC2 = 0x03,
        CFA_ADVANCE_LOC4 = 0x04,
        CFA_OFFSET_EXTENDED = 0x05,
        CFA_RESTORE_EXTENDED = 0x06,
        CFA_UNDEFINED = 0x07,
        CFA_SAME_VALUE = 0x08,
        CFA_REGISTER = 0x09,
        CFA_REMEMBER_STATE = 0x0a,
        CFA_RESTORE_STATE = 0x0b,
        CFA_DEF_CFA = 0x0c,
        CFA_DEF_CFA_REGISTER = 0x0d,
        CFA_DEF_CFA_OFFSET = 0x0e,
        CFA_DEF_CFA_EXPRESSION = 0x0f,
        CFA_EXPRESSION = 0x10,
        CFA_OFFSET_EXTENDED_SF = 0x11,
        CFA_DEF_CFA_SF = 0x12,
        CFA_DEF_CFA_OFFSET_SF = 0x13,
        CFA_VAL_OFFSET = 0x14,
        CFA_VAL_OFFSET_SF = 0x15,
        CFA_VAL_EXPRESSION = 0x16,
        CFA_MIPS_ADVANCE_LOC8 = 0x1d,
        CFA_AARCH64_NEGATE_RA_STATE_WITH_PC = 0x2c,
        CFA_AARCH64_NEGATE_RA_STATE = 0x2d,
        CFA_GNU_ARGS_SIZE = 0x2e,
        CFA_GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f,

        INSTRUCTIONS_OF_COPY = 8, /* copying all rules takes as long as so many other instructions */

        RA_SIGN_STATE = 34, /* AArch64's register for the state of DW_CFA_AARCH64_negate_ra_state */
};

struct cfi_state {
        struct cfi_rule cfa;
        bool is_signed;
        struct cfi_rule rules[UNWIND_N_REGS];
};

struct cfi_program {
        const struct cfi_table *table;
        const struct cfi_cie *cie;
        bool is_arm64;
        struct cfi_state now, initial;
        struct cfi_state remembered[CFI_MAX_REMEMBERED];
        size_t n_remembered;
        uint64_t loc;              /* `now` is valid from here on */
        uint64_t next;             /* the location to which the instruction that passed `addr` advanced */
        uint64_t addr, start, end; /* the requested address; the range of the entry */
        uint32_t n_instructions, n_copied; /* n_copied: those that copied all rules */
        struct err *err;
};

/* Rules for registers that are not unwound (vector registers) are ignored. */
static void set_rule(struct cfi_program *program, uint64_t reg, struct cfi_rule rule)
{
        rule.target = (uint8_t)reg;
        if (reg < UNWIND_N_REGS)
                program->now.rules[reg] = rule;
        else if (program->is_arm64 && reg == RA_SIGN_STATE)
                program->now.is_signed = rule.kind == CFI_VAL_EXPR || rule.kind == CFI_VAL_OFFSET;
}

static void set_off(struct cfi_program *program, uint64_t reg, enum cfi_kind kind, int64_t factored)
{
        /* Wraps around, like the addresses that it is for. */
        uint64_t off = (uint64_t)factored * (uint64_t)program->cie->data_align;

        set_rule(program, reg, (struct cfi_rule){.kind = (uint8_t)kind, .off = (int64_t)off});
}

static void set_kind(struct cfi_program *program, uint64_t reg, enum cfi_kind kind)
{
        set_rule(program, reg, (struct cfi_rule){.kind = (uint8_t)kind});
}

static void restore(struct cfi_program *program, uint64_t reg)
{
        if (reg < UNWIND_N_REGS)
                program->now.rules[reg] = program->initial.rules[reg];
        else if (reg == RA_SIGN_STATE)
                program->now.is_signed = program->initial.is_signed;
}

static uint16_t narrow_reg(uint64_t reg)
{
        return reg < UINT16_MAX ? (uint16_t)reg : UINT16_MAX;
}

static struct cfi_rule read_expr(struct cursor *c, enum cfi_kind kind)
{
        uint64_t size = cursor_uleb(c);
        const uint8_t *bytes = size <= UINT32_MAX ? cursor_bytes(c, size) : cursor_fail(c);

        return (struct cfi_rule){.kind = (uint8_t)kind, .expr_bytes = (uint32_t)size, .expr = bytes};
}

static bool define_cfa(struct cfi_program *program, uint64_t reg, uint64_t off)
{
        program->now.cfa =
                (struct cfi_rule){.kind = CFI_VAL_OFFSET, .reg = narrow_reg(reg), .off = (int64_t)off};
        return true;
}

/* DW_CFA_def_cfa_register and _offset are invalid if the CFA is an expression. */
static bool change_cfa(struct cfi_program *program, const uint64_t *reg, const uint64_t *off)
{
        if (program->now.cfa.kind != CFI_VAL_OFFSET)
                return err_set(program->err, ERR_FORMAT,
                               "its instructions change a CFA that has no register and "
                               "offset");
        if (reg)
                program->now.cfa.reg = narrow_reg(*reg);
        if (off)
                program->now.cfa.off = (int64_t)*off;
        return true;
}

static bool remember(struct cfi_program *program)
{
        if (program->n_remembered == CFI_MAX_REMEMBERED)
                return err_set(program->err, ERR_LIMIT, "more than %d remembered rows", CFI_MAX_REMEMBERED);
        program->remembered[program->n_remembered++] = program->now;
        program->n_copied++;
        return true;
}

static bool recall(struct cfi_program *program)
{
        if (!program->n_remembered)
                return err_set(program->err, ERR_FORMAT,
                               "it has DW_CFA_restore_state without "
                               "DW_CFA_remember_state");
        program->now = program->remembered[--program->n_remembered];
        program->n_copied++;
        return true;
}

/* Returns true to continue. False without an error if `loc` is past the address. */
static bool advance_to(struct cfi_program *program, uint64_t loc)
{
        if (loc < program->loc)
                return err_set(program->err, ERR_FORMAT, "its instructions go back from 0x%llx to 0x%llx",
                               (unsigned long long)program->loc, (unsigned long long)loc);
        program->next = loc;
        if (loc > program->addr)
                return false;
        program->loc = loc;
        return true;
}

static bool advance(struct cfi_program *program, uint64_t factored)
{
        uint64_t by;

        if (__builtin_mul_overflow(factored, program->cie->code_align, &by) || by > UINT64_MAX - program->loc)
                by = UINT64_MAX - program->loc;
        return advance_to(program, program->loc + by);
}

static bool execute_cfa(struct cfi_program *program, struct cursor *c, uint8_t op)
{
        uint64_t reg, off;

        switch (op) {
        case CFA_DEF_CFA: reg = cursor_uleb(c); return define_cfa(program, reg, cursor_uleb(c));
        case CFA_DEF_CFA_SF:
                reg = cursor_uleb(c);
                return define_cfa(program, reg,
                                  (uint64_t)cursor_sleb(c) * (uint64_t)program->cie->data_align);
        case CFA_DEF_CFA_REGISTER: reg = cursor_uleb(c); return change_cfa(program, &reg, NULL);
        case CFA_DEF_CFA_OFFSET: off = cursor_uleb(c); return change_cfa(program, NULL, &off);
        case CFA_DEF_CFA_OFFSET_SF:
                off = (uint64_t)cursor_sleb(c) * (uint64_t)program->cie->data_align;
                return change_cfa(program, NULL, &off);
        case CFA_DEF_CFA_EXPRESSION: program->now.cfa = read_expr(c, CFI_VAL_EXPR); return true;
        case CFA_AARCH64_NEGATE_RA_STATE_WITH_PC:
        case CFA_AARCH64_NEGATE_RA_STATE:
                /* On other machines this number belongs to SPARC's register windows. */
                if (program->is_arm64) {
                        program->now.is_signed = !program->now.is_signed;
                        return true;
                }
                break;
        default: break;
        }
        return err_set(program->err, ERR_FORMAT, "instruction 0x%x is not known", op);
}

static bool execute_extended(struct cfi_program *program, struct cursor *c, uint8_t op)
{
        uint64_t reg;

        switch (op) {
        case CFA_NOP: return true;
        case CFA_SET_LOC:
                return advance_to(program,
                                  cfi_read_encoded(&program->table->area, c, program->cie->encoding, 0));
        case CFA_ADVANCE_LOC1: return advance(program, cursor_u8(c));
        case CFA_ADVANCE_LOC2: return advance(program, cursor_u16(c));
        case CFA_ADVANCE_LOC4: return advance(program, cursor_u32(c));
        case CFA_MIPS_ADVANCE_LOC8: return advance(program, cursor_u64(c));
        case CFA_REMEMBER_STATE: return remember(program);
        case CFA_RESTORE_STATE: return recall(program);
        case CFA_GNU_ARGS_SIZE: cursor_uleb(c); return true;
        case CFA_OFFSET_EXTENDED:
        case CFA_OFFSET_EXTENDED_SF:
        case CFA_VAL_OFFSET:
        case CFA_VAL_OFFSET_SF:
        case CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
        case CFA_RESTORE_EXTENDED:
        case CFA_UNDEFINED:
        case CFA_SAME_VALUE:
        case CFA_REGISTER:
        case CFA_EXPRESSION:
        case CFA_VAL_EXPRESSION: reg = cursor_uleb(c); break;
        default: return execute_cfa(program, c, op);
        }
        switch (op) {
        case CFA_OFFSET_EXTENDED: set_off(program, reg, CFI_OFFSET, (int64_t)cursor_uleb(c)); break;
        case CFA_OFFSET_EXTENDED_SF: set_off(program, reg, CFI_OFFSET, cursor_sleb(c)); break;
        case CFA_VAL_OFFSET: set_off(program, reg, CFI_VAL_OFFSET, (int64_t)cursor_uleb(c)); break;
        case CFA_VAL_OFFSET_SF: set_off(program, reg, CFI_VAL_OFFSET, cursor_sleb(c)); break;
        case CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
                set_off(program, reg, CFI_OFFSET, (int64_t)(0 - cursor_uleb(c)));
                break;
        case CFA_RESTORE_EXTENDED: restore(program, reg); break;
        case CFA_UNDEFINED: set_kind(program, reg, CFI_UNDEFINED); break;
        case CFA_SAME_VALUE: set_kind(program, reg, CFI_SAME); break;
        case CFA_REGISTER:
                set_rule(program, reg, (struct cfi_rule){.kind = CFI_REG, .reg = narrow_reg(cursor_uleb(c))});
                break;
        case CFA_EXPRESSION: set_rule(program, reg, read_expr(c, CFI_EXPR)); break;
        default: set_rule(program, reg, read_expr(c, CFI_VAL_EXPR)); break;
        }
        return true;
}

static bool execute_one(struct cfi_program *program, struct cursor *c)
{
        uint8_t op = cursor_u8(c), low = op & CFA_LOW_MASK;

        switch (op & ~CFA_LOW_MASK) {
        case CFA_ADVANCE_LOC: return advance(program, low);
        case CFA_OFFSET: set_off(program, low, CFI_OFFSET, (int64_t)cursor_uleb(c)); return true;
        case CFA_RESTORE: restore(program, low); return true;
        default: return execute_extended(program, c, op);
        }
}

/* False if the instructions are invalid. */
static bool execute_all(struct cfi_program *program, struct cursor c)
{
        while (cursor_left(&c)) {
                bool goes_on = execute_one(program, &c);

                if (c.failed)
                        return err_set(program->err, ERR_FORMAT, "its instructions are cut");
                if (!goes_on)
                        return program->next > program->addr;
                if (++program->n_instructions > CFI_MAX_INSTRUCTIONS)
                        return err_set(program->err, ERR_LIMIT, "more than %d instructions",
                                       CFI_MAX_INSTRUCTIONS);
        }
        return true;
}

static void fill_row(const struct cfi_program *program, struct cfi_row *row)
{
        row->entry_start = program->start;
        row->start = program->loc;
        row->end =
                program->next > program->addr && program->next < program->end ? program->next : program->end;
        row->entry_end = program->end;
        row->cfa = program->now.cfa;
        row->return_reg = (uint8_t)program->cie->return_reg;
        row->is_signal = program->cie->is_signal;
        row->is_key_b = program->cie->is_key_b;
        row->is_signed = program->now.is_signed;
        row->n_rules = 0;
        for (unsigned reg = 0; reg < UNWIND_N_REGS; reg++) {
                if (program->now.rules[reg].kind != CFI_SAME)
                        row->rules[row->n_rules++] = program->now.rules[reg];
        }
}

bool cfi_read_row(const struct cfi_table *table, const struct cfi_fde *fde, enum object_machine machine,
                  uint64_t addr, struct cfi_row *ret_row, uint64_t *n_instructions, struct err *err)
{
        /* not cleared: the remembered rows are large and are written before they are read */
        struct cfi_program program;
        bool ok;

        program.table = table;
        program.cie = &fde->cie;
        program.is_arm64 = machine == OBJECT_MACHINE_ARM64;
        memset(&program.now, 0, sizeof(program.now));
        memset(&program.initial, 0, sizeof(program.initial));
        program.n_remembered = 0;
        program.n_instructions = program.n_copied = 0;
        program.loc = program.next = fde->span.start;
        program.addr = addr;
        program.start = fde->span.start;
        program.end = fde->span.end;
        program.err = err;
        ok = execute_all(&program, fde->cie.instructions);
        program.initial = program.now;
        program.loc = program.next = fde->span.start;
        ok = ok && execute_all(&program, fde->instructions);
        *n_instructions += program.n_instructions + (uint64_t)program.n_copied * INSTRUCTIONS_OF_COPY;
        if (!ok)
                return err_in(err, "entry at 0x%llx", (unsigned long long)fde->span.off);
        if (program.now.cfa.kind == CFI_SAME)
                return err_set(err, ERR_FORMAT, "entry at 0x%llx: no CFA is defined for 0x%llx",
                               (unsigned long long)fde->span.off, (unsigned long long)addr);
        fill_row(&program, ret_row);
        return true;
}
