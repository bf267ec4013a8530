/* SPDX-License-Identifier: BSD-3-Clause */
/* acts NAME: uses children, signals and threads in one of many ways, and prints the results, which must be
 * the same with and without a recorder.  It looks like a Python interpreter by its symbol _PyRuntime.  A
 * second thread works meanwhile, so that the process is often stopped. */
#include "acts.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

extern int _PyRuntime;
__attribute__((visibility("default"), used)) int _PyRuntime = 1;

static const struct {
        const char *name;
        int (*act)(void);
} acts[] = {
        {"vfork_for_long", act_vfork_for_long},
        {"vfork_storm", act_vfork_storm},
        {"clone_parent", act_clone_parent},
        {"clone_signals", act_clone_signals},
        {"clone_vfork", act_clone_vfork},
        {"debug_child", act_debug_child},
        {"seize_child", act_seize_child},
        {"waitid", act_waitid},
        {"signalfd", act_signalfd},
        {"sigchld", act_sigchld},
        {"subreaper", act_subreaper},
        {"death_signal", act_death_signal},
        {"seccomp_strict", act_seccomp_strict},
        {"seccomp_filter", act_seccomp_filter},
        {"ends", act_ends},
        {"many_threads", act_many_threads},
        {"breakpoints", act_breakpoints},
        {"single_steps", act_single_steps},
        {"interrupted_calls", act_interrupted_calls},
        {"profiling_timer", act_profiling_timer},
        {"exit_of_a_thread", act_exit_of_a_thread},
};

static atomic_bool has_ended;

/* Signals of the process are delivered to the first thread. */
static void *work(void *unused)
{
        sigset_t all;

        sigfillset(&all);
        sigdelset(&all, SIGTRAP);
        pthread_sigmask(SIG_SETMASK, &all, NULL);
        while (!atomic_load(&has_ended))
                act_burn_ms(1);
        return unused;
}

int main(int argc, char **argv)
{
        pthread_t worker;
        int status = 2;

        pthread_create(&worker, NULL, work, NULL);
        act_burn_ms(3);
        for (size_t i = 0; i < sizeof(acts) / sizeof(*acts); i++) {
                if (argc > 1 && !strcmp(argv[1], acts[i].name))
                        status = acts[i].act();
                else if (argc == 1)
                        puts(acts[i].name);
        }
        atomic_store(&has_ended, true);
        pthread_join(worker, NULL);
        return status;
}
