/* SPDX-License-Identifier: BSD-3-Clause */
/* DWARF expressions in call-frame information (DWARF 5, sections 2.5 and 6.4.2): a stack machine with limits
 * for its stack and steps. Operations that need debug information or an object's location are not allowed
 * there and are refused. */
#include "unwind_cfi_internal.h"

enum {
        OP_ADDR = 0x03,
        OP_DEREF = 0x06,
        OP_CONST1U = 0x08,
        OP_CONST1S = 0x09,
        OP_CONST2U = 0x0a,
        OP_CONST2S = 0x0b,
        OP_CONST4U = 0x0c,
        OP_CONST4S = 0x0d,
        OP_CONST8U = 0x0e,
        OP_CONST8S = 0x0f,
        OP_CONSTU = 0x10,
        OP_CONSTS = 0x11,
        OP_DUP = 0x12,
        OP_DROP = 0x13,
        OP_OVER = 0x14,
        OP_PICK = 0x15,
        OP_SWAP = 0x16,
        OP_ROT = 0x17,
        OP_ABS = 0x19,
        OP_AND = 0x1a,
        OP_DIV = 0x1b,
        OP_MINUS = 0x1c,
        OP_MOD = 0x1d,
        OP_MUL = 0x1e,
        OP_NEG = 0x1f,
        OP_NOT = 0x20,
        OP_OR = 0x21,
        OP_PLUS = 0x22,
        OP_PLUS_UCONST = 0x23,
        OP_SHL = 0x24,
        OP_SHR = 0x25,
        OP_SHRA = 0x26,
        OP_XOR = 0x27,
        OP_BRA = 0x28,
        OP_EQ = 0x29,
        OP_GE = 0x2a,
        OP_GT = 0x2b,
        OP_LE = 0x2c,
        OP_LT = 0x2d,
        OP_NE = 0x2e,
        OP_SKIP = 0x2f,
        OP_LIT0 = 0x30,
        OP_LIT31 = 0x4f,
        OP_REG0 = 0x50,
        OP_REG31 = 0x6f,
        OP_BREG0 = 0x70,
        OP_BREG31 = 0x8f,
        OP_REGX = 0x90,
        OP_BREGX = 0x92,
        OP_DEREF_SIZE = 0x94,
        OP_NOP = 0x96,

        WORD_BYTES = 8,
};

struct expr_machine {
        struct cursor c;
        uint64_t bias;
        const struct unwind_regs *regs;
        struct unwind_memory *memory;
        uint64_t stack[CFI_MAX_EXPR_DEPTH];
        size_t depth;
        enum cfi_step how; /* DONE, or why there is no value: MALFORMED, NO_REGISTER, UNREAD */
};

static void push(struct expr_machine *m, uint64_t value)
{
        if (m->depth == CFI_MAX_EXPR_DEPTH)
                m->how = CFI_STEP_MALFORMED;
        else
                m->stack[m->depth++] = value;
}

/* The value `n` entries below the top. */
static uint64_t peek(struct expr_machine *m, size_t n)
{
        if (n >= m->depth) {
                m->how = CFI_STEP_MALFORMED;
                return 0;
        }
        return m->stack[m->depth - 1 - n];
}

static uint64_t pop(struct expr_machine *m)
{
        uint64_t value = peek(m, 0);

        if (m->how == CFI_STEP_DONE)
                m->depth--;
        return value;
}

static void push_reg(struct expr_machine *m, uint64_t reg, int64_t off)
{
        if (reg >= UNWIND_N_REGS || !unwind_has_reg(m->regs, (unsigned)reg)) {
                m->how = CFI_STEP_NO_REGISTER;
                return;
        }
        push(m, m->regs->values[reg] + (uint64_t)off);
}

/* Smaller values are extracted from their aligned word, because the copy may end after the word. */
static void deref(struct expr_machine *m, unsigned size)
{
        uint64_t addr = pop(m), word = 0;
        unsigned skip = (unsigned)(addr % WORD_BYTES);

        if (!size || size > WORD_BYTES || (size < WORD_BYTES && skip + size > WORD_BYTES))
                m->how = CFI_STEP_MALFORMED;
        if (m->how != CFI_STEP_DONE)
                return;
        if (!unwind_read_word(m->memory, size < WORD_BYTES ? addr - skip : addr, &word)) {
                m->how = CFI_STEP_UNREAD;
                return;
        }
        if (size < WORD_BYTES)
                word = word >> skip * 8 & ((1ull << size * 8) - 1);
        push(m, word);
}

static void rotate(struct expr_machine *m)
{
        uint64_t first = pop(m), second = pop(m), third = pop(m);

        push(m, first);
        push(m, third);
        push(m, second);
}

static uint64_t divide(struct expr_machine *m, uint64_t a, uint64_t b)
{
        if (!b) {
                m->how = CFI_STEP_MALFORMED;
                return 0;
        }
        /* INT64_MIN / -1 wraps around. */
        return (int64_t)b == -1 ? 0 - a : (uint64_t)((int64_t)a / (int64_t)b);
}

static uint64_t modulo(struct expr_machine *m, uint64_t a, uint64_t b)
{
        if (!b) {
                m->how = CFI_STEP_MALFORMED;
                return 0;
        }
        return a % b;
}

static uint64_t shift_right_signed(uint64_t a, uint64_t b)
{
        uint64_t sign = (int64_t)a < 0 ? UINT64_MAX : 0;

        if (!b)
                return a;
        return b >= 64 ? sign : a >> b | sign << (64 - b);
}

static void run_binary(struct expr_machine *m, uint8_t op)
{
        uint64_t b = pop(m), a = pop(m), value;

        switch (op) {
        case OP_AND: value = a & b; break;
        case OP_DIV: value = divide(m, a, b); break;
        case OP_MINUS: value = a - b; break;
        case OP_MOD: value = modulo(m, a, b); break;
        case OP_MUL: value = a * b; break;
        case OP_OR: value = a | b; break;
        case OP_PLUS: value = a + b; break;
        case OP_SHL: value = b < 64 ? a << b : 0; break;
        case OP_SHR: value = b < 64 ? a >> b : 0; break;
        case OP_SHRA: value = shift_right_signed(a, b); break;
        case OP_XOR: value = a ^ b; break;
        case OP_EQ: value = a == b; break;
        case OP_NE: value = a != b; break;
        case OP_GE: value = (int64_t)a >= (int64_t)b; break;
        case OP_GT: value = (int64_t)a > (int64_t)b; break;
        case OP_LE: value = (int64_t)a <= (int64_t)b; break;
        case OP_LT: value = (int64_t)a < (int64_t)b; break;
        default: m->how = CFI_STEP_MALFORMED; return;
        }
        push(m, value);
}

static void run_jump(struct expr_machine *m, bool always)
{
        int16_t by = (int16_t)cursor_u16(&m->c);

        if (!always && !pop(m))
                return;
        cursor_seek(&m->c, cursor_pos(&m->c) + (uint64_t)by);
}

static void run_stack(struct expr_machine *m, uint8_t op)
{
        uint64_t a, b;

        switch (op) {
        case OP_DUP: push(m, peek(m, 0)); break;
        case OP_DROP: pop(m); break;
        case OP_OVER: push(m, peek(m, 1)); break;
        case OP_PICK: push(m, peek(m, cursor_u8(&m->c))); break;
        case OP_SWAP:
                a = pop(m);
                b = pop(m);
                push(m, a);
                push(m, b);
                break;
        case OP_ROT: rotate(m); break;
        case OP_ABS:
                a = pop(m);
                push(m, (int64_t)a < 0 ? 0 - a : a);
                break;
        case OP_NEG: push(m, 0 - pop(m)); break;
        case OP_NOT: push(m, ~pop(m)); break;
        case OP_PLUS_UCONST:
                a = pop(m);
                push(m, a + cursor_uleb(&m->c));
                break;
        case OP_BRA: run_jump(m, false); break;
        case OP_SKIP: run_jump(m, true); break;
        default: run_binary(m, op);
        }
}

static void run_one(struct expr_machine *m)
{
        uint8_t op = cursor_u8(&m->c);
        uint64_t reg;

        if (op >= OP_LIT0 && op <= OP_LIT31) {
                push(m, op - OP_LIT0);
                return;
        }
        if (op >= OP_REG0 && op <= OP_REG31) {
                push_reg(m, op - OP_REG0, 0);
                return;
        }
        if (op >= OP_BREG0 && op <= OP_BREG31) {
                push_reg(m, op - OP_BREG0, cursor_sleb(&m->c));
                return;
        }
        switch (op) {
        case OP_ADDR: push(m, cursor_u64(&m->c) + m->bias); break;
        case OP_DEREF: deref(m, WORD_BYTES); break;
        case OP_DEREF_SIZE: deref(m, cursor_u8(&m->c)); break;
        case OP_CONST1U: push(m, cursor_u8(&m->c)); break;
        case OP_CONST1S: push(m, (uint64_t)(int8_t)cursor_u8(&m->c)); break;
        case OP_CONST2U: push(m, cursor_u16(&m->c)); break;
        case OP_CONST2S: push(m, (uint64_t)(int16_t)cursor_u16(&m->c)); break;
        case OP_CONST4U: push(m, cursor_u32(&m->c)); break;
        case OP_CONST4S: push(m, (uint64_t)(int32_t)cursor_u32(&m->c)); break;
        case OP_CONST8U:
        case OP_CONST8S: push(m, cursor_u64(&m->c)); break;
        case OP_CONSTU: push(m, cursor_uleb(&m->c)); break;
        case OP_CONSTS: push(m, (uint64_t)cursor_sleb(&m->c)); break;
        case OP_REGX: push_reg(m, cursor_uleb(&m->c), 0); break;
        case OP_BREGX:
                reg = cursor_uleb(&m->c);
                push_reg(m, reg, cursor_sleb(&m->c));
                break;
        case OP_NOP: break;
        default: run_stack(m, op);
        }
}

enum cfi_step cfi_eval(const struct cfi_rule *rule, const uint64_t *cfa, uint64_t bias,
                       const struct unwind_regs *regs, struct unwind_memory *memory, uint64_t *n_instructions,
                       uint64_t *ret_value)
{
        struct expr_machine m; /* not cleared for speed: used for each frame in a PLT */
        unsigned n_steps = 0;

        m.c = cursor_make(rule->expr, rule->expr_bytes);
        m.bias = bias;
        m.regs = regs;
        m.memory = memory;
        m.depth = 0;
        m.how = CFI_STEP_DONE;
        if (cfa)
                push(&m, *cfa);
        while (cursor_left(&m.c)) {
                run_one(&m);
                ++*n_instructions;
                if (m.c.failed || ++n_steps > CFI_MAX_EXPR_STEPS)
                        return CFI_STEP_MALFORMED;
                if (m.how != CFI_STEP_DONE)
                        return m.how;
        }
        if (!m.depth)
                return CFI_STEP_MALFORMED;
        *ret_value = m.stack[m.depth - 1];
        return CFI_STEP_DONE;
}
