/* SPDX-License-Identifier: BSD-3-Clause */
/* A program whose event counts are known.  counted WHAT N:
 * faults N     touches N fresh pages
 * switches N   two processes send a byte to each other N times
 * hops N       moves to another CPU N times
 * grow N       prints `ready`; for each byte read from standard input a new thread touches N fresh pages,
 *              then prints `done`
 * spin N       uses N ms of CPU time
 * sleep N      sleeps N ms */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void touch_pages(long n)
{
        long page = sysconf(_SC_PAGESIZE);
        char *at = mmap(NULL, (size_t)(n * page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        if (at == MAP_FAILED)
                exit(3);
        madvise(at, (size_t)(n * page), MADV_NOHUGEPAGE);
        for (long i = 0; i < n; i++)
                ((volatile char *)at)[i * page] = 1;
        munmap(at, (size_t)(n * page));
}

static void hand_over(int from, int to, long n, int first)
{
        char byte = 0;

        for (long i = 0; i < n; i++) {
                if (first && write(to, &byte, 1) != 1)
                        exit(3);
                if (read(from, &byte, 1) != 1)
                        exit(3);
                if (!first && write(to, &byte, 1) != 1)
                        exit(3);
        }
}

static void switch_to_and_fro(long n)
{
        int to[2], fro[2];
        cpu_set_t set;
        pid_t child;

        CPU_ZERO(&set);
        CPU_SET(0, &set);
        sched_setaffinity(0, sizeof(set), &set);
        if (pipe(to) || pipe(fro))
                exit(3);
        child = fork();
        if (!child) {
                hand_over(to[0], fro[1], n, 0);
                _exit(0);
        }
        hand_over(fro[0], to[1], n, 1);
        waitpid(child, NULL, 0);
}

static void hop(long n)
{
        cpu_set_t set;

        for (long i = 0; i <= n; i++) {
                CPU_ZERO(&set);
                CPU_SET(i & 1, &set);
                if (sched_setaffinity(0, sizeof(set), &set))
                        exit(3);
        }
}

static void *touch_in_thread(void *n)
{
        touch_pages(*(long *)n);
        return NULL;
}

static void grow(long n)
{
        char byte;

        puts("ready");
        fflush(stdout);
        while (read(STDIN_FILENO, &byte, 1) == 1) {
                pthread_t thread;

                if (pthread_create(&thread, NULL, touch_in_thread, &n))
                        exit(3);
                pthread_join(thread, NULL);
                puts("done");
                fflush(stdout);
        }
}

/* Counts from here on: the clock of the process also has the time before and during exec. */
static void spin(long ms)
{
        struct timespec start, now;

        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
        do
                clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
        while ((now.tv_sec - start.tv_sec) * 1000000000 + now.tv_nsec - start.tv_nsec < ms * 1000000);
}

int main(int argc, char **argv)
{
        long n = argc == 3 ? atol(argv[2]) : 0;

        if (argc != 3)
                return 2;
        if (!strcmp(argv[1], "faults"))
                touch_pages(n);
        else if (!strcmp(argv[1], "switches"))
                switch_to_and_fro(n);
        else if (!strcmp(argv[1], "hops"))
                hop(n);
        else if (!strcmp(argv[1], "grow"))
                grow(n);
        else if (!strcmp(argv[1], "spin"))
                spin(n);
        else if (!strcmp(argv[1], "sleep"))
                usleep((useconds_t)n * 1000);
        else
                return 2;
        return 0;
}
