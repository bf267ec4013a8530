/* SPDX-License-Identifier: BSD-3-Clause */
/* loops ROUNDS: a program of which each instruction is known, for exact counts; so it has no C library and no start-up
 * code.  It prints how many instructions it executes from the first to the last, `instructions N`, and then goes ROUNDS
 * times (1 or more) through three loops of 4, 6 and 5 instructions, 200,000 times each. */

#define ITERATIONS 200000
#define DIGITS 16

/* What is executed, label by label below. */
#define OF_FOUR (2 + 4 * ITERATIONS)
#define OF_SIX (3 + 6 * ITERATIONS)
#define OF_FIVE (3 + 5 * ITERATIONS)
#define A_ROUND (5 + OF_FOUR + OF_SIX + OF_FIVE)
#define A_CHARACTER 6
#define OUTSIDE (5 + 2 + 2 + 2 + 7 * DIGITS + 5 + 3)

.macro function name
        .globl  \name
        .type   \name, %function
\name:
.endm

.macro end name
        .size   \name, . - \name
.endm

        .text
        .balign 64

/* OF_FOUR: two around the loop. */
function loop_of_four
        ldr     x0, =ITERATIONS
1:      add     x1, x1, x0
        eor     x2, x1, x0
        subs    x0, x0, #1
        b.ne    1b
        ret
end loop_of_four

/* OF_SIX: three around it. */
function loop_of_six
        ldr     x0, =ITERATIONS
        adr     x3, number
1:      and     x4, x0, #8
        ldr     x5, [x3, x4]
        add     x1, x1, x5
        str     x1, [x3, x4]
        subs    x0, x0, #1
        b.ne    1b
        ret
end loop_of_six

/* OF_FIVE: three around it. */
function loop_of_five
        ldr     x0, =ITERATIONS
        fmov    d0, #1.0
1:      fadd    d1, d1, d0
        fmul    d2, d1, d0
        fsub    d3, d2, d0
        subs    x0, x0, #1
        b.ne    1b
        ret
end loop_of_five

function _start
        ldr     x1, [sp, #16]           /* argv[1]; five to the loop */
        cbz     x1, .Lwrong
        mov     x19, xzr                /* the rounds */
        mov     x20, #OUTSIDE           /* the sum */
        mov     x2, #10
.Lcharacter:                              /* A_CHARACTER each, and two at the end */
        ldrb    w0, [x1], #1
        cbz     w0, .Lparsed
        sub     w0, w0, #'0'
        madd    x19, x19, x2, x0
        add     x20, x20, #A_CHARACTER
        b       .Lcharacter
.Lparsed:                                 /* two and two to the loop */
        ldr     x0, =A_ROUND
        madd    x20, x19, x0, x20
        adr     x1, end_of_digits
        mov     x3, #DIGITS
.Ldigit:                                  /* seven each */
        udiv    x0, x20, x2
        msub    x4, x0, x2, x20
        add     w4, w4, #'0'
        strb    w4, [x1, #-1]!
        mov     x20, x0
        subs    x3, x3, #1
        b.ne    .Ldigit
        mov     x0, #1                  /* write: five */
        adr     x1, text
        mov     x2, #end_of_text - text
        mov     x8, #64
        svc     #0
.Lround:                                  /* five, and the loops */
        bl      loop_of_four
        bl      loop_of_six
        bl      loop_of_five
        subs    x19, x19, #1
        b.ne    .Lround
        mov     x0, #0                  /* exit_group: three */
        mov     x8, #94
        svc     #0
.Lwrong:
        mov     x0, #2
        mov     x8, #94
        svc     #0
end _start

        .ltorg

        .data
        .balign 8
number: .xword  1, 2
text:   .ascii  "instructions "
        .zero   DIGITS
end_of_digits:
        .ascii  "\n"
end_of_text:
        .section .note.GNU-stack, "", %progbits
