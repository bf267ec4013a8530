/* SPDX-License-Identifier: BSD-3-Clause */
/* family MS PROGRAM [ARG]...: three threads with a function each, and a child that works and then executes
 * PROGRAM. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

static uint64_t share_ms;

static NOINLINE void *thread_one(void *unused)
{
        burn_ms(share_ms);
        return unused;
}

static NOINLINE void *thread_two(void *unused)
{
        burn_ms(2 * share_ms);
        return unused;
}

static NOINLINE void *thread_three(void *unused)
{
        burn_ms(3 * share_ms);
        return unused;
}

static NOINLINE void child_work(void)
{
        burn_ms(share_ms);
}

int main(int argc, char **argv)
{
        static void *(*const work[])(void *) = {thread_one, thread_two, thread_three};
        pthread_t threads[3];
        int status = 0;
        pid_t child;

        if (argc < 3)
                return 2;
        share_ms = ms_of(argv[1]);
        child = fork();
        if (child == 0) {
                child_work();
                execv(argv[2], argv + 2);
                _exit(127);
        }
        for (int i = 0; i < 3; i++)
                pthread_create(&threads[i], NULL, work[i], NULL);
        for (int i = 0; i < 3; i++)
                pthread_join(threads[i], NULL);
        return child < 0 || waitpid(child, &status, 0) != child || status;
}
