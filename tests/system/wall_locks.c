/* SPDX-License-Identifier: BSD-3-Clause */
/* Two threads want one mutex again and again, for some milliseconds each time. Prints how long the second one
 * waited for it, in seconds. */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static double waited;

static double now(void)
{
        struct timespec time;

        clock_gettime(CLOCK_MONOTONIC, &time);
        return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void pause_ms(long ms)
{
        nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

__attribute__((noinline)) static void hold_mutex(void)
{
        pthread_mutex_lock(&mutex);
        pause_ms(7);
        pthread_mutex_unlock(&mutex);
        pause_ms(3);
}

__attribute__((noinline)) static void want_mutex(void)
{
        double begin = now();

        pthread_mutex_lock(&mutex);
        waited += now() - begin;
        pthread_mutex_unlock(&mutex);
        pause_ms(2);
}

static void *hold(void *arg)
{
        for (int i = 0; i < 400; i++)
                hold_mutex();
        return arg;
}

static void *want(void *arg)
{
        for (int i = 0; i < 400; i++)
                want_mutex();
        return arg;
}

int main(void)
{
        pthread_t holder, wanter;

        pthread_create(&holder, NULL, hold, NULL);
        pthread_create(&wanter, NULL, want, NULL);
        pthread_join(holder, NULL);
        pthread_join(wanter, NULL);
        fprintf(stderr, "%.6f\n", waited);
        return 0;
}
