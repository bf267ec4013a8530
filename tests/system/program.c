/* SPDX-License-Identifier: BSD-3-Clause */
/* program [MS]: `./program` of the documentation.  It sorts numbers and adds up their digits for MS (300)
 * ms of CPU time. */
#include <stdio.h>
#include <stdlib.h>

#include "burn.h"

enum { NUMBERS = 20000 };

static unsigned numbers[NUMBERS];

static NOINLINE void make_numbers(unsigned seed)
{
        for (int i = 0; i < NUMBERS; i++)
                numbers[i] = seed = seed * 1664525u + 1013904223u;
}

static int compare_numbers(const void *a, const void *b)
{
        unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

        return (x > y) - (x < y);
}

static NOINLINE void sort_numbers(void)
{
        qsort(numbers, NUMBERS, sizeof *numbers, compare_numbers);
}

/* Inlined, so that the documentation can show an inlined function. */
static inline __attribute__((always_inline)) unsigned digit_sum(unsigned number)
{
        unsigned sum = 0;

        for (; number; number /= 10)
                sum += number % 10;
        return sum;
}

static NOINLINE unsigned add_digits(void)
{
        unsigned sum = 0;

        for (int i = 0; i < NUMBERS; i++)
                sum += digit_sum(numbers[i]);
        return sum;
}

int main(int argc, char **argv)
{
        uint64_t end_ns = thread_cpu_ns() + (argc > 1 ? ms_of(argv[1]) : 300) * 1000000u;
        unsigned sum = 0;

        for (unsigned round = 1; thread_cpu_ns() < end_ns; round++) {
                make_numbers(round);
                sort_numbers();
                sum += add_digits();
        }
        printf("%u\n", sum);
        return 0;
}
