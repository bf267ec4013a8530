/* SPDX-License-Identifier: BSD-3-Clause */
/* Signals that ask a run to end. */
#include <signal.h>
#include <unistd.h>

#include "os_linux_internal.h"

static volatile sig_atomic_t stop_signal;
static volatile sig_atomic_t n_stops;

static void on_stop(int sig)
{
        if (++n_stops >= 3)
                _exit(128 + sig);
        if (!stop_signal)
                stop_signal = sig;
}

void os_catch_stop(void)
{
        /* No SA_RESTART: a wait must end when the user asks to stop. */
        struct sigaction action = {.sa_handler = on_stop};

        sigaction(SIGINT, &action, NULL);
        sigaction(SIGTERM, &action, NULL);
        sigaction(SIGHUP, &action, NULL);
}

void os_release_stop(void)
{
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        signal(SIGHUP, SIG_DFL);
        stop_signal = 0;
        n_stops = 0;
}

int os_stop_requested(void)
{
        return stop_signal;
}
