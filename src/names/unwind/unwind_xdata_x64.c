/* SPDX-License-Identifier: BSD-3-Clause */
/* Unwind information of x64 (UNWIND_INFO).
 *
 *   u8      version in 3 bits, flags in 5
 *   u8      bytes of the prologue
 *   u8      number of slots
 *   u8      frame register in 4 bits, its distance from sp / 16 in 4
 *   u16 []  slots, padded to an even number: u8 end of the instruction, operation in 4 bits, operand in 4;
 *           the following slots may be its second operand
 *   u32     the handler, or three words: the chained entry of .pdata
 */
#include "unwind_xdata.h"

enum {
        HEADER_BYTES = 4,
        SLOT_BYTES = 2,
        CHAIN_BYTES = 12,
        VERSION_BITS = 3,
        EPILOG_AT_END = 1, /* in the operand of the first epilogue slot */
};

enum x64_code {
        CODE_PUSH_NONVOL = 0,
        CODE_ALLOC_LARGE = 1,
        CODE_ALLOC_SMALL = 2,
        CODE_SET_FPREG = 3,
        CODE_SAVE_NONVOL = 4,
        CODE_SAVE_NONVOL_FAR = 5,
        CODE_EPILOG = 6, /* version 1: obsolete, two slots */
        CODE_SPARE = 7,  /* obsolete, three slots */
        CODE_SAVE_XMM128 = 8,
        CODE_SAVE_XMM128_FAR = 9,
        CODE_PUSH_MACHFRAME = 10,
};

static bool read_tail(struct cursor *c, struct unwind_x64 *x64, struct err *err)
{
        if (x64->flags & UNWIND_X64_CHAINED) {
                x64->chain_off = (uint32_t)cursor_pos(c);
                cursor_skip(c, CHAIN_BYTES);
        } else if (x64->flags & (UNWIND_X64_EHANDLER | UNWIND_X64_UHANDLER)) {
                x64->handler = cursor_u32(c);
        }
        return !c->failed ||
               err_set(err, ERR_FORMAT, "unwind information is cut after its %u slots", x64->n_slots);
}

struct xdata_slot {
        uint8_t off, code, operand;
};

static struct xdata_slot read_slot(struct cursor *c)
{
        struct xdata_slot slot = {.off = cursor_u8(c)};
        uint8_t code = cursor_u8(c);

        slot.code = code & 0xf;
        slot.operand = code >> 4;
        return slot;
}

/* Reads the first slot, which applies to all epilogues. */
static void read_epilogue(struct unwind_x64 *x64)
{
        struct cursor c = x64->slots;
        struct xdata_slot slot = read_slot(&c);

        if (c.failed || x64->version < 2 || slot.code != CODE_EPILOG)
                return;
        x64->epilogue_bytes = slot.off;
        x64->has_epilogue_at_end = slot.operand & EPILOG_AT_END;
}

bool unwind_x64_read(const struct cursor *info, struct unwind_x64 *ret_x64, struct err *err)
{
        struct cursor c = *info;
        uint8_t version = cursor_u8(&c), prologue_bytes = cursor_u8(&c), n_slots = cursor_u8(&c);
        uint8_t frame = cursor_u8(&c);
        struct unwind_x64 x64 = {
                .version = version & ((1u << VERSION_BITS) - 1),
                .flags = version >> VERSION_BITS,
                .prologue_bytes = prologue_bytes,
                .n_slots = n_slots,
                .frame_reg = frame & 0xf ? frame & 0xf : UNWIND_NO_REG,
                .frame_off = frame & 0xf ? (frame >> 4) * 16 : 0,
        };

        if (c.failed)
                return err_set(err, ERR_FORMAT, "unwind information is cut in its header");
        if (x64.version != 1 && x64.version != 2)
                return err_set(err, ERR_UNSUPPORTED, "unwind information of version %u is not supported",
                               x64.version);
        x64.slots = cursor_sub(info, cursor_pos(&c), (uint64_t)n_slots * SLOT_BYTES);
        if (!cursor_skip(&c, (n_slots + 1u) / 2 * 2 * SLOT_BYTES))
                return err_set(err, ERR_FORMAT, "unwind information is cut: %u slots", n_slots);
        if (!read_tail(&c, &x64, err))
                return false;
        read_epilogue(&x64);
        *ret_x64 = x64;
        return true;
}

/* --- Operations --- */

static void add_op(struct unwind_ops *ops, enum unwind_op_kind kind, const struct xdata_slot *slot,
                   uint8_t reg, uint32_t amount)
{
        ops->items[ops->n++] = (struct unwind_op){
                .kind = (uint8_t)kind, .reg = reg, .reg2 = UNWIND_NO_REG, .off = slot->off, .amount = amount};
}

/* Slot 0 has the size of all epilogues; each further slot has the position of one, 0 for padding. */
static void add_epilogue(const struct unwind_x64 *x64, unsigned n, const struct xdata_slot *slot,
                         struct unwind_ops *ops)
{
        static const struct xdata_slot no_place = {0};
        uint32_t from_end = slot->off | (uint32_t)slot->operand << 8;

        if (!n)
                from_end = x64->has_epilogue_at_end ? x64->epilogue_bytes : 0;
        add_op(ops, from_end ? UNWIND_OP_EPILOGUE : UNWIND_OP_PAD, &no_place, UNWIND_NO_REG, from_end);
}

static void add_code_6(const struct unwind_x64 *x64, unsigned n, struct cursor *c,
                       const struct xdata_slot *slot, struct unwind_ops *ops)
{
        if (x64->version >= 2) {
                add_epilogue(x64, n, slot, ops);
                return;
        }
        add_op(ops, UNWIND_OP_PAD, slot, UNWIND_NO_REG, 0);
        cursor_skip(c, SLOT_BYTES);
}

static bool add_code(const struct unwind_x64 *x64, struct cursor *c, struct unwind_ops *ops, struct err *err)
{
        unsigned n = (unsigned)(cursor_pos(c) / SLOT_BYTES);
        struct xdata_slot slot = read_slot(c);
        uint8_t reg = slot.operand;

        switch (slot.code) {
        case CODE_PUSH_NONVOL: add_op(ops, UNWIND_OP_PUSH, &slot, reg, 8); break;
        case CODE_ALLOC_LARGE:
                add_op(ops, UNWIND_OP_ALLOC, &slot, UNWIND_NO_REG,
                       slot.operand ? cursor_u32(c) : cursor_u16(c) * 8u);
                break;
        case CODE_ALLOC_SMALL:
                add_op(ops, UNWIND_OP_ALLOC, &slot, UNWIND_NO_REG, slot.operand * 8u + 8);
                break;
        case CODE_SET_FPREG:
                if (x64->frame_reg == UNWIND_NO_REG)
                        return err_set(err, ERR_FORMAT,
                                       "slot %u sets a frame register, and the header names none", n);
                add_op(ops, UNWIND_OP_SET_FP, &slot, x64->frame_reg, x64->frame_off);
                break;
        case CODE_SAVE_NONVOL: add_op(ops, UNWIND_OP_MOVE, &slot, reg, cursor_u16(c) * 8u); break;
        case CODE_SAVE_NONVOL_FAR: add_op(ops, UNWIND_OP_MOVE, &slot, reg, cursor_u32(c)); break;
        case CODE_EPILOG: add_code_6(x64, n, c, &slot, ops); break;
        case CODE_SPARE:
                add_op(ops, UNWIND_OP_PAD, &slot, UNWIND_NO_REG, 0);
                cursor_skip(c, 2 * SLOT_BYTES);
                break;
        case CODE_SAVE_XMM128: add_op(ops, UNWIND_OP_MOVE_XMM, &slot, reg, cursor_u16(c) * 16u); break;
        case CODE_SAVE_XMM128_FAR: add_op(ops, UNWIND_OP_MOVE_XMM, &slot, reg, cursor_u32(c)); break;
        case CODE_PUSH_MACHFRAME:
                add_op(ops, UNWIND_OP_PUSH_MACHINE, &slot, UNWIND_NO_REG, slot.operand ? 8 : 0);
                break;
        default: return err_set(err, ERR_UNSUPPORTED, "unwind code %u in slot %u is not known", slot.code, n);
        }
        return !c->failed || err_set(err, ERR_FORMAT, "unwind code %u in slot %u is cut", slot.code, n);
}

bool unwind_x64_ops(const struct unwind_x64 *x64, struct unwind_ops *ret_ops, struct err *err)
{
        struct cursor c = x64->slots;

        ret_ops->n = 0;
        while (cursor_left(&c)) {
                if (!add_code(x64, &c, ret_ops, err))
                        return false;
        }
        return true;
}
