/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks a stack: from registers and stack memory to return addresses, over the modules of a process. Each
 * frame is stepped with what its module has: call-frame information, Windows unwind codes, else the frame
 * pointer. */
#ifndef UNWIND_H
#define UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "object.h"

/* --- Registers and memory --------------------------------------------------------------------------- */

/* DWARF register numbers. x86-64: 0 to 15, and 16 for the return address, where RIP is stored. AArch64: x0 to
 * x30, sp, pc. */
enum {
        UNWIND_X64_RAX = 0,
        UNWIND_X64_RBP = 6,
        UNWIND_X64_RSP = 7,
        UNWIND_X64_RIP = 16,
        UNWIND_ARM64_X29 = 29,
        UNWIND_ARM64_X30 = 30,
        UNWIND_ARM64_SP = 31,
        UNWIND_ARM64_PC = 32,
        UNWIND_N_REGS = 33,
};

struct unwind_regs {
        enum object_machine machine; /* X86_64 or ARM64 */
        uint64_t known;              /* 1 << register */
        uint64_t values[UNWIND_N_REGS];
};

static inline void unwind_set_reg(struct unwind_regs *regs, unsigned reg, uint64_t value)
{
        regs->values[reg] = value;
        regs->known |= 1ull << reg;
}

static inline bool unwind_has_reg(const struct unwind_regs *regs, unsigned reg)
{
        return reg < UNWIND_N_REGS && regs->known >> reg & 1;
}

/* The register numbers of program counter, stack pointer and frame pointer on the machine of `regs`. */
unsigned unwind_reg_pc(const struct unwind_regs *regs);
unsigned unwind_reg_sp(const struct unwind_regs *regs);
unsigned unwind_reg_fp(const struct unwind_regs *regs);

/* The stack: a copy of `size` bytes from `start` on, as in PERF_SAMPLE_STACK_USER (start: sp; size:
 * dyn_size), and a callback for addresses outside it. Either may be missing. Words are in the byte order of
 * this machine. */
struct unwind_memory {
        uint64_t start;
        const uint8_t *bytes; /* belongs to the caller */
        size_t size;
        bool is_whole; /* the copy ends where the stack ends: dyn_size is less than the requested size */
        bool (*read)(void *ctx, uint64_t addr, uint64_t *ret_word); /* may be NULL */
        void *ctx;
        uint64_t max_size;  /* the largest size that a copy can have; 0: `size` */
        uint64_t used_size; /* size of the stack if it is known to exceed the largest copy; else 0 */
        /* About the last read that failed: */
        bool is_cut;   /* it was after the end of a copy that is not whole, or far away */
        bool is_far;   /* it was on another stack, as far as is known */
        bool is_large; /* behind the largest copy, but in the same stack: within used_size */
};

/* Reads 8 bytes; false if they are not available. */
bool unwind_read_word(struct unwind_memory *memory, uint64_t addr, uint64_t *ret_word);

/* --- Modules ---------------------------------------------------------------------------------------- */

struct cfi;
struct outermost;

/* What is mapped at an address; the answer is valid from `start` to `end`. */
struct unwind_module {
        uint64_t start, end;
        uint64_t bias;               /* run-time address - virtual address in the object */
        struct object *object;       /* NULL for code without a file, or if the file can't be opened */
        struct cfi *cfi;             /* NULL if the object has none */
        bool has_file;               /* the code has a file, even if it can't be opened */
        struct outermost *outermost; /* NULL if the outermost functions are unknown; unwind_outermost.h */
};

struct unwind_modules {
        /* Finds the executable mapping that contains `addr`; false if there is none. */
        bool (*find)(void *ctx, uint64_t addr, struct unwind_module *ret_module);
        void *ctx;
        /* Copies code of a module without an object; false if part of it can't be read. NULL if no code can
         * be read. */
        bool (*read_code)(void *ctx, uint64_t addr, uint8_t *ret_code, size_t size);
        /* Whether, by its name, unreadable code at `addr` is CPython's trampoline for profilers. NULL if
         * names are not available. */
        bool (*is_trampoline)(void *ctx, uint64_t addr);
        /* Copies memory of the process as it is now; false if part of it can't be read. NULL: no frame is
         * searched for, see unwind_search.h. */
        bool (*read_memory)(void *ctx, uint64_t addr, void *ret, size_t size);
};

/* --- The walk --------------------------------------------------------------------------------------- */

enum { UNWIND_MAX_FRAMES = 8000 }; /* a record, whose size has 16 bits, has room for this many addresses */

/* The method by which a frame was found from its callee. */
enum unwind_way {
        UNWIND_WAY_REGS, /* the first frame, from the registers */
        UNWIND_WAY_CFI,  /* call-frame information */
        UNWIND_WAY_FP,   /* frame pointer */
        /* the registers that the kernel stored for a signal handler, without call-frame information */
        UNWIND_WAY_SIGNAL,
        UNWIND_WAY_PE,     /* Windows unwind codes */
        UNWIND_WAY_LBR,    /* branch records in call-stack mode: unwind_lbr.h */
        UNWIND_WAY_STUB,   /* known machine code: a PLT entry, a trampoline of CPython, clone, _init */
        UNWIND_WAY_SEARCH, /* the only return address in the stack that fits: unwind_search.h */
        UNWIND_N_WAYS,
};

/* Why a walk ended. Sessions store these numbers: append new ones. */
enum unwind_end {
        /* outermost function: by call-frame information, or code that a process or thread starts with */
        UNWIND_END_OUTERMOST,
        UNWIND_END_ZERO,  /* a rule gives 0 as the return address */
        UNWIND_END_CUT,   /* the next frame is after the end of the stack copy; a longer copy would have it */
        UNWIND_END_LIMIT, /* no room for another frame */
        UNWIND_END_ENDLESS,   /* the stack pointer does not grow from one frame to the next */
        UNWIND_END_NO_MODULE, /* the last frame's address is in no module */
        UNWIND_END_NO_RULE, /* the module has no rule for the address, and the frame pointer is not usable */
        UNWIND_END_DAMAGED, /* only in older sessions: one of MALFORMED_CFI to OTHER_MACHINE */
        /* the next frame is where no copy reaches: on another stack, or after a very large frame */
        UNWIND_END_FAR,
        UNWIND_END_NO_FILE,       /* the file of the last frame's module can't be read */
        UNWIND_END_32BIT,         /* 32-bit code, which is not walked */
        UNWIND_END_MALFORMED_CFI, /* malformed call-frame information, or beyond the limits of unwind_cfi.h */
        UNWIND_END_MALFORMED_PE,  /* malformed Windows unwind information */
        /* Windows unwind information of an unsupported version or with an unsupported code */
        UNWIND_END_UNSUPPORTED_PE,
        UNWIND_END_NO_REGISTER, /* a rule needs an unknown register */
        /* a rule needs memory above the end of the stack, or memory that `read` refuses */
        UNWIND_END_UNREADABLE,
        UNWIND_END_NO_CODE,       /* Windows unwind codes give a return address that is not code */
        UNWIND_END_NO_START,      /* pc or sp is unknown at the start */
        UNWIND_END_OTHER_MACHINE, /* the file of the last frame's module is for another machine */
        UNWIND_END_LARGE,         /* the stack is larger than the copy that is made of a stopped thread */
        UNWIND_END_CROWDED,       /* the copy is short because too many samples waited to be unwound */
        UNWIND_END_EXEC, /* the process was between two programs, and the stack of the first was freed */
        UNWIND_N_ENDS,
};

struct unwind_frame {
        uint64_t pc; /* of the first frame as sampled, else the return address without signature */
        /* `pc` is the instruction itself, not the one after a call: in the first frame, in a frame that a
         * signal interrupted, and in the signal's return code. */
        bool is_exact;
        uint8_t way; /* enum unwind_way */
        /* The stack pointer after the call that this frame makes; 0 if unknown, as from unwind_lbr.h. */
        uint64_t sp;
};

/* The word of frame `i` in a call chain, whose readers take all but the first for return addresses and look
 * one byte before. */
static inline uint64_t unwind_chain_word(const struct unwind_frame *frames, size_t i)
{
        return frames[i].pc + (i && frames[i].is_exact);
}

struct unwind_walked {
        size_t n_frames;
        enum unwind_end end;
        uint32_t n_by_way[UNWIND_N_WAYS];
};

/* One or two words for messages and tests; "?" for an unknown number, never NULL. */
const char *unwind_end_text(enum unwind_end end);
const char *unwind_way_text(enum unwind_way way);

/* Whether the outermost frame was reached. */
bool unwind_end_is_whole(enum unwind_end end);

/* Walks from the innermost frame outwards, at most `max_frames`. `regs` must have pc and sp, else the result
 * is NO_START. Never fails and always ends. The modules' cfi cache rows, so each may be used by one thread at
 * a time. */
void unwind_walk(const struct unwind_modules *modules, const struct unwind_regs *regs,
                 struct unwind_memory *memory, struct unwind_frame *frames, size_t max_frames,
                 struct unwind_walked *ret_walked);

#endif
