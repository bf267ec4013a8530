/* SPDX-License-Identifier: BSD-3-Clause */
/* Uses of child processes: each function is called in an interpreter that is sampled, and prints its
 * results, which must be the same as without a recorder. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "acts.h"

static void say_wait(const char *what, pid_t got, int status)
{
        if (got < 0)
                printf("%s: %s\n", what, strerror(errno));
        else if (WIFEXITED(status))
                printf("%s: exited %d\n", what, WEXITSTATUS(status));
        else if (WIFSIGNALED(status))
                printf("%s: signal %d%s\n", what, WTERMSIG(status), WCOREDUMP(status) ? ", core" : "");
        else if (WIFSTOPPED(status))
                printf("%s: stopped %d, event %d\n", what, WSTOPSIG(status), status >> 16);
        else
                printf("%s: continued\n", what);
        fflush(stdout);
}

static int wait_and_say(const char *what, pid_t pid, int options)
{
        int status = 0;
        pid_t got = waitpid(pid, &status, options);

        say_wait(what, got, status);
        return status;
}

static pid_t clone_process(unsigned long flags)
{
        return (pid_t)syscall(SYS_clone, flags, NULL, NULL, NULL, NULL);
}

/* A child in its parent's memory for longer than any delay of the recorder. */
int act_vfork_for_long(void)
{
        for (int i = 0; i < 3; i++) {
                pid_t pid = vfork();

                if (!pid) {
                        act_burn_ms(15);
                        execl("/bin/sh", "sh", "-c", "exit 6", (char *)NULL);
                        _exit(9);
                }
                wait_and_say("vfork", pid, 0);
        }
        return 0;
}

static int run_true(void)
{
        int status = 0;
        pid_t pid = vfork();

        if (!pid) {
                execl("/bin/true", "true", (char *)NULL);
                _exit(9);
        }
        return waitpid(pid, &status, 0) == pid && !status;
}

int act_vfork_storm(void)
{
        int n = 0;

        for (int i = 0; i < 400; i++)
                n += run_true();
        printf("%d of 400\n", n);
        return n != 400;
}

/* A sibling of the process that makes it: another process waits for it. */
int act_clone_parent(void)
{
        pid_t pid = fork();

        if (!pid) {
                pid_t sibling = clone_process(CLONE_PARENT | SIGCHLD);

                act_burn_ms(5);
                if (!sibling)
                        _exit(8);
                printf("maker: %d\n", waitpid(sibling, NULL, 0) < 0 ? errno : 0);
                fflush(stdout);
                _exit(sibling > 0 ? 7 : 1);
        }
        wait_and_say("maker", pid, 0);
        wait_and_say("sibling", -1, 0);
        return wait_and_say("nobody", -1, 0);
}

/* Children that send another signal than SIGCHLD, or none. */
int act_clone_signals(void)
{
        static const int signals[] = {0, SIGUSR1, SIGCHLD};

        signal(SIGUSR1, SIG_IGN);
        for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
                pid_t pid = clone_process((unsigned long)signals[i]);

                if (!pid) {
                        act_burn_ms(6);
                        _exit(3);
                }
                printf("signal %d\n", signals[i]);
                wait_and_say("plain", pid, WNOHANG);
                wait_and_say("clone", pid, signals[i] == SIGCHLD ? __WALL : __WCLONE);
        }
        return 0;
}

/* CLONE_VFORK without the parent's memory. */
int act_clone_vfork(void)
{
        pid_t pid = clone_process(CLONE_VFORK | SIGCHLD);

        if (!pid) {
                act_burn_ms(10);
                _exit(4);
        }
        wait_and_say("clone", pid, 0);
        return 0;
}

/* A child that has used this much CPU time may be traced by the recorder. A fork and few system calls take
 * less on most machines, but not always where page faults are expensive: then the next child is tried. */
enum { GRACE_US = 2000, MOST_CHILDREN = 50, REFUSED_LATE = 8 };

static bool is_past_grace(pid_t pid)
{
        struct timespec used = {0};
        clockid_t clock;

        if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &used))
                return false;
        return used.tv_sec || used.tv_nsec >= GRACE_US * 1000;
}

static int say_no_child(void)
{
        puts("each child used 2 ms of CPU time at once");
        return 0;
}

static pid_t child_to_debug(void)
{
        pid_t pid = fork();

        if (pid)
                return pid;
        usleep(20000);
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
                _exit(is_past_grace(0) ? REFUSED_LATE : 9);
        raise(SIGSTOP);
        execl("/bin/sh", "sh", "-c", "kill -USR1 $$; exit 5", (char *)NULL);
        _exit(9);
}

/* Debugs its own child, which has waited for a CPU: stops at the exec, at two signals and at the exit. */
int act_debug_child(void)
{
        int status = REFUSED_LATE << 8, n_children = 0;
        pid_t pid = 0;

        while (WIFEXITED(status) && WEXITSTATUS(status) == REFUSED_LATE) {
                if (n_children++ == MOST_CHILDREN)
                        return say_no_child();
                pid = child_to_debug();
                waitpid(pid, &status, 0);
        }
        say_wait("first", pid, status);
        ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)PTRACE_O_TRACEEXEC);
        while (WIFSTOPPED(status)) {
                int sig = WSTOPSIG(status);

                ptrace(PTRACE_CONT, pid, NULL,
                       (void *)(uintptr_t)(sig == SIGSTOP || sig == SIGTRAP || sig == SIGUSR1 ? 0 : sig));
                status = wait_and_say("next", pid, 0);
        }
        return 0;
}

static pid_t child_that_waits(void)
{
        pid_t pid = fork();

        while (!pid)
                pause();
        return pid;
}

/* The parent attaches to a child that continues to run its parent's program. */
int act_seize_child(void)
{
        pid_t pid = child_that_waits();
        int n_children = 1;

        while (ptrace(PTRACE_SEIZE, pid, NULL, NULL)) {
                if (!is_past_grace(pid)) {
                        printf("seize: %s\n", strerror(errno));
                        break;
                }
                kill(pid, SIGKILL);
                waitpid(pid, NULL, 0);
                if (n_children++ == MOST_CHILDREN)
                        return say_no_child();
                pid = child_that_waits();
        }
        ptrace(PTRACE_INTERRUPT, pid, NULL, NULL);
        wait_and_say("interrupted", pid, __WALL);
        ptrace(PTRACE_DETACH, pid, NULL, NULL);
        kill(pid, SIGTERM);
        wait_and_say("ended", pid, 0);
        return 0;
}

/* Results of waitid for a child that stops, continues and ends; each is read twice. */
int act_waitid(void)
{
        static const int signals[] = {SIGSTOP, SIGCONT, SIGTERM};
        pid_t pid = fork();

        if (!pid) {
                act_burn_ms(100000);
                _exit(9);
        }
        act_burn_ms(6);
        for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
                siginfo_t info = {0};

                kill(pid, signals[i]);
                for (int again = 0; again < 2; again++) {
                        int options = WEXITED | WSTOPPED | WCONTINUED | (again ? 0 : WNOWAIT);

                        if (waitid(P_PID, (id_t)pid, &info, options))
                                printf("waitid: %s\n", strerror(errno));
                        printf("code %d, status %d, own %d\n", info.si_code, info.si_status,
                               info.si_pid == pid);
                }
        }
        printf("nothing: %d\n", waitpid(pid, NULL, WNOHANG));
        return 0;
}

static pid_t started_burner(void)
{
        pid_t pid = fork();

        if (!pid) {
                act_burn_ms(100000);
                _exit(9);
        }
        act_burn_ms(8);
        return pid;
}

/* SIGCHLD by a descriptor. */
int act_signalfd(void)
{
        static const int signals[] = {SIGSTOP, SIGCONT, SIGKILL};
        sigset_t set;
        int fd;
        pid_t pid;

        sigemptyset(&set);
        sigaddset(&set, SIGCHLD);
        sigprocmask(SIG_BLOCK, &set, NULL);
        fd = signalfd(-1, &set, 0);
        pid = started_burner();
        for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
                struct signalfd_siginfo info = {0};

                kill(pid, signals[i]);
                if (read(fd, &info, sizeof(info)) < 0)
                        printf("read: %s\n", strerror(errno));
                printf("code %d, status %d, own %d\n", info.ssi_code, info.ssi_status,
                       info.ssi_pid == (uint32_t)pid);
        }
        wait_and_say("ended", pid, 0);
        close(fd);
        sigprocmask(SIG_UNBLOCK, &set, NULL);
        return 0;
}

static volatile sig_atomic_t n_signals;

static void count_signal(int sig)
{
        (void)sig;
        n_signals++;
}

/* Waits until the child has stopped or continues, and until n signals came, which takes a while on a busy
 * machine. */
static void wait_for(pid_t pid, int options, int n)
{
        const struct timespec moment = {.tv_nsec = 5000000};
        siginfo_t info;

        while (options && waitid(P_PID, (id_t)pid, &info, options) && errno == EINTR)
                ;
        for (int i = 0; i < 4 || (i < 400 && n_signals < n); i++)
                nanosleep(&moment, NULL);
}

/* Signals of a child that stops, continues and ends. */
static void count_signals(const char *name, int flags)
{
        struct sigaction action = {.sa_handler = count_signal, .sa_flags = flags}, before;
        int each = flags & SA_NOCLDSTOP ? 0 : 1;
        pid_t pid;

        sigaction(SIGCHLD, &action, &before);
        n_signals = 0;
        pid = started_burner();
        kill(pid, SIGSTOP);
        wait_for(pid, WSTOPPED, each);
        kill(pid, SIGCONT);
        wait_for(pid, WCONTINUED, 2 * each);
        kill(pid, SIGKILL);
        wait_and_say(name, pid, 0);
        wait_for(pid, 0, 2 * each + 1);
        printf("%s: %d signals\n", name, n_signals);
        sigaction(SIGCHLD, &before, NULL);
}

int act_sigchld(void)
{
        count_signals("plain", 0);
        count_signals("SA_NOCLDSTOP", SA_NOCLDSTOP | SA_RESTART);
        count_signals("SA_NOCLDWAIT", SA_NOCLDWAIT | SA_RESTART);
        return 0;
}

/* Orphans go to it. */
int act_subreaper(void)
{
        pid_t pid;

        prctl(PR_SET_CHILD_SUBREAPER, 1);
        pid = fork();
        if (!pid) {
                if (!fork()) {
                        act_burn_ms(20);
                        _exit(getppid() == 1 ? 1 : 5);
                }
                act_burn_ms(4);
                _exit(6);
        }
        wait_and_say("child", pid, 0);
        wait_and_say("orphan", -1, 0);
        prctl(PR_SET_CHILD_SUBREAPER, 0);
        return 0;
}

/* A child that dies with its parent. The parent exits only after the child has asked for the signal: on a
 * busy CPU that takes longer than any time that one could wait. */
int act_death_signal(void)
{
        pid_t pid;
        int asked[2];
        char byte;

        if (pipe(asked))
                return 1;
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        pid = fork();
        if (!pid) {
                if (!fork()) {
                        prctl(PR_SET_PDEATHSIG, SIGUSR2);
                        if (write(asked[1], "", 1) != 1)
                                _exit(8);
                        act_burn_ms(100000);
                        _exit(9);
                }
                if (read(asked[0], &byte, 1) != 1)
                        _exit(5);
                act_burn_ms(10);
                _exit(6);
        }
        close(asked[0]);
        close(asked[1]);
        wait_and_say("parent", pid, 0);
        wait_and_say("child", -1, 0);
        prctl(PR_SET_CHILD_SUBREAPER, 0);
        return 0;
}

/* The child may only read, write, exit and sigreturn. */
int act_seccomp_strict(void)
{
        for (int is_bad = 0; is_bad < 2; is_bad++) {
                pid_t pid = fork();

                if (!pid) {
                        prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
                        for (volatile int i = 0; i < 20000000;)
                                i = i + 1;
                        syscall(is_bad ? SYS_getpid : SYS_exit, 3);
                }
                wait_and_say("strict", pid, 0);
        }
        return 0;
}

/* A filter kills it at a system call that it does not make itself. */
int act_seccomp_filter(void)
{
        struct sock_filter code[] = {
                BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigaction, 0, 1),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        };
        const struct sock_fprog filter = {sizeof(code) / sizeof(*code), code};
        pid_t pid = fork();

        if (!pid) {
                signal(SIGTRAP, SIG_DFL);
                prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
                if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
                        _exit(9);
                act_burn_ms(60);
                _exit(5);
        }
        wait_and_say("filter", pid, 0);
        return 0;
}

/* The end of a process by another thread's exit, by signals, with and without a core. */
int act_ends(void)
{
        static const int signals[] = {SIGTERM, SIGKILL, SIGABRT, SIGSEGV, SIGPIPE, SIGUSR1};

        for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
                pid_t pid = fork();

                if (!pid) {
                        signal(signals[i], SIG_DFL);
                        act_burn_ms(4);
                        raise(signals[i]);
                        _exit(2);
                }
                wait_and_say("raised", pid, 0);
        }
        return 0;
}
