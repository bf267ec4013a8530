/* SPDX-License-Identifier: BSD-3-Clause */
/* Burns CPU time in the calling function, and in no other. */
#ifndef BURN_H
#define BURN_H

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

/* clang does not clone functions and does not support the attribute. */
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

/* CPU time during which a hypervisor stopped the whole machine, as far as burn_ms detects it.  The kernel
 * counts it for the thread, but there are no timer ticks in it. */
static uint64_t held_ns;

static inline __attribute__((always_inline)) void burn_ms(uint64_t ms)
{
        uint64_t now_ns = thread_cpu_ns(), end_ns = now_ns + ms * 1000000u;

        do {
                uint64_t before_ns = now_ns;

                for (volatile unsigned i = 0; i < 50000; i++) /* about 0.1 ms */
                        ;
                now_ns = thread_cpu_ns();
                if (now_ns - before_ns > 4000000)
                        held_ns += now_ns - before_ns;
        } while (now_ns < end_ns);
}

/* The CPU time that a timer could sample. */
static inline uint64_t burned_ns(void)
{
        return thread_cpu_ns() - held_ns;
}

static inline uint64_t ms_of(const char *text)
{
        return strtoull(text, NULL, 10);
}

#endif
