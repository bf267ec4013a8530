/* SPDX-License-Identifier: BSD-3-Clause */
/* Burns CPU time at the ends of known paths: main > left|right > walk (deep) > burn_a, main > qsort >
 * compare > burn_b, and in a signal handler.  paths MILLISECONDS of CPU time */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))

static volatile unsigned long sink;
static volatile int depths[] = {3, 12}; /* variables, so that functions are not cloned for a constant */

static double now(void)
{
        struct timespec t;

        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
        return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static NOINLINE void burn_a(void)
{
        for (unsigned long i = 0; i < 200000; i++)
                sink += i * i;
}

static NOINLINE void burn_b(void)
{
        for (unsigned long i = 0; i < 200000; i++)
                sink ^= i * 3;
}

static NOINLINE int walk(int depth)
{
        volatile char room[24];
        int value;

        room[0] = (char)depth;
        if (depth)
                value = walk(depth - 1);
        else {
                burn_a();
                value = 0;
        }
        return value + room[0];
}

static NOINLINE int left(void)
{
        return walk(depths[0]) + 1;
}

static NOINLINE int right(void)
{
        return walk(depths[1]) + 2;
}

static NOINLINE int compare(const void *a, const void *b)
{
        burn_b();
        return *(const int *)a - *(const int *)b;
}

static NOINLINE void sort(void)
{
        int numbers[4] = {3, 1, 4, 2};

        qsort(numbers, 4, sizeof(*numbers), compare);
        sink += (unsigned long)numbers[0];
}

static NOINLINE void handle(int number)
{
        burn_b();
        sink += (unsigned long)number;
}

static NOINLINE void interrupt(void)
{
        raise(SIGUSR1);
        sink++;
}

int main(int argc, char **argv)
{
        double end = now() + (argc > 1 ? atof(argv[1]) : 500);
        int sum = 0;

        signal(SIGUSR1, handle);
        while (now() < end) {
                sum += left() + right();
                sort();
                interrupt();
        }
        printf("%d\n", sum);
        return 0;
}
