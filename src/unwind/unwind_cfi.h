/* SPDX-License-Identifier: BSD-3-Clause */
/* Call-frame information of ELF objects: .eh_frame, with and without .eh_frame_hdr, and .debug_frame, for x86-64 and
 * AArch64.  From an address to the rules that lead from a frame's registers to its caller's, and doing them.
 *
 * Sources: DWARF 5, section 6.4; Linux Standard Base Core 5.0, chapter 10.6; Arm's aadwarf64 for signed addresses. */
#ifndef UNWIND_CFI_H
#define UNWIND_CFI_H

#include <stdbool.h>
#include <stdint.h>

#include "attributes.h"
#include "err.h"
#include "object.h"
#include "unwind.h"

/* What a hostile file cannot get past. */
enum {
        CFI_MAX_ENTRIES = 1 << 22,      /* of an index that is built here */
        CFI_MAX_INSTRUCTIONS = 1 << 18, /* of one entry; the longest of libLLVM has some 3000 */
        CFI_MAX_REMEMBERED = 16,        /* rows that an entry puts aside */
        CFI_MAX_EXPR_STEPS = 4096,
        CFI_MAX_EXPR_DEPTH = 64,
        CFI_MAX_CACHED = 1 << 16, /* addresses of one object; when they are reached all are forgotten */
};

enum cfi_kind {
        CFI_SAME,       /* as it is in the frame, also where nothing is said */
        CFI_UNDEFINED,  /* not to be had; of the return address: the outermost frame */
        CFI_OFFSET,     /* in memory at CFA + off */
        CFI_VAL_OFFSET, /* CFA + off; of the CFA: reg + off */
        CFI_REG,        /* in register `reg` */
        CFI_EXPR,       /* in memory at what the expression gives */
        CFI_VAL_EXPR,   /* what the expression gives */
};

struct cfi_rule {
        uint8_t kind;   /* enum cfi_kind */
        uint8_t target; /* the register that it is for; nothing in the rule of the CFA */
        uint16_t reg;
        uint32_t expr_bytes;
        union {
                int64_t off;
                const uint8_t *expr; /* in the object */
        };
};

/* The rules from `start` up to `end`, by virtual addresses. */
struct cfi_row {
        uint64_t start, end;
        uint64_t entry_end; /* of the entry that it is in */
        struct cfi_rule cfa;
        uint8_t return_reg;
        bool is_signal;  /* of a signal handler's return: the caller's pc is no return address */
        bool is_signed;  /* AArch64: the return address has a signature */
        bool is_key_b;   /* made with key B */
        uint8_t n_rules; /* those that are not CFI_SAME, by target */
        struct cfi_rule rules[UNWIND_N_REGS];
};

/* Reads where the tables are.  `debug` is the object's separate debug file, for its .debug_frame, or NULL; both must
 * outlive the answer.  ERR_MISSING: neither has any; ERR_UNSUPPORTED: not linked, or of another machine. */
struct cfi *cfi_open(struct object *object, struct object *debug, struct err *err);

/* An .eh_frame that belongs to no object, as a jitdump has one for each function; `addr` is where it would lie.  The bytes are
 * kept by the caller.  NULL: it is empty, or of another byte order. */
struct cfi *cfi_open_frames(struct cursor eh_frame, uint64_t addr, enum object_machine machine);
void cfi_free(struct cfi *cfi);
AUTO_DEFINE(cfi)

/* The row of a virtual address, read anew.  ERR_MISSING: no entry has it; ERR_FORMAT: that entry is malformed;
 * ERR_LIMIT. */
bool cfi_find(struct cfi *cfi, uint64_t addr, struct cfi_row *ret_row, struct err *err);

enum cfi_step {
        CFI_STEP_DONE,
        CFI_STEP_NONE,          /* no entry has the address */
        CFI_STEP_BAD_ENTRY,     /* likewise, and the one that .eh_frame_hdr names is malformed */
        CFI_STEP_OUTERMOST,     /* the return address is undefined */
        CFI_STEP_MALFORMED,     /* the entry or a rule */
        CFI_STEP_UNREAD,        /* memory is not there; memory->is_cut says whether the copy is too short */
        CFI_STEP_NO_REGISTER,   /* a rule needs a register that is not known */
        CFI_STEP_OTHER_MACHINE, /* the registers are of another machine than the object */
};

struct cfi_stepped {
        bool is_signal; /* the caller was interrupted: its pc is exact */
};

/* From a frame to its caller.  `addr` is the virtual address to look up: that of the pc, or one byte before a return
 * address; `bias` is the object's.  Rows are kept by address.  *regs is untouched unless CFI_STEP_DONE. */
enum cfi_step cfi_step(struct cfi *cfi, uint64_t addr, uint64_t bias, struct unwind_regs *regs,
                       struct unwind_memory *memory, struct cfi_stepped *ret_stepped);

/* How many rows were read from the tables, and how many steps found theirs kept; of how many addresses rows are kept now,
 * how many of these rows are different, and how many entries are indexed. */
struct cfi_counts {
        uint64_t n_read, n_kept;
        size_t n_held, n_different, n_indexed;
};
struct cfi_counts cfi_get_counts(const struct cfi *cfi);

#endif
