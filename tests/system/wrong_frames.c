/* SPDX-License-Identifier: BSD-3-Clause */
/* wrong_frames MODE MS: burns in a function whose call-frame information takes the caller's frame from the
 * frame pointer, while the frame pointer is wrong:
 *
 *   nowhere   the frame pointer holds a stack address, but the return address there is in no mapping
 *   above     the frame pointer is above the end of the stack
 *   below     the frame pointer is below the stack pointer */
#include <stdio.h>
#include <string.h>

#include "burn.h"

enum { LOOPS = 1000000, FAR_BYTES = 4096, UNMAPPED = 0x10 };

/* Counts `loops` down with `fp` in the frame pointer register. */
void adrift(uint64_t fp, uint64_t loops);

#ifdef __x86_64__
__asm__(".text\n"
        ".globl adrift\n"
        ".type adrift, @function\n"
        "adrift:\n"
        ".cfi_startproc\n"
        "push %rbp\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset %rbp, -16\n"
        "mov %rdi, %rbp\n"
        ".cfi_def_cfa %rbp, 16\n"
        "1: dec %rsi\n"
        "jnz 1b\n"
        "pop %rbp\n"
        ".cfi_def_cfa %rsp, 8\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size adrift, . - adrift\n");
#else
__asm__(".text\n"
        ".globl adrift\n"
        ".type adrift, %function\n"
        "adrift:\n"
        ".cfi_startproc\n"
        "stp x29, x30, [sp, #-16]!\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset x29, -16\n"
        ".cfi_offset x30, -8\n"
        "mov x29, x0\n"
        ".cfi_def_cfa x29, 16\n"
        "1: subs x1, x1, #1\n"
        "b.ne 1b\n"
        "ldp x29, x30, [sp], #16\n"
        ".cfi_def_cfa sp, 0\n"
        ".cfi_restore x29\n"
        ".cfi_restore x30\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size adrift, . - adrift\n");
#endif

/* Returns 0 if the end can't be found. */
static uint64_t stack_end(void)
{
        FILE *maps = fopen("/proc/self/maps", "r");
        unsigned long long end, found = 0;
        char line[512];

        while (maps && fgets(line, sizeof(line), maps)) {
                if (strstr(line, "[stack]") && sscanf(line, "%*x-%llx", &end) == 1)
                        found = end;
        }
        if (maps)
                fclose(maps);
        return found;
}

int main(int argc, char **argv)
{
        volatile uint64_t frame[2] = {0, UNMAPPED};
        uint64_t fp = (uint64_t)(uintptr_t)frame, end;

        if (argc != 3)
                return 2;
        if (!strcmp(argv[1], "above"))
                fp = stack_end() + FAR_BYTES;
        else if (!strcmp(argv[1], "below"))
                fp -= FAR_BYTES;
        if (fp == FAR_BYTES)
                return 3;
        end = thread_cpu_ns() + ms_of(argv[2]) * 1000000;
        while (thread_cpu_ns() < end)
                adrift(fp, LOOPS);
        return 0;
}
