/* SPDX-License-Identifier: BSD-3-Clause */
/* Waits of all kinds that `record --wall` knows of C programs, in random order and of random lengths: each of
 * some threads waits again and again, and a partner of its own ends the waits. Prints a line for each:
 * thread, kind as wperf names it, function, begin and end of the wait in ns since 1970. An argument: the
 * seed, threads and waits of each thread. */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
        MOST_THREADS = 64,
        MOST_WAITS = 100000,
        PAGE_BYTES = 4096,
        LEAST_MS = 15,
        MOST_MS = 65,
        GAP_NS = 300000
};

/* A thread that waits, and its partner. */
struct pair {
        unsigned seed;
        pthread_t waiter, partner;
        int32_t tid;
        /* What the partner does next, after some milliseconds; what it does at once, or NULL. */
        void (*end)(struct pair *pair);
        void (*prepare)(struct pair *pair);
        unsigned ms;
        sem_t order;
        atomic_bool is_ready, has_ended, is_over;
        /* What they share. */
        int pipe[2], full[2], sockets[2], events, timer, terminal, keyboard, listener, epoll, locked,
                lock_file;
        int semaphores, messages, faults;
        struct sockaddr_un address;
        char *page;
        pthread_mutex_t mutex, signalled;
        pthread_cond_t condition;
        bool is_signalled;
        pthread_rwlock_t rwlock;
        sem_t semaphore;
        pthread_barrier_t barrier;
};

struct planted {
        int32_t tid;
        const char *kind, *function;
        uint64_t from_ns, to_ns;
};

static struct planted planted[MOST_WAITS];
static atomic_size_t n_planted;
static unsigned waits_each;

static void must(bool holds, const char *what)
{
        if (holds)
                return;
        perror(what);
        exit(1);
}

static uint64_t now_ns(clockid_t clock)
{
        struct timespec time;

        clock_gettime(clock, &time);
        return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* --- Partners --- */

static void *partner(void *arg)
{
        struct pair *p = arg;

        while (!sem_wait(&p->order) && !p->is_over) {
                if (p->prepare)
                        p->prepare(p);
                p->is_ready = true;
                nanosleep(&(struct timespec){.tv_nsec = p->ms * 1000000L}, NULL);
                p->end(p);
                p->has_ended = true;
        }
        return NULL;
}

/* Does not wait in the kernel: what is between two waits is time on a CPU. */
static void let_partner(struct pair *p, unsigned ms, void (*prepare)(struct pair *),
                        void (*end)(struct pair *))
{
        p->is_ready = p->has_ended = false;
        p->prepare = prepare;
        p->end = end;
        p->ms = ms;
        sem_post(&p->order);
        while (!p->is_ready)
                sched_yield();
}

static void write_to(int fd)
{
        must(write(fd, "x\n", 2) == 2, "write");
}

static void end_pipe(struct pair *p)
{
        write_to(p->pipe[1]);
}
static void end_socket(struct pair *p)
{
        write_to(p->sockets[1]);
}
static void end_terminal(struct pair *p)
{
        write_to(p->keyboard);
}
static void end_event(struct pair *p)
{
        must(!eventfd_write(p->events, 1), "eventfd");
}
static void end_signal(struct pair *p)
{
        pthread_kill(p->waiter, SIGUSR1);
}
static void end_semaphore(struct pair *p)
{
        sem_post(&p->semaphore);
}
static void end_barrier(struct pair *p)
{
        pthread_barrier_wait(&p->barrier);
}
static void take_mutex(struct pair *p)
{
        pthread_mutex_lock(&p->mutex);
}
static void end_mutex(struct pair *p)
{
        pthread_mutex_unlock(&p->mutex);
}
static void take_rwlock(struct pair *p)
{
        pthread_rwlock_wrlock(&p->rwlock);
}
static void end_rwlock(struct pair *p)
{
        pthread_rwlock_unlock(&p->rwlock);
}
static void take_file(struct pair *p)
{
        must(!flock(p->locked, LOCK_EX), "flock");
}
static void end_file(struct pair *p)
{
        must(!flock(p->locked, LOCK_UN), "flock");
}

static void end_full(struct pair *p)
{
        char page[PAGE_BYTES];

        must(read(p->full[0], page, sizeof(page)) > 0, "read");
}

static void end_condition(struct pair *p)
{
        pthread_mutex_lock(&p->signalled);
        p->is_signalled = true;
        pthread_cond_signal(&p->condition);
        pthread_mutex_unlock(&p->signalled);
}

static void end_connection(struct pair *p)
{
        int fd = socket(AF_UNIX, SOCK_STREAM, 0);

        must(!connect(fd, (struct sockaddr *)&p->address, sizeof(p->address)), "connect");
        close(fd);
}

static void end_system_v(struct pair *p)
{
        struct sembuf up = {.sem_op = 1};

        must(!semop(p->semaphores, &up, 1), "semop");
}

static void end_message(struct pair *p)
{
        struct {
                long type;
                char text[8];
        } message = {.type = 1};

        must(!msgsnd(p->messages, &message, sizeof(message.text), 0), "msgsnd");
}

static void end_fault(struct pair *p)
{
        static char zeros[PAGE_BYTES];
        struct uffdio_copy copy = {.dst = (uintptr_t)p->page, .src = (uintptr_t)zeros, .len = PAGE_BYTES};

        must(!ioctl(p->faults, UFFDIO_COPY, &copy), "UFFDIO_COPY");
}

/* --- Waits --- */

#define WAIT(name)                                                                                           \
        __attribute__((noinline)) static void name(struct pair *p, unsigned ms, struct planted *ret)

/* The times of the wait. */
#define PLANT(call)                                                                                          \
        do {                                                                                                 \
                ret->from_ns = now_ns(CLOCK_REALTIME);                                                       \
                call;                                                                                        \
                ret->to_ns = now_ns(CLOCK_REALTIME);                                                         \
        } while (0)

WAIT(wait_nanosleep)
{
        struct timespec time = {.tv_nsec = ms * 1000000L};

        (void)p;
        PLANT(nanosleep(&time, NULL));
}

WAIT(wait_poll_of_none)
{
        (void)p;
        PLANT(poll(NULL, 0, (int)ms));
}

WAIT(wait_select_of_none)
{
        struct timeval time = {.tv_usec = ms * 1000};

        (void)p;
        PLANT(select(0, NULL, NULL, NULL, &time));
}

WAIT(wait_timer)
{
        struct itimerspec time = {.it_value.tv_nsec = ms * 1000000L};
        uint64_t n;

        timerfd_settime(p->timer, 0, &time, NULL);
        PLANT(must(read(p->timer, &n, sizeof(n)) == sizeof(n), "timer"));
}

WAIT(wait_pipe)
{
        char text[2];

        let_partner(p, ms, NULL, end_pipe);
        PLANT(must(read(p->pipe[0], text, 2) == 2, "pipe"));
}

WAIT(wait_full_pipe)
{
        char page[PAGE_BYTES] = {0};

        let_partner(p, ms, NULL, end_full);
        PLANT(must(write(p->full[1], page, sizeof(page)) == sizeof(page), "full pipe"));
}

WAIT(wait_socket)
{
        char text[2];

        let_partner(p, ms, NULL, end_socket);
        PLANT(must(recv(p->sockets[0], text, 2, 0) == 2, "socket"));
}

WAIT(wait_socket_read)
{
        char text[2];

        let_partner(p, ms, NULL, end_socket);
        PLANT(must(read(p->sockets[0], text, 2) == 2, "socket"));
}

WAIT(wait_mutex)
{
        let_partner(p, ms, take_mutex, end_mutex);
        PLANT(pthread_mutex_lock(&p->mutex));
        pthread_mutex_unlock(&p->mutex);
}

WAIT(wait_condition)
{
        pthread_mutex_lock(&p->signalled);
        p->is_signalled = false;
        let_partner(p, ms, NULL, end_condition);
        ret->from_ns = now_ns(CLOCK_REALTIME);
        while (!p->is_signalled)
                pthread_cond_wait(&p->condition, &p->signalled);
        ret->to_ns = now_ns(CLOCK_REALTIME);
        pthread_mutex_unlock(&p->signalled);
}

WAIT(wait_semaphore)
{
        let_partner(p, ms, NULL, end_semaphore);
        PLANT(sem_wait(&p->semaphore));
}

WAIT(wait_rwlock)
{
        let_partner(p, ms, take_rwlock, end_rwlock);
        PLANT(pthread_rwlock_rdlock(&p->rwlock));
        pthread_rwlock_unlock(&p->rwlock);
}

WAIT(wait_barrier)
{
        let_partner(p, ms, NULL, end_barrier);
        PLANT(pthread_barrier_wait(&p->barrier));
}

WAIT(wait_system_v)
{
        struct sembuf down = {.sem_op = -1};

        let_partner(p, ms, NULL, end_system_v);
        PLANT(must(!semop(p->semaphores, &down, 1), "semop"));
}

WAIT(wait_file_lock)
{
        let_partner(p, ms, take_file, end_file);
        PLANT(must(!flock(p->lock_file, LOCK_EX), "flock"));
        flock(p->lock_file, LOCK_UN);
}

WAIT(wait_child)
{
        struct timespec time = {.tv_nsec = ms * 1000000L};
        pid_t child = fork();

        (void)p;
        if (!child) {
                nanosleep(&time, NULL);
                _exit(0);
        }
        PLANT(must(waitpid(child, NULL, 0) == child, "waitpid"));
}

WAIT(wait_terminal)
{
        char text[8];

        let_partner(p, ms, NULL, end_terminal);
        PLANT(must(read(p->terminal, text, sizeof(text)) == 2, "terminal"));
}

WAIT(wait_event)
{
        eventfd_t n;

        let_partner(p, ms, NULL, end_event);
        PLANT(must(!eventfd_read(p->events, &n), "eventfd"));
}

WAIT(wait_signal)
{
        sigset_t set;

        sigemptyset(&set);
        sigaddset(&set, SIGUSR1);
        let_partner(p, ms, NULL, end_signal);
        PLANT(must(sigwaitinfo(&set, NULL) == SIGUSR1, "sigwaitinfo"));
}

WAIT(wait_message)
{
        char message[64];

        let_partner(p, ms, NULL, end_message);
        PLANT(must(msgrcv(p->messages, message, 8, 0, 0) == 8, "msgrcv"));
}

static void *sleep_once(void *arg)
{
        nanosleep(arg, NULL);
        return NULL;
}

WAIT(wait_thread)
{
        struct timespec time = {.tv_nsec = ms * 1000000L};
        pthread_t thread;

        (void)p;
        must(!pthread_create(&thread, NULL, sleep_once, &time), "thread");
        PLANT(pthread_join(thread, NULL));
}

WAIT(wait_own_pipe)
{
        struct pollfd fds[] = {{p->pipe[0], POLLIN, 0}};
        char text[2];

        let_partner(p, ms, NULL, end_pipe);
        PLANT(must(poll(fds, 1, -1) == 1, "poll"));
        must(read(p->pipe[0], text, 2) == 2, "pipe");
}

WAIT(wait_epoll)
{
        struct epoll_event event;
        char text[2];

        let_partner(p, ms, NULL, end_socket);
        PLANT(must(epoll_wait(p->epoll, &event, 1, -1) == 1, "epoll"));
        must(read(p->sockets[0], text, 2) == 2, "socket");
}

WAIT(wait_connection)
{
        int fd;

        let_partner(p, ms, NULL, end_connection);
        PLANT(fd = accept(p->listener, NULL, NULL));
        must(fd >= 0, "accept");
        close(fd);
}

WAIT(wait_fault)
{
        volatile char *page = p->page;

        must(!madvise(p->page, PAGE_BYTES, MADV_DONTNEED), "madvise");
        let_partner(p, ms, NULL, end_fault);
        PLANT((void)page[0]);
}

static const struct {
        void (*wait)(struct pair *, unsigned, struct planted *);
        const char *kind, *function;
} waits[] = {
#define KIND(kind, function)                                                                                 \
        {                                                                                                    \
                function, #kind, #function                                                                   \
        }
        KIND(sleep, wait_nanosleep), KIND(sleep, wait_poll_of_none),  KIND(sleep, wait_select_of_none),
        KIND(sleep, wait_timer),     KIND(pipe, wait_pipe),           KIND(pipe, wait_full_pipe),
        KIND(network, wait_socket),  KIND(network, wait_socket_read), KIND(lock, wait_mutex),
        KIND(lock, wait_condition),  KIND(lock, wait_semaphore),      KIND(lock, wait_rwlock),
        KIND(lock, wait_barrier),    KIND(lock, wait_system_v),       KIND(lock, wait_file_lock),
        KIND(child, wait_child),     KIND(terminal, wait_terminal),   KIND(other, wait_event),
        KIND(other, wait_signal),    KIND(other, wait_message),       KIND(other, wait_thread),
        KIND(idle, wait_own_pipe),   KIND(idle, wait_epoll),          KIND(idle, wait_connection),
        KIND(fault, wait_fault),
};

/* --- Pairs --- */

static void open_faults(struct pair *p)
{
        struct uffdio_api api = {.api = UFFD_API};
        struct uffdio_register registered = {.mode = UFFDIO_REGISTER_MODE_MISSING};

        p->page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        p->faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
        if (p->faults < 0)
                return;
        registered.range.start = (uintptr_t)p->page;
        registered.range.len = PAGE_BYTES;
        must(!ioctl(p->faults, UFFDIO_API, &api) && !ioctl(p->faults, UFFDIO_REGISTER, &registered),
             "userfaultfd");
}

static void open_terminal(struct pair *p)
{
        p->keyboard = posix_openpt(O_RDWR | O_NOCTTY);
        must(p->keyboard >= 0 && !grantpt(p->keyboard) && !unlockpt(p->keyboard), "terminal");
        p->terminal = open(ptsname(p->keyboard), O_RDWR | O_NOCTTY);
        must(p->terminal >= 0, "terminal");
}

static void open_sockets(struct pair *p, int number)
{
        struct epoll_event event = {.events = EPOLLIN};

        must(!socketpair(AF_UNIX, SOCK_STREAM, 0, p->sockets), "sockets");
        p->epoll = epoll_create1(0);
        must(!epoll_ctl(p->epoll, EPOLL_CTL_ADD, p->sockets[0], &event), "epoll");
        p->address.sun_family = AF_UNIX;
        snprintf(p->address.sun_path, sizeof(p->address.sun_path), "planted.%d.%d", (int)getpid(), number);
        p->listener = socket(AF_UNIX, SOCK_STREAM, 0);
        must(!bind(p->listener, (struct sockaddr *)&p->address, sizeof(p->address)) &&
                     !listen(p->listener, 1),
             "listen");
}

static void open_pair(struct pair *p, int number)
{
        char page[PAGE_BYTES] = {0};
        char name[] = "planted.XXXXXX";

        must(!pipe(p->pipe) && !pipe(p->full), "pipe");
        must(fcntl(p->full[1], F_SETPIPE_SZ, PAGE_BYTES) == PAGE_BYTES, "size of a pipe");
        must(write(p->full[1], page, sizeof(page)) == sizeof(page), "full pipe");
        open_sockets(p, number);
        open_terminal(p);
        open_faults(p);
        p->events = eventfd(0, 0);
        p->timer = timerfd_create(CLOCK_MONOTONIC, 0);
        p->locked = mkstemp(name);
        p->lock_file = open(name, O_RDWR);
        must(p->locked >= 0 && p->lock_file >= 0 && !unlink(name), "file");
        p->semaphores = semget(IPC_PRIVATE, 1, 0600);
        p->messages = msgget(IPC_PRIVATE, 0600);
        must(p->semaphores >= 0 && p->messages >= 0, "System V");
        pthread_mutex_init(&p->mutex, NULL);
        pthread_mutex_init(&p->signalled, NULL);
        pthread_cond_init(&p->condition, NULL);
        pthread_rwlock_init(&p->rwlock, NULL);
        pthread_barrier_init(&p->barrier, NULL, 2);
        sem_init(&p->semaphore, 0, 0);
        sem_init(&p->order, 0, 0);
}

static void close_pair(struct pair *p)
{
        unlink(p->address.sun_path);
        semctl(p->semaphores, 0, IPC_RMID);
        msgctl(p->messages, IPC_RMID, NULL);
}

static void compute(void)
{
        uint64_t end = now_ns(CLOCK_MONOTONIC) + GAP_NS;

        while (now_ns(CLOCK_MONOTONIC) < end)
                ;
}

static void *waiter(void *arg)
{
        struct pair *p = arg;
        int32_t tid = (int32_t)gettid();

        for (unsigned i = 0; i < waits_each; i++) {
                unsigned which = (unsigned)rand_r(&p->seed) % (sizeof(waits) / sizeof(waits[0]));
                unsigned ms = LEAST_MS + (unsigned)rand_r(&p->seed) % (MOST_MS - LEAST_MS);
                struct planted one = {
                        .tid = tid, .kind = waits[which].kind, .function = waits[which].function};

                if (waits[which].wait == wait_fault && p->faults < 0)
                        continue;
                p->has_ended = true;
                waits[which].wait(p, ms, &one);
                while (!p->has_ended)
                        sched_yield();
                planted[n_planted++] = one;
                compute();
        }
        return NULL;
}

int main(int argc, char **argv)
{
        static struct pair pairs[MOST_THREADS];
        int n = argc == 4 ? atoi(argv[2]) : 0;
        sigset_t set;

        waits_each = argc == 4 ? (unsigned)atoi(argv[3]) : 0;
        if (n < 1 || n > MOST_THREADS || (uint64_t)n * waits_each > MOST_WAITS)
                return 2;
        sigemptyset(&set);
        sigaddset(&set, SIGUSR1);
        pthread_sigmask(SIG_BLOCK, &set, NULL);
        for (int i = 0; i < n; i++) {
                pairs[i].seed = (unsigned)atoi(argv[1]) + (unsigned)i * 7919;
                open_pair(&pairs[i], i);
                must(!pthread_create(&pairs[i].partner, NULL, partner, &pairs[i]), "thread");
                must(!pthread_create(&pairs[i].waiter, NULL, waiter, &pairs[i]), "thread");
        }
        for (int i = 0; i < n; i++) {
                pthread_join(pairs[i].waiter, NULL);
                pairs[i].is_over = true;
                sem_post(&pairs[i].order);
                pthread_join(pairs[i].partner, NULL);
                close_pair(&pairs[i]);
        }
        for (size_t i = 0; i < n_planted; i++)
                printf("%d %s %s %llu %llu\n", (int)planted[i].tid, planted[i].kind, planted[i].function,
                       (unsigned long long)planted[i].from_ns, (unsigned long long)planted[i].to_ns);
        return 0;
}
