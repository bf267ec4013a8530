/* SPDX-License-Identifier: BSD-3-Clause */
/* A program whose threads all wait, in ten ways in turn, below a few calls: for stack_cost.py. The argument
 * is their number. Prints a line when all of them wait. */
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { DEPTH = 12, SETTLE_NS = 500000000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, of_condition = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static int pipes[2], pair[2], event;
static atomic_uint n_begun;

static void wait_mutex(void)
{
        pthread_mutex_lock(&mutex);
}

static void wait_condition(void)
{
        pthread_mutex_lock(&of_condition);
        for (;;)
                pthread_cond_wait(&condition, &of_condition);
}

static void wait_semaphore(void)
{
        sem_wait(&semaphore);
}

static void wait_sleep(void)
{
        nanosleep(&(struct timespec){.tv_sec = 100000}, NULL);
}

static void wait_read(int fd)
{
        char bytes[8];

        if (read(fd, bytes, sizeof(bytes)) < 0)
                abort();
}

static void wait_pipe(void)
{
        wait_read(pipes[0]);
}

static void wait_socket(void)
{
        char byte;

        recv(pair[0], &byte, 1, 0);
}

static void wait_event(void)
{
        wait_read(event);
}

static void wait_poll(void)
{
        struct pollfd polled[] = {{.fd = pair[0], .events = POLLIN}, {.fd = pipes[0], .events = POLLIN}};

        poll(polled, 2, -1);
}

static void wait_select(void)
{
        fd_set set;

        FD_ZERO(&set);
        FD_SET(pair[0], &set);
        select(pair[0] + 1, &set, NULL, NULL, NULL);
}

static void wait_epoll(void)
{
        struct epoll_event found = {.events = EPOLLIN};
        int epoll = epoll_create1(0);

        epoll_ctl(epoll, EPOLL_CTL_ADD, pair[0], &found);
        epoll_wait(epoll, &found, 1, -1);
}

static void (*const ways[])(void) = {wait_mutex,  wait_condition, wait_semaphore, wait_sleep,  wait_pipe,
                                     wait_socket, wait_event,     wait_poll,      wait_select, wait_epoll};

static void descend(unsigned depth, unsigned way)
{
        if (depth)
                descend(depth - 1, way);
        else
                ways[way]();
        atomic_signal_fence(memory_order_seq_cst); /* the call above is not the last instruction */
}

static void *work(void *number)
{
        unsigned n = (unsigned)(size_t)number;

        atomic_fetch_add(&n_begun, 1);
        descend(DEPTH - n % 4, n % (sizeof(ways) / sizeof(ways[0])));
        return NULL;
}

int main(int argc, char **argv)
{
        size_t n_threads = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
        pthread_t thread;

        if (!n_threads || pipe(pipes) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
                return 1;
        event = eventfd(0, 0);
        sem_init(&semaphore, 0, 0);
        pthread_mutex_lock(&mutex);
        for (size_t i = 1; i < n_threads; i++) {
                if (pthread_create(&thread, NULL, work, (void *)i))
                        return 1;
        }
        while (n_begun + 1 < n_threads)
                usleep(1000);
        nanosleep(&(struct timespec){.tv_nsec = SETTLE_NS}, NULL);
        puts("ready");
        fflush(stdout);
        pause();
        return 0;
}
