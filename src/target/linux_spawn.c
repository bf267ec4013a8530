/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts the command: the child waits at a pipe until its events are open and then execs, so that its first
 * instruction is already sampled. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "linux_processes.h"

/* The byte that lets the child continue. */
enum { GO = 'g' };

static void pin(const struct spawned_command *command)
{
        cpu_set_t set;

        if (!command->n_cpus)
                return;
        CPU_ZERO(&set);
        for (size_t i = 0; i < command->n_cpus; i++)
                CPU_SET(command->cpus[i], &set);
        sched_setaffinity(0, sizeof(set), &set);
}

NO_RETURN static void run_child(const struct spawned_command *command, int go_fd, int error_fd)
{
        ssize_t got;
        char go = 0;
        int error;

        do
                got = read(go_fd, &go, 1);
        while (got < 0 && errno == EINTR);
        /* 0: wperf has ended. */
        if (got != 1 || go != GO)
                _exit(125);
        pin(command);
        if (command->output_to_stderr)
                dup2(STDERR_FILENO, STDOUT_FILENO);
        execvp(command->argv[0], command->argv);
        error = errno;
        if (write(error_fd, &error, sizeof(error)) < 0)
                _exit(126);
        _exit(127);
}

static bool no_pipe(struct err *err)
{
        return err_set(err, ERR_LIMIT,
                       "too many open files to start a command; raise the limit with 'ulimit -n 1024'");
}

bool spawn_prepare(struct child *child, const struct spawned_command *command, struct err *err)
{
        int go[2], error[2];

        *child = (struct child){.go_fd = -1, .error_fd = -1, .pid_fd = -1};
        if (pipe2(go, O_CLOEXEC))
                return no_pipe(err);
        if (pipe2(error, O_CLOEXEC)) {
                close(go[0]);
                close(go[1]);
                return no_pipe(err);
        }
        child->pid = fork();
        if (child->pid == 0) {
                close(go[1]);
                close(error[0]);
                run_child(command, go[0], error[1]);
        }
        close(go[0]);
        close(error[1]);
        child->go_fd = go[1];
        child->error_fd = error[0];
        if (child->pid < 0) {
                child->pid = 0;
                return err_os(err, ERR_LIMIT, errno, "can't start '%s'", command->argv[0]);
        }
        child->pid_fd = (int)syscall(SYS_pidfd_open, child->pid, 0);
        return true;
}

bool spawn_go(struct child *child, const char *name, struct err *err)
{
        const char go = GO;
        int error = 0;
        ssize_t n;

        if (write(child->go_fd, &go, 1) != 1)
                return err_os(err, ERR_IO, errno, "can't start '%s'", name);
        /* A successful exec closes the pipe. */
        do
                n = read(child->error_fd, &error, sizeof(error));
        while (n < 0 && errno == EINTR);
        if (n == sizeof(error))
                return err_os(err, error == ENOENT || error == ENOTDIR ? ERR_MISSING : ERR_DENIED, error,
                              "can't run '%s'", name);
        return true;
}

static uint64_t timeval_ns(struct timeval tv)
{
        return (uint64_t)tv.tv_sec * 1000000000u + (uint64_t)tv.tv_usec * 1000u;
}

void spawn_take_status(struct child *child, int status, const struct rusage *usage)
{
        child->ended = true;
        child->status = status;
        child->usage = *usage;
        child->user_ns = timeval_ns(usage->ru_utime);
        child->kernel_ns = timeval_ns(usage->ru_stime);
}

bool spawn_reap(struct child *child, bool wait)
{
        struct rusage usage;
        int status;
        pid_t got;

        if (!child->pid || child->ended)
                return true;
        do
                got = wait4(child->pid, &status, wait ? 0 : WNOHANG, &usage);
        while (got < 0 && errno == EINTR && wait);
        if (got != child->pid)
                return false;
        spawn_take_status(child, status, &usage);
        return true;
}

int spawn_exit_status(const struct child *child)
{
        return WIFSIGNALED(child->status) ? 128 + WTERMSIG(child->status) : WEXITSTATUS(child->status);
}

void spawn_release(struct child *child)
{
        if (child->pid && !child->ended) {
                kill(child->pid, SIGKILL);
                spawn_reap(child, true);
        }
        if (child->go_fd >= 0)
                close(child->go_fd);
        if (child->error_fd >= 0)
                close(child->error_fd);
        if (child->pid_fd >= 0)
                close(child->pid_fd);
        *child = (struct child){.go_fd = -1, .error_fd = -1, .pid_fd = -1};
}
