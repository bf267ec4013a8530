/* SPDX-License-Identifier: BSD-3-Clause */
/* What an x86-64 instruction does to the flow of control, which address it names and, where LLVM is missing, how long it is:
 * prefixes, opcode and ModRM as in Intel's SDM, volume 2, chapter 2 and appendix A. */
#include "disasm_internal.h"

enum map { MAP_ONE_BYTE, MAP_0F, MAP_OTHER }; /* other: 0f38, 0f3a and those of VEX, EVEX and XOP */

/* An instruction whose opcode was found. */
struct x86_insn {
        const uint8_t *code;
        size_t size, opcode_off;
        uint64_t addr;
        enum map map;
        uint8_t opcode;
        uint8_t map_number; /* 1: 0f, 2: 0f38, 3: 0f3a, 8 to 10: those of XOP */
        bool is_vector;     /* VEX, EVEX or XOP stands before the opcode */
        bool is_rex2;       /* REX2 does */
        bool has_addr32;    /* addresses are cut to 32 bits */
        bool has_operand16; /* operands are, to 16 bits */
        bool is_wide;       /* REX.W */
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

static void set_opcode_0f(struct x86_insn *insn, size_t off)
{
        uint8_t next = byte_at(insn, off);
        bool is_three_bytes = next == 0x38 || next == 0x3a;

        insn->map_number = next == 0x38 ? 2 : next == 0x3a ? 3 : 1;
        set_opcode(insn, is_three_bytes ? off + 1 : off, is_three_bytes ? MAP_OTHER : MAP_0F);
}

static void find_opcode(struct x86_insn *insn)
{
        size_t at = 0;
        uint8_t next;

        for (; at < insn->size && disasm_is_prefix_x86_64(insn->code[at]); at++) {
                insn->has_addr32 |= insn->code[at] == 0x67;
                insn->has_operand16 |= insn->code[at] == 0x66;
                insn->is_wide = (insn->code[at] & 0xf8) == 0x48;
        }
        next = byte_at(insn, at + 1);
        switch (byte_at(insn, at)) {
        case 0x0f: set_opcode_0f(insn, at + 1); break;
        case 0x62: set_vector_opcode(insn, at + 4, next & 7); break;
        case 0xc4: set_vector_opcode(insn, at + 3, next & 31); break;
        case 0xc5: set_vector_opcode(insn, at + 2, 1); break;
        case 0xd5:
                insn->is_rex2 = true;
                set_opcode(insn, at + 2, next & 0x80 ? MAP_0F : MAP_ONE_BYTE);
                break;
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

/* To the end of the instruction plus the number that ends it; one of 16 bits leaves 16 bits of the sum. */
static struct disasm_effect relative(const struct x86_insn *insn, enum disasm_flow flow, size_t number_off)
{
        size_t n_bytes = insn->size > number_off ? insn->size - number_off : 0;
        uint64_t target;

        if (n_bytes != 1 && n_bytes != 2 && n_bytes != 4)
                return plain(flow);
        target = insn->addr + insn->size + (uint64_t)signed_at(insn, number_off, n_bytes);
        return (struct disasm_effect){flow, true, false, n_bytes == 2 ? target & 0xffff : target};
}

/* With the address of the operand, where that is relative to the instruction pointer. */
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
        case 0xcd: /* Windows ends a process at once by int 0x29 */
                return plain(byte_at(insn, next) == 0x29 ? DISASM_TRAP : DISASM_NEXT);
        case 0xc7: /* xbegin, whose target is where an aborted transaction goes */
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

struct disasm_effect disasm_effect_x86_64(const uint8_t *code, size_t size, uint64_t addr)
{
        struct x86_insn insn = {.code = code, .size = size, .addr = addr};

        find_opcode(&insn);
        if (insn.is_rex2 && insn.map == MAP_ONE_BYTE && insn.opcode == 0xa1) /* jmpabs */
                return (struct disasm_effect){DISASM_JUMP, true, false,
                                              (uint64_t)signed_at(&insn, insn.opcode_off + 1, 8)};
        if (insn.is_vector || insn.map == MAP_OTHER)
                return with_operand(&insn, DISASM_NEXT);
        return insn.map == MAP_0F ? effect_of_0f(&insn) : effect_of_one_byte(&insn);
}

/* --- how long --- */

/* ModRM, SIB and displacement. */
static size_t operand_bytes(const struct x86_insn *insn)
{
        uint8_t modrm = byte_at(insn, insn->opcode_off + 1), mod = modrm >> 6, rm = modrm & 7;
        uint8_t sib_base = byte_at(insn, insn->opcode_off + 2) & 7;
        bool is_control = insn->map_number == 1 && !insn->is_vector && (insn->opcode & 0xfc) == 0x20;

        if (!has_modrm(insn))
                return 0;
        if (mod == 3 || is_control) /* moves of control registers have no memory operand, whatever mod says */
                return 1;
        return 1 + (rm == 4) + (mod == 1 ? 1 : mod == 2 || rm == 5 || (rm == 4 && sib_base == 5) ? 4 : 0);
}

/* A number of 32 bits, or 16 with an operand-size prefix. */
static size_t short_number(const struct x86_insn *insn)
{
        return insn->has_operand16 && !insn->is_wide ? 2 : 4;
}

static size_t one_byte_number(const struct x86_insn *insn)
{
        uint8_t opcode = insn->opcode;
        bool is_test = (byte_at(insn, insn->opcode_off + 1) & 0x30) == 0; /* of the group's eight */

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
        case 10: return 4;
        default: return 0;
        }
}

size_t disasm_size_x86_64(const uint8_t *code, size_t size)
{
        struct x86_insn insn = {.code = code, .size = size};
        size_t n;

        find_opcode(&insn);
        n = insn.opcode_off + 1 + operand_bytes(&insn) + number_bytes(&insn);
        return insn.is_rex2 || n > size ? 0 : n;
}
