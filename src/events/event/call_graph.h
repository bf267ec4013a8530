/* SPDX-License-Identifier: BSD-3-Clause */
/* How call stacks are recorded: -g (unwind), or a mode of --call-graph with perf's name. */
#ifndef CALL_GRAPH_H
#define CALL_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "err.h"

enum call_graph_kind {
        CALL_GRAPH_NONE,
        CALL_GRAPH_UNWIND, /* copy registers and stack, and unwind them while recording */
        CALL_GRAPH_FP,     /* the kernel follows frame pointers */
        CALL_GRAPH_DWARF,  /* registers and copies of the stack are kept in the session */
        CALL_GRAPH_LBR,    /* the CPU's branch records of calls; user code only */
};

struct call_graph {
        enum call_graph_kind kind;
        /* bytes of each stack copy, a multiple of 8; UNWIND, DWARF, and LBR when it falls back to UNWIND */
        uint32_t stack_bytes;
        bool if_can; /* nobody asked for stacks: where they can't be had, samples have none */
};

enum {
        CALL_GRAPH_DEFAULT_BYTES = 8192, /* for DWARF; perf's default */
        /* Deeply nested imports of Python 3.11 need this much: 8192 bytes truncated 38 % of those stacks,
         * 16384 bytes 2 %. */
        CALL_GRAPH_UNWIND_BYTES = 24576,
        /* A record's size has 16 bits; the kernel requires a multiple of 8. */
        CALL_GRAPH_MAX_BYTES = 65528,
};

/* Parses "fp", "lbr", "dwarf[,BYTES]" or "unwind[,BYTES]"; rounds BYTES up to a multiple of 8. ERR_USAGE if
 * `text` is none of these. */
bool call_graph_parse(const char *text, struct call_graph *ret, struct err *err);

#endif
