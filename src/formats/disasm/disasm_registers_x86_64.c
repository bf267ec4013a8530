/* SPDX-License-Identifier: BSD-3-Clause */
/* The registers of x86-64 instructions: ModRM, SIB, REX and VEX as in Intel's SDM, volume 2, chapter 2 and
 * appendix A.  Instructions with REX2, EVEX and XOP prefixes are left as they are. */
#include "disasm_internal.h"
#include "disasm_registers_internal.h"

enum { RSP = 4, NO_INDEX = 4, RIP = 5 };

/* Pieces of a form that are no bytes of the instruction. */
enum {
        FORM_VEX = 0xc5,
        FORM_MEMORY = 'm',
        FORM_SLOT = 's',
        FORM_RIP = 'p',
        FORM_NUMBER = 'd',
        FORM_NAME = 'r',
        FORM_FIXED = 0xf0
};

struct x86_registers {
        const uint8_t *code;
        struct disasm_x86_fields fields;
        struct disasm_registers *ret;
        uint8_t rex;     /* its bits W, R, X and B; of VEX, too */
        bool has_rex;    /* in front of a byte operation, 4 to 7 are spl to dil and not ah to bh */
        uint8_t prefix;  /* 66, f2 or f3; of VEX, too */
        uint8_t operand; /* VEX: the register in the prefix */
};

static bool has_bit(const struct x86_registers *r, unsigned bit)
{
        return r->rex >> bit & 1;
}

static unsigned opcode_of(const struct x86_registers *r)
{
        return (unsigned)r->fields.map_number << 8 | r->fields.opcode;
}

/* --- Classes of operands --- */

/* Whether a register operand has 8 bits: `is_rm` for the one that can be memory. */
static bool is_byte(const struct x86_registers *r, bool is_rm)
{
        unsigned opcode = opcode_of(r);

        if (r->fields.is_vector)
                return false;
        if (opcode < 0x40)
                return !(opcode & 1);
        switch (opcode) {
        case 0x80:
        case 0x84:
        case 0x86:
        case 0x88:
        case 0x8a:
        case 0xc0:
        case 0xc6:
        case 0xd0:
        case 0xd2:
        case 0xf6:
        case 0xfe:
        case 0x1b0:
        case 0x1c0: return true;
        case 0x1b6:
        case 0x1be:
        case 0x2f0: return is_rm;
        default: return (opcode & ~15u) == 0x190;
        }
}

static bool is_general_0f(const struct x86_registers *r, bool is_rm)
{
        uint8_t opcode = r->fields.opcode;
        bool is_scalar = r->prefix == 0xf2 || r->prefix == 0xf3;

        switch (opcode) {
        case 0x2a: return is_rm && is_scalar;
        case 0x2c:
        case 0x2d: return !is_rm && is_scalar;
        case 0x50:
        case 0xc5:
        case 0xd7: return !is_rm;
        case 0x6e:
        case 0xc4: return is_rm;
        case 0x7e: return is_rm && r->prefix != 0xf3;
        case 0xc3: return true;
        default: break;
        }
        return !((opcode >= 0x10 && opcode <= 0x17) || (opcode >= 0x28 && opcode <= 0x2f) ||
                 (opcode >= 0x51 && opcode <= 0x7f) || opcode == 0xc2 || opcode == 0xc6 || opcode >= 0xd0);
}

static enum disasm_name_class class_of(const struct x86_registers *r, bool is_rm)
{
        uint8_t opcode = r->fields.opcode;
        bool is_general = true;

        switch (r->fields.map_number) {
        case 0: break;
        case 1: is_general = is_general_0f(r, is_rm); break;
        case 2: is_general = opcode >= 0xf0; break;
        default:
                is_general =
                        opcode == 0xf0 || (is_rm && ((opcode & 0xfc) == 0x14 || (opcode & 0xfd) == 0x20));
        }
        return is_general ? DISASM_NAME_GENERAL : DISASM_NAME_VECTOR;
}

/* Whether the field for a register in ModRM is a part of the opcode, or names a register of another kind. */
static bool is_extension(const struct x86_registers *r)
{
        switch (opcode_of(r)) {
        case 0x80:
        case 0x81:
        case 0x82:
        case 0x83:
        case 0x8c:
        case 0x8e:
        case 0x8f:
        case 0xc0:
        case 0xc1:
        case 0xc6:
        case 0xc7:
        case 0xd0:
        case 0xd1:
        case 0xd2:
        case 0xd3:
        case 0xf6:
        case 0xf7:
        case 0xfe:
        case 0xff:
        case 0x100:
        case 0x101:
        case 0x10d:
        case 0x171:
        case 0x172:
        case 0x173:
        case 0x1ae:
        case 0x1ba:
        case 0x1c7: return true;
        case 0x2f3: return r->fields.is_vector;
        default: break;
        }
        /* x87; hints and prefetches */
        return (opcode_of(r) & ~7u) == 0xd8 || (opcode_of(r) & ~7u) == 0x118;
}

/* --- Operands --- */

static void add_register(struct x86_registers *r, enum disasm_name_class class, bool is_byte_operand,
                         unsigned number)
{
        bool is_high = is_byte_operand && !r->has_rex && number >= 4;

        if (class == DISASM_NAME_GENERAL && (number == RSP || is_high)) {
                disasm_registers_add_form(r->ret, (uint8_t)(FORM_FIXED | number));
                disasm_registers_add_form(r->ret, is_high);
        } else {
                disasm_registers_add_form(r->ret, FORM_NAME);
                disasm_registers_add_name(r->ret, class, number);
        }
}

static int32_t displacement_of(const struct x86_registers *r)
{
        const uint8_t *at = r->code + r->fields.displacement_off;
        uint32_t value = 0;

        if (r->fields.displacement_bytes == 1)
                return (int8_t)at[0];
        for (unsigned i = 0; i < r->fields.displacement_bytes; i++)
                value |= (uint32_t)at[i] << (8 * i);
        return (int32_t)value;
}

static void take_slot(struct x86_registers *r, const struct disasm_shape *shape)
{
        disasm_registers_add_form(r->ret, FORM_SLOT);
        disasm_registers_add_name(r->ret, DISASM_NAME_SLOT, (uint32_t)displacement_of(r));
        for (int i = 0; i < shape->n_refs; i++) {
                if (r->fields.displacement_bytes == 4 && shape->refs[i].off == r->fields.displacement_off)
                        r->ret->slot_ref = (int8_t)i;
        }
}

/* A displacement of 4 bytes is a field of the shape.  One of 0 may be there because of the register only. */
static void take_displacement(struct x86_registers *r)
{
        int32_t displacement = displacement_of(r);

        if (r->fields.displacement_bytes == 4) {
                disasm_registers_add_form(r->ret, FORM_NUMBER);
        } else if (displacement) {
                disasm_registers_add_form(r->ret, 1);
                disasm_registers_add_form(r->ret, (uint8_t)displacement);
        }
}

static void take_memory(struct x86_registers *r, const struct disasm_shape *shape)
{
        const uint8_t *modrm = r->code + r->fields.opcode_off + 1;
        unsigned mod = modrm[0] >> 6, base = modrm[0] & 7, index = NO_INDEX, scale = 0;
        bool has_sib = base == 4, has_base = true;

        if (has_sib) {
                base = modrm[1] & 7;
                index = (unsigned)(modrm[1] >> 3 & 7) | (unsigned)has_bit(r, 1) << 3;
                scale = modrm[1] >> 6;
        }
        if (!mod && base == RIP) {
                has_base = false;
                disasm_registers_add_form(r->ret, has_sib ? FORM_NUMBER : FORM_RIP);
        }
        base |= (unsigned)has_bit(r, 0) << 3;
        disasm_registers_add_form(r->ret, FORM_MEMORY);
        disasm_registers_add_form(r->ret, (uint8_t)(has_base | (index != NO_INDEX) << 1 | scale << 2));
        if (index != NO_INDEX)
                disasm_registers_add_name(r->ret, DISASM_NAME_GENERAL, index);
        if (has_base && base == RSP) {
                take_slot(r, shape);
                return;
        }
        if (has_base)
                disasm_registers_add_name(r->ret, DISASM_NAME_GENERAL, base);
        take_displacement(r);
}

static void take_modrm(struct x86_registers *r, const struct disasm_shape *shape)
{
        uint8_t modrm = r->code[r->fields.opcode_off + 1];
        unsigned reg = (unsigned)(modrm >> 3 & 7) | (unsigned)has_bit(r, 2) << 3;

        if (is_extension(r))
                disasm_registers_add_form(r->ret, (uint8_t)(0x80 | (modrm >> 3 & 7)));
        else
                add_register(r, class_of(r, false), is_byte(r, false), reg);
        if (r->fields.is_vector)
                disasm_registers_add_name(r->ret, class_of(r, false), r->operand);
        if (modrm >> 6 == 3)
                add_register(r, class_of(r, true), is_byte(r, true),
                             (unsigned)(modrm & 7) | (unsigned)has_bit(r, 0) << 3);
        else
                take_memory(r, shape);
}

/* Numbers of 4 and 8 bytes are fields of the shape. */
static void take_number(struct x86_registers *r)
{
        for (unsigned i = 0; i < r->fields.number_bytes && r->fields.number_bytes < 4; i++)
                disasm_registers_add_form(r->ret, r->code[r->fields.number_off + i]);
}

/* --- Prefixes and opcodes --- */

static void take_prefixes(struct x86_registers *r)
{
        for (unsigned i = 0; i < r->fields.opcode_off && disasm_is_prefix_x86_64(r->code[i]); i++) {
                uint8_t byte = r->code[i];

                r->has_rex = (byte & 0xf0) == 0x40;
                r->rex = r->has_rex ? byte & 15 : 0;
                if (r->has_rex)
                        continue;
                if (byte == 0x66 || byte == 0xf2 || byte == 0xf3)
                        r->prefix = byte;
                disasm_registers_add_form(r->ret, byte);
        }
        disasm_registers_add_form(r->ret, r->rex & 8);
}

/* False: the prefix is neither VEX nor plain. */
static bool take_vector_prefix(struct x86_registers *r)
{
        static const uint8_t prefixes[] = {0, 0x66, 0xf3, 0xf2};
        const uint8_t *opcode = r->code + r->fields.opcode_off;
        bool is_short = r->fields.opcode_off >= 2 && opcode[-2] == 0xc5;
        bool is_long = !is_short && r->fields.opcode_off >= 3 && opcode[-3] == 0xc4;
        uint8_t last = opcode[-1];

        if (!is_short && !is_long)
                return false;
        r->rex = is_short ? (uint8_t)((~last >> 5 & 4)) : (uint8_t)((~opcode[-2] >> 5 & 7) | (last >> 4 & 8));
        r->prefix = prefixes[last & 3];
        r->operand = ~last >> 3 & 15;
        disasm_registers_add_form(r->ret, FORM_VEX);
        disasm_registers_add_form(r->ret, (uint8_t)((last & 7) | (r->rex & 8)));
        return true;
}

/* push, pop, mov of a number, bswap. */
static bool has_register_in_opcode(const struct x86_registers *r)
{
        unsigned opcode = opcode_of(r) & ~7u;

        return !r->fields.is_vector &&
               (opcode == 0x50 || opcode == 0x58 || opcode == 0xb0 || opcode == 0xb8 || opcode == 0x1c8);
}

static bool take_opcode(struct x86_registers *r)
{
        uint8_t opcode = r->fields.opcode;
        unsigned low = (unsigned)(opcode & 7) | (unsigned)has_bit(r, 0) << 3;

        disasm_registers_add_form(r->ret, r->fields.map_number);
        if (has_register_in_opcode(r)) {
                disasm_registers_add_form(r->ret, opcode & 0xf8);
                add_register(r, DISASM_NAME_GENERAL, opcode_of(r) >> 3 == 0xb0 >> 3, low);
                return true;
        }
        disasm_registers_add_form(r->ret, opcode);
        return r->fields.has_modrm;
}

/* Control and debug registers; registers of x87; the bound registers of MPX; opcodes that go on in ModRM,
 * such as xgetbv. */
static bool has_other_registers(const struct x86_registers *r)
{
        unsigned opcode = opcode_of(r);
        bool is_register = r->fields.has_modrm && r->code[r->fields.opcode_off + 1] >> 6 == 3;

        return (opcode & ~3u) == 0x120 || opcode == 0x11a || opcode == 0x11b ||
               (((opcode & ~7u) == 0xd8 || opcode == 0x101) && is_register);
}

bool disasm_registers_x86_64(const uint8_t *code, const struct disasm_shape *shape,
                             struct disasm_registers *ret)
{
        struct x86_registers r = {.code = code, .ret = ret};

        if (shape->flow == DISASM_BRANCH || !disasm_fields_x86_64(code, shape->size_bytes, &r.fields) ||
            r.fields.map_number > 3 || r.fields.has_rex2 || has_other_registers(&r))
                return false;
        if (r.fields.is_vector) {
                if (!take_vector_prefix(&r))
                        return false;
        } else {
                take_prefixes(&r);
        }
        if (!take_opcode(&r))
                return false;
        if (r.fields.has_modrm)
                take_modrm(&r, shape);
        take_number(&r);
        return true;
}
