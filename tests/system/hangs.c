/* SPDX-License-Identifier: BSD-3-Clause */
/* hangs WAY [N]: says "ready", and then all of its threads wait in a way that the test knows. A thread counts
 * itself right before its wait, so that after "ready" a thread that sleeps is in this wait. */
#include "hangs.h"

#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 512 };

static pthread_mutex_t mutexes[MOST];
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t all_locked;
static atomic_int n_ready;
static int n;
int pair[2];
static const char *argument;

static void say_ready(void)
{
        if (write(STDOUT_FILENO, "ready\n", 6) != 6)
                abort();
}

pthread_t start(void *(*function)(void *), int i)
{
        pthread_t thread;

        if (pthread_create(&thread, NULL, function, (void *)(intptr_t)i))
                abort();
        return thread;
}

static void wait_for_ready(int wanted)
{
        while (atomic_load(&n_ready) < wanted)
                usleep(1000);
        say_ready();
}

pid_t start_child(void)
{
        pid_t pid = fork();

        if (pid < 0)
                abort();
        if (!pid)
                prctl(PR_SET_PDEATHSIG, SIGKILL);
        return pid;
}

/* --- Locks --- */

__attribute__((noinline)) static void take_next(int i)
{
        atomic_fetch_add(&n_ready, 1);
        pthread_mutex_lock(&mutexes[(i + 1) % n]);
        atomic_fetch_add(&n_ready, 1);
}

static void *hold_and_take(void *ctx)
{
        int i = (int)(intptr_t)ctx;
        char name[16];

        snprintf(name, sizeof(name), "holder-%d", i);
        pthread_setname_np(pthread_self(), name);
        pthread_mutex_lock(&mutexes[i]);
        pthread_barrier_wait(&all_locked);
        take_next(i);
        return NULL;
}

/* N threads have a mutex each, and each wants the next one's. */
static void deadlock(void)
{
        pthread_t last = {0};

        pthread_barrier_init(&all_locked, NULL, (unsigned)n);
        for (int i = 0; i < n; i++) {
                pthread_mutex_init(&mutexes[i], NULL);
                last = start(hold_and_take, i);
        }
        wait_for_ready(n);
        pthread_join(last, NULL);
}

static void *lock_and_end(void *ctx)
{
        (void)ctx;
        pthread_mutex_lock(&mutexes[0]);
        return NULL;
}

/* The thread that has the mutex has ended. */
static void gone(void)
{
        pthread_join(start(lock_and_end, 0), NULL);
        say_ready();
        pthread_mutex_lock(&mutexes[0]);
}

static void *wait_for_cond(void *ctx)
{
        (void)ctx;
        pthread_mutex_lock(&mutexes[0]);
        atomic_fetch_add(&n_ready, 1);
        pthread_cond_wait(&cond, &mutexes[0]);
        return NULL;
}

static void many(void)
{
        for (int i = 0; i < n; i++)
                start(wait_for_cond, i);
        wait_for_ready(n);
        pause();
}

/* --- Processes, pipes, sockets --- */

static void child(void)
{
        pid_t pid = start_child();

        if (!pid)
                pause();
        say_ready();
        waitpid(pid, NULL, 0);
}

/* Writes to a child that does not read. */
static void full_pipe(void)
{
        char page[4096] = {0};

        if (pipe(pair))
                abort();
        if (!start_child()) {
                close(pair[1]);
                pause();
        }
        close(pair[0]);
        say_ready();
        while (write(pair[1], page, sizeof(page)) > 0)
                continue;
}

/* Reads from a pipe: of its children, `reader` reads it as well, and `writer` could write to it. */
static void shared_pipe(void)
{
        char byte;

        if (pipe(pair) || dup(pair[0]) < 0)
                abort();
        for (int is_writer = 0; is_writer < 2; is_writer++) {
                if (start_child())
                        continue;
                prctl(PR_SET_NAME, is_writer ? "writer" : "reader");
                if (is_writer)
                        close(pair[0]);
                else
                        close(pair[1]);
                pause();
        }
        close(pair[1]);
        say_ready();
        if (read(pair[0], &byte, 1) != 1)
                abort();
}

int listener(struct sockaddr_in *ret)
{
        socklen_t size = sizeof(*ret);
        int fd = socket(AF_INET, SOCK_STREAM, 0);

        *ret = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        if (bind(fd, (struct sockaddr *)ret, size) || listen(fd, 5) ||
            getsockname(fd, (struct sockaddr *)ret, &size))
                abort();
        return fd;
}

static void epoll_for(int fd)
{
        struct epoll_event event = {.events = EPOLLIN};
        int epoll = epoll_create1(0);

        if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event))
                abort();
        say_ready();
        epoll_wait(epoll, &event, 1, -1);
}

static void server(void)
{
        struct sockaddr_in address;

        epoll_for(listener(&address));
}

/* As a client of a slow database. */
static void client(void)
{
        struct sockaddr_in address = {.sin_family = AF_INET,
                                      .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                      .sin_port = htons((uint16_t)n)};
        int fd = socket(AF_INET, SOCK_STREAM, 0);

        if (connect(fd, (struct sockaddr *)&address, sizeof(address)))
                abort();
        epoll_for(fd);
}

/* Its child does not run a program, and does not end. */
static void vfork_parent(void)
{
        say_ready();
        if (!vfork()) {
                prctl(PR_SET_PDEATHSIG, SIGKILL);
                for (;;)
                        pause();
        }
}

/* --- Threads that run --- */

__attribute__((noinline)) static void spin_here(void)
{
        for (;;)
                __asm__ volatile("" ::: "memory");
}

static void spin(void)
{
        say_ready();
        spin_here();
}

static void *end_leader(void *ctx)
{
        (void)ctx;
        say_ready();
        pause();
        return NULL;
}

/* The first thread ends, and another one goes on. */
static void leaderless(void)
{
        start(end_leader, 0);
        pthread_exit(NULL);
}

static void end_soon(void)
{
        char byte;

        say_ready();
        if (read(STDIN_FILENO, &byte, 1) < 0)
                abort();
}

/* --- Stacks: each wait is called through functions of which one has a frame pointer in any build --- */

/* Its frame has a variable size. */
__attribute__((noinline)) static int call_variable(void (*wait)(void), size_t size)
{
        volatile char bytes[size];

        bytes[0] = bytes[size - 1] = 1;
        wait();
        return bytes[0] + bytes[size / 2];
}

/* Keeps values in registers over the call. */
__attribute__((noinline)) static int call_saving(void (*wait)(void), int a, int b, int c, int d)
{
        int sum = call_variable(wait, (size_t)(a + b) * 16);

        return sum * a + b * c + d;
}

__attribute__((noinline)) static int call_twice(void (*wait)(void), int depth)
{
        if (depth)
                return call_twice(wait, depth - 1) + depth;
        return call_saving(wait, n + 1, n + 2, n + 3, n + 4) * 2;
}

static void stack(void)
{
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
                abort();
        for (size_t i = 0; hangs[i].name; i++) {
                if (strcmp(hangs[i].name, argument))
                        continue;
                say_ready();
                n = call_twice(hangs[i].wait, 2);
        }
}

static const struct {
        const char *name;
        void (*begin)(void);
} ways[] = {
        {"deadlock", deadlock},
        {"gone", gone},
        {"many", many},
        {"child", child},
        {"pipe", full_pipe},
        {"shared-pipe", shared_pipe},
        {"server", server},
        {"client", client},
        {"vfork", vfork_parent},
        {"spin", spin},
        {"leaderless", leaderless},
        {"end-soon", end_soon},
        {"stack", stack},
};

int main(int argc, char **argv)
{
        argument = argc > 2 ? argv[2] : "";
        n = atoi(argument);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (size_t i = 0; argc > 1 && i < sizeof(ways) / sizeof(ways[0]); i++) {
                if (!strcmp(argv[1], ways[i].name))
                        ways[i].begin();
        }
        return 1;
}
