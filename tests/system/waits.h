/* SPDX-License-Identifier: BSD-3-Clause */
/* The ways to wait (waits_ways.c) and what runs them (waits.c). */
#ifndef WAITS_H
#define WAITS_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* LATE_MS: what ends the wait if the signal that comes before does not. NEVER_MS: only a wait that has
 * missed its signal lasts so long. */
enum { END_MS = 120, STEP_MS = 20, SIGNAL_MS = 70, RESUME_MS = 90, LATE_MS = 300, NEVER_MS = 1500 };

/* What happens besides the signals that are ignored. */
enum happens {
        TIMEOUT,   /* nothing, until the time is over, at END_MS */
        EVENT,     /* what the program waits for, at END_MS */
        HANDLER,   /* at SIGNAL_MS a signal with a handler */
        RESTARTER, /* the same with SA_RESTART, and the event at LATE_MS */
        JOB,       /* at SIGNAL_MS SIGSTOP, at RESUME_MS SIGCONT, and the event at LATE_MS */
        N_HAPPENS,
};

/* A row. */
struct run {
        enum happens happens;
        int ends_at_ms; /* when what it waits for happens */
        pid_t waiter;
        pid_t released;             /* the child that ends the wait; 0 for none */
        char path[64];              /* of a file that the wait may make */
        uint64_t began_ns, took_ns; /* took_ns: 0 if the wait does not measure it itself */
};

/* Shared with the children. */
struct shared {
        sem_t sem;
        pthread_mutex_t mutex;
        pthread_cond_t cond;
        int word;
};

struct way {
        const char *name;
        void (*begin)(void);
        long (*wait)(int ms); /* -1: without a timeout */
        void (*end)(void);    /* in a child; NULL: nothing ends it but a signal */
        bool has_timeout;
        void (*clean)(void);
};

/* A way without a name is the last. */
extern const struct way ways[];
extern struct run now;
extern struct shared *shared;

uint64_t now_ns(void);
void sleep_ms(int ms);

/* Waits for a lock of the file now.path; in the child that has it before. */
void take_flock(void);
bool is_flock(const struct way *way);

/* Closes what the way has opened. */
void close_all(void);

#endif
