/* SPDX-License-Identifier: BSD-3-Clause */
/* accuracy SCALE: four phases of different lengths.  Each prints its name and its CPU time in ns, without
 * the time in which a hypervisor stopped the machine; at the end how often the program lost its CPU. */
#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>

#include "burn.h"

static uint64_t step_ms;

static NOINLINE void phase_a(void)
{
        burn_ms(8 * step_ms);
}

static NOINLINE void phase_b(void)
{
        burn_ms(6 * step_ms);
}

static NOINLINE void phase_c(void)
{
        burn_ms(4 * step_ms);
}

static NOINLINE void phase_d(void)
{
        burn_ms(2 * step_ms);
}

static void run(const char *name, void (*phase)(void))
{
        uint64_t start_ns = burned_ns();

        phase();
        printf("%s %" PRIu64 "\n", name, burned_ns() - start_ns);
}

int main(int argc, char **argv)
{
        struct rusage usage;

        if (argc != 2)
                return 2;
        step_ms = ms_of(argv[1]);
        run("phase_a", phase_a);
        run("phase_b", phase_b);
        run("phase_c", phase_c);
        run("phase_d", phase_d);
        getrusage(RUSAGE_SELF, &usage);
        printf("switches %ld\n", usage.ru_nvcsw + usage.ru_nivcsw);
        return 0;
}
