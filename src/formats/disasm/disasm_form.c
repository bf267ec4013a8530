/* SPDX-License-Identifier: BSD-3-Clause */
/* x86-64: opcode maps of Intel's manual, volume 2, appendix A.  AArch64: Arm ARM, C4.1. */
#include "disasm_form.h"

#include "disasm_arm64_fields.h"
#include "disasm_internal.h"

static int64_t signed_bytes(const uint8_t *code, unsigned n)
{
        uint64_t value = 0;

        for (unsigned i = 0; i < n; i++)
                value |= (uint64_t)code[i] << (8 * i);
        if (n && n < 8 && code[n - 1] & 0x80)
                value |= ~0ull << (8 * n);
        return (int64_t)value;
}

/* --- x86-64 --- */

enum { RSP = 4, RBP = 5 };

enum { PREFIX_66 = 1, PREFIX_F3 = 2, PREFIX_F2 = 4 };

struct x86_form {
        const uint8_t *code;
        struct disasm_x86_fields fields;
        unsigned prefixes;
        uint8_t modrm;
        bool has_memory;
};

/* The prefixes that are part of the operation. */
static unsigned prefixes_of(const uint8_t *code, const struct disasm_x86_fields *fields)
{
        static const uint8_t of_vex[] = {0, PREFIX_66, PREFIX_F3, PREFIX_F2};
        unsigned prefixes = 0;

        if (fields->is_vector) /* pp: the last byte before the opcode, EVEX: the one before */
                return of_vex[code[fields->opcode_off - (code[0] == 0x62 ? 2 : 1)] & 3];
        for (unsigned i = 0; i < fields->opcode_off; i++)
                prefixes |= code[i] == 0x66   ? PREFIX_66
                            : code[i] == 0xf3 ? PREFIX_F3
                            : code[i] == 0xf2 ? PREFIX_F2
                                              : 0;
        return prefixes;
}

/* Opcodes of which the modrm byte selects one of eight operations. */
static bool is_group(const struct x86_form *x)
{
        uint8_t op = x->fields.opcode;

        if (x->fields.map_number == 1)
                return op == 0xba || (op >= 0x71 && op <= 0x73) || op == 0xae || op == 0xc7;
        return !x->fields.map_number &&
               ((op >= 0x80 && op <= 0x83) || op == 0xc0 || op == 0xc1 || (op >= 0xd0 && op <= 0xd3) ||
                op == 0xf6 || op == 0xf7 || op >= 0xfe);
}

/* Arithmetic with an immediate has several encodings. */
static unsigned operation_of(const struct x86_form *x)
{
        uint8_t op = x->fields.opcode;

        if (x->fields.map_number || x->fields.is_vector)
                return op;
        if (op < 0x40 && (op & 7) >= 4 && (op & 7) <= 5) /* add al/eax, imm and others */
                return 0x80u | (op & 1u) | (unsigned)(op & 0x38) << 8;
        if (op == 0x83)
                return 0x81;
        if (op == 0xa8 || op == 0xa9) /* test with an immediate */
                return op == 0xa8 ? 0xf6 : 0xf7;
        if ((op >= 0xb8 && op <= 0xbf) || op == 0xc7)
                return 0xc7;
        if ((op & 0xf0) == 0x50)
                return op & 0xf8;
        if (op == 0x6b)
                return 0x69;
        if (op == 0xd0 || op == 0xd1) /* shift by one */
                return op - 0x10u;
        return op;
}

static bool has_condition(const struct x86_form *x)
{
        uint8_t group = x->fields.opcode & 0xf0;

        if (x->fields.is_vector)
                return false;
        return x->fields.map_number == 1 ? group == 0x40 || group == 0x80 || group == 0x90
                                         : !x->fields.map_number && group == 0x70;
}

static bool x86_compares(const struct x86_form *x)
{
        uint8_t op = x->fields.opcode, reg = x->modrm >> 3 & 7;

        if (x->fields.map_number)
                return x->fields.map_number == 1 && (op == 0x2e || op == 0x2f);
        if ((op & 0xf8) == 0x38)
                return op <= 0x3d;
        return ((op == 0x80 || op == 0x81 || op == 0x83) && reg == 7) ||
               ((op == 0xf6 || op == 0xf7) && reg <= 1) || op == 0xa8 || op == 0xa9 || op == 0x84 ||
               op == 0x85;
}

/* Packed arithmetic: neither moves and shuffles, which also copy structs, nor bit operations, which clear. */
static bool x86_is_vector(const struct x86_form *x)
{
        uint8_t op = x->fields.opcode;
        bool is_integer = x->prefixes & PREFIX_66;

        if (x->prefixes & (PREFIX_F2 | PREFIX_F3))
                return false;
        if (x->fields.map_number == 2)
                return is_integer &&
                       (op <= 0x0b || (op >= 0x1c && op <= 0x25) || (op >= 0x28 && op <= 0x40) ||
                        (op >= 0x96 && op <= 0xbe && (op & 1) == 0));
        if (x->fields.map_number != 1)
                return false;
        if (op == 0x51 || op == 0x58 || op == 0x59 || op == 0x5c || op == 0x5d || op == 0x5e || op == 0x5f)
                return true;
        return is_integer && ((op >= 0x60 && op <= 0x69) || (op >= 0x71 && op <= 0x76) ||
                              (op >= 0xd1 && op != 0xd6 && op != 0xd7 && op != 0xdb && op != 0xdf &&
                               op != 0xe7 && op != 0xeb && op != 0xef && op != 0xf7));
}

static bool is_on_stack(const struct x86_form *x, bool frame_pointer)
{
        uint8_t base = x->modrm & 7, mod = x->modrm >> 6;
        size_t at = (size_t)x->fields.opcode_off + 1;

        if (!x->has_memory)
                return false;
        if (base == RSP && at + 1 >= x->fields.size_bytes)
                return false; /* mov of control registers: no memory, whatever the modrm byte says */
        if (base == RSP)
                base = x->code[at + 1] & 7;
        if (x->fields.opcode_off && !x->fields.is_vector &&
            (x->code[x->fields.opcode_off - 1] & 0xf1) == 0x41)
                return false; /* r12, r13 */
        return base == RSP || (frame_pointer && base == RBP && mod);
}

static bool x86_is_move(const struct x86_form *x)
{
        uint8_t op = x->fields.opcode;
        bool is_frame = !x->has_memory && (x->modrm & 7) == RSP && (op == 0x81 || op == 0x83);

        if (x->fields.map_number == 1)
                return !x->has_memory && (op == 0x28 || op == 0x6f || op == 0x10);
        return !x->fields.map_number &&
               ((op & 0xf0) == 0x50 || is_frame || (!x->has_memory && (op == 0x89 || op == 0x8b)) ||
                (op == 0x8d && is_on_stack(x, false)));
}

static void get_x86_number(const struct x86_form *x, enum disasm_flow flow, bool frame_pointer,
                           struct disasm_form *ret)
{
        const struct disasm_x86_fields *f = &x->fields;
        bool is_stack = is_on_stack(x, frame_pointer);

        if (f->number_bytes && (flow == DISASM_NEXT || flow == DISASM_TRAP)) {
                ret->has_number = !ret->is_move;
                ret->number = signed_bytes(x->code + f->number_off, f->number_bytes);
        } else if (f->displacement_bytes && !is_stack && (x->modrm & 0xc7) != 5) {
                ret->has_number = true;
                ret->number = signed_bytes(x->code + f->displacement_off, f->displacement_bytes);
        } else if (!f->map_number && (f->opcode == 0xd0 || f->opcode == 0xd1)) {
                ret->has_number = true;
                ret->number = 1;
        }
}

static bool get_x86_64(const uint8_t *code, size_t size, bool frame_pointer, struct disasm_form *ret)
{
        struct x86_form x = {.code = code};
        enum disasm_flow flow;
        unsigned operation;

        if (!disasm_fields_x86_64(code, size, &x.fields))
                return false;
        flow = disasm_effect_x86_64(code, size, 0).flow;
        x.prefixes = prefixes_of(code, &x.fields);
        x.modrm = x.fields.has_modrm ? code[x.fields.opcode_off + 1] : 0xc0;
        x.has_memory = x.fields.has_modrm && x.modrm < 0xc0;
        operation = operation_of(&x);
        ret->is_condition = has_condition(&x);
        if (ret->is_condition) {
                ret->condition = x.fields.opcode & 15;
                operation = flow == DISASM_BRANCH ? 0x70 : operation & 0xf0u;
        }
        if (is_group(&x))
                operation |= (unsigned)(x.modrm & 0x38) << 8;
        ret->operation = operation | (uint64_t)(flow == DISASM_BRANCH ? 0 : x.fields.map_number) << 16 |
                         (uint64_t)x.prefixes << 24 | (uint64_t)x.fields.is_vector << 28 |
                         (uint64_t)x.has_memory << 29 | 1ull << 32;
        ret->compares = !x.fields.is_vector && x86_compares(&x);
        ret->is_vector = x86_is_vector(&x);
        ret->is_move = !x.fields.is_vector && x86_is_move(&x);
        ret->is_stack = is_on_stack(&x, frame_pointer) && x.fields.opcode != 0x8d && flow == DISASM_NEXT;
        get_x86_number(&x, flow, frame_pointer, ret);
        return true;
}

/* --- AArch64 --- */

/* How the number is stored. */
enum arm64_number {
        NUMBER_ENCODED, /* not read: equal numbers are stored alike, and that is all */
        NUMBER_PLAIN,
        NUMBER_ADD,  /* maybe times 4096 */
        NUMBER_MASK, /* a pattern of ones, repeated and rotated */
        NUMBER_WIDE, /* 16 bits at one of four places, maybe all inverted */
        NUMBER_SHIFT,
        NUMBER_BIT,
        NUMBER_OFFSET, /* in units of the size of the register */
        NUMBER_SIGNED,
        NUMBER_PAIR, /* signed, in units of the size of a register */
};

/* A class of instructions: those with `value` in the bits of `mask`. */
struct arm64_class {
        uint32_t mask, value;
        uint32_t operation;    /* the bits that are the operation */
        uint8_t low, n_bits;   /* of the number; 0: none */
        uint8_t number;        /* enum arm64_number */
        uint8_t condition_low; /* bit of the condition; 0: see n_condition */
        uint8_t n_condition;
};

static const struct arm64_class classes[] = {
        {0x1f800000, 0x11000000, 0xff800000, 10, 12, NUMBER_ADD, 0, 0},    /* add, sub with a number */
        {0x1f800000, 0x12000000, 0xff800000, 10, 13, NUMBER_MASK, 0, 0},   /* and, orr, eor with a number */
        {0x1f800000, 0x12800000, 0xff800000, 5, 18, NUMBER_WIDE, 0, 0},    /* movz, movn, movk */
        {0x1f800000, 0x13000000, 0xff800000, 10, 12, NUMBER_SHIFT, 0, 0},  /* bfm and others */
        {0xff000010, 0x54000000, 0xff000010, 0, 0, 0, 0, 4},               /* b.cond */
        {0x7e000000, 0x34000000, 0xfe000000, 0, 0, 0, 24, 1},              /* cbz, cbnz */
        {0x7e000000, 0x36000000, 0x7e000000, 19, 5, NUMBER_BIT, 24, 1},    /* tbz, tbnz */
        {0x7c000000, 0x14000000, 0xfc000000, 0, 0, 0, 0, 0},               /* b, bl */
        {0x1f000000, 0x10000000, 0x9f000000, 0, 0, 0, 0, 0},               /* adr, adrp */
        {0x3b000000, 0x18000000, 0xff000000, 0, 0, 0, 0, 0},               /* ldr with a literal */
        {0x3b000000, 0x39000000, 0xffc00000, 10, 12, NUMBER_OFFSET, 0, 0}, /* ldr, str with an offset */
        {0x3b200000, 0x38000000, 0xffe00c00, 12, 9, NUMBER_SIGNED, 0, 0},  /* ldur, stur, with writeback */
        {0x3b200c00, 0x38200800, 0xffe0fc00, 0, 0, 0, 0, 0},               /* with a register as offset */
        {0x3a000000, 0x28000000, 0xffc00000, 15, 7, NUMBER_PAIR, 0, 0},    /* ldp, stp */
        {0x3fe00800, 0x3a400800, 0xffe00c10, 16, 5, NUMBER_PLAIN, 12, 4},  /* ccmp, ccmn with a number */
        {0x3fe00800, 0x3a400000, 0xffe00c10, 0, 0, 0, 12, 4},              /* ccmp, ccmn */
        {0x1fe00000, 0x1a800000, 0xffe00c00, 0, 0, 0, 12, 4},              /* csel and others */
        {0x1f000000, 0x1b000000, 0xffe08000, 0, 0, 0, 0, 0},               /* madd and others */
        {0xff201fe0, 0x1e201000, 0xffe01c00, 13, 8, NUMBER_ENCODED, 0, 0}, /* fmov with a number */
        {0x9ff80400, 0x0f000400, 0xfff8fc00, 5, 5, NUMBER_ENCODED, 0, 0},  /* movi */
        {0x9f800400, 0x0f000400, 0xff80fc00, 16, 7, NUMBER_ENCODED, 0, 0}, /* vector shifts */
};

static const struct arm64_class registers_only = {0, 0, 0xffe0fc00, 0, 0, 0, 0, 0};

static const struct arm64_class *class_of(uint32_t word)
{
        for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
                if ((word & classes[i].mask) == classes[i].value)
                        return &classes[i];
        }
        return &registers_only;
}

/* Data processing with vectors, but not movi, dup, ins and umov, which also clear and copy; SVE. */
static bool arm64_is_vector(uint32_t word)
{
        bool is_simd = (word & 0x9e000000) == 0x0e000000;
        bool is_number = (word & 0x9ff80400) == 0x0f000400, is_copy = (word & 0x9fe08400) == 0x0e000400;
        bool is_bits = (word & 0x9f20fc00) == 0x0e201c00; /* and, orr: mov */

        return (is_simd && !is_number && !is_copy && !is_bits) || arm64_field(word, 25, 4) == 2;
}

static bool arm64_is_stack(uint32_t word, bool frame_pointer)
{
        unsigned base = arm64_field(word, 5, 5);
        bool is_access = (word & 0x0a000000) == 0x08000000 && (word & 0x3b000000) != 0x18000000;

        return is_access && (base == 31 || (frame_pointer && base == 29));
}

static bool arm64_is_move(uint32_t word)
{
        bool moves_stack = (word & 0x3f800000) == 0x11000000 &&
                           (arm64_field(word, 0, 5) == 31 || arm64_field(word, 5, 5) == 31);

        return (word & 0x7fe0ffe0) == 0x2a0003e0 || moves_stack;
}

/* N:immr:imms: ones in the lower bits of an element, rotated to the right. */
static uint64_t mask_of(uint32_t word)
{
        unsigned size_bits = arm64_field(word, 22, 1) << 6 | (~arm64_field(word, 10, 6) & 0x3f), bits = 64;
        unsigned n_ones, n_rotated;
        uint64_t ones, element, mask = 0;

        while (bits > 2 && !(size_bits & bits))
                bits /= 2;
        n_ones = arm64_field(word, 10, 6) % bits + 1;
        n_rotated = arm64_field(word, 16, 6) % bits;
        ones = n_ones < 64 ? (1ull << n_ones) - 1 : UINT64_MAX;
        element = n_rotated ? ones >> n_rotated | ones << (bits - n_rotated) : ones;
        element &= bits < 64 ? (1ull << bits) - 1 : UINT64_MAX;
        for (unsigned at = 0; at < 64; at += bits)
                mask |= element << at;
        return word >> 31 ? mask : (uint32_t)mask;
}

static int64_t wide_of(uint32_t word)
{
        uint64_t value = (uint64_t)arm64_field(word, 5, 16) << 16 * arm64_field(word, 21, 2);
        bool is_inverted = arm64_field(word, 29, 2) == 0;

        if (word >> 31)
                return (int64_t)(is_inverted ? ~value : value);
        return (int32_t)(is_inverted ? ~value : value);
}

/* lsl, lsr and asr are two of these; other bit fields have two numbers. */
static bool get_shift(uint32_t word, int64_t *ret)
{
        unsigned last = word >> 31 ? 63 : 31, rotated = arm64_field(word, 16, 6),
                 top = arm64_field(word, 10, 6);

        *ret = top == last ? rotated : last - top;
        return arm64_field(word, 29, 2) != 1 && (top == last || top + 1 == rotated);
}

/* False: the number is not known, only whether it is the same. */
static bool get_arm64_number(uint32_t word, const struct arm64_class *class, int64_t *ret)
{
        *ret = arm64_field(word, class->low, class->n_bits);
        switch ((enum arm64_number) class->number) {
        case NUMBER_PLAIN: return true;
        case NUMBER_ADD: *ret <<= word & 1u << 22 ? 12 : 0; return true;
        case NUMBER_MASK: *ret = (int64_t)mask_of(word); return true;
        case NUMBER_WIDE: *ret = wide_of(word); return true;
        case NUMBER_SHIFT: return get_shift(word, ret);
        case NUMBER_BIT: *ret |= (int64_t)(word >> 31) << 5; return true;
        case NUMBER_OFFSET: *ret <<= arm64_offset_scale(word); return true;
        case NUMBER_SIGNED: *ret = arm64_signed_field(word, class->low, class->n_bits); return true;
        case NUMBER_PAIR:
                *ret = arm64_signed_field(word, class->low, class->n_bits) *
                       (INT64_C(1) << arm64_pair_scale(word));
                return true;
        default: return false;
        }
}

static bool get_arm64(uint32_t word, bool frame_pointer, struct disasm_form *ret)
{
        const struct arm64_class *class = class_of(word);
        bool sets_flags = (word & 0x3f000000) == 0x31000000 || (word & 0x3f000000) == 0x2b000000 ||
                          (word & 0x7f800000) == 0x72000000 || (word & 0x7f000000) == 0x6a000000;

        ret->operation = (word & class->operation) | 2ull << 32;
        ret->is_stack = arm64_is_stack(word, frame_pointer);
        ret->is_move = arm64_is_move(word);
        ret->is_vector = arm64_is_vector(word);
        ret->compares = (sets_flags && arm64_field(word, 0, 5) == 31) || (word & 0x3fe00000) == 0x3a400000 ||
                        (word & 0xff20fc07) == 0x1e202000;
        ret->has_number = class->n_bits && !ret->is_stack && !ret->is_move;
        ret->is_encoded = ret->has_number && !get_arm64_number(word, class, &ret->number);
        if (ret->is_encoded)
                ret->number = arm64_field(word, class->low, class->n_bits);
        ret->is_condition = class->n_condition;
        ret->condition = (uint8_t)arm64_field(word, class->condition_low, class->n_condition);
        if (ret->compares)
                ret->operation |= 1ull << 33;
        return true;
}

bool disasm_form_get(enum disasm_arch arch, const uint8_t *code, size_t size, bool frame_pointer,
                     struct disasm_form *ret)
{
        bool ok = false;

        *ret = (struct disasm_form){0};
        if (arch == DISASM_X86_64)
                ok = get_x86_64(code, size, frame_pointer, ret);
        else if (size >= 4)
                ok = get_arm64((uint32_t)signed_bytes(code, 4), frame_pointer, ret);
        if (!ok)
                ret->operation = size ? code[0] : 0;
        return ok;
}
