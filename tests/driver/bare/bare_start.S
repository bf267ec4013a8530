/* SPDX-License-Identifier: BSD-3-Clause */
/* Start at EL1 (or EL2, which is left), a stack, and the vector for interrupts. */
        .section .text.boot, "ax"
        .global _start
_start:
        mrs     x0, CurrentEL
        cmp     x0, #(2 << 2)
        b.ne    1f
        mov     x0, #(1 << 31)          /* HCR_EL2.RW: EL1 is AArch64 */
        msr     hcr_el2, x0
        mrs     x1, pmcr_el0            /* all counters are EL1's: MDCR_EL2 = PMCR_EL0.N */
        ubfx    x1, x1, #11, #5
        msr     mdcr_el2, x1
        mov     x0, #0x3c5              /* EL1h, interrupts masked */
        msr     spsr_el2, x0
        adr     x0, 1f
        msr     elr_el2, x0
        eret
1:      ldr     x0, =stack_end
        mov     sp, x0
        ldr     x0, =vectors
        msr     vbar_el1, x0
        isb
        mov     x29, #0                 /* the outermost frame */
        bl      bare_main
2:      wfi
        b       2b

/* Registers that a call changes, then x29, x30 and where the interrupt came from. */
interrupt:
        sub     sp, sp, #176
        stp     x0, x1, [sp, #0]
        stp     x2, x3, [sp, #16]
        stp     x4, x5, [sp, #32]
        stp     x6, x7, [sp, #48]
        stp     x8, x9, [sp, #64]
        stp     x10, x11, [sp, #80]
        stp     x12, x13, [sp, #96]
        stp     x14, x15, [sp, #112]
        stp     x16, x17, [sp, #128]
        stp     x18, x30, [sp, #144]
        mrs     x0, elr_el1
        mov     x1, x30
        mov     x2, x29
        bl      bare_interrupt
        ldp     x0, x1, [sp, #0]
        ldp     x2, x3, [sp, #16]
        ldp     x4, x5, [sp, #32]
        ldp     x6, x7, [sp, #48]
        ldp     x8, x9, [sp, #64]
        ldp     x10, x11, [sp, #80]
        ldp     x12, x13, [sp, #96]
        ldp     x14, x15, [sp, #112]
        ldp     x16, x17, [sp, #128]
        ldp     x18, x30, [sp, #144]
        add     sp, sp, #176
        eret

exception:
        mrs     x0, esr_el1
        mrs     x1, elr_el1
        bl      bare_exception
        b       exception

        .balign 2048
vectors:
        .rept 5
        .balign 128
        b       exception
        .endr
        .balign 128
        b       interrupt               /* IRQ at EL1 with its own stack pointer */
        .rept 10
        .balign 128
        b       exception
        .endr
