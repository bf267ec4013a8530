/* SPDX-License-Identifier: BSD-3-Clause */
/* compared ALPHA BETA GAMMA: does this much work in three functions, in millions of steps each.  Work, not
 * time: a change of the numbers is a change of the program. */
#include <stdint.h>
#include <stdlib.h>

#include "burn.h"

static volatile uint64_t sink;

/* Each step waits for the multiplication before it, which takes 3 or 4 cycles on all processors; that of a
 * variable in memory takes 1 to 6. */
#define MULTIPLIER 6364136223846793005u

static NOINLINE void alpha(uint64_t n)
{
        uint64_t x = sink;

        for (uint64_t i = 0; i < n; i++)
                x = x * MULTIPLIER + i;
        sink = x;
}

static NOINLINE void beta(uint64_t n)
{
        uint64_t x = sink;

        for (uint64_t i = 0; i < n; i++)
                x = x * MULTIPLIER ^ i;
        sink = x;
}

static NOINLINE void gamma_work(uint64_t n)
{
        uint64_t x = sink;

        for (uint64_t i = 0; i < n; i++)
                x = x * MULTIPLIER - i;
        sink = x;
}

/* Parts of the work differ in length, so that the program is not in step with the samples. */
static uint64_t part(const char *millions, uint64_t weight, uint64_t total)
{
        return strtoul(millions, NULL, 10) * 1000000 * weight / total;
}

int main(int argc, char **argv)
{
        enum { ROUNDS = 100 };
        uint64_t weights[ROUNDS], total = 0, random = 1;

        if (argc != 4)
                return 2;
        for (int i = 0; i < ROUNDS; i++) {
                random = random * MULTIPLIER + 1442695040888963407u;
                weights[i] = 100 + (random >> 33) % 900;
                total += weights[i];
        }
        for (int i = 0; i < ROUNDS; i++) {
                alpha(part(argv[1], weights[i], total));
                beta(part(argv[2], weights[i], total));
                gamma_work(part(argv[3], weights[i], total));
        }
        return 0;
}
