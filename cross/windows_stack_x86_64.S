// ___chkstk_ms: called by functions with more than a page of locals; touches each page of the new part of the stack, so that Windows
// moves its guard page.  rax has the size in bytes; all registers are kept.
        .text
        .globl ___chkstk_ms
        .p2align 4
        .seh_proc ___chkstk_ms
___chkstk_ms:
        pushq %rcx
        .seh_pushreg %rcx
        pushq %rax
        .seh_pushreg %rax
        .seh_endprologue
        leaq 24(%rsp), %rcx
1:      cmpq $4096, %rax
        jb 2f
        subq $4096, %rcx
        orq $0, (%rcx)
        subq $4096, %rax
        jmp 1b
2:      subq %rax, %rcx
        orq $0, (%rcx)
        popq %rax
        popq %rcx
        ret
        .seh_endproc
