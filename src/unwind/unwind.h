/* SPDX-License-Identifier: BSD-3-Clause */
/* From registers and a stack to return addresses, over the modules of a process.  Each frame is stepped by what its
 * module has: call-frame information, Windows unwind codes, else the frame pointer.  Names are symbol/'s matter. */
#ifndef UNWIND_H
#define UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "object.h"

/* --- Registers and memory -------------------------------------------------------------------------------- */

/* DWARF's numbers.  X86-64: 0 to 15, and 16 for the return address, where RIP is kept.  AArch64: x0 to x30, sp, pc. */
enum {
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

/* Of the machine. */
unsigned unwind_reg_pc(const struct unwind_regs *regs);
unsigned unwind_reg_sp(const struct unwind_regs *regs);
unsigned unwind_reg_fp(const struct unwind_regs *regs);

/* The stack: a copy of `size` bytes from `start` on, as in PERF_SAMPLE_STACK_USER (start: sp; size: dyn_size), and
 * where that does not reach a callback.  Either may be missing.  Words are in this machine's byte order. */
struct unwind_memory {
        uint64_t start;
        const uint8_t *bytes; /* kept by the caller */
        size_t size;
        bool is_whole; /* the copy ends where the stack ends (dyn_size is less than what was asked for) */
        bool (*read)(void *ctx, uint64_t addr, uint64_t *ret_word); /* may be NULL */
        void *ctx;
        uint64_t max_size; /* what a copy could have at most; 0: this one has it */
        /* Of the last read that failed: */
        bool is_cut; /* it was beyond the end of a copy that is not whole, or far away */
        bool is_far; /* it was where the longest copy would not have reached */
};

/* 8 bytes; false when they are not there. */
bool unwind_read_word(struct unwind_memory *memory, uint64_t addr, uint64_t *ret_word);

/* --- Modules --------------------------------------------------------------------------------------------- */

struct cfi;
struct outermost;

/* What is mapped at an address; `start` and `end` are where the answer holds. */
struct unwind_module {
        uint64_t start, end;
        uint64_t bias;               /* run-time address - virtual address in the object */
        struct object *object;       /* NULL: code without a file, or its file can't be had */
        struct cfi *cfi;             /* NULL: the object has none */
        bool has_file;               /* it has one, wherever that is */
        struct outermost *outermost; /* NULL: nobody knows where its threads begin; unwind_outermost.h */
};

struct unwind_modules {
        /* The executable mapping that has `addr`; false: there is none. */
        bool (*find)(void *ctx, uint64_t addr, struct unwind_module *ret_module);
        void *ctx;
        /* Copies code that lies in a module without an object; false: not all of it can be read.  NULL: none can. */
        bool (*read_code)(void *ctx, uint64_t addr, uint8_t *ret_code, size_t size);
        /* Whether its name says that code which can't be read is CPython's trampoline for profilers.  NULL: no names. */
        bool (*is_trampoline)(void *ctx, uint64_t addr);
};

/* --- The walk -------------------------------------------------------------------------------------------- */

enum { UNWIND_MAX_FRAMES = 8000 }; /* that many addresses have room in a record, whose size has 16 bits */

/* By which way a frame was found, from the one that it called. */
enum unwind_way {
        UNWIND_WAY_REGS,   /* the first one: it is in the registers */
        UNWIND_WAY_CFI,    /* call-frame information */
        UNWIND_WAY_FP,     /* frame pointer */
        UNWIND_WAY_SIGNAL, /* what the kernel stored for a signal handler, without call-frame information */
        UNWIND_WAY_PE,     /* Windows unwind codes */
        UNWIND_WAY_LBR,    /* hardware's stack of calls: unwind_lbr.h */
        UNWIND_WAY_STUB,   /* the shape of the code: a PLT entry, a trampoline of CPython */
        UNWIND_N_WAYS,
};

/* Sessions store these numbers: a new end is appended. */
enum unwind_end {
        UNWIND_END_OUTERMOST, /* nobody called: by call-frame information, or it is code that a process or thread begins with */
        UNWIND_END_ZERO, /* a rule says that the return address is 0 */
        UNWIND_END_CUT, /* what is needed lies beyond the copy of the stack, and a longer one would have it */
        UNWIND_END_LIMIT,     /* no room for another frame */
        UNWIND_END_ENDLESS,   /* the stack does not grow from one frame to the next */
        UNWIND_END_NO_MODULE, /* the last frame's address is in no module */
        UNWIND_END_NO_RULE,   /* its module says nothing of it, and the frame pointer leads nowhere */
        UNWIND_END_DAMAGED,   /* in older sessions alone: one of MALFORMED_CFI to OTHER_MACHINE */
        UNWIND_END_FAR, /* what is needed lies where no copy reaches: on another stack, behind a very large frame */
        UNWIND_END_NO_FILE, /* the file of the last frame's module can't be read */
        UNWIND_END_32BIT,   /* code of 32 bits, which is not walked */
        UNWIND_END_MALFORMED_CFI, /* call-frame information that is malformed, or beyond the limits of unwind_cfi.h */
        UNWIND_END_MALFORMED_PE, /* Windows unwind information that is malformed */
        UNWIND_END_UNSUPPORTED_PE, /* Windows unwind information of a version, or with a code, that is not supported */
        UNWIND_END_NO_REGISTER, /* a rule needs a register that is not known */
        UNWIND_END_UNREADABLE,  /* a rule needs memory above the end of the stack, or which `read` refuses */
        UNWIND_END_NO_CODE,     /* a return address that Windows unwind codes lead to is no code */
        UNWIND_END_NO_START,    /* pc or sp is not known where the walk begins */
        UNWIND_END_OTHER_MACHINE, /* the file of the last frame's module is for another machine */
        UNWIND_N_ENDS,
};

struct unwind_frame {
        uint64_t pc; /* the first one's as it is, then return addresses, without signature */
        /* `pc` is the instruction itself and not behind a call: in the first frame, in one that a signal interrupted, and in
         * what the signal's handler returns to. */
        bool is_exact;
        uint8_t way; /* enum unwind_way */
        /* The stack pointer behind the call that this frame makes; 0: not known, as from unwind_lbr.h. */
        uint64_t sp;
};

struct unwind_walked {
        size_t n_frames;
        enum unwind_end end;
        uint32_t n_by_way[UNWIND_N_WAYS];
};

/* One or two words for messages and tests; never NULL, "?" for a number that is not known. */
const char *unwind_end_text(enum unwind_end end);
const char *unwind_way_text(enum unwind_way way);

/* The outermost frame was reached. */
bool unwind_end_is_whole(enum unwind_end end);

/* Innermost first, at most `max_frames`.  `regs` must know pc and sp, else nothing is walked (NO_START).  Never fails
 * and always ends.  The modules' cfi keep what they learn: one thread at a time for each of them. */
void unwind_walk(const struct unwind_modules *modules, const struct unwind_regs *regs,
                 struct unwind_memory *memory, struct unwind_frame *frames, size_t max_frames,
                 struct unwind_walked *ret_walked);

#endif
