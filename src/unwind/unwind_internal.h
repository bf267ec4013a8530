/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this folder share. */
#ifndef UNWIND_INTERNAL_H
#define UNWIND_INTERNAL_H

#include "unwind.h"
#include "unwind_pe.h"
#include "unwind_xdata.h"

/* Registers of ARM64. */
enum { UNWIND_FIRST_X = 19, UNWIND_FIRST_D = 8, UNWIND_FP = 29, UNWIND_LR = 30 };

/* The operations that the packed form stands for. */
bool unwind_packed_prologue(const struct unwind_arm64 *arm64, struct unwind_ops *ret_ops, struct err *err);

/* Those of its one epilogue. */
bool unwind_packed_epilogue(const struct unwind_arm64 *arm64, struct unwind_ops *ret_ops, struct err *err);

/* --- Steps that need no call-frame information ----------------------------------------------------------- */

/* A return address without its signature. */
uint64_t unwind_strip(const struct unwind_regs *regs, uint64_t pc);

enum unwind_fp {
        UNWIND_FP_DONE,
        UNWIND_FP_CUT,
        UNWIND_FP_NONE, /* it does not look like one */
};

/* *regs is untouched unless UNWIND_FP_DONE. */
enum unwind_fp unwind_step_fp(const struct unwind_modules *modules, struct unwind_regs *regs,
                              struct unwind_memory *memory);

/* X86-64: whether the instruction before `pc` calls. */
bool unwind_is_behind_call(const struct unwind_module *module, uint64_t pc);

enum unwind_stub {
        UNWIND_STUB_DONE,
        UNWIND_STUB_UNREAD, /* memory is not there; memory->is_cut says whether the copy is too short */
        UNWIND_STUB_NONE,   /* the code has no known shape, or its bytes can't be read */
};

/* By the shape of the code at pc, which lies in `module`.  *regs is untouched unless UNWIND_STUB_DONE. */
enum unwind_stub unwind_step_stub(const struct unwind_modules *modules, const struct unwind_module *module,
                                  bool is_exact, struct unwind_regs *regs, struct unwind_memory *memory);

/* Whether the code at a virtual address is that to which a signal handler returns. */
bool unwind_is_sigreturn(const struct object *object, enum object_machine machine, uint64_t addr);

/* To what the signal interrupted; *regs is untouched on failure. */
bool unwind_step_sigreturn(struct unwind_regs *regs, struct unwind_memory *memory);

/* --- Windows unwind codes -------------------------------------------------------------------------------- */

struct pe_step {
        const struct object *object;
        uint64_t pc; /* virtual address */
        bool is_exact;
        struct unwind_regs regs; /* of the frame, on the way to the caller's */
        struct unwind_memory *memory;
        uint64_t unread; /* 1 << register: not known because its memory is not there */
        bool is_caller_exact;
};

/* Registers in unwind codes to DWARF's numbers. */
extern const uint8_t unwind_x64_regs[16];

/* Sets the register to the word at `addr`, or forgets it. */
void unwind_pe_load(struct pe_step *step, unsigned reg, uint64_t addr);

/* Whether the register has a value: DONE, UNREAD or NO_REGISTER. */
enum unwind_pe unwind_pe_need(const struct pe_step *step, unsigned reg);

/* Why unwind information can't be used, by the reader's error: UNSUPPORTED or MALFORMED. */
enum unwind_pe unwind_pe_refused(const struct err *err);

/* Takes the return address from the stack. */
enum unwind_pe unwind_pe_return(struct pe_step *step);

/* From the entry of the frame to the caller.  step->regs is undefined unless UNWIND_PE_DONE. */
enum unwind_pe unwind_pe_x64(struct pe_step *step, struct unwind_xdata *xdata);
enum unwind_pe unwind_pe_arm64(struct pe_step *step, const struct unwind_xdata *xdata);

/* Undoes what code without an entry may have on the stack above its return address. */
void unwind_pe_x64_leaf(struct pe_step *step);

/* Does what is left of an epilogue of x64 but for the return; false: the pc is in none, and *regs is as it was. */
bool unwind_pe_epilogue(struct pe_step *step, const struct unwind_xdata *xdata);

#endif
