/* SPDX-License-Identifier: BSD-3-Clause */
/* How call stacks are taken, as the user says it: -g, which is unwind, or that and perf's words behind --call-graph. */
#ifndef CALL_GRAPH_H
#define CALL_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "err.h"

enum call_graph_kind {
        CALL_GRAPH_NONE,
        CALL_GRAPH_UNWIND, /* registers and a copy of the stack, from which frames are found while recording */
        CALL_GRAPH_FP,     /* the kernel follows frame pointers */
        CALL_GRAPH_DWARF,  /* registers and copies of the stack are kept in the session */
        CALL_GRAPH_LBR,    /* the CPU's record of calls; user code alone */
};

struct call_graph {
        enum call_graph_kind kind;
        uint32_t stack_bytes; /* of UNWIND and DWARF, and of UNWIND in the place of LBR; a multiple of 8 */
};

enum {
        CALL_GRAPH_DEFAULT_BYTES = 8192, /* of DWARF, as perf has it */
        /* What python3.11 needs for imports out of imports; 8192 cut 38 % of these stacks, 16384 2 %. */
        CALL_GRAPH_UNWIND_BYTES = 24576,
        /* What the 16 bits of a record's size leave, rounded as the kernel asks. */
        CALL_GRAPH_MAX_BYTES = 65528,
};

/* "fp", "lbr", or "dwarf" and "unwind" with or without ",BYTES" behind it; BYTES is rounded up to a multiple of 8.  ERR_USAGE. */
bool call_graph_parse(const char *text, struct call_graph *ret, struct err *err);

#endif
