/* SPDX-License-Identifier: BSD-3-Clause */
/* A program whose call graph is known, for tests of call stacks: chains MODE UNITS [MORE]
 *
 *   deep N DEPTH   main > descend (DEPTH + 1 times) > burn
 *   wide N DEPTH   main > descend_wide (DEPTH + 1 times) > burn, with frames of a kilobyte
 *   sort N         main > sort_all > qsort of the C library > compare > burn
 *   signal N       main > interrupted > burn, and signals run a handler on top of these: on_signal >
 *                  in_handler
 *   fork N         main > parent_work > burn, and in a child main > child_work > burn
 *   exec N TIMES   main > before_exec > burn, then the same program with TIMES - 1; at 0 as deep with DEPTH
 *                  3
 *   pool N WORKERS in each of WORKERS threads: worker > task > burn
 *   wait N         prints ready, then as deep with DEPTH 3
 *
 * One of the N UNITS of work takes about 10 ms. */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

enum { LOOPS_PER_UNIT = 10000000, SORTED = 20000, TICK_US = 5000, MAX_WORKERS = 16 };

/* Changed after each call, which prevents tail calls; by different amounts, so that equal functions are not
 * merged. */
static volatile uint64_t sink;

static NOINLINE void burn(uint64_t loops)
{
        uint64_t sum = loops;

        while (loops--) {
                sum += loops ^ sum >> 3;
                __asm__ volatile("" : "+r"(sum));
        }
        sink = sum;
}

static NOINLINE void descend(unsigned units, unsigned depth)
{
        if (depth)
                descend(units, depth - 1);
        else
                burn((uint64_t)units * LOOPS_PER_UNIT);
        sink++;
}

/* Each frame takes a kilobyte of stack. */
static NOINLINE void descend_wide(unsigned units, unsigned depth)
{
        volatile char room[1024];

        room[depth % sizeof(room)] = 1;
        if (depth)
                descend_wide(units, depth - 1);
        else
                burn((uint64_t)units * LOOPS_PER_UNIT);
        sink += (uint64_t)room[depth % sizeof(room)];
}

static NOINLINE int compare(const void *a, const void *b)
{
        int x = *(const int *)a, y = *(const int *)b;

        burn(200);
        sink++;
        return (x > y) - (x < y);
}

static NOINLINE void sort_all(unsigned units)
{
        static int numbers[SORTED];

        while (units--) {
                for (unsigned i = 0; i < SORTED; i++)
                        numbers[i] = (int)(i * 2654435761u >> 1);
                qsort(numbers, SORTED, sizeof(numbers[0]), compare);
                sink++;
        }
}

static NOINLINE void in_handler(void)
{
        uint64_t sum = 1;

        for (unsigned i = 0; i < LOOPS_PER_UNIT / 4; i++) {
                sum += i ^ sum >> 3;
                __asm__ volatile("" : "+r"(sum));
        }
        sink = sum;
}

static NOINLINE void on_signal(int number)
{
        in_handler();
        sink += (uint64_t)number;
}

static NOINLINE void interrupted(unsigned units)
{
        struct sigaction action = {.sa_handler = on_signal};
        struct itimerval every = {{0, TICK_US}, {0, TICK_US}}, never = {{0, 0}, {0, 0}};

        sigaction(SIGVTALRM, &action, NULL);
        setitimer(ITIMER_VIRTUAL, &every, NULL);
        burn((uint64_t)units * LOOPS_PER_UNIT);
        setitimer(ITIMER_VIRTUAL, &never, NULL);
        sink++;
}

static NOINLINE void child_work(unsigned units)
{
        burn((uint64_t)units * LOOPS_PER_UNIT);
        sink += 2;
}

static NOINLINE void parent_work(unsigned units)
{
        burn((uint64_t)units * LOOPS_PER_UNIT);
        sink += 3;
}

static NOINLINE void before_exec(unsigned units)
{
        burn((uint64_t)units * LOOPS_PER_UNIT);
        sink += 4;
}

static NOINLINE void task(unsigned units)
{
        burn((uint64_t)units * LOOPS_PER_UNIT);
        sink += 5;
}

static void *worker(void *units)
{
        for (unsigned i = 0; i < (unsigned)(uintptr_t)units; i++)
                task(1);
        return NULL;
}

static void run_pool(unsigned units, unsigned n)
{
        pthread_t threads[MAX_WORKERS];

        for (unsigned i = 0; i < n && i < MAX_WORKERS; i++)
                pthread_create(&threads[i], NULL, worker, (void *)(uintptr_t)units);
        for (unsigned i = 0; i < n && i < MAX_WORKERS; i++)
                pthread_join(threads[i], NULL);
}

static void run_fork(unsigned units)
{
        pid_t child = fork();

        if (!child) {
                child_work(units);
                exit(0);
        }
        parent_work(units);
        waitpid(child, NULL, 0);
}

static void run_exec(char *program, char *units, unsigned times)
{
        char text[12];

        if (!times) {
                descend((unsigned)strtoul(units, NULL, 10), 3);
                return;
        }
        before_exec((unsigned)strtoul(units, NULL, 10));
        snprintf(text, sizeof(text), "%u", times - 1);
        execl(program, program, "exec", units, text, (char *)NULL);
}

int main(int argc, char **argv)
{
        unsigned units = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 1;
        unsigned more = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 1;
        const char *mode = argc > 1 ? argv[1] : "deep";

        if (!strcmp(mode, "deep"))
                descend(units, more);
        else if (!strcmp(mode, "wide"))
                descend_wide(units, more);
        else if (!strcmp(mode, "sort"))
                sort_all(units);
        else if (!strcmp(mode, "signal"))
                interrupted(units);
        else if (!strcmp(mode, "fork"))
                run_fork(units);
        else if (!strcmp(mode, "exec"))
                run_exec(argv[0], argv[2], more);
        else if (!strcmp(mode, "pool"))
                run_pool(units, more);
        else if (!strcmp(mode, "wait")) {
                puts("ready");
                fflush(stdout);
                descend(units, 3);
        }
        return 0;
}
