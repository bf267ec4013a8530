/* SPDX-License-Identifier: BSD-3-Clause */
/* CPU time that is spent in the function that asks for it, and in no other. */
#ifndef BURN_H
#define BURN_H

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

/* clang does not clone functions and does not know the word. */
#ifdef __clang__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noinline, noclone))
#endif

static inline uint64_t thread_cpu_ns(void)
{
        struct timespec now;

        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline __attribute__((always_inline)) void burn_ms(uint64_t ms)
{
        uint64_t end_ns = thread_cpu_ns() + ms * 1000000u;

        do {
                for (volatile unsigned i = 0; i < 50000; i++)
                        ;
        } while (thread_cpu_ns() < end_ns);
}

static inline uint64_t ms_of(const char *text)
{
        return strtoull(text, NULL, 10);
}

#endif
