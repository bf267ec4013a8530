/* SPDX-License-Identifier: BSD-3-Clause */
/* The mark that the program `stands` leaves on its stack, for the test that reads it while the program is
 * stopped. */
#ifndef STANDS_H
#define STANDS_H

#include <stdint.h>

#define STANDS_MAGIC 0x5bd1e9955bd1e995ull

/* On the stack of the function that works. */
struct stands_mark {
        uint64_t magic;
        uint64_t counter; /* always what the register STANDS_REG contains, or one less */
        int32_t pid, tid;
};

/* Changes all the time while the thread works. By its name, and its number for perf. */
#if defined(__aarch64__)
#define STANDS_REG "x19"
enum { STANDS_REG_NUMBER = 19 };
#else
#define STANDS_REG "r12"
enum { STANDS_REG_NUMBER = 20 };
#endif

#endif
