/* SPDX-License-Identifier: BSD-3-Clause */
/* Encodings: Arm ARM, C4.1.94, "Loads and Stores".  A slot is taken to be written only by instructions that
 * have the stack pointer as base: compilers take no address of the slots in which they keep registers. */
#include "code_page_state.h"
#include "disasm_arm64_fields.h"

enum { STACK_POINTER = 31, SLOT_BYTES = 8 };
enum { FLAG_SETTING = 3 }; /* of a logical instruction: ands, which writes the zero register */

/* x0, x1, x16, x17 and x30: results, and what stubs change.  Compilers read others after a call only if they
 * know that the callee does not write them. */
static const uint32_t changed_by_calls = 1u << 0 | 1u << 1 | 1u << 16 | 1u << 17 | 1u << 30;

uint64_t code_page_state_get(const struct code_page_state *state, unsigned reg)
{
        return reg < ARM64_REGISTERS && state->known & 1u << reg ? state->page[reg] : CODE_NO_PAGE;
}

static void set_register(struct code_page_state *state, unsigned reg, uint64_t page)
{
        if (reg >= ARM64_REGISTERS)
                return;
        state->known &= ~(1u << reg);
        if (page == CODE_NO_PAGE)
                return;
        state->page[reg] = page;
        state->known |= 1u << reg;
}

static uint64_t page_in_slot(const struct code_page_state *state, unsigned off)
{
        for (unsigned i = 0; i < state->n_spilled; i++) {
                if (state->spilled[i].off == off)
                        return state->spilled[i].page;
        }
        return CODE_NO_PAGE;
}

static void forget_slots(struct code_page_state *state, unsigned off, unsigned size_bytes)
{
        for (unsigned i = 0; i < state->n_spilled;) {
                const struct code_spilled_page *slot = &state->spilled[i];

                if (slot->off < off + size_bytes && off < slot->off + SLOT_BYTES)
                        state->spilled[i] = state->spilled[--state->n_spilled];
                else
                        i++;
        }
}

static void set_slot(struct code_page_state *state, unsigned off, uint64_t page)
{
        forget_slots(state, off, SLOT_BYTES);
        if (page != CODE_NO_PAGE && state->n_spilled < CODE_MAX_SPILLED_PAGES)
                state->spilled[state->n_spilled++] = (struct code_spilled_page){page, off};
}

bool code_page_state_keep_common(struct code_page_state *state, const struct code_page_state *other)
{
        uint32_t before = state->known;
        unsigned n_before = state->n_spilled;

        for (unsigned i = 0; i < ARM64_REGISTERS; i++) {
                if (code_page_state_get(state, i) != code_page_state_get(other, i))
                        state->known &= ~(1u << i);
        }
        for (unsigned i = 0; i < state->n_spilled;) {
                if (page_in_slot(other, state->spilled[i].off) == state->spilled[i].page)
                        i++;
                else
                        state->spilled[i] = state->spilled[--state->n_spilled];
        }
        return state->known != before || state->n_spilled != n_before;
}

/* --- Instructions --- */

/* Loads and stores with the stack pointer and an offset.  Returns false for other instructions. */
struct stack_access {
        unsigned off, size_bytes; /* `size_bytes` of each of the registers */
        unsigned regs[2], n_regs;
        bool is_load;
        bool is_general; /* 64-bit general registers */
};

static bool read_stack_access(uint32_t word, struct stack_access *ret)
{
        bool is_simd = arm64_is_simd(word);

        if (arm64_field(word, 5, 5) != STACK_POINTER)
                return false;
        *ret = (struct stack_access){.n_regs = 1,
                                     .regs = {arm64_field(word, 0, 5), arm64_field(word, 10, 5)}};
        if (arm64_has_unsigned_offset(word)) { /* str, ldr */
                ret->size_bytes = 1u << arm64_offset_scale(word);
                ret->off = arm64_field(word, 10, 12) * ret->size_bytes;
                ret->is_load = is_simd ? word & 1u << 22 : arm64_field(word, 22, 2) != 0;
                ret->is_general = !is_simd && (word >> 30) == 3;
                return true;
        }
        if ((word & 0x3b800000) == 0x29000000) { /* stp, ldp with an offset */
                ret->n_regs = 2;
                ret->size_bytes = 1u << arm64_pair_scale(word);
                ret->off = arm64_field(word, 15, 7) * ret->size_bytes;
                ret->is_load = word & 1u << 22;
                ret->is_general = !is_simd && word >> 30 == 2;
                return !(word & 1u << 21); /* otherwise the offset is negative */
        }
        return false;
}

static void access_stack(struct code_page_state *state, const struct stack_access *access)
{
        uint64_t pages[2];

        for (unsigned i = 0; i < access->n_regs; i++) {
                unsigned off = access->off + i * access->size_bytes;

                pages[i] = access->is_load ? page_in_slot(state, off)
                                           : code_page_state_get(state, access->regs[i]);
        }
        for (unsigned i = 0; i < access->n_regs; i++) {
                unsigned off = access->off + i * access->size_bytes;

                if (access->is_load)
                        set_register(state, access->regs[i], pages[i]);
                else
                        set_slot(state, off, pages[i]);
        }
}

/* add, sub, a logical instruction with a constant, or an access with writeback; addvl and addpl. */
static bool moves_stack(uint32_t word)
{
        bool is_logical = (word & 0x1f800000) == 0x12000000 && arm64_field(word, 29, 2) != FLAG_SETTING &&
                          arm64_field(word, 0, 5) == STACK_POINTER;
        bool is_extended = (word & 0xbfe00000) == 0x8b200000 && arm64_field(word, 0, 5) == STACK_POINTER;
        bool is_vector = (word & 0xffa0f800) == 0x04205000 && arm64_field(word, 0, 5) == STACK_POINTER;
        bool is_add = (word & 0x3f800000) == 0x11000000 && arm64_field(word, 0, 5) == STACK_POINTER;
        bool is_pair = (word & 0x3a800000) == 0x28800000 && arm64_field(word, 5, 5) == STACK_POINTER;
        bool is_single = (word & 0x3b200400) == 0x38000400 && arm64_field(word, 5, 5) == STACK_POINTER;

        return is_logical || is_add || is_extended || is_vector || is_pair || is_single;
}

static bool is_move(uint32_t word)
{
        return (word & 0xffe0ffe0) == 0xaa0003e0;
}

void code_page_state_execute(struct code_page_state *state, const struct disasm_shape *shape, uint32_t word)
{
        const struct disasm_ref *ref = &shape->refs[0];
        struct stack_access access;
        uint64_t moved = is_move(word) ? code_page_state_get(state, arm64_field(word, 16, 5)) : CODE_NO_PAGE;

        if (moves_stack(word))
                state->n_spilled = 0;
        state->known &= ~(shape->flow == DISASM_CALL ? changed_by_calls : shape->written);
        if (shape->n_refs && ref->kind == DISASM_REF_PAGE)
                set_register(state, ref->reg, ref->value);
        else if (moved != CODE_NO_PAGE)
                set_register(state, arm64_field(word, 0, 5), moved);
        else if (read_stack_access(word, &access) && access.is_general)
                access_stack(state, &access);
        else if (read_stack_access(word, &access) && !access.is_load)
                forget_slots(state, access.off, access.n_regs * access.size_bytes);
}
