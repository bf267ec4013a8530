/* SPDX-License-Identifier: BSD-3-Clause */
/* Call-frame information of ELF objects: .eh_frame, with or without .eh_frame_hdr, and .debug_frame, for
 * x86-64 and AArch64. Finds the rules for an address, which give the caller's registers, and applies them.
 *
 * Sources: DWARF 5, section 6.4; Linux Standard Base Core 5.0, chapter 10.6; Arm's aadwarf64 for signed
 * addresses. */
#ifndef UNWIND_CFI_H
#define UNWIND_CFI_H

#include <stdbool.h>
#include <stdint.h>

#include "attributes.h"
#include "err.h"
#include "object.h"
#include "unwind.h"

struct budget; /* budget.h */

/* Limits against malicious files. */
enum {
        CFI_MAX_ENTRIES = 1 << 22,      /* of an index that is built here */
        CFI_MAX_INSTRUCTIONS = 1 << 18, /* of one entry; the longest one in libLLVM has about 3000 */
        CFI_MAX_REMEMBERED = 16,        /* nested DW_CFA_remember_state in an entry */
        CFI_MAX_EXPR_STEPS = 4096,
        CFI_MAX_EXPR_DEPTH = 64,
        CFI_MAX_CACHED = 1 << 16, /* addresses of one object; when this is reached, all are forgotten */
};

enum cfi_kind {
        CFI_SAME,       /* unchanged; also the default */
        CFI_UNDEFINED,  /* not recoverable; for the return address: the outermost frame */
        CFI_OFFSET,     /* in memory at CFA + off */
        CFI_VAL_OFFSET, /* CFA + off; for the CFA: reg + off */
        CFI_REG,        /* in register `reg` */
        CFI_EXPR,       /* in memory at the value of the expression */
        CFI_VAL_EXPR,   /* the value of the expression */
};

struct cfi_rule {
        uint8_t kind;   /* enum cfi_kind */
        uint8_t target; /* the register that the rule is for; unused for the CFA */
        uint16_t reg;
        uint32_t expr_bytes;
        union {
                int64_t off;
                const uint8_t *expr; /* points into the object */
        };
};

/* The rules that are valid from `start` to `end`, as virtual addresses. */
struct cfi_row {
        uint64_t start, end;
        uint64_t entry_start, entry_end; /* range of the entry */
        struct cfi_rule cfa;
        uint8_t return_reg;
        bool is_signal;  /* of a signal's return code: the caller's pc is not a return address */
        bool is_signed;  /* AArch64: the return address has a signature */
        bool is_key_b;   /* signed with key B */
        uint8_t n_rules; /* rules that are not CFI_SAME, sorted by target */
        struct cfi_rule rules[UNWIND_N_REGS];
};

/* Finds the tables. `debug` is the object's separate debug file, for its .debug_frame, or NULL; both must
 * outlive the result. ERR_MISSING: neither has a table; ERR_UNSUPPORTED: not linked, or for another
 * machine. */
struct cfi *cfi_open(struct object *object, struct object *debug, struct err *err);

/* Opens an .eh_frame without an object; a jitdump has one for each function. `addr` is the address where it
 * would be. The bytes belong to the caller. `budget` is that of the jitdump, or NULL. NULL if it is empty
 * or has another byte order. */
struct cfi *cfi_open_frames(struct cursor eh_frame, uint64_t addr, enum object_machine machine,
                            struct budget *budget);
void cfi_free(struct cfi *cfi);
AUTO_DEFINE(cfi)

/* Reads the row for a virtual address; not cached. ERR_MISSING: no entry covers it; ERR_FORMAT: the entry is
 * malformed; ERR_LIMIT. */
bool cfi_find(struct cfi *cfi, uint64_t addr, struct cfi_row *ret_row, struct err *err);

enum cfi_step {
        CFI_STEP_DONE,
        CFI_STEP_NONE, /* no entry covers the address */
        /* no entry covers the address, and the one that .eh_frame_hdr lists is malformed */
        CFI_STEP_BAD_ENTRY,
        CFI_STEP_OUTERMOST,     /* the return address is undefined */
        CFI_STEP_MALFORMED,     /* the entry or a rule is malformed */
        CFI_STEP_UNREAD,        /* memory can't be read; memory->is_cut says whether the copy is too short */
        CFI_STEP_NO_REGISTER,   /* a rule needs an unknown register */
        CFI_STEP_OTHER_MACHINE, /* the registers are of another machine */
};

struct cfi_stepped {
        bool is_signal; /* the caller was interrupted, so its pc is exact */
};

/* Steps from a frame to its caller. `addr` is the virtual address to look up: pc, or a return address minus
 * 1; `bias` is the object's. Rows are cached by address. *regs changes only for CFI_STEP_DONE. */
enum cfi_step cfi_step(struct cfi *cfi, uint64_t addr, uint64_t bias, struct unwind_regs *regs,
                       struct unwind_memory *memory, struct cfi_stepped *ret_stepped);

/* n_read: rows read from the tables; n_kept: steps that used a cached row; n_held: cached addresses;
 * n_different: different rows; n_indexed: indexed entries. */
struct cfi_counts {
        uint64_t n_read, n_kept;
        size_t n_held, n_different, n_indexed;
};
struct cfi_counts cfi_get_counts(const struct cfi *cfi);

#endif
