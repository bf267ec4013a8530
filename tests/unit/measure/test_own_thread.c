/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "linux_processes.h"
#include "tap.h"

static void *wait_for(void *ctx)
{
        sem_wait(ctx);
        return NULL;
}

/* How a process ends that forks while such a thread runs. */
static int end_of_fork_beside_a_thread(void)
{
        pid_t pid = fork();
        int status = -1;

        if (!pid) {
                static const struct rlimit none;
                sem_t sem;

                setrlimit(RLIMIT_CORE, &none);
                close(STDERR_FILENO);
                sem_init(&sem, 0, 0);
                if (!own_thread_start(wait_for, &sem))
                        _exit(3);
                own_thread_fork();
                _exit(0);
        }
        return waitpid(pid, &status, 0) == pid ? status : -1;
}

TEST(no_process_is_forked_beside_such_a_thread)
{
        int status = end_of_fork_beside_a_thread();

        EXPECT_TRUE(WIFSIGNALED(status));
        EXPECT_INT(WTERMSIG(status), SIGABRT);
}

TEST(a_process_is_forked_when_it_has_ended)
{
        struct own_thread *thread;
        int status = -1;
        pid_t pid;
        sem_t sem;

        sem_init(&sem, 0, 0);
        thread = own_thread_start(wait_for, &sem);
        EXPECT_TRUE(thread);
        sem_post(&sem);
        own_thread_join(thread);
        pid = own_thread_fork();
        if (!pid)
                _exit(7);
        waitpid(pid, &status, 0);
        EXPECT_INT(WEXITSTATUS(status), 7);
        sem_destroy(&sem);
}

static void *blocked_signals(void *ctx)
{
        sigset_t *mask = ctx;

        pthread_sigmask(SIG_SETMASK, NULL, mask);
        return NULL;
}

TEST(it_handles_no_signals)
{
        sigset_t mask;
        struct own_thread *thread;

        sigemptyset(&mask);
        thread = own_thread_start(blocked_signals, &mask);
        own_thread_join(thread);
        EXPECT_TRUE(sigismember(&mask, SIGINT) == 1 && sigismember(&mask, SIGTERM) == 1);
        pthread_sigmask(SIG_SETMASK, NULL, &mask);
        EXPECT_TRUE(sigismember(&mask, SIGINT) == 0);
}

TAP_MAIN
