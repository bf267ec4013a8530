/* SPDX-License-Identifier: BSD-3-Clause */
/* Part of its time is in the handler of a signal that interrupts a function at its first instruction, which
 * follows another function. */
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

void neighbour(void);
void stands_still(void);

#if defined(__x86_64__)
#define LOOP "jmp stands_still\n"
#else
#define LOOP "b stands_still\n"
#endif

__asm__(".text\n"
        ".p2align 4\n"
        ".globl neighbour\n.type neighbour, %function\n"
        "neighbour: ret\n"
        ".size neighbour, . - neighbour\n"
        ".globl stands_still\n.type stands_still, %function\n"
        "stands_still:\n.cfi_startproc\n" LOOP ".cfi_endproc\n"
        ".size stands_still, . - stands_still\n");

static volatile unsigned long sum;

__attribute__((noinline)) static void work(void)
{
        for (int i = 0; i < 500000; i++)
                sum += (unsigned long)i;
}

__attribute__((noinline)) static void on_timer(int sig)
{
        static int n;

        work();
        if (++n == 150)
                _exit(0);
        (void)sig;
}

int main(void)
{
        struct sigaction action = {.sa_handler = on_timer};
        struct itimerval every = {{0, 1370}, {0, 1370}};

        sigaction(SIGALRM, &action, NULL);
        setitimer(ITIMER_REAL, &every, NULL);
        stands_still();
}
