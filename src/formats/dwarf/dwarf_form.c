/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads values of attributes, by a table of forms.  Values that need a unit's tables (texts, indexed
 * addresses) are stored as indexes and looked up when they are used. */
#include "dwarf_form.h"

#define FIXED(n, class)                                                                                      \
        {                                                                                                    \
                DWARF_LAYOUT_FIXED, n, class, false                                                          \
        }
#define IN_UNIT(kind, n)                                                                                     \
        {                                                                                                    \
                kind, n, DWARF_REFERENCE, true                                                               \
        }
#define LEB(class)                                                                                           \
        {                                                                                                    \
                DWARF_LAYOUT_LEB, 0, class, false                                                            \
        }
#define BLOCK(n)                                                                                             \
        {                                                                                                    \
                DWARF_LAYOUT_BLOCK, n, DWARF_OTHER, false                                                    \
        }

const struct dwarf_layout dwarf_layouts[DWARF_N_LAYOUTS] = {
        [DW_FORM_addr] = FIXED(DWARF_SIZE_ADDRESS, DWARF_ADDRESS),
        [DW_FORM_block2] = BLOCK(2),
        [DW_FORM_block4] = BLOCK(4),
        [DW_FORM_data2] = FIXED(2, DWARF_CONSTANT),
        [DW_FORM_data4] = FIXED(4, DWARF_CONSTANT),
        [DW_FORM_data8] = FIXED(8, DWARF_CONSTANT),
        [DW_FORM_string] = {DWARF_LAYOUT_TEXT, 0, DWARF_TEXT, false},
        [DW_FORM_block] = BLOCK(0),
        [DW_FORM_block1] = BLOCK(1),
        [DW_FORM_data1] = FIXED(1, DWARF_CONSTANT),
        [DW_FORM_flag] = FIXED(1, DWARF_CONSTANT),
        [DW_FORM_sdata] = {DWARF_LAYOUT_SIGNED, 0, DWARF_CONSTANT, false},
        [DW_FORM_strp] = FIXED(DWARF_SIZE_OFFSET, DWARF_STR_OFFSET),
        [DW_FORM_udata] = LEB(DWARF_CONSTANT),
        [DW_FORM_ref_addr] = FIXED(DWARF_SIZE_REF_ADDR, DWARF_REFERENCE),
        [DW_FORM_ref1] = IN_UNIT(DWARF_LAYOUT_FIXED, 1),
        [DW_FORM_ref2] = IN_UNIT(DWARF_LAYOUT_FIXED, 2),
        [DW_FORM_ref4] = IN_UNIT(DWARF_LAYOUT_FIXED, 4),
        [DW_FORM_ref8] = IN_UNIT(DWARF_LAYOUT_FIXED, 8),
        [DW_FORM_ref_udata] = IN_UNIT(DWARF_LAYOUT_LEB, 0),
        [DW_FORM_indirect] = {DWARF_LAYOUT_INDIRECT, 0, DWARF_NONE, false},
        [DW_FORM_sec_offset] = FIXED(DWARF_SIZE_OFFSET, DWARF_OFFSET),
        [DW_FORM_exprloc] = BLOCK(0),
        [DW_FORM_flag_present] = FIXED(0, DWARF_CONSTANT),
        [DW_FORM_strx] = LEB(DWARF_STR_INDEX),
        [DW_FORM_addrx] = LEB(DWARF_ADDRESS_INDEX),
        [DW_FORM_ref_sup4] = FIXED(4, DWARF_ALT_REFERENCE),
        [DW_FORM_strp_sup] = FIXED(DWARF_SIZE_OFFSET, DWARF_ALT_STR_OFFSET),
        [DW_FORM_data16] = FIXED(16, DWARF_OTHER),
        [DW_FORM_line_strp] = FIXED(DWARF_SIZE_OFFSET, DWARF_LINE_STR_OFFSET),
        [DW_FORM_ref_sig8] = FIXED(8, DWARF_OTHER),
        [DW_FORM_implicit_const] = {DWARF_LAYOUT_IMPLIED, 0, DWARF_CONSTANT, false},
        [DW_FORM_loclistx] = LEB(DWARF_OTHER),
        [DW_FORM_rnglistx] = LEB(DWARF_LIST_INDEX),
        [DW_FORM_ref_sup8] = FIXED(8, DWARF_ALT_REFERENCE),
        [DW_FORM_strx1] = FIXED(1, DWARF_STR_INDEX),
        [DW_FORM_strx2] = FIXED(2, DWARF_STR_INDEX),
        [DW_FORM_strx3] = FIXED(3, DWARF_STR_INDEX),
        [DW_FORM_strx4] = FIXED(4, DWARF_STR_INDEX),
        [DW_FORM_addrx1] = FIXED(1, DWARF_ADDRESS_INDEX),
        [DW_FORM_addrx2] = FIXED(2, DWARF_ADDRESS_INDEX),
        [DW_FORM_addrx3] = FIXED(3, DWARF_ADDRESS_INDEX),
        [DW_FORM_addrx4] = FIXED(4, DWARF_ADDRESS_INDEX),
};

static const struct dwarf_layout unknown;
static const struct dwarf_layout gnu_addr_index = LEB(DWARF_ADDRESS_INDEX);
static const struct dwarf_layout gnu_str_index = LEB(DWARF_STR_INDEX);
static const struct dwarf_layout gnu_ref_alt = FIXED(DWARF_SIZE_OFFSET, DWARF_ALT_REFERENCE);
static const struct dwarf_layout gnu_strp_alt = FIXED(DWARF_SIZE_OFFSET, DWARF_ALT_STR_OFFSET);

const struct dwarf_layout *dwarf_layout_find_gnu(uint16_t form)
{
        switch (form) {
        case DW_FORM_GNU_addr_index: return &gnu_addr_index;
        case DW_FORM_GNU_str_index: return &gnu_str_index;
        case DW_FORM_GNU_ref_alt: return &gnu_ref_alt;
        case DW_FORM_GNU_strp_alt: return &gnu_strp_alt;
        default: return &unknown;
        }
}

uint64_t dwarf_read_sized(struct cursor *c, unsigned n_bytes)
{
        uint64_t low;

        switch (n_bytes) {
        case 1: return cursor_u8(c);
        case 2: return cursor_u16(c);
        case 3: low = cursor_u16(c); return low | (uint64_t)cursor_u8(c) << 16;
        case 4: return cursor_u32(c);
        case 8: return cursor_u64(c);
        default: cursor_skip(c, n_bytes); return 0;
        }
}

uint64_t dwarf_read_length(struct cursor *c, uint8_t *ret_offset_bytes)
{
        uint32_t first = cursor_u32(c);

        *ret_offset_bytes = first == UINT32_MAX ? 8 : 4;
        if (first == UINT32_MAX)
                return cursor_u64(c);
        if (first >= 0xfffffff0)
                cursor_fail(c);
        return first;
}

static uint64_t skip_block(struct cursor *c, unsigned length_bytes)
{
        uint64_t size = length_bytes ? dwarf_read_sized(c, length_bytes) : dwarf_uleb(c);

        cursor_skip(c, size);
        return size;
}

/* The form at the end of a chain of DW_FORM_indirect; 0 and c->failed if there is none. */
static uint16_t read_indirect(struct cursor *c)
{
        for (int i = 0; i < DWARF_MAX_INDIRECT; i++) {
                uint64_t form = dwarf_uleb(c);

                /* Its constant would have to be in the abbreviation. */
                if (form > UINT16_MAX || form == DW_FORM_implicit_const)
                        break;
                if (form != DW_FORM_indirect)
                        return (uint16_t)form;
        }
        cursor_fail(c);
        return 0;
}

void dwarf_read_form(struct cursor *c, uint16_t form, int64_t constant, const struct dwarf_shape *shape,
                     uint64_t unit_off, struct dwarf_value *ret_value)
{
        const struct dwarf_layout *layout = dwarf_layout_get(form);
        uint64_t number = 0;

        ret_value->text = NULL;
        if (layout->kind == DWARF_LAYOUT_INDIRECT)
                layout = dwarf_layout_get(form = read_indirect(c));
        switch ((enum dwarf_layout_kind)layout->kind) {
        case DWARF_LAYOUT_FIXED:
                number = form == DW_FORM_flag_present
                                 ? 1
                                 : dwarf_read_sized(c, dwarf_layout_bytes(layout, shape));
                break;
        case DWARF_LAYOUT_LEB: number = dwarf_uleb(c); break;
        case DWARF_LAYOUT_SIGNED: number = (uint64_t)cursor_sleb(c); break;
        case DWARF_LAYOUT_TEXT: ret_value->text = cursor_str(c, NULL); break;
        case DWARF_LAYOUT_BLOCK: number = skip_block(c, layout->n); break;
        case DWARF_LAYOUT_IMPLIED: number = (uint64_t)constant; break;
        case DWARF_LAYOUT_UNKNOWN:
        case DWARF_LAYOUT_INDIRECT: cursor_fail(c); break;
        }
        ret_value->class = layout->class;
        ret_value->number = layout->in_unit ? number + unit_off : number;
}
