# Functions for each unwind code of x64; only their unwind information and their sizes matter.
        .text
        .globl  main
        .def main; .scl 2; .type 32; .endef
        .seh_proc main
main:
        pushq   %rbp
        .seh_pushreg %rbp
        pushq   %rbx
        .seh_pushreg %rbx
        subq    $0x58, %rsp
        .seh_stackalloc 0x58
        leaq    0x30(%rsp), %rbp
        .seh_setframe %rbp, 0x30
        movq    %rsi, 0x48(%rsp)
        .seh_savereg %rsi, 0x48
        movaps  %xmm6, 0x20(%rsp)
        .seh_savexmm %xmm6, 0x20
        .seh_endprologue
        xorl    %eax, %eax
        addq    $0x58, %rsp
        popq    %rbx
        popq    %rbp
        retq
        .seh_endproc

        .globl  large
        .def large; .scl 2; .type 32; .endef
        .seh_proc large
large:
        movl    $0x8000, %eax
        subq    %rax, %rsp
        .seh_stackalloc 0x8000
        movq    %r15, 0x7ff0(%rsp)
        .seh_savereg %r15, 0x7ff0
        movaps  %xmm15, 0x7fe0(%rsp)
        .seh_savexmm %xmm15, 0x7fe0
        .seh_endprologue
        addq    $0x8000, %rsp
        retq
        .seh_endproc

        .globl  huge
        .def huge; .scl 2; .type 32; .endef
        .seh_proc huge
huge:
        subq    $0x200000, %rsp
        .seh_stackalloc 0x200000
        movq    %r12, 0x1ffff8(%rsp)
        .seh_savereg %r12, 0x1ffff8
        movaps  %xmm7, 0x1ffff0(%rsp)
        .seh_savexmm %xmm7, 0x1fffe0
        .seh_endprologue
        addq    $0x200000, %rsp
        retq
        .seh_endproc

        .seh_proc interrupt
interrupt:
        .seh_pushframe
        subq    $0x28, %rsp
        .seh_stackalloc 0x28
        .seh_endprologue
        iretq
        .seh_endproc

        .seh_proc fault
fault:
        .seh_pushframe @code
        subq    $0x80, %rsp
        .seh_stackalloc 0x80
        .seh_endprologue
        iretq
        .seh_endproc

        .globl  handler
        .def handler; .scl 2; .type 32; .endef
handler:
        retq

        .seh_proc guarded
guarded:
        subq    $0x28, %rsp
        .seh_stackalloc 0x28
        .seh_endprologue
        .seh_handler handler, @except, @unwind
        .seh_handlerdata
        .long   1, 2
        .text
        addq    $0x28, %rsp
        retq
        .seh_endproc

# By hand: registers saved in parts, each of which goes on in the one before.
wrapped:
        subq    $0x28, %rsp
        nop
wrapped_2:
        movq    %rdi, 0x20(%rsp)
        nop
wrapped_3:
        movq    %r14, 0x18(%rsp)
        nop
wrapped_end:
        .section .xdata,"dr"
        .p2align 2
wrapped_info:
        .byte   0x01, 4, 1, 0, 4, 0x42, 0, 0
wrapped_2_info:
        .byte   0x21, 5, 2, 0, 5, 0x74, 4, 0
        .long   wrapped@IMGREL, wrapped_2@IMGREL, wrapped_info@IMGREL
wrapped_3_info:
        .byte   0x21, 5, 2, 0, 5, 0xe4, 3, 0
        .long   wrapped_2@IMGREL, wrapped_3@IMGREL, wrapped_2_info@IMGREL
        .section .pdata,"dr"
        .long   wrapped@IMGREL, wrapped_2@IMGREL, wrapped_info@IMGREL
        .long   wrapped_2@IMGREL, wrapped_3@IMGREL, wrapped_2_info@IMGREL
        .long   wrapped_3@IMGREL, wrapped_end@IMGREL, wrapped_3_info@IMGREL
        .text

# By hand: version 2 with two epilogues, one of them at the end, and with one elsewhere.
two_ends:
        pushq   %rdi
        popq    %rdi
        retq
        nop
        popq    %rdi
        retq
two_ends_end:
one_end:
        subq    $0x28, %rsp
        addq    $0x28, %rsp
        retq
        ud2
one_end_end:
        .section .xdata,"dr"
        .p2align 2
two_ends_info:
        .byte   0x02, 1, 4, 0
        .byte   2, 0x16, 6, 0x06, 0, 0x06, 1, 0x70
one_end_info:
        .byte   0x02, 4, 3, 0
        .byte   5, 0x06, 7, 0x06, 4, 0x42, 0, 0
        .section .pdata,"dr"
        .long   two_ends@IMGREL, two_ends_end@IMGREL, two_ends_info@IMGREL
        .long   one_end@IMGREL, one_end_end@IMGREL, one_end_info@IMGREL

        .data
        .globl  value
value:
        .quad   main
