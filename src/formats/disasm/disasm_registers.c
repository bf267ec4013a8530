/* SPDX-License-Identifier: BSD-3-Clause */
#include "disasm_registers.h"

#include <assert.h>

#include "disasm_registers_internal.h"

void disasm_registers_add_form(struct disasm_registers *r, uint8_t byte)
{
        assert(r->n_form < DISASM_MAX_FORM_BYTES);
        r->form[r->n_form++] = byte;
}

void disasm_registers_add_name(struct disasm_registers *r, enum disasm_name_class class, uint32_t number)
{
        assert(r->n_names < DISASM_MAX_NAMES);
        r->names[r->n_names++] = (uint64_t) class << 32 | number;
}

bool disasm_registers_get(enum disasm_arch arch, const uint8_t *code, const struct disasm_shape *shape,
                          struct disasm_registers *ret)
{
        *ret = (struct disasm_registers){.slot_ref = -1};
        return arch == DISASM_X86_64 ? disasm_registers_x86_64(code, shape, ret)
                                     : disasm_registers_arm64(shape, ret);
}
