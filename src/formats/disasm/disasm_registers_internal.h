/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files that take registers out of instructions. */
#ifndef DISASM_REGISTERS_INTERNAL_H
#define DISASM_REGISTERS_INTERNAL_H

#include "disasm_registers.h"

enum disasm_name_class { DISASM_NAME_GENERAL, DISASM_NAME_VECTOR, DISASM_NAME_SLOT };

void disasm_registers_add_form(struct disasm_registers *r, uint8_t byte);
void disasm_registers_add_name(struct disasm_registers *r, enum disasm_name_class class, uint32_t number);

bool disasm_registers_x86_64(const uint8_t *code, const struct disasm_shape *shape,
                             struct disasm_registers *ret);
bool disasm_registers_arm64(const struct disasm_shape *shape, struct disasm_registers *ret);

#endif
