/* SPDX-License-Identifier: BSD-3-Clause */
/* Uses of signals and threads; see acts_process.c. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "acts.h"

void act_burn_ms(unsigned ms)
{
        struct timespec now;
        uint64_t end = 0, now_ns;

        do {
                clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
                now_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
                end = end ? end : now_ns + ms * 1000000ull;
                for (volatile int i = 0; i < 2000;)
                        i = i + 1;
        } while (now_ns < end);
}

static void *burn(void *ms)
{
        act_burn_ms((unsigned)(uintptr_t)ms);
        return ms;
}

/* 300 threads, 20 at a time, some of them detached. */
int act_many_threads(void)
{
        enum { ROUNDS = 15, AT_ONCE = 20 };
        uintptr_t n = 0;

        for (int round = 0; round < ROUNDS; round++) {
                pthread_t threads[AT_ONCE];

                for (uintptr_t i = 0; i < AT_ONCE; i++)
                        pthread_create(&threads[i], NULL, burn, (void *)(i % 3));
                for (uintptr_t i = 0; i < AT_ONCE; i++) {
                        void *ms = NULL;

                        if (i % 5)
                                pthread_join(threads[i], &ms);
                        else
                                pthread_detach(threads[i]);
                        n += (uintptr_t)ms;
                }
        }
        printf("%d\n", (int)n);
        return 0;
}

/* --- SIGTRAP of its own --- */

static volatile sig_atomic_t n_own, n_foreign;

static void see_trap(int sig, siginfo_t *info, void *context)
{
        (void)sig;
        (void)context;
        if (info->si_code == 6) /* TRAP_PERF: the recorder's */
                n_foreign++;
        else
                n_own++;
}

static void trap(void)
{
#if defined(__x86_64__)
        __asm__ volatile("int3");
#else
        raise(SIGTRAP);
#endif
}

/* Breakpoints, as runtimes set them. */
int act_breakpoints(void)
{
        struct sigaction action = {.sa_sigaction = see_trap, .sa_flags = SA_SIGINFO}, before;

        n_own = n_foreign = 0;
        sigaction(SIGTRAP, &action, &before);
        for (int i = 0; i < 500; i++) {
                trap();
                raise(SIGTRAP);
                if (i % 10 == 0)
                        act_burn_ms(1);
        }
        sigaction(SIGTRAP, &before, NULL);
        printf("%d of its own, %d others\n", n_own, n_foreign);
        return 0;
}

/* Executes code with the trap flag, so that each instruction causes a signal. */
int act_single_steps(void)
{
#if defined(__x86_64__)
        struct sigaction action = {.sa_sigaction = see_trap, .sa_flags = SA_SIGINFO}, before;
        bool same = true;

        sigaction(SIGTRAP, &action, &before);
        for (int i = 0; i < 200; i++) {
                n_own = n_foreign = 0;
                __asm__ volatile("pushfq; orq $0x100,(%%rsp); popfq; nop; nop; nop; nop; nop; nop;"
                                 "pushfq; andq $~0x100,(%%rsp); popfq"
                                 :
                                 :
                                 : "memory", "cc");
                same &= n_own == 9 && !n_foreign;
        }
        sigaction(SIGTRAP, &before, NULL);
        printf("%s\n", same ? "each step seen" : "steps lost");
#endif
        return 0;
}

/* --- Timers, and calls that signals interrupt --- */

static volatile sig_atomic_t n_alarms;

static void see_alarm(int sig)
{
        (void)sig;
        n_alarms++;
}

int act_interrupted_calls(void)
{
        struct sigaction action = {.sa_handler = see_alarm}, before;
        const struct itimerval soon = {.it_value = {.tv_usec = 50000}};
        struct timespec second = {.tv_sec = 3};
        struct epoll_event event;
        int pipes[2], epoll = epoll_create1(0);
        char byte;

        n_alarms = 0;
        if (pipe(pipes))
                return 1;
        for (int restarts = 0; restarts < 2; restarts++) {
                action.sa_flags = restarts ? SA_RESTART : 0;
                sigaction(SIGALRM, &action, restarts ? NULL : &before);
                setitimer(ITIMER_REAL, &soon, NULL);
                printf("epoll_wait %d", epoll_wait(epoll, &event, 1, 3000) < 0 ? errno : 0);
                setitimer(ITIMER_REAL, &soon, NULL);
                printf(", poll %d",
                       poll(&(struct pollfd){.fd = pipes[0], .events = POLLIN}, 1, 3000) < 0 ? errno : 0);
                setitimer(ITIMER_REAL, &soon, NULL);
                printf(", nanosleep %d", nanosleep(&second, &second) < 0 ? errno : 0);
                if (!restarts) {
                        setitimer(ITIMER_REAL, &soon, NULL);
                        printf(", read %d", read(pipes[0], &byte, 1) < 0 ? errno : 0);
                }
                printf("\n");
        }
        sigaction(SIGALRM, &before, NULL);
        printf("%d alarms\n", n_alarms);
        close(pipes[0]);
        close(pipes[1]);
        close(epoll);
        return 0;
}

/* A CPU time timer, as other profilers use it. */
int act_profiling_timer(void)
{
        struct sigaction action = {.sa_handler = see_alarm, .sa_flags = SA_RESTART};
        const struct itimerval often = {{0, 10000}, {0, 10000}}, off = {{0, 0}, {0, 0}};

        n_alarms = 0;
        sigaction(SIGPROF, &action, NULL);
        setitimer(ITIMER_PROF, &often, NULL);
        act_burn_ms(400);
        setitimer(ITIMER_PROF, &off, NULL);
        printf("%s\n", n_alarms >= 20 ? "as many as it should" : "too few");
        return 0;
}

static void *exit_soon(void *status)
{
        act_burn_ms(5);
        _exit((int)(uintptr_t)status);
}

/* A thread other than the first ends a process whose threads all work. */
int act_exit_of_a_thread(void)
{
        for (int i = 0; i < 10; i++) {
                int status = 0;
                pid_t pid = fork();

                if (!pid) {
                        pthread_t thread;

                        for (int k = 0; k < 6; k++)
                                pthread_create(&thread, NULL, burn, (void *)100000);
                        pthread_create(&thread, NULL, exit_soon, (void *)(uintptr_t)(40 + i));
                        act_burn_ms(100000);
                }
                waitpid(pid, &status, 0);
                printf("%d ", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
        }
        printf("\n");
        return 0;
}
