/* SPDX-License-Identifier: BSD-3-Clause */
/* A terminal as a screen.  Its device is opened again, so that non-blocking mode is set only for our
 * descriptor and not for the shell's.  The terminal is restored whenever the process ends, also by signals;
 * that part runs in signal handlers. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "mem.h"
#include "os_linux_internal.h"

struct os_terminal {
        int fd;
        int wake[2]; /* a pipe: bytes that handlers and other threads write to it end a wait */
        struct termios raw;
        const char *enter;
        bool is_entered;
};

/* Data for handlers; `shown_fd` is -1 while the terminal is not a screen. */
static volatile sig_atomic_t shown_fd = -1, wake_fd = -1;
static volatile sig_atomic_t was_resized, was_resumed, is_to_stop;
static const char *leave_text;
static struct termios cooked;

/* os_linux_map.c handles SIGBUS, and restores the terminal, too. */
static const int ends[] = {SIGTERM, SIGINT,  SIGHUP,  SIGQUIT, SIGPIPE, SIGALRM, SIGUSR1,
                           SIGUSR2, SIGXCPU, SIGXFSZ, SIGSEGV, SIGABRT, SIGFPE,  SIGILL};
static struct sigaction old_ends[N_ELEMENTS(ends)];
static const int notices[] = {SIGWINCH, SIGCONT, SIGTSTP};
static struct sigaction old_notices[N_ELEMENTS(notices)];

/* --- Restoring the terminal --- */

void os_linux_restore_terminal(void)
{
        int fd = shown_fd;
        size_t size, done = 0;

        if (fd < 0)
                return;
        shown_fd = -1;
        /* Output that a slow terminal has not received is dropped, so that it does not delay the codes in
         * `leave`. */
        tcflush(fd, TCOFLUSH);
        size = strlen(leave_text);
        for (int tries = 0; done < size && tries < 50; tries++) {
                ssize_t n = write(fd, leave_text + done, size - done);
                struct pollfd room = {.fd = fd, .events = POLLOUT};

                if (n > 0)
                        done += (size_t)n;
                else if (n < 0 && errno != EAGAIN && errno != EINTR)
                        break;
                else
                        poll(&room, 1, 20);
        }
        tcsetattr(fd, TCSANOW, &cooked);
}

static void on_end(int sig)
{
        int saved = errno;

        os_linux_restore_terminal();
        for (size_t i = 0; i < N_ELEMENTS(ends); i++) {
                if (ends[i] == sig)
                        sigaction(sig, &old_ends[i], NULL);
        }
        /* Delivered when this handler returns, with the old handler. */
        raise(sig);
        errno = saved;
}

static void on_notice(int sig)
{
        int saved = errno;

        if (sig == SIGWINCH)
                was_resized = 1;
        else if (sig == SIGCONT)
                was_resumed = 1;
        else
                is_to_stop = 1;
        if (wake_fd >= 0 && write(wake_fd, "n", 1) < 0)
                errno = 0; /* the pipe is full, so the wait ends anyway */
        errno = saved;
}

static void catch_all(const int *signals, size_t n, void (*handler)(int), struct sigaction *old)
{
        struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};

        for (size_t i = 0; i < n; i++) {
                sigaction(signals[i], NULL, &old[i]);
                if (old[i].sa_handler != SIG_IGN || signals[i] == SIGTSTP)
                        sigaction(signals[i], &action, NULL);
        }
}

static void release_all(const int *signals, size_t n, const struct sigaction *old)
{
        for (size_t i = 0; i < n; i++)
                sigaction(signals[i], &old[i], NULL);
}

/* --- State of the terminal --- */

static void enter_screen(struct os_terminal *t)
{
        const char *at = t->enter;

        tcsetattr(t->fd, TCSANOW, &t->raw);
        shown_fd = t->fd;
        for (size_t left = strlen(at); left;) {
                ssize_t n = write(t->fd, at, left);
                struct pollfd room = {.fd = t->fd, .events = POLLOUT};

                if (n > 0) {
                        at += n;
                        left -= (size_t)n;
                } else if ((n < 0 && errno != EAGAIN && errno != EINTR) || poll(&room, 1, 1000) <= 0) {
                        break; /* it is gone, or takes nothing */
                }
        }
        t->is_entered = true;
}

static int open_device(struct err *err)
{
        char name[128] = "/dev/tty";
        int fd = -1;

        if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
                err_set(err, ERR_MISSING, "standard input and output are not a terminal");
                return -1;
        }
        if (!ttyname_r(STDOUT_FILENO, name, sizeof(name)))
                fd = open(name, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
        if (fd < 0)
                fd = open("/dev/tty", O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
        if (fd < 0)
                os_linux_fail(err, name);
        return fd;
}

struct os_terminal *os_terminal_open(const char *enter, const char *leave, struct err *err)
{
        static bool is_registered;
        struct os_terminal *t;
        int fd = open_device(err);

        assert(wake_fd < 0);
        if (fd < 0)
                return NULL;
        t = mem_new(1, sizeof(*t));
        *t = (struct os_terminal){.fd = fd, .enter = enter, .wake = {-1, -1}};
        if (tcgetattr(fd, &cooked) || pipe2(t->wake, O_CLOEXEC | O_NONBLOCK)) {
                os_linux_fail(err, "terminal");
                close(fd);
                free(t);
                return NULL;
        }
        t->raw = cooked;
        cfmakeraw(&t->raw);
        leave_text = leave;
        wake_fd = t->wake[1];
        was_resized = was_resumed = is_to_stop = 0;
        if (!is_registered)
                is_registered = !atexit(os_linux_restore_terminal);
        catch_all(ends, N_ELEMENTS(ends), on_end, old_ends);
        catch_all(notices, N_ELEMENTS(notices), on_notice, old_notices);
        enter_screen(t);
        return t;
}

void os_terminal_close(struct os_terminal *t)
{
        if (!t)
                return;
        os_linux_restore_terminal();
        release_all(ends, N_ELEMENTS(ends), old_ends);
        release_all(notices, N_ELEMENTS(notices), old_notices);
        wake_fd = -1;
        close(t->wake[0]);
        close(t->wake[1]);
        close(t->fd);
        free(t);
}

void os_terminal_leave(struct os_terminal *t)
{
        (void)t;
        os_linux_restore_terminal();
}

void os_terminal_suspend(struct os_terminal *t)
{
        struct sigaction plain = {.sa_handler = SIG_DFL}, caught;

        os_linux_restore_terminal();
        is_to_stop = 0;
        sigaction(SIGTSTP, &plain, &caught);
        kill(0, SIGTSTP);
        /* The process continues here. */
        sigaction(SIGTSTP, &caught, NULL);
        enter_screen(t);
        was_resumed = 1;
        was_resized = 1;
}

/* --- Input and output --- */

static bool drain_wakes(struct os_terminal *t)
{
        char bytes[64];
        bool is_woken = false;

        for (ssize_t n; (n = read(t->wake[0], bytes, sizeof(bytes))) > 0;)
                is_woken |= memchr(bytes, 'w', (size_t)n) != NULL;
        return is_woken;
}

/* Returns and clears the flags that handlers set. */
static unsigned take_notices(struct os_terminal *t)
{
        unsigned events = 0;

        if (is_to_stop)
                os_terminal_suspend(t);
        if (was_resumed) {
                /* After a SIGSTOP the shell may have changed the terminal's mode. */
                enter_screen(t);
                events |= OS_TERMINAL_RESUMED;
        }
        if (was_resized)
                events |= OS_TERMINAL_RESIZED;
        was_resumed = was_resized = 0;
        return events;
}

unsigned os_terminal_wait(struct os_terminal *t, bool wants_output, int timeout_ms)
{
        struct pollfd fds[] = {
                {.fd = t->fd, .events = (short)(POLLIN | (wants_output ? POLLOUT : 0))},
                {.fd = t->wake[0], .events = POLLIN},
        };
        unsigned events = take_notices(t);
        int n;

        if (events)
                return events;
        n = poll(fds, N_ELEMENTS(fds), timeout_ms);
        if (n > 0 && fds[1].revents && drain_wakes(t))
                events |= OS_TERMINAL_WOKEN;
        if (n > 0 && fds[0].revents & (POLLERR | POLLHUP | POLLNVAL))
                events |= OS_TERMINAL_CLOSED;
        if (n > 0 && fds[0].revents & POLLIN)
                events |= OS_TERMINAL_INPUT;
        if (n > 0 && fds[0].revents & POLLOUT)
                events |= OS_TERMINAL_OUTPUT;
        return events | take_notices(t);
}

size_t os_terminal_read(struct os_terminal *t, void *bytes, size_t size)
{
        ssize_t n = read(t->fd, bytes, size);

        return n > 0 ? (size_t)n : 0;
}

size_t os_terminal_write(struct os_terminal *t, const void *bytes, size_t size)
{
        ssize_t n = write(t->fd, bytes, size);

        return n > 0 ? (size_t)n : 0;
}

void os_terminal_size(const struct os_terminal *t, unsigned *ret_columns, unsigned *ret_rows)
{
        struct winsize size = {0};

        ioctl(t->fd, TIOCGWINSZ, &size);
        *ret_columns = size.ws_col ? size.ws_col : 80;
        *ret_rows = size.ws_row ? size.ws_row : 24;
}

void os_terminal_wake(struct os_terminal *t)
{
        if (write(t->wake[1], "w", 1) < 0)
                errno = 0; /* the pipe is full, so the wait ends anyway */
}
