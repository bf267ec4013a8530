/* SPDX-License-Identifier: BSD-3-Clause */
/* The first process of a PID namespace, as which a container starts its program: it has to take the exit
 * statuses of processes whose parents have ended, and the kernel ignores signals for which it has no handler.
 * So wperf runs as a child of it. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os.h"

/* Takes all statuses that wait. Returns whether `program` has ended, and its status. A program that stops
 * itself would stop for ever: there is no shell here. */
static bool take_statuses(pid_t program, int *ret_status)
{
        bool has_ended = false;
        int status;
        pid_t pid;

        while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0) {
                if (pid == program && WIFSTOPPED(status))
                        kill(program, SIGCONT);
                else if (pid == program) {
                        *ret_status = status;
                        has_ended = true;
                }
        }
        return has_ended;
}

/* What a terminal sends reaches the program itself, which is in the same process group. */
static bool is_passed_on(const siginfo_t *info)
{
        return info->si_signo != SIGCHLD && info->si_code != SI_KERNEL;
}

NO_RETURN static void be_first(pid_t program, const sigset_t *all)
{
        siginfo_t info;
        int status;

        for (;;) {
                if (take_statuses(program, &status))
                        _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
                if (sigwaitinfo(all, &info) > 0 && is_passed_on(&info))
                        kill(program, info.si_signo);
        }
}

void os_run_below_init(void)
{
        sigset_t all, before;
        pid_t program;

        if (getpid() != 1)
                return;
        sigfillset(&all);
        sigprocmask(SIG_SETMASK, &all, &before);
        program = fork();
        if (program > 0)
                be_first(program, &all);
        sigprocmask(SIG_SETMASK, &before, NULL);
}
