/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread that waits in a system call has been left with its stack pointer and pc alone. If a frame above
 * needs the frame pointer, and no function has saved it, this searches the stack for the frame's return
 * address. x86-64 only. */
#ifndef UNWIND_SEARCH_H
#define UNWIND_SEARCH_H

#include "unwind.h"

/* A word of the stack that can be the return address. */
struct unwind_candidate {
        uint64_t at, pc;
        uint64_t fp; /* the frame pointer, if it is */
        uint8_t rank;
};

/* How well a candidate fits; a lower number decides against a higher one. */
enum {
        UNWIND_RANK_PLACE, /* where the code of the function has put it */
        UNWIND_RANK_CALL,  /* behind a call of the function, in a frame whose size is not known */
        UNWIND_RANK_ANY,   /* behind a call that can be one of the function, in such a frame */
        UNWIND_N_RANKS,
        UNWIND_MAX_CANDIDATES = 64,
};

struct unwind_search {
        const struct unwind_modules *modules;
        struct unwind_memory *memory;
        uint64_t function;          /* address where the frame's function begins */
        int64_t cfa_off;            /* the frame's CFA: frame pointer + cfa_off */
        int64_t return_off, fp_off; /* where it saved the return address and the frame pointer: CFA + off */
        uint64_t start; /* where the return address is, if the frame has no more than its code says */
        bool is_static; /* nothing in the code gives the frame another size */
};

/* Prepares the search for the caller of the frame at `addr` (pc, or a return address minus 1) in `module`.
 * False if its frame pointer is known, or its call-frame information does not find the caller by it. */
bool unwind_search_begin(struct unwind_search *search, const struct unwind_modules *modules,
                         const struct unwind_module *module, uint64_t addr, const struct unwind_regs *regs,
                         struct unwind_memory *memory);

/* Returns the number of candidates, at most UNWIND_MAX_CANDIDATES, by their addresses. The caller's frame
 * pointer is not looked at: where functions have none, the register has any value. */
size_t unwind_search_all(const struct unwind_search *search, struct unwind_candidate *ret);

#endif
