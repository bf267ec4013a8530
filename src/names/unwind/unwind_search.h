/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread that waits in a system call has been left with its stack pointer and pc alone. If a frame above
 * needs the frame pointer, and no function has saved it, this searches the stack for the frame's return
 * address. x86-64 only. */
#ifndef UNWIND_SEARCH_H
#define UNWIND_SEARCH_H

#include "unwind.h"

struct unwind_search {
        const struct unwind_modules *modules;
        struct unwind_memory *memory;
        uint64_t function;          /* address where the frame's function begins */
        int64_t cfa_off;            /* the frame's CFA: frame pointer + cfa_off */
        int64_t return_off, fp_off; /* where it saved the return address and the frame pointer: CFA + off */
        uint64_t at;                /* the next word of the stack */
        size_t n_words, n_candidates;
};

/* Prepares the search for the caller of the frame at `addr` (pc, or a return address minus 1) in `module`.
 * False if its frame pointer is known, or its call-frame information does not find the caller by it. */
bool unwind_search_begin(struct unwind_search *search, const struct unwind_modules *modules,
                         const struct unwind_module *module, uint64_t addr, const struct unwind_regs *regs,
                         struct unwind_memory *memory);

/* The next value that the frame pointer may have: the word that would be the return address follows a call
 * that calls the function, or can do so, and the saved frame pointer points higher in the stack. False if
 * there are no more. */
bool unwind_search_next(struct unwind_search *search, uint64_t *ret_fp);

#endif
