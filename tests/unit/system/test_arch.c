/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "arch.h"
#include "arm_cpu.h"
#include "attributes.h"
#include "syscall_names.h"
#include "tap.h"

TEST(arch_by_name)
{
        EXPECT_CMP(arch_from_machine("x86_64"), ==, &arch_x86_64);
        EXPECT_CMP(arch_from_machine("AMD64"), ==, &arch_x86_64);
        EXPECT_CMP(arch_from_machine("aarch64"), ==, &arch_arm64);
        EXPECT_CMP(arch_from_machine("ARM64"), ==, &arch_arm64);
        EXPECT_CMP(arch_from_machine("riscv64"), ==, NULL);
        EXPECT_CMP(arch_from_machine(""), ==, NULL);
}

static void expect_call(enum arch_id arch, int32_t number, const char *wanted)
{
        size_t len;
        const char *name = syscall_name_find(arch, number, &len);

        if (!wanted) {
                EXPECT_CMP(name, ==, NULL);
                return;
        }
        ASSERT_TRUE(name && len == strlen(wanted));
        EXPECT_TRUE(!memcmp(name, wanted, len));
        EXPECT_INT(syscall_name_number(arch, wanted), number);
}

TEST(system_calls)
{
        expect_call(ARCH_X86_64, 0, "read");
        expect_call(ARCH_X86_64, 202, "futex");
        expect_call(ARCH_X86_64, 334, "rseq");
        expect_call(ARCH_X86_64, 400, NULL);
        expect_call(ARCH_X86_64, 450, "set_mempolicy_home_node");
        expect_call(ARCH_X86_64, 100000, NULL);
        expect_call(ARCH_X86_64, -1, NULL);
        expect_call(ARCH_ARM64, 63, "read");
        expect_call(ARCH_ARM64, 98, "futex");
        expect_call(ARCH_ARM64, 222, "mmap");
        expect_call(ARCH_ARM64, 450, "set_mempolicy_home_node");
        expect_call(0, 0, NULL);
        EXPECT_INT(syscall_name_number(ARCH_X86_64, "-"), -1);
        EXPECT_INT(syscall_name_number(ARCH_X86_64, "rea"), -1);
        EXPECT_INT(syscall_name_number(ARCH_X86_64, ""), -1);
}

TEST(x86_64_registers)
{
        const struct arch *arch = &arch_x86_64;

        EXPECT_INT(arch->n_regs, 24);
        EXPECT_INT(arch->regs_user_mask, 0xff0fff);
        EXPECT_STR(arch_reg_name(arch, 0), "AX");
        EXPECT_STR(arch_reg_name(arch, arch->reg_ip), "IP");
        EXPECT_STR(arch_reg_name(arch, arch->reg_sp), "SP");
        EXPECT_STR(arch_reg_name(arch, arch->reg_fp), "BP");
        EXPECT_STR(arch_reg_name(arch, 23), "R15");
        EXPECT_CMP(arch_reg_name(arch, 24), ==, NULL);
        EXPECT_INT(arch->reg_lr, ARCH_REG_NONE);
        EXPECT_STR(arch_reg_name(arch, arch_reg_from_dwarf(arch, 1)), "DX");
        EXPECT_STR(arch_reg_name(arch, arch_reg_from_dwarf(arch, 3)), "BX");
        EXPECT_STR(arch_reg_name(arch, arch_reg_from_dwarf(arch, 7)), "SP");
        EXPECT_STR(arch_reg_name(arch, arch_reg_from_dwarf(arch, 12)), "R12");
        EXPECT_INT(arch_reg_from_dwarf(arch, arch->dwarf_return), arch->reg_ip);
        EXPECT_INT(arch_reg_from_dwarf(arch, 17), ARCH_REG_NONE);
        EXPECT_INT(arch_reg_from_dwarf(arch, UINT64_MAX), ARCH_REG_NONE);
}

TEST(arm64_registers)
{
        const struct arch *arch = &arch_arm64;

        EXPECT_INT(arch->n_regs, 33);
        EXPECT_INT(arch->regs_user_mask, 0x1ffffffff);
        EXPECT_STR(arch_reg_name(arch, arch->reg_ip), "PC");
        EXPECT_STR(arch_reg_name(arch, arch->reg_sp), "SP");
        EXPECT_STR(arch_reg_name(arch, arch->reg_fp), "X29");
        EXPECT_STR(arch_reg_name(arch, arch->reg_lr), "LR");
        EXPECT_STR(arch_reg_name(arch, 28), "X28");
        EXPECT_INT(arch_reg_from_dwarf(arch, arch->dwarf_return), arch->reg_lr);
        EXPECT_INT(arch_reg_from_dwarf(arch, 31), arch->reg_sp);
        EXPECT_INT(arch_reg_from_dwarf(arch, 64), ARCH_REG_NONE);
        EXPECT_INT(0x0035aaaaaaaa1234 & arch->code_mask, 0xaaaaaaaa1234);
}

TEST(every_register_has_a_name)
{
        const struct arch *archs[] = {&arch_x86_64, &arch_arm64};

        for (size_t i = 0; i < N_ELEMENTS(archs); i++) {
                EXPECT_CMP(archs[i]->n_regs, <=, ARCH_REGS_MAX);
                for (unsigned reg = 0; reg < archs[i]->n_regs; reg++)
                        EXPECT_CMP(archs[i]->reg_names[reg], !=, NULL);
                for (size_t d = 0; d < archs[i]->n_dwarf_regs; d++)
                        EXPECT_TRUE(archs[i]->regs_user_mask >> archs[i]->dwarf_regs[d] & 1);
        }
}

TEST(arm_cpu_names)
{
        static const struct {
                uint64_t midr;
                const char *vendor, *product;
        } cases[] = {
                {0x413fd0c1, "Arm Limited", "Neoverse N1"},    {0x410fd490, "Arm Limited", "Neoverse N2"},
                {0x411fd401, "Arm Limited", "Neoverse V1"},    {0x410fd4f0, "Arm Limited", "Neoverse V2"},
                {0x410fd840, "Arm Limited", "Neoverse V3"},    {0x410fd8e0, "Arm Limited", "Neoverse N3"},
                {0x410fd034, "Arm Limited", "Cortex-A53"},     {0x410fd083, "Arm Limited", "Cortex-A72"},
                {0x410fd090, "Arm Limited", "Cortex-A73"},     {0x414fd0b1, "Arm Limited", "Cortex-A76"},
                {0x6d0fd490, "Microsoft", "Azure Cobalt 100"},
        };
        struct arm_cpu cpu = arm_cpu_from_midr(0x413fd0c1);

        EXPECT_INT(cpu.implementer, 0x41);
        EXPECT_INT(cpu.variant, 3);
        EXPECT_INT(cpu.architecture, 0xf);
        EXPECT_INT(cpu.part, 0xd0c);
        EXPECT_INT(cpu.revision, 1);
        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                cpu = arm_cpu_from_midr(cases[i].midr);
                EXPECT_STR(cpu.vendor, cases[i].vendor);
                EXPECT_STR(cpu.product, cases[i].product);
        }
        cpu = arm_cpu_from_midr(0x510fffff);
        EXPECT_STR(cpu.vendor, "Qualcomm");
        EXPECT_CMP(cpu.product, ==, NULL);
        cpu = arm_cpu_from_midr(0);
        EXPECT_CMP(cpu.vendor, ==, NULL);
}

TAP_MAIN
