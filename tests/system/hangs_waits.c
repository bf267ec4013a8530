/* SPDX-License-Identifier: BSD-3-Clause */
/* Each waits for something that does not happen. */
#include "hangs.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t sem;

static void wait_nanosleep(void)
{
        nanosleep(&(struct timespec){.tv_sec = 1000}, NULL);
}

static void wait_usleep(void)
{
        usleep(999999999);
}

static void wait_poll(void)
{
        poll(&(struct pollfd){.fd = pair[0], .events = POLLIN}, 1, -1);
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
        struct epoll_event event = {.events = EPOLLIN};
        int epoll = epoll_create1(0);

        epoll_ctl(epoll, EPOLL_CTL_ADD, pair[0], &event);
        epoll_wait(epoll, &event, 1, -1);
}

static void wait_read(void)
{
        char byte;

        if (read(pair[0], &byte, 1))
                abort();
}

static void wait_recv(void)
{
        char byte;

        recv(pair[0], &byte, 1, 0);
}

static void wait_accept(void)
{
        struct sockaddr_in address;

        accept(listener(&address), NULL, NULL);
}

static void wait_pause(void)
{
        pause();
}

static void wait_mutex(void)
{
        pthread_mutex_lock(&mutex);
        pthread_mutex_lock(&mutex);
}

static void wait_cond(void)
{
        pthread_mutex_lock(&mutex);
        pthread_cond_wait(&cond, &mutex);
}

static void wait_sem(void)
{
        sem_wait(&sem);
}

static void wait_signal(void)
{
        sigset_t set;

        sigemptyset(&set);
        sigaddset(&set, SIGUSR1);
        sigprocmask(SIG_BLOCK, &set, NULL);
        sigwaitinfo(&set, NULL);
}

static void wait_flock(void)
{
        int first = open("/proc/self/exe", O_RDONLY), second = open("/proc/self/exe", O_RDONLY);

        flock(first, LOCK_EX);
        flock(second, LOCK_EX);
}

/* --- Kinds --- */

static void wait_rwlock(void)
{
        static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

        pthread_rwlock_rdlock(&lock);
        pthread_rwlock_wrlock(&lock);
}

static void wait_barrier(void)
{
        pthread_barrier_init(&barrier, NULL, 2);
        pthread_barrier_wait(&barrier);
}

static void *wait_for_ever(void *ctx)
{
        pause();
        return ctx;
}

static void wait_join(void)
{
        pthread_join(start(wait_for_ever, 0), NULL);
}

static void never(void)
{
        for (;;)
                pause();
}

static void *begin_once(void *ctx)
{
        pthread_once(ctx, never);
        return NULL;
}

static void wait_once(void)
{
        static pthread_once_t once = PTHREAD_ONCE_INIT;
        pthread_t thread;

        if (pthread_create(&thread, NULL, begin_once, &once))
                abort();
        while (!*(volatile pthread_once_t *)&once)
                usleep(1000);
        pthread_once(&once, never);
}

static void wait_for_signal(void)
{
        sigset_t set;
        int number;

        sigemptyset(&set);
        sigaddset(&set, SIGUSR1);
        sigwait(&set, &number);
}

static void wait_semop(void)
{
        struct sembuf down = {.sem_op = -1};
        int set = semget(IPC_PRIVATE, 1, 0600);

        sigset_t usr1;

        sigemptyset(&usr1);
        sigaddset(&usr1, SIGUSR1);
        sigprocmask(SIG_BLOCK, &usr1, NULL);
        if (!fork()) { /* removes the set when the waiter has ended */
                prctl(PR_SET_PDEATHSIG, SIGUSR1);
                wait_for_signal();
                semctl(set, 0, IPC_RMID);
                _exit(0);
        }
        semop(set, &down, 1);
}

static void wait_mq(void)
{
        struct mq_attr attr = {.mq_maxmsg = 1, .mq_msgsize = 8};
        char name[32], text[8];
        mqd_t queue;

        snprintf(name, sizeof(name), "/hangs-%d", getpid());
        queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attr);
        mq_unlink(name);
        mq_receive(queue, text, sizeof(text), NULL);
}

static void wait_fcntl(void)
{
        struct flock lock = {.l_type = F_WRLCK, .l_len = 1};
        char path[] = "/tmp/hangs-XXXXXX", byte;
        int fd = mkstemp(path);

        unlink(path);
        if (!start_child()) {
                fcntl(fd, F_SETLK, &lock);
                if (write(pair[1], "", 1) == 1)
                        pause();
        }
        while (recv(pair[0], &byte, 1, MSG_DONTWAIT) != 1)
                usleep(1000);
        fcntl(fd, F_SETLKW, &lock);
}

static void wait_suspend(void)
{
        sigset_t set;

        sigemptyset(&set);
        sigsuspend(&set);
}

static void wait_waitid(void)
{
        siginfo_t info;

        if (!start_child())
                pause();
        waitid(P_ALL, 0, &info, WEXITED);
}

static void read_8(int fd)
{
        uint64_t value;

        if (read(fd, &value, sizeof(value)) < 0)
                abort();
}

static void wait_eventfd(void)
{
        read_8(eventfd(0, 0));
}

static void wait_timerfd(void)
{
        int fd = timerfd_create(CLOCK_MONOTONIC, 0);

        timerfd_settime(fd, 0, &(struct itimerspec){.it_value.tv_sec = 1000}, NULL);
        read_8(fd);
}

static void wait_inotify(void)
{
        int fd = inotify_init1(0);

        inotify_add_watch(fd, "/", IN_CREATE);
        read_8(fd);
}

static void wait_send(void)
{
        char page[4096] = {0};

        while (send(pair[0], page, sizeof(page), 0) > 0)
                continue;
}

static void wait_udp(void)
{
        struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        int fd = socket(AF_INET, SOCK_DGRAM, 0);
        char byte;

        bind(fd, (struct sockaddr *)&address, sizeof(address));
        recvfrom(fd, &byte, 1, 0, NULL, NULL);
}

/* The listener has a full queue. */
static void wait_connect(void)
{
        struct sockaddr_un address = {.sun_family = AF_UNIX};
        int fd = socket(AF_UNIX, SOCK_STREAM, 0);

        snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "hangs-%d", getpid()); /* no file */
        bind(fd, (struct sockaddr *)&address, sizeof(address));
        listen(fd, 0);
        connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&address, sizeof(address));
        fd = socket(AF_UNIX, SOCK_STREAM, 0);
        connect(fd, (struct sockaddr *)&address, sizeof(address));
}

static void wait_poll_nothing(void)
{
        poll(NULL, 0, 1000000);
}

static void wait_futex(void)
{
        static uint32_t word;

        syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
}

static void wait_system(void)
{
        if (system("exec sleep 1000"))
                abort();
}

const struct hang hangs[] = {
        {"nanosleep", wait_nanosleep},
        {"usleep", wait_usleep},
        {"poll", wait_poll},
        {"select", wait_select},
        {"epoll", wait_epoll},
        {"read", wait_read},
        {"recv", wait_recv},
        {"accept", wait_accept},
        {"pause", wait_pause},
        {"mutex", wait_mutex},
        {"cond", wait_cond},
        {"sem", wait_sem},
        {"signal", wait_signal},
        {"flock", wait_flock},
        {"rwlock", wait_rwlock},
        {"barrier", wait_barrier},
        {"join", wait_join},
        {"once", wait_once},
        {"semop", wait_semop},
        {"mq", wait_mq},
        {"fcntl", wait_fcntl},
        {"suspend", wait_suspend},
        {"waitid", wait_waitid},
        {"eventfd", wait_eventfd},
        {"timerfd", wait_timerfd},
        {"inotify", wait_inotify},
        {"send", wait_send},
        {"udp", wait_udp},
        {"connect", wait_connect},
        {"poll-nothing", wait_poll_nothing},
        {"futex", wait_futex},
        {"system", wait_system},
        {NULL, NULL},
};
