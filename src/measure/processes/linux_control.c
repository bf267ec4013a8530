/* SPDX-License-Identifier: BSD-3-Clause */
/* The descriptors of --control. FIFOs are opened for reading and writing, as perf does, so that open does not
 * wait for the other side and programs may connect later or again. Only control_dismiss waits for the other
 * side. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buf.h"
#include "control.h"
#include "err.h"
#include "mem.h"
#include "text_match.h"
#include "text_printable.h"

enum {
        WARNINGS_MAX = 10,
        READ_BYTES = 4096,
        DISMISS_STEP_MS = 5,
        DISMISS_NOBODY_MS = 500, /* a program that started wperf opens its end at about the same time */
        DISMISS_MOST_MS = 1000,  /* also covers the time between its two opens */
};

struct control {
        struct control_place place;
        struct control_listener listener;
        struct control_lines lines;
        int in_fd, out_fd; /* -1 for no answers */
        bool in_closed, out_lost;
        unsigned n_warnings;
};

/* --- opening --- */

static bool open_fifo(const char *path, int *ret_fd, struct err *err)
{
        struct stat st;
        bool there = !stat(path, &st);
        int fd;

        if (!there && errno == ENOENT)
                return err_set(err, ERR_MISSING,
                               "--control: there is no FIFO '%.100s': create it with 'mkfifo %.100s'", path,
                               path);
        if (there && !S_ISFIFO(st.st_mode))
                return err_set(err, ERR_USAGE, "--control: '%.150s' is not a FIFO: create one with mkfifo",
                               path);
        fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
        if (fd < 0)
                return err_os(err, ERR_DENIED, errno, "--control: can't open the FIFO '%.150s'", path);
        *ret_fd = fd;
        return true;
}

/* Checks a descriptor without changing its flags, because other processes may share it. */
static bool take_fd(int fd, bool for_reading, struct err *err)
{
        int flags = fcntl(fd, F_GETFL), mode = flags & O_ACCMODE;

        if (flags < 0)
                return err_set(
                        err, ERR_USAGE,
                        "--control: descriptor %d is not open: the program that starts wperf must pass it on",
                        fd);
        if (mode == (for_reading ? O_WRONLY : O_RDONLY))
                return err_set(err, ERR_USAGE, "--control: descriptor %d is not open for %s", fd,
                               for_reading ? "reading, which commands need" : "writing, which answers need");
        return true;
}

static bool open_ends(struct control *c, struct err *err)
{
        const struct control_place *place = &c->place;

        if (place->kind == CONTROL_FIFO)
                return open_fifo(place->ctl, &c->in_fd, err) &&
                       (!place->ack || open_fifo(place->ack, &c->out_fd, err));
        if (!take_fd(place->ctl_fd, true, err) || (place->ack && !take_fd(place->ack_fd, false, err)))
                return false;
        c->in_fd = place->ctl_fd;
        c->out_fd = place->ack_fd;
        return true;
}

/* Checks that commands and answers use different FIFOs; wperf must not read its answers as commands. */
static bool are_two(const struct control *c, struct err *err)
{
        struct stat in, out;

        if (c->out_fd < 0 || fstat(c->in_fd, &in) || fstat(c->out_fd, &out) || !S_ISFIFO(in.st_mode) ||
            in.st_dev != out.st_dev || in.st_ino != out.st_ino)
                return true;
        return err_set(err, ERR_USAGE,
                       "--control: commands and answers need two FIFOs: '%.100s' was given for both",
                       c->place.ctl);
}

struct control *control_open(const char *text, const struct control_listener *listener, struct err *err)
{
        AUTO(control) c = mem_new(1, sizeof(*c));

        c->in_fd = c->out_fd = -1;
        if (listener)
                c->listener = *listener;
        if (!control_place_parse(text, &c->place, err) || !open_ends(c, err) || !are_two(c, err))
                return NULL;
        return TAKE(c);
}

void control_free(struct control *c)
{
        if (!c)
                return;
        if (c->place.kind == CONTROL_FIFO) {
                if (c->in_fd >= 0)
                        close(c->in_fd);
                if (c->out_fd >= 0)
                        close(c->out_fd);
        }
        control_lines_release(&c->lines);
        control_place_release(&c->place);
        free(c);
}

/* --- without a recorder --- */

static int open_end(const char *path, int mode)
{
        struct stat st;

        if (!path || stat(path, &st) || !S_ISFIFO(st.st_mode))
                return -1;
        return open(path, mode | O_NONBLOCK | O_CLOEXEC);
}

/* Reading a FIFO without a writer returns 0; with a writer it fails with EAGAIN. */
static bool has_writer(int fd)
{
        char byte;

        return read(fd, &byte, 1) != 0;
}

void control_dismiss(const char *text)
{
        struct control_place place;
        bool writes = false;
        int in_fd, out_fd = -1;

        if (!control_place_parse(text, &place, NULL))
                return;
        in_fd = place.kind == CONTROL_FIFO ? open_end(place.ctl, O_RDONLY) : -1;
        for (int ms = 0; in_fd >= 0 && ms < DISMISS_MOST_MS; ms += DISMISS_STEP_MS) {
                writes = writes || has_writer(in_fd);
                /* Fails as long as no program reads. */
                if (out_fd < 0)
                        out_fd = open_end(place.ack, O_WRONLY);
                if ((writes && (!place.ack || out_fd >= 0)) ||
                    (!writes && out_fd < 0 && ms >= DISMISS_NOBODY_MS))
                        break;
                poll(NULL, 0, DISMISS_STEP_MS);
        }
        if (in_fd >= 0)
                close(in_fd);
        if (out_fd >= 0)
                close(out_fd);
        control_place_release(&place);
}

int control_fd(const struct control *c)
{
        return c->in_closed ? -1 : c->in_fd;
}

/* --- messages --- */

void control_tell(struct control *c, const char *text)
{
        if (c->listener.tell)
                c->listener.tell(c->listener.ctx, false, text);
}

void control_warn(struct control *c, const char *fmt, ...)
{
        AUTO_RELEASE(buf) text = {0};
        char sentence[400];
        va_list args;

        if (!c->listener.tell || c->n_warnings >= WARNINGS_MAX)
                return;
        va_start(args, fmt);
        vsnprintf(sentence, sizeof(sentence), fmt, args);
        va_end(args);
        buf_printf(&text, "--control: %s", sentence);
        if (++c->n_warnings == WARNINGS_MAX)
                buf_add_str(&text, "; further warnings are not shown");
        c->listener.tell(c->listener.ctx, true, text.data);
}

static void warn_of_line(struct control *c, const char *line)
{
        static const char *const names[] = {"enable", "disable", "evlist", "ping", "snapshot", "stop"};
        AUTO_RELEASE(buf) shown = {0};
        const char *near = text_nearest(line, names, N_ELEMENTS(names));

        text_add_printable(&shown, line);
        if (near)
                control_warn(c, "'%.80s' is not a command; did you mean '%s'?", buf_text(&shown), near);
        else
                control_warn(
                        c,
                        "'%.80s' is not a command; the commands are enable, disable, ping, evlist and stop",
                        buf_text(&shown));
}

bool control_see_end(struct control *c, bool is_off)
{
        if (!c->in_closed)
                return false;
        if (is_off)
                control_warn(c, "the controlling program closed the FIFO while the events were disabled: "
                                "they stay disabled");
        return true;
}

/* --- reading and writing --- */

static bool is_ready(int fd, short events)
{
        struct pollfd one = {.fd = fd, .events = events};

        return poll(&one, 1, 0) > 0;
}

static void close_in(struct control *c, int error)
{
        c->in_closed = true;
        if (error)
                control_warn(c, "can't read commands any more: %s", strerror(error));
}

/* Polls first, because the descriptor may be a blocking one. */
void control_read(struct control *c)
{
        char bytes[READ_BYTES];
        ssize_t n;

        if (c->in_closed || !is_ready(c->in_fd, POLLIN))
                return;
        n = read(c->in_fd, bytes, sizeof(bytes));
        if (n > 0)
                control_lines_add(&c->lines, bytes, (size_t)n);
        else if (!n || (errno != EINTR && errno != EAGAIN))
                close_in(c, n ? errno : 0);
}

bool control_next(struct control *c, struct control_command *ret)
{
        for (;;) {
                bool too_long, found = control_lines_next(&c->lines, ret, &too_long);

                if (too_long)
                        control_warn(c, "ignoring a line of more than %d bytes", CONTROL_LINE_MAX_BYTES);
                if (found && ret->word == CONTROL_SNAPSHOT)
                        control_warn(c, "ignoring 'snapshot': wperf records no trace data");
                if (!found || ret->word != CONTROL_UNKNOWN)
                        return found;
                warn_of_line(c, ret->line);
        }
}

/* If the reader has closed the FIFO, write raises SIGPIPE, which must not end the recorder. */
static bool write_answer(int fd)
{
        static const char answer[] = "ack\n";
        struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
        ssize_t n;

        sigaction(SIGPIPE, &ignore, &before);
        do
                n = write(fd, answer, sizeof(answer));
        while (n < 0 && errno == EINTR);
        sigaction(SIGPIPE, &before, NULL);
        return n == sizeof(answer);
}

void control_answer(struct control *c)
{
        if (c->out_fd < 0)
                return;
        /* Shorter than PIPE_BUF, so it is written completely or not at all. */
        if (is_ready(c->out_fd, POLLOUT) && write_answer(c->out_fd))
                return;
        if (!c->out_lost)
                control_warn(c, "no program reads the FIFO of ACK: some answers were lost");
        c->out_lost = true;
}
