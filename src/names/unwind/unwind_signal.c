/* SPDX-License-Identifier: BSD-3-Clause */
/* Signal return code without call-frame information: AArch64's vdso has none since Linux 5.8, and musl never
 * had. It is recognized by its instructions; the kernel's signal frame is at sp (struct rt_sigframe; uapi
 * asm/sigcontext.h and asm/ucontext.h). */
#include "unwind_internal.h"

enum {
        ARM64_REGS_OFF = 128 /* siginfo */ + 176 /* ucontext up to its mcontext */ + 8 /* fault address */,
        ARM64_N_REGS = 33, /* x0 to x30, sp, pc, in DWARF's order */
        X64_REGS_OFF = 40,
        ARM64_CODE_BYTES = 8,
        X64_CODE_BYTES = 9,
        X64_SHORT_CODE_BYTES = 7,
};

/* DWARF numbers in the order of struct sigcontext: r8 to r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip. */
static const uint8_t x64_order[] = {8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7, 16};

static bool has_code(const struct object *object, uint64_t addr, const char *code, size_t size)
{
        struct cursor c;

        return object_read_addr(object, addr, size, &c) && cursor_left(&c) >= size &&
               !memcmp(c.at, code, size);
}

bool unwind_is_sigreturn(const struct object *object, enum object_machine machine, uint64_t addr)
{
        /* mov x8, #139; svc #0 */
        if (machine == OBJECT_MACHINE_ARM64)
                return has_code(object, addr, "\x68\x11\x80\xd2\x01\0\0\xd4", ARM64_CODE_BYTES);
        /* mov $15, %rax or %eax; syscall */
        return has_code(object, addr, "\x48\xc7\xc0\x0f\0\0\0\x0f\x05", X64_CODE_BYTES) ||
               has_code(object, addr, "\xb8\x0f\0\0\0\x0f\x05", X64_SHORT_CODE_BYTES);
}

bool unwind_step_sigreturn(struct unwind_regs *regs, struct unwind_memory *memory)
{
        bool is_arm64 = regs->machine == OBJECT_MACHINE_ARM64;
        uint64_t at = regs->values[unwind_reg_sp(regs)] + (is_arm64 ? ARM64_REGS_OFF : X64_REGS_OFF);
        size_t n = is_arm64 ? ARM64_N_REGS : sizeof(x64_order);
        struct unwind_regs caller = *regs;

        for (size_t i = 0; i < n; i++, at += 8) {
                unsigned reg = is_arm64 ? (unsigned)i : x64_order[i];

                if (!unwind_read_word(memory, at, &caller.values[reg]))
                        return false;
                caller.known |= 1ull << reg;
        }
        *regs = caller;
        return true;
}
