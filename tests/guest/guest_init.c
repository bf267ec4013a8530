/* SPDX-License-Identifier: BSD-3-Clause */
/* The first process of the guest: runs the commands that machine.py sends over the console, one after the
 * other. A request is a line `run SECONDS UID FOLDER LENGTH` and LENGTH bytes, arguments that each end in
 * NUL; or `off`. The answer is a line `\002done STATUS OUT ERR`, then OUT bytes of standard output and ERR
 * of standard error. A command leads a process group, and what is left of the group is killed with its
 * end. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum { MAX_ARGS = 64, MAX_BYTES = 4096, CONSOLE_LEVEL = 8, STATUS_TIMEOUT = 124, STATUS_NOT_RUN = 127 };

static const char out_path[] = "/run/out";
static const char err_path[] = "/run/err";

struct request {
        unsigned seconds;
        unsigned uid;
        char folder[64];
        char bytes[MAX_BYTES];
        char *argv[MAX_ARGS + 1];
};

static void mount_all(void)
{
        mkdir("/proc", 0755);
        mkdir("/sys", 0755);
        mkdir("/dev", 0755);
        mkdir("/run", 0755);
        mkdir("/tmp", 0755);
        chmod("/tmp", 01777);
        mount("proc", "/proc", "proc", 0, NULL);
        mount("sysfs", "/sys", "sysfs", 0, NULL);
        mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
        mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL);
}

/* Passes bytes unchanged, and keeps the kernel's messages out. */
static void open_console(void)
{
        struct termios raw;
        int fd = open("/dev/console", O_RDWR);

        for (int i = 0; i < 3; i++)
                dup2(fd, i);
        tcgetattr(0, &raw);
        cfmakeraw(&raw);
        tcsetattr(0, TCSANOW, &raw);
        klogctl(CONSOLE_LEVEL, NULL, 1);
}

static bool split_args(struct request *r, size_t len)
{
        size_t n = 0;

        for (size_t i = 0; i < len; i += strlen(r->bytes + i) + 1) {
                if (n == MAX_ARGS)
                        return false;
                r->argv[n++] = r->bytes + i;
        }
        r->argv[n] = NULL;
        return n > 0;
}

static bool read_request(struct request *r)
{
        char line[160];
        size_t len;

        if (!fgets(line, sizeof(line), stdin) ||
            sscanf(line, "run %u %u %63s %zu", &r->seconds, &r->uid, r->folder, &len) != 4 || !len ||
            len >= sizeof(r->bytes) || fread(r->bytes, 1, len, stdin) != len)
                return false;
        r->bytes[len] = 0;
        return split_args(r, len);
}

static void run_child(const struct request *r)
{
        setpgid(0, 0);
        dup2(open("/dev/null", O_RDONLY), 0);
        dup2(open(out_path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0644), 1);
        dup2(open(err_path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0644), 2);
        signal(SIGALRM, SIG_DFL);
        mkdir(r->folder, 0700);
        if (chown(r->folder, r->uid, r->uid) || chdir(r->folder) || setgroups(0, NULL) || setgid(r->uid) ||
            setuid(r->uid))
                perror("guest_init");
        else
                execvp(r->argv[0], r->argv);
        fprintf(stderr, "guest_init: %s: %s\n", r->argv[0], strerror(errno));
        _exit(STATUS_NOT_RUN);
}

static void on_alarm(int signal)
{
        (void)signal;
}

/* As in a shell: 128+N for a signal; the time limit has its own status. */
static int wait_for(pid_t child, unsigned seconds)
{
        bool late = false;
        int status;

        alarm(seconds);
        while (waitpid(child, &status, 0) < 0) {
                late = true;
                kill(-child, SIGKILL);
        }
        alarm(0);
        kill(-child, SIGKILL);
        while (waitpid(-1, NULL, WNOHANG) > 0)
                continue;
        if (late)
                return STATUS_TIMEOUT;
        return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static long size_of(const char *path)
{
        struct stat st;

        return stat(path, &st) ? 0 : (long)st.st_size;
}

static void print_file(const char *path, long size)
{
        FILE *file = fopen(path, "r");

        for (long i = 0; i < size; i++)
                putchar(file ? getc(file) : 0);
        if (file)
                fclose(file);
}

static void answer(int status)
{
        long out = size_of(out_path), err = size_of(err_path);

        printf("\002done %d %ld %ld\n", status, out, err);
        print_file(out_path, out);
        print_file(err_path, err);
        fflush(stdout);
}

int main(void)
{
        struct sigaction alarm_action = {.sa_handler = on_alarm};
        struct request request;

        mount_all();
        open_console();
        sigaction(SIGALRM, &alarm_action, NULL);
        setenv("PATH", "/bin", 1);
        setenv("HOME", "/tmp", 1);
        answer(0);
        while (read_request(&request)) {
                pid_t child = fork();

                if (!child)
                        run_child(&request);
                setpgid(child, child);
                answer(wait_for(child, request.seconds));
        }
        reboot(RB_POWER_OFF);
        return 0;
}
