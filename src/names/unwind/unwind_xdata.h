/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows unwind information of x64 and ARM64, decoded to operations: what a prologue did, in the order in
 * which to undo it. The unwinder decides which operations apply at an instruction and undoes them.
 *
 * Sources: Microsoft's "x64 exception handling" and "ARM64 exception handling"
 * (learn.microsoft.com/cpp/build); for what these omit (version 2 of x64, 0xe7 and SVE of ARM64), LLVM's
 * Win64EH.h and ARMWinEHPrinter.cpp. */
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
        UNWIND_MAX_CHAIN = 32, /* chained entries of x64; Windows has the same limit */
        UNWIND_NO_REG = 0xff,
};

/* x64: registers RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8 to R15, by number. ARM64: x0 to x30, v0 to
 * v31. */
enum unwind_op_kind {
        UNWIND_OP_ALLOC,  /* sp was decreased by `amount` bytes */
        UNWIND_OP_SET_FP, /* fp = sp + amount; x64: the frame register, in `reg`; ARM64: x29 */
        UNWIND_OP_PAD,    /* x64: codes without a meaning */
        UNWIND_OP_NOP,    /* ARM64: an instruction that need not be undone */

        /* x64 */
        UNWIND_OP_PUSH,     /* `reg` was pushed: 8 bytes */
        UNWIND_OP_MOVE,     /* `reg` was stored at the lowest address of the fixed allocation + amount */
        UNWIND_OP_MOVE_XMM, /* XMM `reg`, 16 bytes, was stored relative to the same address */
        /* An interrupt pushed SS, RSP, EFLAGS, CS and RIP, 8 bytes each, then `amount` bytes of error code (0
         * or 8). */
        UNWIND_OP_PUSH_MACHINE,
        UNWIND_OP_EPILOGUE, /* version 2: an epilogue starts `amount` bytes before the end of the function */

        /* ARM64: `reg`, and `reg2` if it is not UNWIND_NO_REG, was stored at sp + amount; with
         * UNWIND_OP_DOWN, sp was decreased by `amount` first and they were stored at sp. */
        UNWIND_OP_SAVE_X,      /* 8 bytes each */
        UNWIND_OP_SAVE_D,      /* low 8 bytes of the vector register */
        UNWIND_OP_SAVE_Q,      /* 16 bytes each */
        UNWIND_OP_SAVE_PARAMS, /* like SAVE_X, for parameters, which are not restored */
        /* ARM64 with SVE: `amount` is in vector lengths (ALLOC_Z, SAVE_Z) or in eighths of them (SAVE_P). */
        UNWIND_OP_ALLOC_Z,
        UNWIND_OP_SAVE_Z,
        UNWIND_OP_SAVE_P,

        UNWIND_OP_SIGN_LR, /* the return address was signed with key B and sp: strip the signature */
        UNWIND_OP_END,     /* the last operation; in an epilogue the return or jump */
        /* not an instruction; the operations after it were executed by the parent function's prologue */
        UNWIND_OP_END_C,
        /* Frames of assembly code; not instructions. */
        UNWIND_OP_TRAP_FRAME,
        UNWIND_OP_MACHINE_FRAME,
        UNWIND_OP_CONTEXT,
        UNWIND_OP_EC_CONTEXT,
        UNWIND_OP_CLEAR_UNWOUND_TO_CALL,
};

#define UNWIND_OP_DOWN (1u << 0) /* the instruction moved sp too (pre-indexed) */
#define UNWIND_OP_NEXT (1u << 1) /* encoded as "save_next"; the operands are filled in */

struct unwind_op {
        uint8_t kind; /* enum unwind_op_kind */
        uint8_t reg, reg2;
        uint8_t flags; /* UNWIND_OP_* bits */
        /* x64: offset of the end of the instruction from the start of the function. ARM64: index of the code
         * in the bytes of codes; packed form: number of the operation. */
        uint16_t off;
        uint32_t amount;
};

struct unwind_ops {
        uint16_t n;
        struct unwind_op items[UNWIND_MAX_OPS];
};

/* The number of ARM64 instructions of the operation: 1 or 0. UNWIND_OP_END is an instruction only in an
 * epilogue. */
unsigned unwind_op_instructions(const struct unwind_op *op);

/* --- x64 ------------------------------------------------------------------------------------------------ */

#define UNWIND_X64_EHANDLER (1u << 0)
#define UNWIND_X64_UHANDLER (1u << 1)
#define UNWIND_X64_CHAINED  (1u << 2)

struct unwind_x64 {
        uint8_t version; /* 1 or 2 */
        uint8_t flags;   /* UNWIND_X64_* */
        uint8_t prologue_bytes;
        uint8_t frame_reg; /* UNWIND_NO_REG if the function has none */
        uint8_t frame_off; /* bytes from sp to the frame register's value */
        uint8_t n_slots;
        uint8_t epilogue_bytes;   /* version 2: size of each epilogue; 0 if not given */
        bool has_epilogue_at_end; /* version 2; it also has an UNWIND_OP_EPILOGUE */
        struct cursor slots;
        uint32_t handler;   /* image-relative; with EHANDLER or UHANDLER and without CHAINED, else 0 */
        uint32_t chain_off; /* with CHAINED: offset of the chained entry from the start */
};

/* Reads an UNWIND_INFO at the start of `info`; `info` may be longer. */
bool unwind_x64_read(const struct cursor *info, struct unwind_x64 *ret_x64, struct err *err);

/* Decodes the operations, the last one first; *ret_ops is undefined on failure. */
bool unwind_x64_ops(const struct unwind_x64 *x64, struct unwind_ops *ret_ops, struct err *err);

/* --- ARM64 ---------------------------------------------------------------------------------------------- */

/* The packed form, with the fields of .pdata. */
struct unwind_arm64_packed {
        uint8_t reg_i; /* number of registers saved from x19 on */
        uint8_t reg_f; /* 0, or the number of registers saved from d8 on, minus 1 */
        /* 0: lr not saved; 1: saved; 2: signed, and saved with x29 as a frame record; 3: like 2, unsigned */
        uint8_t cr;
        bool h; /* the parameters are stored */
        uint16_t frame_bytes;
};

struct unwind_arm64 {
        uint32_t length_bytes;
        bool is_packed;
        bool is_fragment; /* packed; has neither prologue nor epilogue */
        struct unwind_arm64_packed packed;
        bool has_handler;
        uint32_t handler;             /* image-relative */
        bool has_one_epilogue_at_end; /* not packed; the header has the index of its codes */
        uint16_t epilogue_index;      /* index of its codes */
        uint16_t n_epilogues;
        uint16_t n_code_bytes;
        struct cursor scopes, codes;
};

/* Reads an .xdata record at the start of `info`; `info` may be longer. */
bool unwind_arm64_read(const struct cursor *info, struct unwind_arm64 *ret_arm64, struct err *err);

/* Decodes the second word of a .pdata entry whose two lowest bits are 1 or 2. */
bool unwind_arm64_unpack(uint32_t word, struct unwind_arm64 *ret_arm64, struct err *err);

/* Decodes the operations of the prologue, which also apply in the body, the last instruction first; *ret_ops
 * is undefined on failure. */
bool unwind_arm64_prologue(const struct unwind_arm64 *arm64, struct unwind_ops *ret_ops, struct err *err);

/* Decodes epilogue `i` of `n_epilogues`: where it starts, and its operations, one for each instruction. In a
 * function part without an epilogue, it may start at the end of the part. Both results are undefined on
 * failure. */
bool unwind_arm64_epilogue(const struct unwind_arm64 *arm64, unsigned i, uint32_t *ret_start_bytes,
                           struct unwind_ops *ret_ops, struct err *err);

/* --- In an image ------------------------------------------------------------------------------------ */

/* The unwind information of an entry of .pdata. Its cursors point into the object. */
struct unwind_xdata {
        enum object_machine machine; /* X86_64 or ARM64; selects the union's member */
        uint64_t start, end;         /* virtual addresses */
        uint8_t n_chained;           /* number of chained entries that were followed */
        uint32_t chain;              /* x64: image-relative address of the next chained entry, or 0 */
        union {
                struct unwind_x64 x64;
                struct unwind_arm64 arm64;
        };
};

/* Finds the entry for `addr`. ERR_MISSING: there is none, so the code is a leaf function that neither changed
 * sp nor stored registers. */
bool unwind_xdata_find(const struct object *object, uint64_t addr, struct unwind_xdata *ret_xdata,
                       struct err *err);

bool unwind_xdata_read(const struct object *object, const struct object_unwind *entry,
                       struct unwind_xdata *ret_xdata, struct err *err);

/* Follows x64's chain to the next entry; `chain` must not be 0. *xdata does not change on failure. */
bool unwind_xdata_next(const struct object *object, struct unwind_xdata *xdata, struct err *err);

#endif
