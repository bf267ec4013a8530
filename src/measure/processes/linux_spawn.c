/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts the command: the child waits at a pipe until its events are open and then execs, so that its first
 * instruction is already sampled. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "linux_processes.h"
#include "os.h"

/* The byte that lets the child continue. */
enum { GO = 'g' };

/* The exit status that is given for a command whose parent was killed. */
enum { UNKNOWN_STATUS = 125 };

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
        if (command->output)
                os_redirect_streams(command->output);
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

/* The ends of the two pipes of a command. */
struct pipes {
        int go[2], error[2];
};

static bool open_pipes(struct pipes *pipes, struct err *err)
{
        if (pipe2(pipes->go, O_CLOEXEC))
                return no_pipe(err);
        if (!pipe2(pipes->error, O_CLOEXEC))
                return true;
        close(pipes->go[0]);
        close(pipes->go[1]);
        return no_pipe(err);
}

static pid_t fork_command(const struct spawned_command *command, const struct pipes *pipes)
{
        pid_t pid = own_thread_fork();

        if (pid == 0)
                run_child(command, pipes->go[0], pipes->error[1]);
        return pid;
}

/* --- a process between --- */

/* What it tells at first. */
struct started {
        pid_t pid;
        int error;
};

/* Only wperf may hold the end of the pipe that lets the command go, so that the command ends if wperf
 * does. */
NO_RETURN static void run_parent(const struct spawned_command *command, const struct pipes *pipes,
                                 const struct spawn_parent *parent, struct command_end *end, int told_fd)
{
        struct started started;

        close(pipes->go[1]);
        close(pipes->error[0]);
        started.pid = fork_command(command, pipes);
        started.error = errno;
        close(pipes->go[0]);
        close(pipes->error[1]);
        signal(SIGPIPE, SIG_IGN);
        if (write(told_fd, &started, sizeof(started)) < 0)
                errno = 0; /* wperf was killed: then the command ends at once */
        close(told_fd);
        if (started.pid > 0)
                parent->run(parent->ctx, started.pid, end);
        _exit(125);
}

/* Returns the command's pid, or -1 and sets errno. */
static pid_t fork_between(struct child *child, const struct spawned_command *command,
                          const struct pipes *pipes, const struct spawn_parent *parent)
{
        struct started started = {.pid = -1};
        void *shared =
                mmap(NULL, sizeof(*child->end), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        int told[2];
        ssize_t n;

        if (shared == MAP_FAILED)
                return -1;
        child->end = shared;
        if (pipe2(told, O_CLOEXEC))
                return -1;
        child->parent = own_thread_fork();
        if (child->parent == 0) {
                close(told[0]);
                run_parent(command, pipes, parent, child->end, told[1]);
        }
        started.error = errno;
        close(told[1]);
        do
                n = read(told[0], &started, sizeof(started));
        while (n < 0 && errno == EINTR);
        close(told[0]);
        errno = started.error;
        return started.pid;
}

/* --- starting --- */

bool spawn_prepare(struct child *child, const struct spawned_command *command,
                   const struct spawn_parent *parent, struct err *err)
{
        struct pipes pipes;
        int error;

        *child = (struct child){.go_fd = -1, .error_fd = -1, .pid_fd = -1};
        if (!open_pipes(&pipes, err))
                return false;
        child->pid = parent ? fork_between(child, command, &pipes, parent) : fork_command(command, &pipes);
        error = errno;
        close(pipes.go[0]);
        close(pipes.error[1]);
        child->go_fd = pipes.go[1];
        child->error_fd = pipes.error[0];
        if (child->pid < 0) {
                child->pid = 0;
                spawn_release(child);
                if (error == EMFILE)
                        return no_pipe(err);
                return err_os(err, ERR_LIMIT, error, "can't start '%s'", command->argv[0]);
        }
        child->pid_fd = (int)syscall(SYS_pidfd_open, child->pid, 0);
        return true;
}

bool spawn_go(struct child *child, const char *name, struct err *err)
{
        const char go = GO;
        int error = 0;
        ssize_t n;

        assert(child->pid && child->go_fd >= 0);
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

static void take_status(struct child *child, int status, const struct rusage *usage)
{
        child->ended = true;
        child->status = status;
        child->usage = *usage;
        child->user_ns = timeval_ns(usage->ru_utime);
        child->kernel_ns = timeval_ns(usage->ru_stime);
}

void spawn_tell_end(struct command_end *end, int status, const struct rusage *usage)
{
        assert(!atomic_load(&end->has_ended));
        end->status = status;
        end->usage = *usage;
        atomic_store(&end->has_ended, true);
}

void spawn_end_as(int status)
{
        sigset_t none;

        if (!WIFSIGNALED(status))
                _exit(WEXITSTATUS(status));
        prctl(PR_SET_DUMPABLE, 0);
        signal(WTERMSIG(status), SIG_DFL);
        kill(getpid(), WTERMSIG(status));
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        _exit(128 + WTERMSIG(status));
}

/* --- the end --- */

/* By its descriptor, because the process between may have waited for it, so that its pid belongs to
 * another. */
void spawn_kill(const struct child *child, int sig)
{
        if (!child->pid || child->ended)
                return;
        if (child->pid_fd < 0 ||
            (syscall(SYS_pidfd_send_signal, child->pid_fd, sig, NULL, 0) && errno == ENOSYS))
                kill(child->pid, sig);
}

static bool has_died(const struct child *child)
{
        struct pollfd fd = {.fd = child->pid_fd, .events = POLLIN};

        return child->pid_fd < 0 ? kill(child->pid, 0) && errno == ESRCH : poll(&fd, 1, 0) > 0;
}

/* The process between tells the end. It does not if it was killed itself: then the exit status is unknown. */
static bool reap_through_parent(struct child *child, bool wait)
{
        const struct timespec moment = {.tv_nsec = 1000000};
        static const struct rusage no_usage;
        int status;

        do {
                bool has_died_now = has_died(child);

                if (!child->parent_ended && waitpid(child->parent, &status, WNOHANG) == child->parent)
                        child->parent_ended = true;
                if (atomic_load(&child->end->has_ended)) {
                        take_status(child, child->end->status, &child->end->usage);
                } else if (child->parent_ended && has_died_now) {
                        child->status_unknown = true;
                        take_status(child, W_EXITCODE(UNKNOWN_STATUS, 0), &no_usage);
                } else if (wait) {
                        nanosleep(&moment, NULL);
                }
        } while (wait && !child->ended);
        return child->ended;
}

bool spawn_reap(struct child *child, bool wait)
{
        struct rusage usage;
        int status;
        pid_t got;

        if (!child->pid || child->ended)
                return true;
        if (child->end)
                return reap_through_parent(child, wait);
        do
                got = wait4(child->pid, &status, wait ? 0 : WNOHANG, &usage);
        while (got < 0 && errno == EINTR && wait);
        if (got != child->pid)
                return false;
        take_status(child, status, &usage);
        return true;
}

int spawn_exit_status(const struct child *child)
{
        assert(child->ended);
        return WIFSIGNALED(child->status) ? 128 + WTERMSIG(child->status) : WEXITSTATUS(child->status);
}

/* It ends after the command, but may still have to let other processes go, which takes as long as these are
 * held up by other programs. */
static void end_parent(struct child *child)
{
        enum { TURNS = 5000 };
        const struct timespec moment = {.tv_nsec = 200000};
        int status;

        for (int i = 0; i < TURNS && child->parent > 0 && !child->parent_ended; i++) {
                if (waitpid(child->parent, &status, WNOHANG))
                        break;
                nanosleep(&moment, NULL);
        }
        if (child->end)
                munmap(child->end, sizeof(*child->end));
}

void spawn_release(struct child *child)
{
        if (child->go_fd >= 0)
                close(child->go_fd);
        if (child->pid && !child->ended) {
                spawn_kill(child, SIGKILL);
                spawn_reap(child, true);
        }
        end_parent(child);
        if (child->error_fd >= 0)
                close(child->error_fd);
        if (child->pid_fd >= 0)
                close(child->pid_fd);
        *child = (struct child){.go_fd = -1, .error_fd = -1, .pid_fd = -1};
}
