// Functions for each unwind code of ARM64; only their unwind information and their sizes matter.
        .text
        .globl  main
        .def main; .scl 2; .type 32; .endef
        .seh_proc main
main:
        stp     x29, x30, [sp, #-256]!
        .seh_save_fplr_x 256
        stp     d8, d9, [sp, #224]
        .seh_save_fregp d8, 224
        stp     x19, x20, [sp, #240]
        .seh_save_regp x19, 240
        mov     x29, sp
        .seh_set_fp
        .seh_endprologue
        nop
        .seh_startepilogue
        mov     sp, x29
        .seh_set_fp
        ldp     x19, x20, [sp, #240]
        .seh_save_regp x19, 240
        ldp     d8, d9, [sp, #224]
        .seh_save_fregp d8, 224
        ldp     x29, x30, [sp], #256
        .seh_save_fplr_x 256
        .seh_endepilogue
        ret
        .seh_endproc

        .globl  handler
        .def handler; .scl 2; .type 32; .endef
handler:
        ret

// Of each code at least one, with a handler and two epilogues that differ.
        .globl  each
        .def each; .scl 2; .type 32; .endef
        .seh_proc each
        .seh_handler handler, @except, @unwind
each:
        .rept 28
        nop
        .endr
        .seh_save_r19r20_x 208
        .seh_save_next
        .seh_save_next
        .seh_save_next
        .seh_save_next
        .seh_save_next
        .seh_save_next
        .seh_stackalloc 16
        .seh_save_fplr 504
        .seh_save_reg x28, 504
        .seh_save_reg_x x19, 256
        .seh_save_regp x27, 0
        .seh_save_regp_x x21, 512
        .seh_save_lrpair x23, 32
        .seh_save_freg d15, 504
        .seh_save_freg_x d8, 256
        .seh_save_fregp d14, 16
        .seh_save_fregp_x d10, 512
        .seh_save_next
        .seh_stackalloc 8192
        .seh_stackalloc 1048576
        .seh_add_fp 2040
        .seh_set_fp
        .seh_nop
        .seh_trap_frame
        .seh_pushframe
        .seh_context
        .seh_clear_unwound_to_call
        .seh_endprologue
        nop
        .seh_startepilogue
        .rept 3
        nop
        .endr
        .seh_save_fplr_x 16
        .seh_add_fp 16
        .seh_stackalloc 32
        .seh_endepilogue
        ret
        nop
        .seh_startepilogue
        .rept 2
        nop
        .endr
        .seh_save_regp x19, 0
        .seh_stackalloc 512
        .seh_endepilogue
        ret
        .seh_handlerdata
        .long   1
        .text
        .seh_endproc

// By hand.
        .macro  function name
\name:  .rept 16
        nop
        .endr
        .endm
        .macro  entry name, info
        .section .pdata,"dr"
        .rva    \name
        .rva    \info
        .text
        .endm

// The only epilogue at the end: with its own codes at index 2, and sharing the prologue's.
        function own_end
        entry   own_end, own_end_info
        function shared_end
        entry   shared_end, shared_end_info
// A part of a function: what stands behind end_c is the prologue of another part.
        function part
        entry   part, part_info
// More than 31 words of codes and more than 31 epilogues: a second word of header.
        function extended
        entry   extended, extended_info
        .section .xdata,"dr"
        .p2align 2
own_end_info:
        .long   16 | 1 << 21 | 2 << 22 | 2 << 27
        .byte   0xe1, 0x81, 0x01, 0xe4, 0xe4, 0xe3, 0xe3, 0xe3
shared_end_info:
        .long   16 | 1 << 20 | 1 << 21 | 0 << 22 | 1 << 27
        .byte   0xe1, 0x81, 0xe4, 0xe3
        .rva    handler
        .long   5
part_info:
        .long   16 | 1 << 22 | 2 << 27
        .long   4 | 1 << 22
        .byte   0xe5, 0xe1, 0xc8, 0x1e, 0x9f, 0xe4, 0xe3, 0xe3
extended_info:
        .long   16
        .long   33 | 32 << 16
        .rept   33
        .long   8 | 126 << 22
        .endr
        .rept   125
        .byte   0xe3
        .endr
        .byte   0xe4, 0x02, 0xe4
        .text

// Codes that the assembler of LLVM 14 does not know: signed lr, any register, an emulated context.
        function newer
        entry   newer, newer_info
        .section .xdata,"dr"
        .p2align 2
newer_info:
        .long   16 | 11 << 27
        .byte   0xe7, 0x40, 0x3f         // stp x0, x1, [sp, #1008]
        .byte   0xe7, 0x1e, 0x3f         // str x30, [sp, #504]
        .byte   0xe7, 0x67, 0x00         // stp x7, x8, [sp, #-16]!
        .byte   0xe7, 0x23, 0x01         // str x3, [sp, #-32]!
        .byte   0xe7, 0x1f, 0x41         // str d31, [sp, #8]
        .byte   0xe7, 0x70, 0x42         // stp d16, d17, [sp, #-48]!
        .byte   0xe7, 0x1f, 0x83         // str q31, [sp, #48]
        .byte   0xe7, 0x46, 0xbf         // stp q6, q7, [sp, #1008]
        .byte   0xe7, 0x6a, 0x84         // stp q10, q11, [sp, #-80]!
        .byte   0xeb, 0xfc, 0xe4
        .fill   44 - 30, 1, 0xe3
        .text

// The packed form.  Words are built from length / 4, RegF, RegI, H, CR and the size of the frame / 16, which is what
// the registers need and one of four sizes.
        .set    n_packed, 0
        .section .packed,"b"
packed: .zero   16384
        .section .pdata,"dr"
        .macro  word flag, regf, regi, h, cr, more
        .set    need, \regi * 8
        .if \cr == 1
        .set    need, need + 8
        .endif
        .if \regf
        .set    need, need + \regf * 8 + 8
        .endif
        .set    need, (need + \h * 64 + 15) / 16
        .if \cr >= 2
        .set    need, need + 1
        .endif
        .if need + \more
        .long   packed@IMGREL + n_packed
        .long   \flag | 16 << 2 | \regf << 13 | \regi << 16 | \h << 20 | \cr << 21 | (need + \more) << 23
        .set    n_packed, n_packed + 64
        .endif
        .endm
        .irp    regi, 0, 1, 2, 3, 10
        .irp    regf, 0, 1, 2, 7
        word    1, \regf, \regi, 0, 0, 0
        word    1, \regf, \regi, 0, 1, 1
        word    1, \regf, \regi, 0, 2, 32
        word    1, \regf, \regi, 0, 3, 31
        word    1, \regf, \regi, 1, 0, 255
        word    1, \regf, \regi, 1, 1, 256
        word    1, \regf, \regi, 1, 2, 260
        word    1, \regf, \regi, 1, 3, 0
        .endr
        .endr
        word    2, 0, 3, 0, 3, 4
        word    2, 1, 2, 0, 0, 0
