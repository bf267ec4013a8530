/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops of which it is known what the hardware does in them: `test --hardware` samples them with Arm SPE.
 * They run in a process of their own, whose thread has the name of the loop while it runs, so that a
 * session tells which samples are the loop's. */
#ifndef HARDWARE_LOOPS_H
#define HARDWARE_LOOPS_H

#include <stddef.h>
#include <stdint.h>

enum hardware_loop_kind {
        HARDWARE_CHASE,           /* loads, each of which needs the one before */
        HARDWARE_STORES,          /* stores to one address after the other */
        HARDWARE_RANDOM_BRANCHES, /* a branch that is taken by chance */
        HARDWARE_STEADY_BRANCHES, /* the same branch, taken every second time */
};

struct hardware_loop {
        const char *name; /* at most 15 bytes, as names of threads */
        enum hardware_loop_kind kind;
        uint64_t size_bytes; /* of the memory that it uses; 0 for loops of branches */
};

/* The order is that in which they run; chases are sorted by size. */
size_t hardware_loops_n(void);
const struct hardware_loop *hardware_loops_get(size_t index);

/* The loop of this name; hardware_loops_n() if there is none. */
size_t hardware_loops_find(const char *name);

/* Runs each loop for about so many operations, but not longer than half a second.  Leaves out a loop that
 * would need more than a quarter of the machine's memory. */
void hardware_loops_run(uint64_t n_operations);

/* Fills the memory for a chase of `size_bytes`, a power of two of at least two lines of 64 bytes: each line
 * begins with the address of another one, and the whole is one circle in an order that looks random. */
void hardware_loops_link(void *memory, uint64_t size_bytes);

#endif
