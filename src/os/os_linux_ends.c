/* SPDX-License-Identifier: BSD-3-Clause */
/* Signals that ask a run to end. */
#include <signal.h>
#include <unistd.h>

#include "os_linux_internal.h"

static volatile sig_atomic_t stop_signal;
static volatile sig_atomic_t n_stops;

/* The first three are requests of users.  The others (a closed pipe, a timer, a limit of file size or CPU time) would also end
 * the process, and leave an unfinished session. */
static const int stop_signals[] = {SIGINT,  SIGTERM, SIGHUP,    SIGPIPE, SIGUSR1, SIGUSR2,
                                   SIGALRM, SIGXFSZ, SIGVTALRM, SIGPROF, SIGXCPU};
enum { N_ALWAYS = 2, N_ASKING = 3 };

static struct sigaction old_actions[sizeof(stop_signals) / sizeof(*stop_signals)];
static bool is_caught;

static void on_stop(int sig)
{
        bool is_asked = false;

        for (size_t i = 0; i < N_ASKING; i++)
                is_asked |= sig == stop_signals[i];
        if (is_asked && ++n_stops >= 3)
                _exit(128 + sig);
        if (!stop_signal)
                stop_signal = sig;
}

void os_catch_stop(void)
{
        /* Without SA_RESTART, so that a wait ends when a stop is requested. */
        struct sigaction action = {.sa_handler = on_stop};

        if (is_caught)
                return;
        for (size_t i = 0; i < N_ELEMENTS(stop_signals); i++) {
                sigaction(stop_signals[i], NULL, &old_actions[i]);
                /* Signals that nohup ignores stay ignored.  But a shell's & ignores SIGINT, which scripts send to end a
                 * recorder. */
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
        if (!stop_signal)
                stop_signal = SIGTERM;
}

int os_stop_requested(void)
{
        return stop_signal;
}
