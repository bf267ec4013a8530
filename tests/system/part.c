/* SPDX-License-Identifier: BSD-3-Clause */
/* A library for loader.c, built twice; WORK is the name of the function that burns the time. */
#include "burn.h"

static NOINLINE void WORK(uint64_t ms)
{
        burn_ms(ms);
}

__attribute__((visibility("default"))) void work(uint64_t ms);

__attribute__((visibility("default"))) void work(uint64_t ms)
{
        WORK(ms);
}
