// __chkstk: called by functions with more than a page of locals; touches each page of the new part of the stack, so that Windows
// moves its guard page.  x15 has the size in units of 16 bytes; only x16, x17 and the flags change.
        .text
        .globl __chkstk
        .p2align 2
__chkstk:
        sub x16, sp, x15, uxtx #4
        mov x17, sp
1:      sub x17, x17, #1, lsl #12
        ldr wzr, [x17]
        cmp x17, x16
        b.hi 1b
        ret
