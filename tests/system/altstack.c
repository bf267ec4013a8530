/* SPDX-License-Identifier: BSD-3-Clause */
/* altstack MS: burns in a signal handler that has its own stack, far from the interrupted one. */
#include <signal.h>
#include <sys/mman.h>

#include "burn.h"

enum { STACK_BYTES = 1 << 20 };

static uint64_t ms;

static void on_signal(int number)
{
        (void)number;
        burn_ms(ms);
}

int main(int argc, char **argv)
{
        stack_t other = {.ss_size = STACK_BYTES};
        struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};

        if (argc != 2)
                return 2;
        ms = ms_of(argv[1]);
        other.ss_sp = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (other.ss_sp == MAP_FAILED || sigaltstack(&other, NULL) || sigaction(SIGUSR1, &action, NULL))
                return 3;
        return raise(SIGUSR1);
}
