/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that wake each other in two rings, so many times a second in all: each waits in read() of its pipe,
 * or in a futex, until the one before it passes a token on. pass_tokens pipe|futex THREADS RATE SECONDS does
 * RATE * SECONDS passes, each of which is one switch of a thread; RATE 0 does 100,000 * SECONDS as fast as it
 * can. Prints its elapsed seconds, its CPU seconds and its switches. */
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { N_RINGS = 2, SLICE_NS = 5000000, STACK_BYTES = 65536, AT_ONCE = 100000 };

/* A thread's place: how many passes are left in its ring, itself included; 0: nothing to do. */
struct place {
        struct place *next;
        int pipe[2];
        uint32_t word;
        pthread_t thread;
};

static sem_t has_ended[N_RINGS];
static struct place *resume[N_RINGS]; /* where a ring stopped */
static int by_pipe;

static void give(struct place *place, uint32_t left)
{
        if (by_pipe) {
                if (write(place->pipe[1], &left, sizeof(left)) != sizeof(left))
                        abort();
                return;
        }
        __atomic_store_n(&place->word, left, __ATOMIC_SEQ_CST);
        syscall(SYS_futex, &place->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static uint32_t take(struct place *place)
{
        uint32_t left;

        if (by_pipe) {
                if (read(place->pipe[0], &left, sizeof(left)) != sizeof(left))
                        abort();
                return left;
        }
        while (!(left = __atomic_exchange_n(&place->word, 0, __ATOMIC_SEQ_CST)))
                syscall(SYS_futex, &place->word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
        return left;
}

static int ring; /* of the threads that begin */

static void *pass(void *arg)
{
        struct place *own = arg;
        int of = __atomic_load_n(&ring, __ATOMIC_SEQ_CST);

        sem_post(&has_ended[of]);
        for (;;) {
                uint32_t left = take(own);

                if (left > 1) {
                        give(own->next, left - 1);
                        continue;
                }
                resume[of] = own->next;
                sem_post(&has_ended[of]);
        }
        return NULL;
}

static void start_ring(int of, int n)
{
        struct place *places = calloc((size_t)n, sizeof(*places));
        pthread_attr_t attr;

        pthread_attr_init(&attr);
        pthread_attr_setstacksize(&attr, STACK_BYTES);
        __atomic_store_n(&ring, of, __ATOMIC_SEQ_CST);
        resume[of] = places;
        for (int i = 0; i < n; i++) {
                places[i].next = &places[(i + 1) % n];
                if ((by_pipe && pipe(places[i].pipe)) ||
                    pthread_create(&places[i].thread, &attr, pass, &places[i]))
                        abort();
        }
        for (int i = 0; i < n; i++)
                sem_wait(&has_ended[of]);
}

/* In each slice of time so many passes of each ring; if that takes longer than a slice, the next one begins
 * at once. */
static void pace(uint64_t n_slices, uint32_t passes)
{
        struct timespec next;

        clock_gettime(CLOCK_MONOTONIC, &next);
        for (uint64_t i = 0; i < n_slices; i++) {
                for (int k = 0; k < N_RINGS; k++)
                        give(resume[k], passes);
                for (int k = 0; k < N_RINGS; k++)
                        sem_wait(&has_ended[k]);
                next.tv_nsec += SLICE_NS;
                next.tv_sec += next.tv_nsec / 1000000000;
                next.tv_nsec %= 1000000000;
                clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
        }
}

static double seconds_of(struct timeval t)
{
        return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double now_s(void)
{
        struct timespec t;

        clock_gettime(CLOCK_MONOTONIC, &t);
        return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* CPU seconds of the process; its switches so far are added to `switches`. */
static double used_s(long *switches, int sign)
{
        struct rusage used;

        getrusage(RUSAGE_SELF, &used);
        *switches += sign * (used.ru_nvcsw + used.ru_nivcsw);
        return seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
}

int main(int argc, char **argv)
{
        uint64_t rate, seconds, n_slices;
        double begin_s, begin_cpu_s;
        long switches = 0;

        if (argc != 5)
                return 2;
        by_pipe = !strcmp(argv[1], "pipe");
        rate = strtoull(argv[3], NULL, 10);
        seconds = strtoull(argv[4], NULL, 10);
        for (int i = 0; i < N_RINGS; i++) {
                sem_init(&has_ended[i], 0, 0);
                start_ring(i, atoi(argv[2]) / N_RINGS);
        }
        begin_cpu_s = used_s(&switches, -1);
        begin_s = now_s();
        n_slices = rate ? seconds * 1000000000 / SLICE_NS : 1;
        pace(n_slices, (uint32_t)((rate ? rate : AT_ONCE) * seconds / n_slices / N_RINGS));
        printf("%.6f %.6f", now_s() - begin_s, used_s(&switches, 1) - begin_cpu_s);
        printf(" %ld\n", switches);
        fflush(stdout);
        _exit(0);
}
