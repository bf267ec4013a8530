/* SPDX-License-Identifier: BSD-3-Clause */
/* waits FOLDER FIRST STEP: waits in many ways, while signals come that the program ignores, and says how
 * each wait ended and how long it took. Runs the rows FIRST, FIRST + STEP, and so on. It looks like a
 * Python interpreter by its symbol _PyRuntime. */
#include "waits.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern int _PyRuntime;
__attribute__((visibility("default"), used)) int _PyRuntime = 1;

static const char *const happens_names[N_HAPPENS] = {"timeout", "event", "handler", "restarter", "job"};
static const int ends_at_ms[N_HAPPENS] = {END_MS, END_MS, NEVER_MS, LATE_MS, LATE_MS};

struct run now;
struct shared *shared;

uint64_t now_ns(void)
{
        struct timespec time;

        clock_gettime(CLOCK_MONOTONIC, &time);
        return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void sleep_ms(int ms)
{
        struct timespec left = {ms / 1000, ms % 1000 * 1000000L};

        while (nanosleep(&left, &left))
                ;
}

static bool is_row(const struct way *way, enum happens happens)
{
        switch (happens) {
        case TIMEOUT: return way->has_timeout;
        case EVENT: return way->end;
        default: return true;
        }
}

static volatile sig_atomic_t n_handled;

static void handle(int sig)
{
        (void)sig;
        n_handled++;
}

static void set_handler(enum happens happens)
{
        struct sigaction action = {.sa_handler = handle, .sa_flags = happens == RESTARTER ? SA_RESTART : 0};

        sigaction(SIGUSR1, &action, NULL);
}

static pid_t start_child(void)
{
        pid_t pid = fork();

        if (pid < 0)
                abort();
        return pid;
}

/* Signals that the waiter ignores by default, and the SIGCHLD of the child. */
static void disturb(void)
{
        static const int signals[] = {SIGWINCH, SIGURG, SIGCONT};

        for (int i = 1; i * STEP_MS < END_MS; i++) {
                if (start_child())
                        continue;
                sleep_ms(i * STEP_MS);
                kill(now.waiter, signals[i % 3]);
                _exit(0);
        }
}

static void act(enum happens happens)
{
        if (happens == TIMEOUT || happens == EVENT || start_child())
                return;
        sleep_ms(SIGNAL_MS);
        kill(now.waiter, happens == JOB ? SIGSTOP : SIGUSR1);
        sleep_ms(RESUME_MS - SIGNAL_MS);
        if (happens == JOB)
                kill(now.waiter, SIGCONT);
        _exit(0);
}

/* A child that ends the wait. If the wait has ended before, it is ended. */
static void release(const struct way *way, enum happens happens)
{
        now.released = way->end && happens != TIMEOUT ? start_child() : 0;
        if (now.released || !way->end || happens == TIMEOUT)
                return;
        if (is_flock(way))
                take_flock();
        sleep_ms(ends_at_ms[happens]);
        way->end();
        _exit(0);
}

/* Nothing else ends a pause after a job's stop. */
static void end_pause(const struct way *way, enum happens happens)
{
        if (way->end || way->has_timeout || happens != JOB || start_child())
                return;
        sleep_ms(LATE_MS);
        kill(now.waiter, SIGUSR1);
        _exit(0);
}

static int timeout_ms(const struct way *way, enum happens happens)
{
        if (happens == TIMEOUT)
                return END_MS;
        return way->has_timeout && !way->end ? ends_at_ms[happens] : -1;
}

static void run(const struct way *way, enum happens happens)
{
        long result;
        int error;

        now.waiter = getpid();
        now.happens = happens;
        now.ends_at_ms = ends_at_ms[happens];
        shared->word = 0;
        sem_init(&shared->sem, 1, 0);
        unlink(now.path);
        n_handled = 0;
        set_handler(happens);
        if (way->begin)
                way->begin();
        release(way, happens);
        if (is_flock(way))
                sleep_ms(STEP_MS / 2);
        disturb();
        act(happens);
        end_pause(way, happens);
        now.took_ns = 0;
        now.began_ns = now_ns();
        errno = 0;
        result = way->wait(timeout_ms(way, happens));
        error = result < 0 ? errno : 0;
        now.took_ns = now.took_ns ? now.took_ns : now_ns() - now.began_ns;
        if (now.released)
                kill(now.released, SIGKILL);
        while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
                ;
        printf("%s, %s: %ld %s, %d handled; %.1f ms\n", way->name, happens_names[happens],
               result < 0 ? -1 : result, error ? strerrorname_np(error) : "0", (int)n_handled,
               (double)now.took_ns / 1e6);
        if (way->clean)
                way->clean();
        close_all();
        unlink(now.path);
}

static void begin(const char *folder)
{
        pthread_mutexattr_t mutex;
        pthread_condattr_t cond;

        shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        pthread_mutexattr_init(&mutex);
        pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
        pthread_mutex_init(&shared->mutex, &mutex);
        pthread_condattr_init(&cond);
        pthread_condattr_setpshared(&cond, PTHREAD_PROCESS_SHARED);
        pthread_cond_init(&shared->cond, &cond);
        snprintf(now.path, sizeof(now.path), "%.48s/%d", folder, getpid());
        setvbuf(stdout, NULL, _IONBF, 0);
}

int main(int argc, char **argv)
{
        int row = 0, first, step;

        if (argc != 4)
                return 2;
        begin(argv[1]);
        first = atoi(argv[2]);
        step = atoi(argv[3]);
        for (const struct way *way = ways; way->name; way++) {
                for (int happens = 0; happens < N_HAPPENS; happens++) {
                        if (is_row(way, (enum happens)happens) && row++ % step == first)
                                run(way, (enum happens)happens);
                }
        }
        return 0;
}
