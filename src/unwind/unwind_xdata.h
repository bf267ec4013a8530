/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows unwind information of x64 and ARM64, decoded to operations: what a prologue did, in the order that undoes
 * it.  Which of them apply at an instruction, and doing them, is the unwinder's matter.
 *
 * Sources: Microsoft's "x64 exception handling" and "ARM64 exception handling" (learn.microsoft.com/cpp/build); for what
 * those leave out (version 2 of x64, 0xe7 and SVE of ARM64) LLVM's Win64EH.h and ARMWinEHPrinter.cpp. */
#ifndef UNWIND_XDATA_H
#define UNWIND_XDATA_H

#include <stdbool.h>
#include <stdint.h>

#include "cursor.h"
#include "err.h"
#include "object.h"

/* --- Operations ---------------------------------------------------------------------------------------- */

enum {
        UNWIND_MAX_OPS = 1024, /* of one sequence: ARM64 has at most 255 words of codes, x64 255 slots */
        UNWIND_MAX_CHAIN = 32, /* entries of x64 that go on in one another, as Windows allows */
        UNWIND_NO_REG = 0xff,
};

/* X64: registers are RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8 to R15, by number.  ARM64: x0 to x30, v0 to v31. */
enum unwind_op_kind {
        UNWIND_OP_ALLOC,  /* sp went down by `amount` bytes */
        UNWIND_OP_SET_FP, /* fp = sp + amount; x64: the frame register, in `reg`; ARM64: x29 */
        UNWIND_OP_PAD,    /* x64: codes that have no meaning (any more) */
        UNWIND_OP_NOP,    /* ARM64: an instruction that needs no undoing */

        /* x64 */
        UNWIND_OP_PUSH,     /* `reg` was pushed: 8 bytes */
        UNWIND_OP_MOVE,     /* `reg` was stored at the lowest address of the fixed allocation + amount */
        UNWIND_OP_MOVE_XMM, /* XMM `reg` was stored there, 16 bytes */
        /* An interrupt pushed SS, RSP, EFLAGS, CS, RIP, 8 bytes each, then `amount` bytes of error code (0 or 8). */
        UNWIND_OP_PUSH_MACHINE,
        UNWIND_OP_EPILOGUE, /* version 2: an epilogue begins `amount` bytes before the end of the function */

        /* ARM64: `reg`, and `reg2` where it is not UNWIND_NO_REG, stored at sp + amount, or, with UNWIND_OP_DOWN, at sp
         * after it went down by `amount`. */
        UNWIND_OP_SAVE_X,      /* 8 bytes each */
        UNWIND_OP_SAVE_D,      /* low 8 bytes of the vector register */
        UNWIND_OP_SAVE_Q,      /* 16 bytes each */
        UNWIND_OP_SAVE_PARAMS, /* as SAVE_X, but the registers are parameters, which nobody restores */
        /* ARM64 with SVE: `amount` counts vector lengths (ALLOC_Z, SAVE_Z) or eighths of them (SAVE_P). */
        UNWIND_OP_ALLOC_Z,
        UNWIND_OP_SAVE_Z,
        UNWIND_OP_SAVE_P,

        UNWIND_OP_SIGN_LR, /* the return address was signed with key B and sp: strip the signature */
        UNWIND_OP_END,     /* the last one; in an epilogue the return or jump */
        UNWIND_OP_END_C,   /* no instruction; the rest was done by the prologue of which this is a part */
        /* Frames of assembly language; no instruction. */
        UNWIND_OP_TRAP_FRAME,
        UNWIND_OP_MACHINE_FRAME,
        UNWIND_OP_CONTEXT,
        UNWIND_OP_EC_CONTEXT,
        UNWIND_OP_CLEAR_UNWOUND_TO_CALL,
};

#define UNWIND_OP_DOWN (1u << 0) /* the instruction moved sp too (pre-indexed) */
#define UNWIND_OP_NEXT (1u << 1) /* said as "save_next"; operands are filled in */

struct unwind_op {
        uint8_t kind; /* enum unwind_op_kind */
        uint8_t reg, reg2;
        uint8_t flags; /* UNWIND_OP_* bits */
        /* x64: from the start of the function to the end of the instruction.  ARM64: the code's index in the bytes of
         * codes; packed: the operation's number. */
        uint16_t off;
        uint32_t amount;
};

struct unwind_ops {
        uint16_t n;
        struct unwind_op items[UNWIND_MAX_OPS];
};

/* How many instructions of ARM64 the operation stands for: 1 or 0.  UNWIND_OP_END is one in an epilogue alone. */
unsigned unwind_op_instructions(const struct unwind_op *op);

/* --- x64 ------------------------------------------------------------------------------------------------ */

#define UNWIND_X64_EHANDLER (1u << 0)
#define UNWIND_X64_UHANDLER (1u << 1)
#define UNWIND_X64_CHAINED  (1u << 2)

struct unwind_x64 {
        uint8_t version; /* 1 or 2 */
        uint8_t flags;   /* UNWIND_X64_* */
        uint8_t prologue_bytes;
        uint8_t frame_reg; /* UNWIND_NO_REG: the function has no frame register */
        uint8_t frame_off; /* bytes from sp to where it points */
        uint8_t n_slots;
        uint8_t epilogue_bytes;   /* version 2: of each epilogue; 0: it says none */
        bool has_epilogue_at_end; /* version 2; UNWIND_OP_EPILOGUE says that one too */
        struct cursor slots;
        uint32_t handler;   /* image-relative, with EHANDLER or UHANDLER and without CHAINED; else 0 */
        uint32_t chain_off; /* with CHAINED: of the entry that this goes on in, from the start */
};

/* An UNWIND_INFO at the start of `info`, which may have more behind it. */
bool unwind_x64_read(const struct cursor *info, struct unwind_x64 *ret_x64, struct err *err);

/* Its operations, the last one first; *ret_ops is undefined on failure. */
bool unwind_x64_ops(const struct unwind_x64 *x64, struct unwind_ops *ret_ops, struct err *err);

/* --- ARM64 ---------------------------------------------------------------------------------------------- */

/* The packed form, as it stands in .pdata. */
struct unwind_arm64_packed {
        uint8_t reg_i; /* registers saved from x19 on */
        uint8_t reg_f; /* 0, or one less than registers saved from d8 on */
        uint8_t cr; /* 0 lr not saved, 1 saved, 2 signed and saved with x29 in a chain, 3 the same unsigned */
        bool h;     /* the parameters are stored */
        uint16_t frame_bytes;
};

struct unwind_arm64 {
        uint32_t length_bytes;
        bool is_packed;
        bool is_fragment; /* packed; neither prologue nor epilogue are in it */
        struct unwind_arm64_packed packed;
        bool has_handler;
        uint32_t handler;             /* image-relative */
        bool has_one_epilogue_at_end; /* xdata: said by an index instead of a scope */
        uint16_t epilogue_index;      /* of that one */
        uint16_t n_epilogues;
        uint16_t n_code_bytes;
        struct cursor scopes, codes;
};

/* An .xdata record at the start of `info`, which may have more behind it. */
bool unwind_arm64_read(const struct cursor *info, struct unwind_arm64 *ret_arm64, struct err *err);

/* The second word of a .pdata entry whose two lowest bits are 1 or 2. */
bool unwind_arm64_unpack(uint32_t word, struct unwind_arm64 *ret_arm64, struct err *err);

/* The operations of the prologue and of the body, the prologue's last instruction first; *ret_ops is undefined on
 * failure. */
bool unwind_arm64_prologue(const struct unwind_arm64 *arm64, struct unwind_ops *ret_ops, struct err *err);

/* Epilogue `i` of `n_epilogues`: where it begins, and its operations, an instruction each.  A part without an epilogue
 * may name one that begins at its end.  Both are undefined on failure. */
bool unwind_arm64_epilogue(const struct unwind_arm64 *arm64, unsigned i, uint32_t *ret_start_bytes,
                           struct unwind_ops *ret_ops, struct err *err);

/* --- In an image ----------------------------------------------------------------------------------------- */

/* What an entry of .pdata says.  Cursors inside point into the object. */
struct unwind_xdata {
        enum object_machine machine; /* X86_64 or ARM64: which of the two it is */
        uint64_t start, end;         /* virtual addresses */
        uint8_t n_chained;           /* how many entries were gone through to get here */
        uint32_t chain;              /* x64: image-relative address of the entry that it goes on in, or 0 */
        union {
                struct unwind_x64 x64;
                struct unwind_arm64 arm64;
        };
};

/* ERR_MISSING: there is none, so the code at `addr` is a leaf that neither moved sp nor stored anything. */
bool unwind_xdata_find(const struct object *object, uint64_t addr, struct unwind_xdata *ret_xdata,
                       struct err *err);

bool unwind_xdata_read(const struct object *object, const struct object_unwind *entry,
                       struct unwind_xdata *ret_xdata, struct err *err);

/* From x64's chained information to what it goes on in; only while `chain` is not 0.  *xdata is untouched on
 * failure. */
bool unwind_xdata_next(const struct object *object, struct unwind_xdata *xdata, struct err *err);

#endif
