/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs three functions that two others call, in phases, and prints the CPU time of each phase by the
 * thread's own clock.  Usage: phases SIZE [CHILDREN]: a phase is SIZE times 10 million rounds of a loop, or
 * a part of it; children run the same */
#include "outline.h"

#include <windows.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile unsigned sink;

static double cpu_us(void)
{
        FILETIME created, ended, kernel, user;

        GetThreadTimes(GetCurrentThread(), &created, &ended, &kernel, &user);
        return ((double)kernel.dwHighDateTime + (double)user.dwHighDateTime) * 429496729.6 +
               ((double)kernel.dwLowDateTime + (double)user.dwLowDateTime) / 10;
}

static OUTLINE void work_a(unsigned n)
{
        for (unsigned i = 0; i < n; i++)
                sink += i;
}

static OUTLINE void work_b(unsigned n)
{
        for (unsigned i = 0; i < n; i++)
                sink ^= i * 3;
}

static OUTLINE void work_c(unsigned n)
{
        for (unsigned i = 0; i < n; i++)
                sink -= i * 5;
}

static OUTLINE void call_both(unsigned n)
{
        work_a(n);
        sink++;
        work_b(n);
        sink++;
}

static OUTLINE void call_one(unsigned n)
{
        work_c(n);
        sink++;
}

/* The clock is only read between phases: its ticks may be 16 ms. */
static void run_phase(const char *name, void (*work)(unsigned n), unsigned size)
{
        double begin = cpu_us();

        work(size * 10000000);
        printf("%s %.0f us\n", name, cpu_us() - begin);
}

static void start_child(const char *program, const char *size, HANDLE *ret)
{
        STARTUPINFOA start = {.cb = sizeof(start)};
        PROCESS_INFORMATION made;
        char line[2048];

        snprintf(line, sizeof(line), "\"%s\" %s", program, size);
        if (!CreateProcessA(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &start, &made))
                exit(9);
        *ret = made.hProcess;
}

int main(int argc, char **argv)
{
        unsigned size = argc > 1 ? (unsigned)atoi(argv[1]) : 40;
        int n_children = argc > 2 ? atoi(argv[2]) : 0;
        HANDLE children[8];

        for (int i = 0; i < n_children && i < 8; i++)
                start_child(argv[0], argv[1], &children[i]);
        run_phase("both", call_both, size);
        run_phase("one", call_one, size / 2);
        run_phase("a", work_a, size / 2);
        fflush(stdout);
        for (int i = 0; i < n_children && i < 8; i++)
                WaitForSingleObject(children[i], INFINITE);
        return 0;
}
