/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds descriptions by name, and registers by number. */
#include "arch.h"

#include "attributes.h"
#include "text_match.h"

const struct arch *arch_from_machine(const char *machine)
{
        static const struct {
                const char *name;
                const struct arch *arch;
        } names[] = {
                {"x86_64", &arch_x86_64}, {"x86-64", &arch_x86_64}, {"amd64", &arch_x86_64},
                {"aarch64", &arch_arm64}, {"arm64", &arch_arm64},
        };

        for (size_t i = 0; i < N_ELEMENTS(names); i++) {
                if (text_equal_nocase(machine, names[i].name))
                        return names[i].arch;
        }
        return NULL;
}

const char *arch_reg_name(const struct arch *arch, unsigned reg)
{
        return reg < arch->n_regs ? arch->reg_names[reg] : NULL;
}

unsigned arch_reg_from_dwarf(const struct arch *arch, uint64_t dwarf_reg)
{
        return dwarf_reg < arch->n_dwarf_regs ? arch->dwarf_regs[dwarf_reg] : (unsigned)ARCH_REG_NONE;
}
