/* SPDX-License-Identifier: BSD-3-Clause */
/* Ways to wait: how each begins, waits and ends. */
#include "waits.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static int ends[2] = {-1, -1}; /* a pipe, pair of sockets, or terminal */
static int fd = -1, queue;     /* what the wait uses besides */
static aio_context_t aio_context;
static struct iovec one_byte = {&(char){0}, 1};

static struct timespec in_ms(int ms)
{
        return (struct timespec){ms / 1000, ms % 1000 * 1000000L};
}

static struct timespec until_ms(clockid_t clock, int ms)
{
        struct timespec until;

        clock_gettime(clock, &until);
        until.tv_nsec += ms * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        return until;
}

static int failed(int error)
{
        errno = error;
        return error ? -1 : 0;
}

void close_all(void)
{
        close(ends[0]);
        close(ends[1]);
        close(fd);
        ends[0] = ends[1] = fd = -1;
}

/* --- ways to begin and to end a wait --- */

static void open_pipe(void)
{
        if (pipe(ends))
                abort();
}

static void open_sockets(void)
{
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
                abort();
}

static void limit_socket(int option)
{
        int ms = now.happens == TIMEOUT ? END_MS : NEVER_MS;
        struct timeval time = {ms / 1000, ms % 1000 * 1000};

        setsockopt(ends[0], SOL_SOCKET, option, &time, sizeof(time));
}

static void open_sockets_with_timeouts(void)
{
        open_sockets();
        limit_socket(SO_RCVTIMEO);
        limit_socket(SO_SNDTIMEO);
}

static void fill(void)
{
        char block[4096] = {0};

        fcntl(ends[0], F_SETFL, O_NONBLOCK);
        while (write(ends[0], block, sizeof(block)) > 0)
                ;
        while (write(ends[0], block, 1) > 0)
                ;
        fcntl(ends[0], F_SETFL, 0);
}

static void open_full_sockets(void)
{
        open_sockets_with_timeouts();
        fill();
}

static void open_full_pipe(void)
{
        int swapped;

        open_pipe();
        swapped = ends[0];
        ends[0] = ends[1];
        ends[1] = swapped;
        fill();
}

static void open_terminal(void)
{
        if (openpty(&ends[1], &ends[0], NULL, NULL, NULL))
                abort();
}

static void open_epoll(void)
{
        struct epoll_event event = {.events = EPOLLIN};

        open_pipe();
        fd = epoll_create1(0);
        epoll_ctl(fd, EPOLL_CTL_ADD, ends[0], &event);
}

static void open_listener(void)
{
        struct sockaddr_un address = {.sun_family = AF_UNIX};

        memcpy(address.sun_path, now.path, sizeof(now.path));
        ends[0] = socket(AF_UNIX, SOCK_STREAM, 0);
        if (bind(ends[0], (struct sockaddr *)&address, sizeof(address)) || listen(ends[0], 1))
                abort();
}

static void open_listener_with_timeout(void)
{
        open_listener();
        limit_socket(SO_RCVTIMEO);
}

static void open_fifo(void)
{
        if (mkfifo(now.path, 0600))
                abort();
}

static void open_file(void)
{
        fd = open(now.path, O_RDWR | O_CREAT, 0600);
}

static void open_inotify(void)
{
        open_file();
        ends[0] = inotify_init();
        inotify_add_watch(ends[0], now.path, IN_MODIFY);
}

static void open_eventfd(void)
{
        ends[0] = eventfd(0, 0);
}

static void open_timerfd(void)
{
        struct itimerspec when = {.it_value = in_ms(now.ends_at_ms)};

        ends[0] = timerfd_create(CLOCK_MONOTONIC, 0);
        timerfd_settime(ends[0], 0, &when, NULL);
}

static void open_semaphores(void)
{
        queue = semget(IPC_PRIVATE, 1, 0600);
}

static void open_queue(void)
{
        queue = msgget(IPC_PRIVATE, 0600);
}

static void open_aio(void)
{
        syscall(SYS_io_setup, 1, &aio_context);
}

static void close_aio(void)
{
        syscall(SYS_io_destroy, aio_context);
        aio_context = 0;
}

static void close_semaphores(void)
{
        semctl(queue, 0, IPC_RMID);
}

static void close_queue(void)
{
        msgctl(queue, IPC_RMID, NULL);
}

static void block_signal(void)
{
        sigset_t set;

        sigemptyset(&set);
        sigaddset(&set, SIGUSR2);
        sigprocmask(SIG_BLOCK, &set, NULL);
        ends[0] = signalfd(-1, &set, 0);
}

static void unblock_signal(void)
{
        sigset_t set;

        sigemptyset(&set);
        sigaddset(&set, SIGUSR2);
        sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* In the child that ends the wait. */
static void put_byte(void)
{
        if (write(ends[1], "\n", 1) != 1)
                abort();
}

static void take_bytes(void)
{
        static char block[1 << 20];

        if (read(ends[1], block, sizeof(block)) < 1)
                abort();
}

static void connect_to(void)
{
        struct sockaddr_un address = {.sun_family = AF_UNIX};

        memcpy(address.sun_path, now.path, sizeof(now.path));
        if (connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&address, sizeof(address)))
                abort();
}

static void open_other_end(void)
{
        open(now.path, O_WRONLY);
}

static void write_file(void)
{
        if (write(fd, "x", 1) != 1)
                abort();
}

static void put_event(void)
{
        uint64_t one = 1;

        if (write(ends[0], &one, sizeof(one)) != sizeof(one))
                abort();
}

static void post_semaphore(void)
{
        struct sembuf up = {0, 1, 0};

        semop(queue, &up, 1);
}

static void send_message(void)
{
        struct {
                long type;
                char text[1];
        } message = {1, "x"};

        msgsnd(queue, &message, 1, 0);
}

static void send_signal(void)
{
        kill(now.waiter, SIGUSR2);
}

static void post(void)
{
        sem_post(&shared->sem);
}

static void wake_word(void)
{
        shared->word = 1;
        syscall(SYS_futex, &shared->word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void wake_condition(void)
{
        pthread_mutex_lock(&shared->mutex);
        pthread_cond_signal(&shared->cond);
        pthread_mutex_unlock(&shared->mutex);
}

/* Ends, whereby it gives up what it holds. */
static void nothing(void)
{
}

/* --- the waits --- */

static long wait_nanosleep(int ms)
{
        struct timespec time = in_ms(ms);

        return nanosleep(&time, NULL);
}

static long wait_clock(int ms)
{
        struct timespec time = until_ms(CLOCK_MONOTONIC, ms);

        return failed(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL));
}

static long wait_poll(int ms)
{
        struct pollfd poll_fd = {ends[0], POLLIN, 0};

        return poll(&poll_fd, 1, ms);
}

static long wait_ppoll(int ms)
{
        struct pollfd poll_fd = {ends[0], POLLIN, 0};
        struct timespec time = in_ms(ms);

        return ppoll(&poll_fd, 1, ms < 0 ? NULL : &time, NULL);
}

static long wait_select(int ms)
{
        struct timeval time = {ms / 1000, ms % 1000 * 1000};
        fd_set set;

        FD_ZERO(&set);
        FD_SET(ends[0], &set);
        return select(ends[0] + 1, &set, NULL, NULL, ms < 0 ? NULL : &time);
}

static long wait_epoll(int ms)
{
        struct epoll_event event;

        return epoll_wait(fd, &event, 1, ms);
}

static long wait_epoll_pwait2(int ms)
{
        struct timespec time = in_ms(ms);
        struct epoll_event event;

        return syscall(SYS_epoll_pwait2, fd, &event, 1, ms < 0 ? NULL : &time, NULL, 8);
}

static long wait_read(int ms)
{
        char byte[64];

        (void)ms;
        return read(ends[0], byte, sizeof(byte));
}

static long wait_write(int ms)
{
        (void)ms;
        return write(ends[0], "x", 1);
}

static long wait_recv(int ms)
{
        char byte;

        (void)ms;
        return recv(ends[0], &byte, 1, 0);
}

static long wait_recvmsg(int ms)
{
        struct msghdr message = {.msg_iov = &one_byte, .msg_iovlen = 1};

        (void)ms;
        return recvmsg(ends[0], &message, 0);
}

static long wait_send(int ms)
{
        (void)ms;
        return send(ends[0], "x", 1, 0);
}

static long wait_accept(int ms)
{
        (void)ms;
        return accept(ends[0], NULL, NULL) >= 0 ? 0 : -1;
}

static long wait_open(int ms)
{
        (void)ms;
        return open(now.path, O_RDONLY) >= 0 ? 0 : -1;
}

static long wait_futex(int ms)
{
        struct timespec time = in_ms(ms);

        return syscall(SYS_futex, &shared->word, FUTEX_WAIT, 0, ms < 0 ? NULL : &time, NULL, 0);
}

static long wait_sem(int ms)
{
        struct timespec time = until_ms(CLOCK_REALTIME, ms);

        return ms < 0 ? sem_wait(&shared->sem) : sem_timedwait(&shared->sem, &time);
}

static pthread_barrier_t barrier;

static void *hold(void *ms)
{
        pthread_mutex_lock(&shared->mutex);
        pthread_barrier_wait(&barrier);
        sleep_ms((int)(intptr_t)ms);
        pthread_mutex_unlock(&shared->mutex);
        return NULL;
}

static long wait_mutex(int ms)
{
        struct timespec time = until_ms(CLOCK_REALTIME, ms);
        pthread_t holder;
        int error;

        pthread_barrier_init(&barrier, NULL, 2);
        pthread_create(&holder, NULL, hold,
                       (void *)(intptr_t)(now.happens == TIMEOUT ? 2 * END_MS : now.ends_at_ms));
        pthread_barrier_wait(&barrier);
        error = ms < 0 ? pthread_mutex_lock(&shared->mutex) : pthread_mutex_timedlock(&shared->mutex, &time);
        if (!error)
                pthread_mutex_unlock(&shared->mutex);
        now.took_ns = now_ns() - now.began_ns;
        pthread_join(holder, NULL);
        return failed(error);
}

static long wait_cond(int ms)
{
        struct timespec time = until_ms(CLOCK_REALTIME, ms);
        int error;

        pthread_mutex_lock(&shared->mutex);
        error = ms < 0 ? pthread_cond_wait(&shared->cond, &shared->mutex)
                       : pthread_cond_timedwait(&shared->cond, &shared->mutex, &time);
        pthread_mutex_unlock(&shared->mutex);
        return failed(error);
}

static long wait_semtimedop(int ms)
{
        struct timespec time = in_ms(ms);
        struct sembuf down = {0, -1, 0};

        return semtimedop(queue, &down, 1, ms < 0 ? NULL : &time);
}

static long wait_msgrcv(int ms)
{
        struct {
                long type;
                char text[8];
        } message;

        (void)ms;
        return msgrcv(queue, &message, sizeof(message.text), 0, 0);
}

static long wait_sigtimedwait(int ms)
{
        struct timespec time = in_ms(ms);
        sigset_t set;

        sigemptyset(&set);
        sigaddset(&set, SIGUSR2);
        return ms < 0 ? sigwaitinfo(&set, NULL) : sigtimedwait(&set, NULL, &time);
}

static long wait_sigwait(int ms)
{
        sigset_t set;
        int number = 0;

        (void)ms;
        sigemptyset(&set);
        sigaddset(&set, SIGUSR2);
        return failed(sigwait(&set, &number)) ? -1 : number;
}

static long wait_aio(int ms)
{
        struct timespec time = in_ms(ms);
        struct io_event event;

        return syscall(SYS_io_getevents, aio_context, 1, 1, &event, ms < 0 ? NULL : &time);
}

static long wait_child(int ms)
{
        (void)ms;
        return waitpid(now.released, NULL, 0) == now.released ? 0 : -1;
}

static long wait_child_by_waitid(int ms)
{
        siginfo_t info;

        (void)ms;
        return waitid(P_PID, (id_t)now.released, &info, WEXITED);
}

static long wait_flock(int ms)
{
        (void)ms;
        return flock(open(now.path, O_RDWR), LOCK_EX);
}

static long wait_pause(int ms)
{
        (void)ms;
        return pause();
}

static long wait_suspend(int ms)
{
        sigset_t none;

        (void)ms;
        sigemptyset(&none);
        return sigsuspend(&none);
}

void take_flock(void)
{
        flock(fd = open(now.path, O_RDWR), LOCK_EX);
}

bool is_flock(const struct way *way)
{
        return way->wait == wait_flock;
}

const struct way ways[] = {
        {"nanosleep", NULL, wait_nanosleep, NULL, true, NULL},
        {"clock_nanosleep", NULL, wait_clock, NULL, true, NULL},
        {"poll", open_pipe, wait_poll, put_byte, true, NULL},
        {"ppoll", open_pipe, wait_ppoll, put_byte, true, NULL},
        {"select", open_pipe, wait_select, put_byte, true, NULL},
        {"epoll_wait", open_epoll, wait_epoll, put_byte, true, NULL},
        {"epoll_pwait2", open_epoll, wait_epoll_pwait2, put_byte, true, NULL},
        {"read of a pipe", open_pipe, wait_read, put_byte, false, NULL},
        {"write to a pipe", open_full_pipe, wait_write, take_bytes, false, NULL},
        {"read of a terminal", open_terminal, wait_read, put_byte, false, NULL},
        {"read of a socket", open_sockets_with_timeouts, wait_read, put_byte, true, NULL},
        {"write to a socket", open_full_sockets, wait_write, take_bytes, true, NULL},
        {"recv", open_sockets, wait_recv, put_byte, false, NULL},
        {"recv with a timeout", open_sockets_with_timeouts, wait_recv, put_byte, true, NULL},
        {"recvmsg with a timeout", open_sockets_with_timeouts, wait_recvmsg, put_byte, true, NULL},
        {"send with a timeout", open_full_sockets, wait_send, take_bytes, true, NULL},
        {"accept", open_listener, wait_accept, connect_to, false, NULL},
        {"accept with a timeout", open_listener_with_timeout, wait_accept, connect_to, true, NULL},
        {"open of a fifo", open_fifo, wait_open, open_other_end, false, NULL},
        {"read of an eventfd", open_eventfd, wait_read, put_event, false, NULL},
        {"read of a timerfd", open_timerfd, wait_read, nothing, false, NULL},
        {"read of inotify", open_inotify, wait_read, write_file, false, NULL},
        {"futex", NULL, wait_futex, wake_word, true, NULL},
        {"mutex", NULL, wait_mutex, nothing, true, NULL},
        {"condition", NULL, wait_cond, wake_condition, true, NULL},
        {"semaphore", NULL, wait_sem, post, true, NULL},
        {"semtimedop", open_semaphores, wait_semtimedop, post_semaphore, true, close_semaphores},
        {"msgrcv", open_queue, wait_msgrcv, send_message, false, close_queue},
        {"sigwait", block_signal, wait_sigwait, send_signal, false, unblock_signal},
        {"sigtimedwait", block_signal, wait_sigtimedwait, send_signal, true, unblock_signal},
        {"signalfd", block_signal, wait_read, send_signal, false, unblock_signal},
        {"io_getevents", open_aio, wait_aio, NULL, true, close_aio},
        {"waitpid", NULL, wait_child, nothing, false, NULL},
        {"waitid", NULL, wait_child_by_waitid, nothing, false, NULL},
        {"flock", open_file, wait_flock, nothing, false, NULL},
        {"pause", NULL, wait_pause, NULL, false, NULL},
        {"sigsuspend", NULL, wait_suspend, NULL, false, NULL},
        {NULL, NULL, NULL, NULL, false, NULL},
};
