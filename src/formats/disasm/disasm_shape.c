/* SPDX-License-Identifier: BSD-3-Clause */
/* Divides an instruction into the fields that may contain an address, and the rest. */
#include "disasm_shape.h"
#include "disasm_arm64_fields.h"

#include <assert.h>
#include <string.h>

#include "disasm_internal.h"

enum { ARM64_INSN_BYTES = 4, X86_64_MAX_INSN_BYTES = 15 };

static void add_ref(struct disasm_shape *shape, struct disasm_ref ref)
{
        assert(shape->n_refs < DISASM_MAX_REFS);
        shape->refs[shape->n_refs++] = ref;
}

/* --- x86-64 --- */

/* Appends the bytes of the instruction that are in no field. */
static void add_other_bytes(const uint8_t *code, size_t size, struct disasm_shape *shape)
{
        for (size_t i = 0; i < size; i++) {
                bool is_field = false;

                for (size_t k = 0; k < shape->n_refs; k++) {
                        const struct disasm_ref *ref = &shape->refs[k];

                        is_field |= i >= ref->off && i - ref->off < ref->size_bytes;
                }
                if (!is_field)
                        shape->bytes[shape->n_bytes++] = code[i];
        }
}

/* jmp and jcc have two forms, for a near and a distant target; the linker or the size of the function
 * chooses. */
static void lengthen_jump(const struct disasm_x86_fields *fields, struct disasm_shape *shape)
{
        uint8_t *last = &shape->bytes[shape->n_bytes - 1];

        if (fields->map_number || fields->number_bytes != 1)
                return;
        if (*last == 0xeb) {
                *last = 0xe9;
        } else if ((*last & 0xf0) == 0x70 && shape->n_bytes < DISASM_MAX_SHAPE_BYTES) {
                last[1] = (uint8_t)(0x80 | (*last & 15));
                *last = 0x0f;
                shape->n_bytes++;
        }
}

static int64_t signed_number(const uint8_t *code, size_t n_bytes)
{
        uint64_t value = 0, sign = 1ull << (8 * n_bytes - 1);

        for (size_t i = 0; i < n_bytes; i++)
                value |= (uint64_t)code[i] << (8 * i);
        return (int64_t)((value ^ sign) - sign);
}

static void add_number(const uint8_t *code, struct disasm_ref ref, struct disasm_shape *shape)
{
        if (ref.size_bytes != 4 && ref.size_bytes != 8)
                return;
        ref.kind = DISASM_REF_NUMBER;
        ref.value = (uint64_t)signed_number(code + ref.off, ref.size_bytes);
        add_ref(shape, ref);
}

static void add_x86_refs(const uint8_t *code, const struct disasm_x86_fields *fields,
                         const struct disasm_effect *effect, struct disasm_shape *shape)
{
        struct disasm_ref memory = {
                .kind = DISASM_REF_PC,
                .off = fields->displacement_off,
                .size_bytes = fields->displacement_bytes,
                .value = effect->target,
                .has_register = !fields->is_absolute,
                .has_index = fields->has_index,
                .load_bytes = fields->load_bytes,
        };
        struct disasm_ref number = {
                .kind = DISASM_REF_CODE,
                .off = fields->number_off,
                .size_bytes = fields->number_bytes,
                .value = effect->target,
        };

        if (effect->has_target && effect->is_operand)
                add_ref(shape, memory);
        else
                add_number(code, memory, shape);
        if (effect->has_target && !effect->is_operand)
                add_ref(shape, number);
        else
                add_number(code, number, shape);
}

static bool get_x86_64(const uint8_t *code, size_t size, uint64_t addr, struct disasm_shape *ret)
{
        struct disasm_x86_fields fields;
        struct disasm_effect effect;

        if (size > X86_64_MAX_INSN_BYTES)
                size = X86_64_MAX_INSN_BYTES;
        if (!disasm_fields_x86_64(code, size, &fields)) {
                ret->size_bytes = 1;
                ret->bytes[ret->n_bytes++] = code[0];
                return false;
        }
        effect = disasm_effect_x86_64(code, fields.size_bytes, addr);
        ret->size_bytes = fields.size_bytes;
        ret->flow = (uint8_t)effect.flow;
        ret->is_padding = fields.is_nop;
        ret->is_trap_byte = fields.size_bytes == 1 && code[0] == 0xcc;
        add_x86_refs(code, &fields, &effect, ret);
        add_other_bytes(code, fields.size_bytes, ret);
        if (effect.has_target && !effect.is_operand)
                lengthen_jump(&fields, ret);
        return true;
}

/* --- AArch64 --- */

#define ARM64_NOP 0xd503201fu

/* The bits of a direct branch that hold its target. */
static uint32_t branch_bits(uint32_t word)
{
        if ((word & 0x7c000000) == 0x14000000) /* b, bl */
                return 0x03ffffff;
        if ((word & 0x7e000000) == 0x36000000) /* tbz, tbnz */
                return 0x3fffu << 5;
        return 0x7ffffu << 5;
}

static uint32_t bit_of(uint32_t reg)
{
        return reg < ARM64_REGISTERS ? 1u << reg : 0;
}

/* C4.1.94, "Loads and stores". */
static uint32_t written_by_memory(uint32_t word)
{
        uint32_t first = bit_of(arm64_field(word, 0, 5)), base = bit_of(arm64_field(word, 5, 5));
        uint32_t second = bit_of(arm64_field(word, 10, 5)), status = bit_of(arm64_field(word, 16, 5)),
                 set = 0;
        bool is_pair = (word & 0x3a000000) == 0x28000000, is_literal = (word & 0x3b000000) == 0x18000000;
        bool is_single = (word & 0x3a000000) == 0x38000000;

        if ((word & 0xbe000000) == 0x0c000000) /* several vectors: ld1 to ld4, st1 to st4 */
                return word & 1u << 23 ? base : 0;
        if (is_literal)
                return arm64_is_simd(word) ? 0 : first;
        if (is_pair) {
                if ((word & 1u << 22) && !arm64_is_simd(word))
                        set |= first | second;
                return word & 1u << 23 ? set | base : set;
        }
        if (!is_single) /* exclusive, ordered, compare and swap */
                return first | second | status;
        if (!arm64_is_simd(word) && (arm64_field(word, 22, 2) || (word & 0x01200c00) == 0x00200000))
                set |= first; /* a load, or an atomic operation */
        if (!(word & 1u << 24) && !(word & 1u << 21) && (word & 1u << 10))
                set |= base; /* pre- and post-index */
        return set;
}

/* Functions may change the registers up to x18, and x30 has the address to return to. */
#define CALL_CLOBBERS (0x7ffffu | 1u << 30)

/* C4.1.96: umov and smov, and conversions from floating-point to general registers. */
static bool writes_general_from_simd(uint32_t word)
{
        bool is_from_element = (word & 0xbfe0ec00) == 0x0e002c00;
        bool is_conversion = (word & 0x5f20fc00) == 0x1e200000 || (word & 0x5f200000) == 0x1e000000;
        uint32_t opcode = arm64_field(word, 16, 3);
        bool is_to_simd = opcode == 2 || opcode == 3 || opcode == 7; /* scvtf, ucvtf, fmov */

        return is_from_element || (is_conversion && !is_to_simd);
}

static bool is_simd_operation(uint32_t word)
{
        return (word & 0x0e000000) == 0x0e000000;
}

/* ccmp and ccmn, which have flags where others have a register. */
static bool compares_conditionally(uint32_t word)
{
        return (word & 0x3fe00410) == 0x3a400000;
}

static uint32_t written_registers(uint32_t word, enum disasm_flow flow)
{
        if (flow == DISASM_CALL)
                return CALL_CLOBBERS;
        if (flow != DISASM_NEXT || (word & 0xfc000000) == 0xd4000000 || compares_conditionally(word))
                return 0;
        if (arm64_is_load_or_store(word))
                return written_by_memory(word);
        if (is_simd_operation(word) && !writes_general_from_simd(word))
                return 0;
        return bit_of(arm64_field(word, 0, 5));
}

static uint8_t literal_bytes(uint32_t word)
{
        return arm64_is_simd(word) ? (uint8_t)(4u << (word >> 30)) : word >> 30 == 1 ? 8 : 4;
}

/* Linkers replace an adrp by adr where Cortex-A53 may compute it wrongly (erratum 843419): in the last two
 * instructions of a page. */
static bool is_mended_adrp(const struct disasm_effect *effect, uint64_t addr)
{
        return (addr & 0xff8) == 0xff8 && !(effect->target & 0xfff);
}

static uint32_t add_arm64_ref(uint32_t word, uint64_t addr, const struct disasm_effect *effect,
                              struct disasm_shape *shape)
{
        struct disasm_ref ref = {.size_bytes = ARM64_INSN_BYTES, .value = effect->target};
        uint32_t bits = 0;

        if (effect->has_target && !effect->is_operand) {
                ref.kind = DISASM_REF_CODE;
                bits = branch_bits(word);
        } else if ((word & 0x1f000000) == 0x10000000) { /* adr, adrp */
                bool is_page = word >> 31 || is_mended_adrp(effect, addr);

                ref.kind = is_page ? DISASM_REF_PAGE : DISASM_REF_PC;
                ref.reg = (uint8_t)arm64_field(word, 0, 5);
                bits = 3u << 29 | 0x7ffffu << 5;
        } else if (effect->has_target) { /* ldr with a literal */
                ref.kind = DISASM_REF_PC;
                bits = 0x7ffffu << 5;
                ref.load_bytes = literal_bytes(word);
        } else if ((word & 0xffc00000) == 0x91000000 || arm64_has_unsigned_offset(word)) {
                unsigned scale = arm64_has_unsigned_offset(word) ? arm64_offset_scale(word) : 0;

                ref.kind = DISASM_REF_LOW;
                ref.reg = (uint8_t)arm64_field(word, 5, 5);
                ref.value = (uint64_t)arm64_field(word, 10, 12) << scale;
                bits = 0xfffu << 10;
                ref.load_bytes = arm64_has_unsigned_offset(word) ? (uint8_t)(1u << scale) : 0;
        }
        if (bits)
                add_ref(shape, ref);
        return bits;
}

static bool get_arm64(const uint8_t *code, size_t size, uint64_t addr, struct disasm_shape *ret)
{
        struct disasm_effect effect;
        uint32_t word = 0, bits;

        if (size < ARM64_INSN_BYTES) {
                ret->size_bytes = 1;
                ret->bytes[ret->n_bytes++] = code[0];
                return false;
        }
        for (unsigned i = 0; i < ARM64_INSN_BYTES; i++)
                word |= (uint32_t)code[i] << (8 * i);
        effect = disasm_effect_arm64(word, addr);
        ret->size_bytes = ARM64_INSN_BYTES;
        ret->flow = (uint8_t)effect.flow;
        ret->is_padding = word == ARM64_NOP || !word;
        ret->written = written_registers(word, effect.flow);
        bits = add_arm64_ref(word, addr, &effect, ret);
        if (bits && ret->refs[0].kind == DISASM_REF_PAGE)
                word |= 1u << 31;
        ret->n_bytes = ARM64_INSN_BYTES;
        for (unsigned i = 0; i < ARM64_INSN_BYTES; i++)
                ret->bytes[i] = (uint8_t)((word & ~bits) >> (8 * i));
        return true;
}

unsigned disasm_arm64_element_bytes(uint32_t word)
{
        bool is_load = arm64_field(word, 22, 2) && !arm64_is_simd(word);

        return (word & 0x3b200c00) == 0x38200800 && is_load ? 1u << (word >> 30) : 0;
}

bool disasm_arm64_adds_words(uint32_t word, bool *ret_is_signed)
{
        bool is_extended = (word & 0xffe00000) == 0x8b200000 && arm64_field(word, 10, 3) == 2;
        bool is_shifted = (word & 0xffe0fc00) == 0x8b000800;

        *ret_is_signed = is_extended && (word & 1u << 15);
        return is_extended || is_shifted;
}

bool disasm_shape_get(enum disasm_arch arch, const uint8_t *code, size_t size, uint64_t addr,
                      struct disasm_shape *ret)
{
        assert(size);
        *ret = (struct disasm_shape){0};
        return arch == DISASM_X86_64 ? get_x86_64(code, size, addr, ret) : get_arm64(code, size, addr, ret);
}

static struct disasm_step step_x86_64(const uint8_t *code, size_t size, uint64_t addr)
{
        struct disasm_effect effect;
        size_t n = disasm_step_x86_64(code, size < X86_64_MAX_INSN_BYTES ? size : X86_64_MAX_INSN_BYTES, addr,
                                      &effect);

        if (!n)
                return (struct disasm_step){.size_bytes = 1};
        return (struct disasm_step){(uint8_t)n, (uint8_t)effect.flow, effect.has_target, effect.is_operand,
                                    effect.target};
}

struct disasm_step disasm_step_get(enum disasm_arch arch, const uint8_t *code, size_t size, uint64_t addr)
{
        struct disasm_shape shape;
        struct disasm_step step = {0};

        if (arch == DISASM_X86_64)
                return step_x86_64(code, size, addr);
        disasm_shape_get(arch, code, size, addr, &shape);
        step.size_bytes = shape.size_bytes;
        step.flow = shape.flow;
        step.is_operand = shape.n_refs && shape.refs[0].kind == DISASM_REF_PC;
        step.has_target = step.is_operand || (shape.n_refs && shape.refs[0].kind == DISASM_REF_CODE);
        step.target = step.has_target ? shape.refs[0].value : 0;
        return step;
}
