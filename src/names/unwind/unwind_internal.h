/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of this folder. */
#ifndef UNWIND_INTERNAL_H
#define UNWIND_INTERNAL_H

#include "unwind.h"
#include "unwind_pe.h"
#include "unwind_xdata.h"

/* Registers of ARM64. */
enum { UNWIND_FIRST_X = 19, UNWIND_FIRST_D = 8, UNWIND_FP = 29, UNWIND_LR = 30 };

/* Decodes the prologue of the packed form. */
bool unwind_packed_prologue(const struct unwind_arm64 *arm64, struct unwind_ops *ret_ops, struct err *err);

/* Decodes its epilogue. */
bool unwind_packed_epilogue(const struct unwind_arm64 *arm64, struct unwind_ops *ret_ops, struct err *err);

/* --- Steps that need no call-frame information ------------------------------------------------------ */

/* Removes the signature from a return address. */
uint64_t unwind_strip(const struct unwind_regs *regs, uint64_t pc);

enum unwind_fp {
        UNWIND_FP_DONE,
        UNWIND_FP_CUT,
        UNWIND_FP_NONE, /* the register does not hold a frame pointer */
};

/* *regs changes only for UNWIND_FP_DONE. */
enum unwind_fp unwind_step_fp(const struct unwind_modules *modules, struct unwind_regs *regs,
                              struct unwind_memory *memory);

/* x86-64: whether the instruction before `pc` is a call. */
bool unwind_is_behind_call(const struct unwind_module *module, uint64_t pc);

enum unwind_stub {
        UNWIND_STUB_DONE,
        UNWIND_STUB_UNREAD, /* memory can't be read; memory->is_cut says whether the copy is too short */
        UNWIND_STUB_START,  /* a new thread begins here: there is no caller */
        UNWIND_STUB_NONE,   /* the code is not a known stub, or can't be read */
};

/* Steps known machine code at pc in `module`. *regs changes only for UNWIND_STUB_DONE. */
enum unwind_stub unwind_step_stub(const struct unwind_modules *modules, const struct unwind_module *module,
                                  bool is_exact, struct unwind_regs *regs, struct unwind_memory *memory);

/* Whether the code at a virtual address is a signal's return code. */
bool unwind_is_sigreturn(const struct object *object, enum object_machine machine, uint64_t addr);

/* Steps to the code that the signal interrupted; *regs does not change on failure. */
bool unwind_step_sigreturn(struct unwind_regs *regs, struct unwind_memory *memory);

/* --- Windows unwind codes --------------------------------------------------------------------------- */

struct pe_step {
        const struct object *object;
        uint64_t pc; /* virtual address */
        bool is_exact;
        struct unwind_regs regs; /* of the frame; changed step by step to those of the caller */
        struct unwind_memory *memory;
        uint64_t unread; /* 1 << register: unknown because its memory can't be read */
        bool is_caller_exact;
};

/* Maps register numbers of unwind codes to DWARF numbers. */
extern const uint8_t unwind_x64_regs[16];

/* Sets the register to the word at `addr`; if that can't be read, the register becomes unknown. */
void unwind_pe_load(struct pe_step *step, unsigned reg, uint64_t addr);

/* Whether the register is known: DONE, UNREAD or NO_REGISTER. */
/* Counts the operations of a sequence as work of the file.  False once it takes too much, as one with very
 * long sequences or very many epilogues, at very many addresses. */
bool unwind_pe_count(const struct pe_step *step, unsigned n_ops);

enum unwind_pe unwind_pe_need(const struct pe_step *step, unsigned reg);

/* Maps the reader's error to UNSUPPORTED or MALFORMED. */
enum unwind_pe unwind_pe_refused(const struct err *err);

/* Pops the return address from the stack. */
enum unwind_pe unwind_pe_return(struct pe_step *step);

/* Steps from the frame to its caller with its entry. step->regs is undefined unless the result is
 * UNWIND_PE_DONE. */
enum unwind_pe unwind_pe_x64(struct pe_step *step, struct unwind_xdata *xdata);
enum unwind_pe unwind_pe_arm64(struct pe_step *step, const struct unwind_xdata *xdata);

/* For code without an entry: undoes what it may have pushed below its return address. */
void unwind_pe_x64_leaf(struct pe_step *step);

/* Executes the rest of an x64 epilogue, except its return. False if pc is not in an epilogue; then *regs does
 * not change. */
bool unwind_pe_epilogue(struct pe_step *step, const struct unwind_xdata *xdata);

#endif
