/* SPDX-License-Identifier: BSD-3-Clause */
/* Known machine code without call-frame information: entries of a procedure linkage table (PLT), the
 * trampoline that CPython puts around each function for profilers, the system call that starts a thread or
 * process, and the initialization of a module. For each instruction, a shape says where the return address
 * is.
 *
 * Sources: System V ABI, AMD64 supplement, 5.2 and 13.2; Arm's sysvabi64; CPython's
 * Python/asm_trampoline.S; glibc's sysdeps/unix/sysv/linux/x86_64/clone.S, clone3.S, crti.S and crtn.S;
 * gcc's libgcc/crtstuff.c. */
#include <string.h>

#include "attributes.h"
#include "unwind_internal.h"

enum {
        MAX_BEFORE = 24, /* largest distance from the start of a shape to pc */
        MAX_AFTER = 28,
        MAX_ROWS = 7,
        WORD_BYTES = 8,
        NONE = 0xff,
        IN_LINK = 0xfe, /* AArch64: the return address is in x30 */
};

/* From PLT on: in linked files only, so they are not used in memory without a file. */
enum { PYTHON, CLONE, PLT, CRT };

/* The state before the instruction at offset `at`. */
struct stub_row {
        uint8_t at;
        uint8_t frame_bytes; /* the caller's sp - sp */
        uint8_t return_at;   /* offset of the return address from sp, or IN_LINK */
        uint8_t fp_at;       /* offset of the caller's frame pointer from sp; NONE if it is unchanged */
        bool is_behind_call;
        bool is_behind_clone; /* also executed by the new thread, which has no caller */
};

/* The bytes of a stub. Bits that are set in `any` may differ. */
struct shape {
        enum object_machine machine;
        uint8_t kind;
        uint8_t size, n_rows;
        const char *code, *any;
        struct stub_row rows[MAX_ROWS];
};

#define ROW(at, bytes)                                                                                       \
        {                                                                                                    \
                at, bytes, (bytes)-WORD_BYTES, NONE, false, false                                            \
        }
#define FP_ROW(at, bytes)                                                                                    \
        {                                                                                                    \
                at, bytes, (bytes)-WORD_BYTES, 0, false, false                                               \
        }
#define BEHIND_CALL(at, bytes)                                                                               \
        {                                                                                                    \
                at, bytes, (bytes)-WORD_BYTES, NONE, true, false                                             \
        }
#define FP_BEHIND_CALL(at, bytes)                                                                            \
        {                                                                                                    \
                at, bytes, (bytes)-WORD_BYTES, 0, true, false                                                \
        }
#define LEAF(at)                                                                                             \
        {                                                                                                    \
                at, 0, IN_LINK, NONE, false, false                                                           \
        }
#define BEHIND_CLONE(at)                                                                                     \
        {                                                                                                    \
                at, WORD_BYTES, 0, NONE, false, true                                                         \
        }
#define IMM "\xff\xff\xff\xff"

#define X64(kind, text, any, n, ...)                                                                         \
        {                                                                                                    \
                OBJECT_MACHINE_X86_64, kind, sizeof(text) - 1, n, text, any,                                 \
                {                                                                                            \
                        __VA_ARGS__                                                                          \
                }                                                                                            \
        }
#define ARM64(kind, text, any, n, ...)                                                                       \
        {                                                                                                    \
                OBJECT_MACHINE_ARM64, kind, sizeof(text) - 1, n, text, any,                                  \
                {                                                                                            \
                        __VA_ARGS__                                                                          \
                }                                                                                            \
        }

/* A PLT entry on AArch64: adrp x16, page; ldr x17, [x16, #off]; add x16, x16, #off; br x17. */
#define ARM64_JUMP     "\x10\0\0\x90\x11\x02\x40\xf9\x10\x02\0\x91\x20\x02\x1f\xd6"
#define ARM64_JUMP_ANY "\xe0\xff\xff\x60\0\xfc\x3f\0\0\xfc\x7f\0\0\0\0\0"

static const struct shape shapes[] = {
        /* sub $8, %rsp; call *%rcx; add $8, %rsp; ret (CPython 3.12 to 3.14) */
        X64(PYTHON, "\x48\x83\xec\x08\xff\xd1\x48\x83\xc4\x08\xc3", "\0\0\0\0\0\0\0\0\0\0", 4, ROW(0, 8),
            ROW(4, 16), BEHIND_CALL(6, 16), ROW(10, 8)),
        /* push %rbp; mov %rsp, %rbp; call *%rcx; pop %rbp; ret (CPython 3.15) */
        X64(PYTHON, "\x55\x48\x89\xe5\xff\xd1\x5d\xc3", "\0\0\0\0\0\0\0", 5, ROW(0, 8), FP_ROW(1, 16),
            FP_ROW(4, 16), FP_BEHIND_CALL(6, 16), ROW(7, 8)),
        /* endbr64 before these */
        X64(PYTHON, "\xf3\x0f\x1e\xfa\x48\x83\xec\x08\xff\xd1", "\0\0\0\0\0\0\0\0\0", 1, ROW(0, 8)),
        X64(PYTHON, "\xf3\x0f\x1e\xfa\x55\x48\x89\xe5\xff\xd1", "\0\0\0\0\0\0\0\0\0", 1, ROW(0, 8)),
        /* The PLT's header: push; jmp. The entry has pushed a number below the return address. */
        X64(PLT, "\xff\x35\0\0\0\0\xff\x25\0\0\0\0", "\0\0" IMM "\0\0" IMM, 2, ROW(0, 16), ROW(6, 24)),
        X64(PLT, "\xff\x35\0\0\0\0\xf2\xff\x25\0\0\0\0", "\0\0" IMM "\0\0\0" IMM, 2, ROW(0, 16), ROW(6, 24)),
        /* jmp *slot; push number; jmp header */
        X64(PLT, "\xff\x25\0\0\0\0\x68\0\0\0\0\xe9\0\0\0\0", "\0\0" IMM "\0" IMM "\0" IMM, 3, ROW(0, 8),
            ROW(6, 8), ROW(11, 16)),
        /* endbr64; push number; jmp header */
        X64(PLT, "\xf3\x0f\x1e\xfa\x68\0\0\0\0\xe9\0\0\0\0", "\0\0\0\0\0" IMM "\0" IMM, 3, ROW(0, 8),
            ROW(4, 8), ROW(9, 16)),
        X64(PLT, "\xf3\x0f\x1e\xfa\x68\0\0\0\0\xf2\xe9\0\0\0\0", "\0\0\0\0\0" IMM "\0\0" IMM, 3, ROW(0, 8),
            ROW(4, 8), ROW(9, 16)),
        /* endbr64; jmp *slot */
        X64(PLT, "\xf3\x0f\x1e\xfa\xff\x25\0\0\0\0", "\0\0\0\0\0\0" IMM, 1, ROW(0, 8)),
        X64(PLT, "\xf3\x0f\x1e\xfa\xf2\xff\x25\0\0\0\0", "\0\0\0\0\0\0\0" IMM, 1, ROW(0, 8)),
        /* only jmp *slot */
        X64(PLT, "\xff\x25\0\0\0\0", "\0\0" IMM, 1, ROW(0, 8)),
        X64(PLT, "\xf2\xff\x25\0\0\0\0", "\0\0\0" IMM, 1, ROW(0, 8)),

        /* syscall; test %rax, %rax; jl error; je thread; ret */
        X64(CLONE, "\x0f\x05\x48\x85\xc0\x7c\0\x74\0\xc3", "\0\0\0\0\0\0\xff\0\xff\0", 5, ROW(0, 8),
            BEHIND_CLONE(2), BEHIND_CLONE(5), BEHIND_CLONE(7), BEHIND_CLONE(9)),
        /* _init: sub $8, %rsp; mov __gmon_start__, %rax; test %rax, %rax; je; call *%rax; add $8, %rsp;
         * ret */
        X64(CRT, "\x48\x83\xec\x08\x48\x8b\x05\0\0\0\0\x48\x85\xc0\x74\x02\xff\xd0\x48\x83\xc4\x08\xc3",
            "\0\0\0\0\0\0\0" IMM "\0\0\0\0\0\0\0\0\0\0\0\0", 7, ROW(0, 8), ROW(4, 16), ROW(11, 16),
            ROW(14, 16), ROW(16, 16), BEHIND_CALL(18, 16), ROW(22, 8)),
        X64(CRT, "\xf3\x0f\x1e\xfa\x48\x83\xec\x08\x48\x8b\x05\0\0\0\0\x48\x85\xc0\x74\x02\xff\xd0",
            "\0\0\0\0\0\0\0\0\0\0\0" IMM "\0\0\0\0\0\0\0", 1, ROW(0, 8)),
        /* _fini: sub $8, %rsp; add $8, %rsp; ret */
        X64(CRT, "\x48\x83\xec\x08\x48\x83\xc4\x08\xc3", "\0\0\0\0\0\0\0\0\0", 3, ROW(0, 8), ROW(4, 16),
            ROW(8, 8)),
        X64(CRT, "\xf3\x0f\x1e\xfa\x48\x83\xec\x08\x48\x83\xc4\x08\xc3", "\0\0\0\0\0\0\0\0\0\0\0\0\0", 1,
            ROW(0, 8)),
        /* __do_global_dtors_aux: endbr64; cmpb $0, done; jne; push %rbp */
        X64(CRT, "\xf3\x0f\x1e\xfa\x80\x3d\0\0\0\0\0\x75\0\x55", "\0\0\0\0\0\0" IMM "\0\0\xff\0", 4,
            ROW(0, 8), ROW(4, 8), ROW(11, 8), ROW(13, 8)),

        /* stp x29, x30, [sp, #-16]!; mov x29, sp; blr x3; ldp x29, x30, [sp], #16; ret (CPython) */
        ARM64(PYTHON, "\xfd\x7b\xbf\xa9\xfd\x03\0\x91\x60\0\x3f\xd6\xfd\x7b\xc1\xa8\xc0\x03\x5f\xd6",
              "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 5, LEAF(0), FP_ROW(4, 16), FP_ROW(8, 16),
              FP_BEHIND_CALL(12, 16), LEAF(16)),
        /* The same between paciasp and autiasp. */
        ARM64(PYTHON,
              "\x3f\x23\x03\xd5\xfd\x7b\xbf\xa9\xfd\x03\0\x91\x60\0\x3f\xd6\xfd\x7b\xc1\xa8\xbf\x23\x03\xd5\xc0\x03"
              "\x5f\xd6",
              "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 7, LEAF(0), LEAF(4), FP_ROW(8, 16),
              FP_ROW(12, 16), FP_BEHIND_CALL(16, 16), LEAF(20), LEAF(24)),
        /* The PLT's header: stp x16, x30, [sp, #-16]!, then like its entries. */
        ARM64(PLT, "\xf0\x7b\xbf\xa9" ARM64_JUMP, "\0\0\0\0" ARM64_JUMP_ANY, 5, LEAF(0), ROW(4, 16),
              ROW(8, 16), ROW(12, 16), ROW(16, 16)),
        /* bti c; stp x16, x30, [sp, #-16]! */
        ARM64(PLT, "\x5f\x24\x03\xd5\xf0\x7b\xbf\xa9", "\0\0\0\0\0\0\0", 1, LEAF(0)),
        ARM64(PLT, ARM64_JUMP, ARM64_JUMP_ANY, 4, LEAF(0), LEAF(4), LEAF(8), LEAF(12)),
        /* bti c before it */
        ARM64(PLT, "\x5f\x24\x03\xd5" ARM64_JUMP, "\0\0\0\0" ARM64_JUMP_ANY, 1, LEAF(0)),
        /* with autia1716 before br */
        ARM64(PLT, "\x10\0\0\x90\x11\x02\x40\xf9\x10\x02\0\x91\x9f\x21\x03\xd5\x20\x02\x1f\xd6",
              "\xe0\xff\xff\x60\0\xfc\x3f\0\0\xfc\x7f\0\0\0\0\0\0\0\0", 5, LEAF(0), LEAF(4), LEAF(8),
              LEAF(12), LEAF(16)),
};

/* The bytes around pc, `n_before` of them before it. */
struct window {
        uint8_t bytes[MAX_BEFORE + MAX_AFTER];
        size_t n_before, size;
};

static bool read_code(const struct unwind_modules *modules, const struct unwind_module *module, uint64_t addr,
                      uint8_t *ret, size_t size)
{
        struct cursor c;

        if (!module->object)
                return modules->read_code && modules->read_code(modules->ctx, addr, ret, size);
        if (object_get_facts(module->object)->format != OBJECT_ELF ||
            !object_read_addr(module->object, addr - module->bias, size, &c) || cursor_left(&c) < size)
                return false;
        memcpy(ret, c.at, size);
        return true;
}

/* Bytes at the end of a mapping may not be in the file. */
static bool read_window(const struct unwind_modules *modules, const struct unwind_module *module, uint64_t pc,
                        struct window *ret)
{
        uint64_t before = pc - module->start, after = module->end - pc;
        size_t n_after = (size_t)(after < MAX_AFTER ? after : MAX_AFTER);

        ret->n_before = (size_t)(before < MAX_BEFORE ? before : MAX_BEFORE);
        while (ret->n_before && !read_code(modules, module, pc - ret->n_before, ret->bytes, ret->n_before))
                ret->n_before--;
        while (n_after && !read_code(modules, module, pc, ret->bytes + ret->n_before, n_after))
                n_after--;
        ret->size = ret->n_before + n_after;
        return n_after;
}

static bool fits(const struct shape *shape, const struct stub_row *row, const struct window *window)
{
        const uint8_t *at = window->bytes + window->n_before - row->at;

        if (row->at > window->n_before || window->size - (window->n_before - row->at) < shape->size)
                return false;
        for (size_t i = 0; i < shape->size; i++) {
                if ((at[i] ^ (uint8_t)shape->code[i]) & ~(uint8_t)shape->any[i])
                        return false;
        }
        return true;
}

static const struct stub_row *find_row(enum object_machine machine, const struct window *window,
                                       bool is_exact, bool has_file)
{
        for (size_t i = 0; i < N_ELEMENTS(shapes); i++) {
                for (size_t k = 0; k < shapes[i].n_rows && shapes[i].machine == machine; k++) {
                        const struct stub_row *row = &shapes[i].rows[k];

                        if ((is_exact || row->is_behind_call) && (has_file || shapes[i].kind < PLT) &&
                            fits(&shapes[i], row, window))
                                return row;
                }
        }
        return NULL;
}

static enum unwind_stub apply(const struct stub_row *row, struct unwind_regs *regs,
                              struct unwind_memory *memory)
{
        unsigned sp_reg = unwind_reg_sp(regs), pc_reg = unwind_reg_pc(regs), fp_reg = unwind_reg_fp(regs);
        uint64_t sp = regs->values[sp_reg], pc = 0, fp = 0;

        if (row->return_at == IN_LINK && !unwind_has_reg(regs, UNWIND_ARM64_X30))
                return UNWIND_STUB_NONE;
        if (row->is_behind_clone && !unwind_has_reg(regs, UNWIND_X64_RAX))
                return UNWIND_STUB_NONE;
        if (row->is_behind_clone && !regs->values[UNWIND_X64_RAX])
                return UNWIND_STUB_START;
        if (row->return_at == IN_LINK)
                pc = regs->values[UNWIND_ARM64_X30];
        else if (!unwind_read_word(memory, sp + row->return_at, &pc))
                return UNWIND_STUB_UNREAD;
        if (row->fp_at != NONE && !unwind_read_word(memory, sp + row->fp_at, &fp))
                return UNWIND_STUB_UNREAD;
        if (row->fp_at != NONE)
                unwind_set_reg(regs, fp_reg, fp);
        unwind_set_reg(regs, sp_reg, sp + row->frame_bytes);
        unwind_set_reg(regs, pc_reg, pc);
        return UNWIND_STUB_DONE;
}

/* After its call, every form of the trampoline has the return address at the same offset; in the form with a
 * frame pointer, that equals sp. A name is not proof: a call must precede the return address. */
static enum unwind_stub step_named(const struct unwind_modules *modules, struct unwind_regs *regs,
                                   struct unwind_memory *memory)
{
        static const struct stub_row plain = BEHIND_CALL(0, 16), with_fp = FP_BEHIND_CALL(0, 16);
        unsigned fp_reg = unwind_reg_fp(regs), sp_reg = unwind_reg_sp(regs);
        bool has_fp = unwind_has_reg(regs, fp_reg) && regs->values[fp_reg] == regs->values[sp_reg];
        struct unwind_regs caller = *regs;
        struct unwind_module module;
        enum unwind_stub how;
        uint64_t pc;

        /* On AArch64 the frame pointer steps it. */
        if (regs->machine != OBJECT_MACHINE_X86_64)
                return UNWIND_STUB_NONE;
        how = apply(has_fp ? &with_fp : &plain, &caller, memory);
        pc = caller.values[UNWIND_X64_RIP];
        if (how != UNWIND_STUB_DONE)
                return how;
        if (!pc || !modules->find(modules->ctx, pc - 1, &module) || !unwind_is_behind_call(&module, pc))
                return UNWIND_STUB_NONE;
        *regs = caller;
        return UNWIND_STUB_DONE;
}

enum unwind_stub unwind_step_stub(const struct unwind_modules *modules, const struct unwind_module *module,
                                  bool is_exact, struct unwind_regs *regs, struct unwind_memory *memory)
{
        uint64_t pc = regs->values[unwind_reg_pc(regs)];
        struct window window;
        const struct stub_row *row;

        if (pc < module->start || pc >= module->end)
                return UNWIND_STUB_NONE;
        if (!read_window(modules, module, pc, &window))
                return !is_exact && !module->object && modules->is_trampoline &&
                                       modules->is_trampoline(modules->ctx, pc - 1)
                               ? step_named(modules, regs, memory)
                               : UNWIND_STUB_NONE;
        row = find_row(regs->machine, &window, is_exact, module->object);
        return row ? apply(row, regs, memory) : UNWIND_STUB_NONE;
}
