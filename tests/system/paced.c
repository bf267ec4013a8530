/* SPDX-License-Identifier: BSD-3-Clause */
/* paced WAY MS: uses about MS milliseconds of CPU time in two functions, `first` and `second`, in many ways:
 * with system calls, faults, sleeps, threads, processes. Which share each has follows from the work, not from
 * the clock. Without arguments it lists the ways. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { US = 600 }; /* rounds of `spin` in about a microsecond; it need not be exact */

static volatile uint64_t sink;
static int n_rounds; /* of each way: one is about 3 ms */

static void spin(int us)
{
        uint64_t x = 88172645463325252ull;

        for (int i = 0; i < us * US; i++)
                x = x * 6364136223846793005ull + 1442695040888963407ull;
        sink += x;
}

static void doze(long us)
{
        const struct timespec time = {0, us * 1000};

        nanosleep(&time, NULL);
}

enum kind { SPIN, CALL, READ, FAULT, ALLOCATE, WRITE, COPY, RECURSE };

static int zero_fd, file_fd;
static char from[1 << 22], to[1 << 22];

static int down(int n)
{
        volatile char frame[256];

        frame[n & 255] = (char)n;
        return n ? down(n - 1) + frame[n & 255] : 0;
}

/* Some 20 us of one kind of work. */
static void work(enum kind kind)
{
        char *memory;

        switch (kind) {
        case SPIN: spin(20); break;
        case CALL:
                for (int i = 0; i < 100; i++)
                        syscall(SYS_getppid);
                break;
        case READ:
                if (read(zero_fd, to, 1 << 18) < 0)
                        abort();
                break;
        case FAULT:
                memory = mmap(NULL, 1 << 17, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                for (int i = 0; i < 1 << 17; i += 4096)
                        memory[i] = 1;
                munmap(memory, 1 << 17);
                break;
        case ALLOCATE:
                for (int i = 0; i < 50; i++) {
                        memory = malloc(20000 + (size_t)i);
                        memory[i] = 1;
                        free(memory);
                }
                break;
        case WRITE:
                if (pwrite(file_fd, from, 1 << 15, 0) < 0)
                        abort();
                break;
        case COPY: memcpy(to, from, 1 << 17); break;
        case RECURSE:
                for (int i = 0; i < 100; i++)
                        sink += (uint64_t)down(40);
                break;
        }
}

__attribute__((noinline)) static void first(enum kind kind, int n)
{
        for (int i = 0; i < n; i++)
                work(kind);
        __asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) static void second(enum kind kind, int n)
{
        for (int i = 0; i < n; i++)
                work(kind);
        __asm__ volatile("" ::: "memory");
}

/* --- one thread --- */

static void alternate(enum kind one, enum kind other)
{
        for (int i = 0; i < n_rounds; i++) {
                first(one, 90);
                second(other, 60);
        }
}

static void spins(void)
{
        alternate(SPIN, SPIN);
}

static void calls(void)
{
        alternate(CALL, SPIN);
}

static void reads(void)
{
        alternate(READ, SPIN);
}

static void faults(void)
{
        alternate(FAULT, SPIN);
}

static void allocations(void)
{
        alternate(ALLOCATE, FAULT);
}

static void writes(void)
{
        alternate(WRITE, SPIN);
}

static void copies(void)
{
        alternate(COPY, SPIN);
}

static void recursions(void)
{
        alternate(RECURSE, SPIN);
}

static void short_turns(void)
{
        for (int i = 0; i < n_rounds * 50; i++) {
                first(SPIN, 2);
                second(CALL, 1);
        }
}

/* Sleeps after `first`, and after `second`. */
static void bursts(int n_first, int n_second, long us)
{
        for (int i = 0; i < n_rounds * 150 / (n_first + n_second); i++) {
                first(SPIN, n_first);
                doze(us);
                second(SPIN, n_second);
                doze(us);
        }
}

static void long_bursts(void)
{
        bursts(50, 100, 2000);
}

static void tiny_bursts(void)
{
        bursts(5, 3, 200);
}

static void periods(void)
{
        struct timespec due;

        clock_gettime(CLOCK_MONOTONIC, &due);
        for (int i = 0; i < n_rounds; i++) {
                due.tv_nsec += 10000000;
                due.tv_sec += due.tv_nsec / 1000000000;
                due.tv_nsec %= 1000000000;
                clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
                first(SPIN, 100);
                second(SPIN, 50);
        }
}

static void timers(void)
{
        const struct itimerspec every = {{0, 5000000}, {0, 5000000}};
        int fd = timerfd_create(CLOCK_MONOTONIC, 0);
        struct pollfd polled = {.fd = fd, .events = POLLIN};
        uint64_t n;

        timerfd_settime(fd, 0, &every, NULL);
        for (int i = 0; i < n_rounds; i++) {
                poll(&polled, 1, 1000);
                if (read(fd, &n, sizeof(n)) < 0)
                        abort();
                first(CALL, 50);
                second(SPIN, 100);
        }
}

static void on_alarm(int sig)
{
        (void)sig;
        first(SPIN, 20);
}

static void handlers(void)
{
        struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};

        sigaction(SIGUSR1, &action, NULL);
        for (int i = 0; i < n_rounds * 3; i++) {
                raise(SIGUSR1);
                second(SPIN, 30);
        }
}

/* --- threads --- */

static void *run_first(void *arg)
{
        (void)arg;
        for (int i = 0; i < n_rounds; i++)
                first(SPIN, 50);
        return NULL;
}

static void *run_second(void *arg)
{
        (void)arg;
        for (int i = 0; i < n_rounds; i++)
                second(SPIN, 100);
        return NULL;
}

static void run_threads(int n)
{
        pthread_t threads[16];

        n_rounds = n_rounds * 2 / n;
        for (int i = 0; i < n; i++)
                pthread_create(&threads[i], NULL, i & 1 ? run_second : run_first, NULL);
        for (int i = 0; i < n; i++)
                pthread_join(threads[i], NULL);
}

static void two_threads(void)
{
        run_threads(2);
}

static void many_threads(void)
{
        run_threads(16);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *lock_and_work(void *arg)
{
        for (int i = 0; i < n_rounds * 5; i++) {
                pthread_mutex_lock(&mutex);
                if (arg)
                        first(SPIN, 5);
                else
                        second(SPIN, 10);
                pthread_mutex_unlock(&mutex);
                second(SPIN, 1);
        }
        return NULL;
}

static void locks(void)
{
        pthread_t thread;

        pthread_create(&thread, NULL, lock_and_work, &mutex);
        lock_and_work(NULL);
        pthread_join(thread, NULL);
}

static int ping[2], pong[2];

static void *answer(void *arg)
{
        char byte;

        (void)arg;
        while (read(ping[0], &byte, 1) == 1 && byte) {
                second(SPIN, 6);
                if (write(pong[1], &byte, 1) != 1)
                        abort();
        }
        return NULL;
}

static void turns(void)
{
        char byte = 1;
        pthread_t thread;

        if (pipe(ping) || pipe(pong))
                abort();
        pthread_create(&thread, NULL, answer, NULL);
        for (int i = 0; i < n_rounds * 10; i++) {
                if (write(ping[1], &byte, 1) != 1 || read(pong[0], &byte, 1) != 1)
                        abort();
                first(SPIN, 9);
        }
        byte = 0;
        if (write(ping[1], &byte, 1) != 1)
                abort();
        pthread_join(thread, NULL);
}

static void *yield_and_work(void *arg)
{
        for (int i = 0; i < n_rounds * 10; i++) {
                if (arg)
                        first(SPIN, 6);
                else
                        second(SPIN, 9);
                sched_yield();
        }
        return NULL;
}

static void yields(void)
{
        pthread_t thread;

        pthread_create(&thread, NULL, yield_and_work, &mutex);
        yield_and_work(NULL);
        pthread_join(thread, NULL);
}

/* --- processes --- */

static void processes(void)
{
        if (!fork()) {
                run_first(NULL);
                _exit(0);
        }
        if (!fork()) {
                run_second(NULL);
                _exit(0);
        }
        while (wait(NULL) > 0)
                ;
}

/* The reader copies what the writer has made. */
static void pipes(void)
{
        ssize_t n;

        if (pipe(ping))
                abort();
        if (!fork()) {
                close(ping[1]);
                while ((n = read(ping[0], to, 1 << 16)) > 0)
                        second(SPIN, 5);
                _exit(0);
        }
        close(ping[0]);
        for (int i = 0; i < n_rounds * 10; i++) {
                first(SPIN, 10);
                if (write(ping[1], from, 1 << 16) != 1 << 16)
                        fprintf(stderr, "a short write\n");
        }
        close(ping[1]);
        while (wait(NULL) > 0)
                ;
}

/* Calls that return all that was asked for, unless a signal comes. */
static void long_calls(void)
{
        if (pipe(ping))
                abort();
        if (!fork()) {
                close(ping[1]);
                while (read(ping[0], to, 1 << 16) > 0)
                        ;
                _exit(0);
        }
        close(ping[0]);
        for (int i = 0; i < n_rounds * 2; i++) {
                if (write(ping[1], from, 1 << 20) != 1 << 20)
                        fprintf(stderr, "a short write\n");
                if (getrandom(from, 1 << 18, 0) != 1 << 18)
                        fprintf(stderr, "few random bytes\n");
                if (read(zero_fd, from, sizeof(from)) != sizeof(from))
                        fprintf(stderr, "a short read\n");
        }
        close(ping[1]);
        while (wait(NULL) > 0)
                ;
}

static const struct way {
        const char *name;
        void (*run)(void);
} ways[] = {
        {"spins", spins},
        {"calls", calls},
        {"reads", reads},
        {"faults", faults},
        {"allocations", allocations},
        {"writes", writes},
        {"copies", copies},
        {"recursions", recursions},
        {"short_turns", short_turns},
        {"long_bursts", long_bursts},
        {"tiny_bursts", tiny_bursts},
        {"periods", periods},
        {"timers", timers},
        {"handlers", handlers},
        {"two_threads", two_threads},
        {"many_threads", many_threads},
        {"locks", locks},
        {"turns", turns},
        {"yields", yields},
        {"processes", processes},
        {"pipes", pipes},
        {"long_calls", long_calls},
};

int main(int argc, char **argv)
{
        zero_fd = open("/dev/zero", O_RDONLY);
        file_fd = open("paced.tmp", O_RDWR | O_CREAT | O_TRUNC, 0600);
        unlink("paced.tmp");
        n_rounds = argc > 2 ? atoi(argv[2]) / 3 : 0;
        for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
                if (argc < 3)
                        puts(ways[i].name);
                else if (!strcmp(ways[i].name, argv[1]))
                        ways[i].run();
        }
        return 0;
}
