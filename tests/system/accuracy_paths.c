/* SPDX-License-Identifier: BSD-3-Clause */
/* accuracy_paths SCALE: CPU time in one function, called by five paths.  Each prints its name and its CPU
 * time in ns, without the time in which a hypervisor stopped the machine. */
#include <inttypes.h>
#include <stdio.h>

#include "burn.h"

static uint64_t step_ms;
static volatile int sink; /* keeps calls from being jumps */

static NOINLINE void spin(uint64_t steps)
{
        burn_ms(steps * step_ms);
        sink++;
}

static NOINLINE void shared(uint64_t steps)
{
        spin(steps);
        sink++;
}

static NOINLINE void path_a(void)
{
        shared(8);
        sink++;
}

static NOINLINE void path_b(void)
{
        shared(5);
        sink++;
}

static NOINLINE void down(int depth)
{
        if (depth)
                down(depth - 1);
        else
                shared(4);
        sink++;
}

static NOINLINE void path_c(void)
{
        down(10);
        sink++;
}

static NOINLINE void path_d(void)
{
        spin(2);
        sink++;
}

static NOINLINE void path_e(void)
{
        down(3);
        path_d();
        sink++;
}

static void run(const char *name, void (*path)(void))
{
        uint64_t start_ns = burned_ns();

        path();
        printf("%s %" PRIu64 "\n", name, burned_ns() - start_ns);
}

int main(int argc, char **argv)
{
        if (argc != 2)
                return 2;
        step_ms = ms_of(argv[1]);
        run("path_a", path_a);
        run("path_b", path_b);
        run("path_c", path_c);
        run("path_e", path_e);
        run("path_d", path_d);
        return 0;
}
