/* SPDX-License-Identifier: BSD-3-Clause */
/* The mark that the program `stands` leaves on its stack, for the test that reads it while the program is stopped. */
#ifndef STANDS_H
#define STANDS_H

#include <stdint.h>

#define STANDS_MAGIC 0x5bd1e9955bd1e995ull

/* On the stack of the function that works. */
struct stands_mark {
        uint64_t magic;
        const volatile uint64_t *counter; /* changes all the time while the program runs */
        uint64_t tls;                     /* the thread pointer */
        int32_t pid, tid;
};

#endif
