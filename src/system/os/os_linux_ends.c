/* SPDX-License-Identifier: BSD-3-Clause */
/* Signals that ask a run to end. */
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "os_linux_internal.h"

/* Set by a signal, and by other threads. */
static atomic_int stop_signal;
static atomic_int n_stops;

_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a signal handler may use them");

/* The first three are requests of users.  The others (a closed pipe, a timer, a limit of file size or CPU
 * time) would also end the process, and leave an unfinished session. */
static const int stop_signals[] = {SIGINT,  SIGTERM, SIGHUP,    SIGPIPE, SIGUSR1, SIGUSR2,
                                   SIGALRM, SIGXFSZ, SIGVTALRM, SIGPROF, SIGXCPU};
enum { N_ALWAYS = 2, N_ASKING = 3 };

static struct sigaction old_actions[sizeof(stop_signals) / sizeof(*stop_signals)];
static bool is_caught;

/* The first request counts. */
static void request_stop(int sig)
{
        int none = 0;

        atomic_compare_exchange_strong(&stop_signal, &none, sig);
}

static void on_stop(int sig)
{
        bool is_asked = false;

        for (size_t i = 0; i < N_ASKING; i++)
                is_asked |= sig == stop_signals[i];
        if (is_asked && ++n_stops >= 3)
                _exit(128 + sig);
        request_stop(sig);
}

void os_catch_stop(void)
{
        /* Without SA_RESTART, so that a wait ends when a stop is requested. */
        struct sigaction action = {.sa_handler = on_stop};

        if (is_caught)
                return;
        for (size_t i = 0; i < N_ELEMENTS(stop_signals); i++) {
                sigaction(stop_signals[i], NULL, &old_actions[i]);
                /* Signals that nohup ignores stay ignored.  But a shell's & ignores SIGINT, which scripts
                 * send to end a recorder. */
                if (i < N_ALWAYS || old_actions[i].sa_handler != SIG_IGN)
                        sigaction(stop_signals[i], &action, NULL);
        }
        is_caught = true;
}

void os_release_stop(void)
{
        for (size_t i = 0; is_caught && i < N_ELEMENTS(stop_signals); i++)
                sigaction(stop_signals[i], &old_actions[i], NULL);
        is_caught = false;
        stop_signal = 0;
        n_stops = 0;
}

void os_request_stop(void)
{
        request_stop(SIGTERM);
}

int os_stop_requested(void)
{
        return stop_signal;
}
