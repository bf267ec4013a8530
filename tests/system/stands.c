/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks like a Python interpreter by its symbol _PyRuntime.  Prints its user, and works for argv[1] ms in
 * its first thread and in a second one, each with a mark on its stack.  Then executes the rest of its
 * arguments, if there is any. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "stands.h"

int _PyRuntime = 1;

static long ms;

static uint64_t cpu_ns(void)
{
        struct timespec now;

        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void *work(void *arg)
{
        volatile struct stands_mark mark = {0, 0, getpid(), (int32_t)syscall(SYS_gettid)};
        register uint64_t counter __asm__(STANDS_REG) = 0;
        uint64_t end = cpu_ns() + (uint64_t)ms * 1000000u;

        mark.magic = STANDS_MAGIC; /* set last, because the thread may stop while the mark is written */
        /* A comparison with the constant would keep it in a register, which called functions save on the
         * stack. */
        while (cpu_ns() < end && mark.magic) {
                for (int i = 0; i < 100000; i++) {
                        counter++;
                        __asm__ volatile("" : "+r"(counter));
                        mark.counter = counter;
                }
        }
        return arg;
}

int main(int argc, char **argv)
{
        pthread_t other;

        ms = argc > 1 ? atol(argv[1]) : 100;
        printf("euid %d\n", (int)geteuid());
        fflush(stdout);
        if (pthread_create(&other, NULL, work, NULL))
                return 1;
        work(NULL);
        pthread_join(other, NULL);
        if (argc > 2)
                execv(argv[2], argv + 2);
        return _PyRuntime == 1 ? 7 : 0;
}
