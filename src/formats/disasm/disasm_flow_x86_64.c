/* SPDX-License-Identifier: BSD-3-Clause */
/* Decodes the control flow of x86-64 instructions, the addresses that they refer to and, for use without
 * LLVM, their sizes: prefixes, opcode and ModRM as in Intel's SDM, volume 2, chapter 2 and appendix A. */
#include "disasm_internal.h"

enum map { MAP_ONE_BYTE, MAP_0F, MAP_OTHER }; /* MAP_OTHER: 0f38, 0f3a and the maps of VEX, EVEX and XOP */

enum { MAP_NUMBER_APX = 4 };
enum { REX2_W = 0x08, REX2_R4 = 0x40, REX2_MAP = 0x80 }; /* bits of its second byte */

/* An instruction whose opcode has been found. */
struct x86_insn {
        const uint8_t *code;
        size_t size, opcode_off;
        uint64_t addr;
        enum map map;
        uint8_t opcode;
        uint8_t map_number; /* 1: 0f, 2: 0f38, 3: 0f3a, 4: APX, 8 to 10: XOP */
        bool is_vector;     /* a VEX, EVEX or XOP prefix precedes the opcode */
        bool has_rex2;
        bool is_jmpabs;     /* opcode a1 after REX2 is jmpabs */
        bool is_invalid;    /* REX2 precedes an opcode that does not allow it */
        bool has_addr32;    /* an address-size prefix: addresses have 32 bits */
        bool has_operand16; /* an operand-size prefix: operands have 16 bits */
        bool has_repne, has_rep;
        bool is_wide; /* REX.W */
};

static uint8_t byte_at(const struct x86_insn *insn, size_t off)
{
        return off < insn->size ? insn->code[off] : 0;
}

static int64_t signed_at(const struct x86_insn *insn, size_t off, size_t n_bytes)
{
        uint64_t value = 0, sign = 1ull << (8 * n_bytes - 1);

        for (size_t i = 0; i < n_bytes; i++)
                value |= (uint64_t)byte_at(insn, off + i) << (8 * i);
        return (int64_t)((value ^ sign) - sign);
}

bool disasm_is_prefix_x86_64(uint8_t byte)
{
        switch (byte) {
        case 0x26:
        case 0x2e:
        case 0x36:
        case 0x3e:
        case 0x64:
        case 0x65:
        case 0x66:
        case 0x67:
        case 0xf0:
        case 0xf2:
        case 0xf3: return true;
        default: return (byte & 0xf0) == 0x40; /* REX */
        }
}

static void set_opcode(struct x86_insn *insn, size_t off, enum map map)
{
        insn->opcode_off = off;
        insn->opcode = byte_at(insn, off);
        insn->map = map;
}

static void set_vector_opcode(struct x86_insn *insn, size_t off, uint8_t map_number)
{
        insn->is_vector = true;
        insn->map_number = map_number;
        set_opcode(insn, off, map_number == 1 ? MAP_0F : MAP_OTHER);
}

/* In map 4 of APX are instructions of the first map with one register more. */
static void set_evex_opcode(struct x86_insn *insn, size_t off)
{
        enum { WIDE = 0x80, PREFIX_MASK = 3, PREFIX_OPERAND16 = 1 };
        uint8_t third = byte_at(insn, off + 2);

        set_vector_opcode(insn, off + 4, byte_at(insn, off + 1) & 7);
        if (insn->map_number != MAP_NUMBER_APX)
                return;
        insn->is_wide = third & WIDE;
        insn->has_operand16 = (third & PREFIX_MASK) == PREFIX_OPERAND16;
}

static void set_opcode_0f(struct x86_insn *insn, size_t off)
{
        uint8_t next = byte_at(insn, off);
        bool is_three_bytes = next == 0x38 || next == 0x3a;

        insn->map_number = next == 0x38 ? 2 : next == 0x3a ? 3 : 1;
        set_opcode(insn, is_three_bytes ? off + 1 : off, is_three_bytes ? MAP_OTHER : MAP_0F);
}

/* Whether REX2 allows an opcode of the first map: not in the rows that APX reassigns, of which only jmpabs is
 * supported, and not a prefix, because prefixes must precede REX2. */
static bool is_rex2_opcode(uint8_t opcode)
{
        switch (opcode & 0xf0) {
        case 0x40:
        case 0x70:
        case 0xe0: return false;
        case 0xa0: return opcode == 0xa1;
        default: break;
        }
        return opcode != 0x0f && opcode != 0x62 && opcode != 0xc4 && opcode != 0xc5 && opcode != 0xd5 &&
               !disasm_is_prefix_x86_64(opcode);
}

/* The same for the 0f map: not rows 3 and 8, and no control or debug register above 15. */
static bool is_rex2_opcode_0f(uint8_t opcode, uint8_t payload)
{
        if ((opcode & 0xfc) == 0x20)
                return !(payload & REX2_R4);
        return (opcode & 0xf0) != 0x30 && (opcode & 0xf0) != 0x80;
}

/* See Intel's APX specification, 3.1.1. */
static void set_rex2_opcode(struct x86_insn *insn, size_t off)
{
        uint8_t payload = byte_at(insn, off + 1);
        bool is_0f = payload & REX2_MAP;

        insn->has_rex2 = true;
        insn->is_wide = payload & REX2_W;
        insn->map_number = is_0f;
        set_opcode(insn, off + 2, is_0f ? MAP_0F : MAP_ONE_BYTE);
        insn->is_jmpabs = !is_0f && insn->opcode == 0xa1;
        insn->is_invalid = is_0f ? !is_rex2_opcode_0f(insn->opcode, payload) : !is_rex2_opcode(insn->opcode);
}

static void find_opcode(struct x86_insn *insn)
{
        size_t at = 0;
        uint8_t next;

        for (; at < insn->size && disasm_is_prefix_x86_64(insn->code[at]); at++) {
                insn->has_addr32 |= insn->code[at] == 0x67;
                insn->has_operand16 |= insn->code[at] == 0x66;
                insn->has_repne |= insn->code[at] == 0xf2;
                insn->has_rep |= insn->code[at] == 0xf3;
                insn->is_wide = (insn->code[at] & 0xf8) == 0x48;
        }
        next = byte_at(insn, at + 1);
        switch (byte_at(insn, at)) {
        case 0x0f: set_opcode_0f(insn, at + 1); break;
        case 0x62: set_evex_opcode(insn, at); break;
        case 0xc4: set_vector_opcode(insn, at + 3, next & 31); break;
        case 0xc5: set_vector_opcode(insn, at + 2, 1); break;
        case 0xd5: set_rex2_opcode(insn, at); break;
        case 0x8f:
                if (next & 0x38) { /* XOP; otherwise pop */
                        set_vector_opcode(insn, at + 3, next & 31);
                        break;
                }
                /* fall through */
        default: set_opcode(insn, at, MAP_ONE_BYTE);
        }
}

static bool one_byte_has_modrm(uint8_t opcode)
{
        if (opcode < 0x40)
                return (opcode & 7) < 4;
        switch (opcode & 0xf8) {
        case 0x80:
        case 0x88:
        case 0xd8: return true;
        case 0x60: return opcode == 0x63;
        case 0x68: return opcode == 0x69 || opcode == 0x6b;
        case 0xc0: return opcode != 0xc2 && opcode != 0xc3;
        case 0xd0: return opcode < 0xd4;
        case 0xf0: return opcode >= 0xf6;
        case 0xf8: return opcode >= 0xfe;
        default: return false;
        }
}

static bool map_0f_has_modrm(uint8_t opcode)
{
        switch (opcode & 0xf8) {
        case 0x00: return opcode < 4;
        case 0x08: return opcode == 0x0d || opcode == 0x0f;
        case 0x30:
        case 0x80:
        case 0x88:
        case 0xc8: return false;
        case 0x70: return opcode != 0x77;
        case 0xa0: return opcode > 0xa2;
        case 0xa8: return opcode > 0xaa;
        default: return true;
        }
}

static bool has_modrm(const struct x86_insn *insn)
{
        if (insn->is_vector)
                return insn->map != MAP_0F || insn->opcode != 0x77; /* vzeroupper */
        if (insn->map == MAP_OTHER)
                return true;
        return insn->map == MAP_0F ? map_0f_has_modrm(insn->opcode) : one_byte_has_modrm(insn->opcode);
}

static struct disasm_effect plain(enum disasm_flow flow)
{
        return (struct disasm_effect){.flow = flow};
}

/* The target is the end of the instruction plus the displacement at its end. A 16-bit displacement truncates
 * the target to 16 bits. */
static struct disasm_effect relative(const struct x86_insn *insn, enum disasm_flow flow, size_t number_off)
{
        size_t n_bytes = insn->size > number_off ? insn->size - number_off : 0;
        uint64_t target;

        if (n_bytes != 1 && n_bytes != 2 && n_bytes != 4)
                return plain(flow);
        target = insn->addr + insn->size + (uint64_t)signed_at(insn, number_off, n_bytes);
        return (struct disasm_effect){flow, true, false, n_bytes == 2 ? target & 0xffff : target};
}

/* Adds the address of the operand if it is relative to the instruction pointer. */
static struct disasm_effect with_operand(const struct x86_insn *insn, enum disasm_flow flow)
{
        size_t modrm_off = insn->opcode_off + 1;
        uint64_t target;

        if (!has_modrm(insn) || modrm_off + 5 > insn->size || (insn->code[modrm_off] & 0xc7) != 5)
                return plain(flow);
        target = insn->addr + insn->size + (uint64_t)signed_at(insn, modrm_off + 1, 4);
        return (struct disasm_effect){flow, true, true, insn->has_addr32 ? target & 0xffffffff : target};
}

static struct disasm_effect effect_of_ff(const struct x86_insn *insn)
{
        switch ((byte_at(insn, insn->opcode_off + 1) >> 3) & 7) {
        case 2:
        case 3: return with_operand(insn, DISASM_CALL);
        case 4:
        case 5: return with_operand(insn, DISASM_JUMP);
        default: return with_operand(insn, DISASM_NEXT);
        }
}

static struct disasm_effect effect_of_one_byte(const struct x86_insn *insn)
{
        size_t next = insn->opcode_off + 1;

        if ((insn->opcode & 0xf0) == 0x70 || (insn->opcode & 0xfc) == 0xe0) /* jcc, loop, jrcxz */
                return relative(insn, DISASM_BRANCH, next);
        switch (insn->opcode) {
        case 0xe8: return relative(insn, DISASM_CALL, next);
        case 0xe9:
        case 0xeb: return relative(insn, DISASM_JUMP, next);
        case 0xc2:
        case 0xc3:
        case 0xca:
        case 0xcb:
        case 0xcf: return plain(DISASM_RETURN);
        case 0xcc:
        case 0xf4: return plain(DISASM_TRAP);
        case 0xcd: /* Windows terminates a process with int 0x29 */
                return plain(byte_at(insn, next) == 0x29 ? DISASM_TRAP : DISASM_NEXT);
        case 0xc7: /* the target of xbegin is where an aborted transaction continues */
                if (byte_at(insn, next) == 0xf8)
                        return relative(insn, DISASM_BRANCH, next + 1);
                return with_operand(insn, DISASM_NEXT);
        case 0xff: return effect_of_ff(insn);
        default: return with_operand(insn, DISASM_NEXT);
        }
}

static struct disasm_effect effect_of_0f(const struct x86_insn *insn)
{
        if ((insn->opcode & 0xf0) == 0x80)
                return relative(insn, DISASM_BRANCH, insn->opcode_off + 1);
        switch (insn->opcode) {
        case 0x0b:
        case 0xb9:
        case 0xff: return plain(DISASM_TRAP); /* ud2, ud1, ud0 */
        case 0x07:
        case 0x35:
        case 0xaa: return plain(DISASM_RETURN); /* sysret, sysexit, rsm */
        default: return with_operand(insn, DISASM_NEXT);
        }
}

bool disasm_is_invalid_x86_64(const uint8_t *code, size_t size)
{
        struct x86_insn insn = {.code = code, .size = size};

        find_opcode(&insn);
        return insn.is_invalid;
}

static struct disasm_effect effect_of(const struct x86_insn *insn)
{
        if (insn->is_invalid)
                return plain(DISASM_NEXT);
        if (insn->is_jmpabs)
                return (struct disasm_effect){DISASM_JUMP, true, false,
                                              (uint64_t)signed_at(insn, insn->opcode_off + 1, 8)};
        if (insn->is_vector || insn->map == MAP_OTHER)
                return with_operand(insn, DISASM_NEXT);
        return insn->map == MAP_0F ? effect_of_0f(insn) : effect_of_one_byte(insn);
}

struct disasm_effect disasm_effect_x86_64(const uint8_t *code, size_t size, uint64_t addr)
{
        struct x86_insn insn = {.code = code, .size = size, .addr = addr};

        find_opcode(&insn);
        return effect_of(&insn);
}

/* --- sizes --- */

/* The size of ModRM, SIB and displacement. */
static size_t operand_bytes(const struct x86_insn *insn)
{
        uint8_t modrm = byte_at(insn, insn->opcode_off + 1), mod = modrm >> 6, rm = modrm & 7;
        uint8_t sib_base = byte_at(insn, insn->opcode_off + 2) & 7;
        bool is_control = insn->map_number == 1 && !insn->is_vector && (insn->opcode & 0xfc) == 0x20;

        if (!has_modrm(insn))
                return 0;
        /* moves to and from control registers have no memory operand, whatever mod is */
        if (mod == 3 || is_control)
                return 1;
        return 1 + (rm == 4) + (mod == 1 ? 1 : mod == 2 || rm == 5 || (rm == 4 && sib_base == 5) ? 4 : 0);
}

/* The size of an immediate: 32 bits, or 16 with an operand-size prefix. */
static size_t short_number(const struct x86_insn *insn)
{
        return insn->has_operand16 && !insn->is_wide ? 2 : 4;
}

static size_t one_byte_number(const struct x86_insn *insn)
{
        uint8_t opcode = insn->opcode;
        /* of the eight instructions in the group */
        bool is_test = (byte_at(insn, insn->opcode_off + 1) & 0x30) == 0;

        if (opcode < 0x40)
                return (opcode & 7) == 4 ? 1 : (opcode & 7) == 5 ? short_number(insn) : 0;
        if (opcode >= 0xb8 && opcode <= 0xbf)
                return insn->is_wide ? 8 : short_number(insn);
        if ((opcode & 0xf0) == 0x70 || (opcode & 0xf8) == 0xb0 || (opcode & 0xf8) == 0xe0)
                return 1;
        if ((opcode & 0xfc) == 0xa0)
                return insn->has_addr32 ? 4 : 8;
        switch (opcode) {
        case 0x6a:
        case 0x6b:
        case 0x80:
        case 0x83:
        case 0xa8:
        case 0xc0:
        case 0xc1:
        case 0xc6:
        case 0xcd:
        case 0xeb: return 1;
        case 0xc2:
        case 0xca: return 2;
        case 0xc8: return 3;
        case 0x68:
        case 0x69:
        case 0x81:
        case 0xa9:
        case 0xc7:
        case 0xe8:
        case 0xe9: return short_number(insn);
        case 0xf6: return is_test ? 1 : 0;
        case 0xf7: return is_test ? short_number(insn) : 0;
        default: return 0;
        }
}

/* extrq and insertq of SSE4a, which only take registers; without a prefix the opcode is vmread. */
static bool is_extract(const struct x86_insn *insn)
{
        return !insn->is_vector && (insn->has_operand16 || insn->has_repne) &&
               byte_at(insn, insn->opcode_off + 1) >> 6 == 3;
}

static size_t map_0f_number(const struct x86_insn *insn)
{
        uint8_t opcode = insn->opcode;

        if (!insn->is_vector && (opcode & 0xf0) == 0x80)
                return short_number(insn);
        switch (opcode) {
        case 0x0f:
        case 0xa4:
        case 0xac:
        case 0xba: return !insn->is_vector;
        case 0x70:
        case 0x71:
        case 0x72:
        case 0x73:
        case 0xc2:
        case 0xc4:
        case 0xc5:
        case 0xc6: return 1;
        case 0x78: return is_extract(insn) ? 2 : 0;
        default: return 0;
        }
}

static size_t apx_number(const struct x86_insn *insn)
{
        switch (insn->opcode) {
        case 0x24: /* shld and shrd */
        case 0x2c: return 1;
        case 0x69:
        case 0x6b:
        case 0x80:
        case 0x81:
        case 0x83:
        case 0xc0:
        case 0xc1:
        case 0xf6:
        case 0xf7: return one_byte_number(insn);
        default: return 0;
        }
}

static size_t number_bytes(const struct x86_insn *insn)
{
        switch (insn->map_number) {
        case 0: return one_byte_number(insn);
        case 1: return map_0f_number(insn);
        case 3:
        case 8: return 1;
        case MAP_NUMBER_APX: return apx_number(insn);
        case 10: return 4;
        default: return 0;
        }
}

static size_t size_of(const struct x86_insn *insn)
{
        size_t n = insn->opcode_off + 1 + (insn->is_jmpabs ? 8 : operand_bytes(insn) + number_bytes(insn));

        return insn->is_invalid || n > insn->size ? 0 : n;
}

size_t disasm_size_x86_64(const uint8_t *code, size_t size)
{
        struct x86_insn insn = {.code = code, .size = size};

        find_opcode(&insn);
        return size_of(&insn);
}

size_t disasm_step_x86_64(const uint8_t *code, size_t size, uint64_t addr, struct disasm_effect *ret)
{
        struct x86_insn insn = {.code = code, .size = size, .addr = addr};

        find_opcode(&insn);
        insn.size = size_of(&insn);
        if (insn.size)
                *ret = effect_of(&insn);
        return insn.size;
}

/* --- fields --- */

/* The operand size that VEX and EVEX prefixes contain instead of 66, f3 and f2, and the length of the
 * vector. */
static void read_vector_prefix(const struct x86_insn *insn, unsigned *ret_pp, unsigned *ret_bytes)
{
        const uint8_t *opcode = insn->code + insn->opcode_off;
        bool is_evex = insn->opcode_off >= 4 && opcode[-4] == 0x62;
        uint8_t payload = is_evex ? opcode[-2] : opcode[-1];

        *ret_pp = payload & 3;
        *ret_bytes = is_evex ? 16u << (opcode[-1] >> 5 & 3) : payload & 4 ? 32 : 16;
}

static uint8_t scalar_bytes(unsigned pp, unsigned vector_bytes)
{
        return pp == 3 ? 8 : pp == 2 ? 4 : (uint8_t)vector_bytes;
}

/* Of SSE and AVX: the mandatory prefix gives the type of the operand. */
static uint8_t vector_load_bytes(const struct x86_insn *insn)
{
        unsigned pp = insn->has_repne ? 3 : insn->has_rep ? 2 : insn->has_operand16, bytes = 16;

        if (insn->is_vector)
                read_vector_prefix(insn, &pp, &bytes);
        if (insn->map_number == 2)
                return insn->opcode == 0x18 || insn->opcode == 0x58   ? 4 /* broadcasts */
                       : insn->opcode == 0x19 || insn->opcode == 0x59 ? 8
                                                                      : (uint8_t)bytes;
        switch (insn->opcode) {
        case 0x12:
        case 0x13:
        case 0x16:
        case 0x17:
        case 0xd6: return 8;
        case 0x2a:
        case 0x6e: return insn->is_wide ? 8 : 4;
        case 0x2e:
        case 0x2f: return pp == 1 ? 8 : 4;
        case 0x7e: return pp == 2 || insn->is_wide ? 8 : 4;
        case 0x6f:
        case 0x7f: return (uint8_t)bytes;
        default: return scalar_bytes(pp, bytes);
        }
}

static uint8_t load_bytes(const struct x86_insn *insn)
{
        uint8_t wide = insn->is_wide ? 8 : insn->has_operand16 ? 2 : 4;

        if (insn->is_vector || insn->map == MAP_OTHER)
                return insn->map_number <= 3 ? vector_load_bytes(insn) : 0;
        if (insn->map == MAP_0F) {
                switch (insn->opcode) {
                case 0xb6:
                case 0xbe: return 1;
                case 0xb7:
                case 0xbf: return 2;
                default: break;
                }
                if ((insn->opcode & 0xf0) == 0x40 || (insn->opcode & 0xf8) == 0xa8)
                        return wide; /* cmov, imul */
                return vector_load_bytes(insn);
        }
        if (insn->opcode == 0x8d) /* lea */
                return 0;
        if (insn->opcode >= 0xd8 && insn->opcode <= 0xdf)
                return insn->opcode == 0xdc || insn->opcode == 0xdd   ? 8
                       : insn->opcode == 0xde || insn->opcode == 0xdf ? 2
                                                                      : 4;
        if (insn->opcode == 0x63 || insn->opcode == 0x69 || insn->opcode == 0x6b || insn->opcode == 0xff)
                return insn->opcode == 0x63 ? 4 : wide;
        return insn->opcode & 1 ? wide : 1;
}

static bool is_nop(const struct x86_insn *insn)
{
        bool has_rex_b = insn->opcode_off && (insn->code[insn->opcode_off - 1] & 0xf1) == 0x41;

        if (insn->is_vector)
                return false;
        if (insn->map == MAP_0F)
                return insn->opcode == 0x1f;
        return insn->map == MAP_ONE_BYTE && insn->opcode == 0x90 && !insn->has_rep && !has_rex_b;
}

/* Sets the displacement of a memory operand. */
static void set_displacement(const struct x86_insn *insn, struct disasm_x86_fields *ret)
{
        size_t modrm_off = insn->opcode_off + 1, n = operand_bytes(insn);
        uint8_t modrm = byte_at(insn, modrm_off), mod = modrm >> 6;
        bool has_sib = (modrm & 7) == 4;

        if (n < 1u + has_sib || mod == 3) /* moves of control registers have no memory, whatever `mod` is */
                return;
        n -= 1 + has_sib;
        ret->displacement_off = (uint8_t)(modrm_off + 1 + has_sib);
        ret->displacement_bytes = (uint8_t)n;
        ret->is_absolute = mod == 0;
        ret->has_index = has_sib;
}

bool disasm_fields_x86_64(const uint8_t *code, size_t size, struct disasm_x86_fields *ret)
{
        struct x86_insn insn = {.code = code, .size = size};
        size_t n;

        find_opcode(&insn);
        n = size_of(&insn);
        if (!n)
                return false;
        *ret = (struct disasm_x86_fields){.size_bytes = (uint8_t)n, .map_number = insn.map_number};
        ret->number_bytes = (uint8_t)(insn.is_jmpabs ? 8 : number_bytes(&insn));
        ret->number_off = (uint8_t)(n - ret->number_bytes);
        ret->is_nop = is_nop(&insn);
        ret->opcode_off = (uint8_t)insn.opcode_off;
        ret->opcode = insn.opcode;
        ret->is_vector = insn.is_vector;
        ret->has_rex2 = insn.has_rex2;
        if (insn.is_jmpabs)
                return true;
        ret->has_modrm = has_modrm(&insn);
        set_displacement(&insn, ret);
        ret->load_bytes = ret->has_modrm ? load_bytes(&insn) : 0;
        return true;
}
