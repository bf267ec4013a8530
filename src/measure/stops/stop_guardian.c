/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of the guardian: it obeys the recorder as long as that lives, then ends the tracing, and ends as
 * the command ends. */
#include "stop_guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "err.h"
#include "linux_processes.h"
#include "mem.h"
#include "os.h"
#include "stop_internal.h"

enum { TURN_MS = 1 }; /* while the tracer is to be woken until it has looked */

/* --- what it keeps --- */

static void close_between(unsigned first, unsigned last)
{
        if (first > last || !syscall(SYS_close_range, first, last, 0) || errno != ENOSYS)
                return;
        for (unsigned fd = first; fd <= last && fd < 65536; fd++)
                close((int)fd);
}

static int compare_fds(const void *a, const void *b)
{
        return *(const int *)a - *(const int *)b;
}

/* The streams lead nowhere, so that whoever reads the recorder's output sees its end. */
static void keep_only(int *fds, size_t n)
{
        int nowhere = open("/dev/null", O_RDWR);
        unsigned from = STDERR_FILENO + 1;

        for (int i = 0; i <= STDERR_FILENO && nowhere >= 0; i++)
                dup2(nowhere, i);
        qsort(fds, n, sizeof(*fds), compare_fds);
        for (size_t i = 0; i < n; i++) {
                if (fds[i] < (int)from)
                        continue;
                close_between(from, (unsigned)fds[i] - 1);
                from = (unsigned)fds[i] + 1;
        }
        close_between(from, UINT32_MAX);
}

/* Whether a process of this session outside of the recorder's group is an ancestor of it, as a shell with job
 * control is. For the kernel init is none. */
static bool group_has_parent(void)
{
        enum { MAX_ANCESTORS = 64 };
        pid_t at = getppid();

        for (int i = 0; i < MAX_ANCESTORS && at > 1; i++, at = proc_parent(at)) {
                pid_t group = getpgid(at);

                if (group != getpgrp())
                        return group < 0 || getsid(at) == getsid(0);
        }
        return false;
}

/* In a process group of its own, so that the terminal and the shell do not send it signals. In the same
 * session if the command's group has a parent in its session: otherwise the kernel would drop signals that
 * stop it. And only then: when a process of the group ends whose parent was the last of this kind, the kernel
 * hangs the group up, if one of it is stopped (setpgid(2), "orphaned process group"). Whoever wants to end
 * the run ends the recorder or the command, so it blocks all signals. */
static void stand_apart(void)
{
        sigset_t all;

        sigfillset(&all);
        sigprocmask(SIG_SETMASK, &all, NULL);
        signal(SIGCHLD, SIG_DFL);
        if (group_has_parent())
                setpgid(0, 0);
        else
                setsid();
        prctl(PR_SET_NAME, "wperf-guardian");
        machine_raise_file_limit(); /* each thread has two descriptors here */
        if (chdir("/"))
                return; /* then it keeps the recorder's folder in use */
}

/* --- messages --- */

static void add_stack(void *ctx, const struct stop_python_stack *stack, const struct python_frame *frames)
{
        struct stop_guardian *g = ctx;
        const struct stop_piece_of_message pieces[] = {{stack, sizeof(*stack)},
                                                       {frames, (size_t)stack->n_frames * sizeof(*frames)}};

        stop_channel_add(g->channel, STOP_PYTHON, stack->tid, stack->time_ns, pieces, 2);
}

static bool add_code(void *ctx, uint64_t number, struct python_code *code)
{
        struct stop_guardian *g = ctx;
        const struct stop_code_message head = {
                .first_line = code->first_line,
                .name_bytes = (uint32_t)strlen(code->name),
                .file_bytes = (uint32_t)strlen(code->file),
                .lines_bytes = (uint32_t)code->n_lines,
                .has_lines = code->lines != NULL,
                .is_hidden = code->is_hidden,
                .table = code->table,
        };
        const struct stop_piece_of_message pieces[] = {{&head, sizeof(head)},
                                                       {code->name, head.name_bytes},
                                                       {code->file, head.file_bytes},
                                                       {code->lines, code->lines ? head.lines_bytes : 0}};
        bool is_added = stop_channel_add(g->channel, STOP_CODE, (int32_t)number, 0, pieces, 4);

        python_code_release(code);
        return is_added;
}

/* Passes the file itself, because its path may lead nowhere when the recorder looks. */
static void add_binary(void *ctx, uint32_t number, const char *open_path, const char *path)
{
        struct stop_guardian *g = ctx;
        const struct stop_piece_of_message piece = {path, strlen(path)};
        int fd = open(open_path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        char byte = 0;
        struct iovec data = {&byte, 1};
        union {
                struct cmsghdr head;
                char space[CMSG_SPACE(sizeof(int))];
        } control = {.head = {.cmsg_len = CMSG_LEN(sizeof(int)),
                              .cmsg_level = SOL_SOCKET,
                              .cmsg_type = SCM_RIGHTS}};
        struct msghdr message = {.msg_iov = &data,
                                 .msg_iovlen = 1,
                                 .msg_control = control.space,
                                 .msg_controllen = sizeof(control.space)};

        bool is_sent;

        memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
        is_sent = fd >= 0 && sendmsg(g->socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) == 1;
        if (fd >= 0)
                close(fd);
        stop_channel_add(g->channel, is_sent ? STOP_BINARY : STOP_BINARY_NOT_SENT, (int32_t)number, 0, &piece,
                         1);
}

/* --- the recorder's commands --- */

static void watch(struct stop_guardian *g)
{
        struct err err = {0};

        g->watch = stop_watch_new(g, &err);
        snprintf(g->facts->watch_note, sizeof(g->facts->watch_note), "%s", g->watch ? "" : err.text);
}

static void begin(struct stop_guardian *g, const struct stop_start *start)
{
        const struct stop_frames_sink sink = {add_stack, add_code, g};

        g->start = *start;
        g->attr = stop_event_attr(&start->attr);
        g->overrun = stop_event_overrun_attr(&g->attr);
        g->period = stop_event_period(&g->attr);
        g->is_on = start->is_on;
        g->keeps_privilege = stop_status_may_trace();
        g->binaries = stop_binaries_new();
        stop_binaries_on_add(g->binaries, add_binary, g);
        g->frames = stop_frames_new(g->binaries, &sink);
        stop_pace_begin(g);
        if (g->start.is_paced)
                stop_records_begin(g);
        else
                g->facts->event_error = stop_event_try(&g->attr, g->command); /* 0: of this process */
        if (!g->facts->event_error)
                g->facts->trace_error = stop_tracer_begin(g);
        g->is_tracing = !g->facts->event_error && !g->facts->trace_error;
        if (g->is_tracing && !g->attach && !g->start.is_paced)
                watch(g);
}

static void obey(struct stop_guardian *g, const struct stop_command *command, const void *more, size_t n_more)
{
        const char answer = 0;

        if (command->kind == STOP_BEGIN && n_more == sizeof(struct stop_start) && !g->frames) {
                struct stop_start start;

                memcpy(&start, more, sizeof(start));
                begin(g, &start);
                send(g->socket, &answer, 1, MSG_NOSIGNAL);
        }
        if (!g->is_tracing)
                return;
        if (command->kind == STOP_SWITCH) {
                stop_event_switch(g, command->value);
                atomic_fetch_add(&g->facts->n_switches, 1);
        } else if (command->kind == STOP_TRACE)
                stop_late_ask(g, command->value);
        else if (command->kind == STOP_CHECK)
                stop_mask_ask(g, command->value, 0);
        else if (command->kind == STOP_FORGET)
                stop_frames_forget(g->frames, command->value);
        else if (command->kind == STOP_ATTACH && g->attach && !g->watch) {
                if (!g->start.is_paced)
                        watch(g);
                stop_late_ask_all(g);
        }
}

/* False if the recorder has ended or wants the tracing to end. */
static bool read_command(struct stop_guardian *g)
{
        struct {
                struct stop_command command;
                uint8_t more[sizeof(struct stop_start)];
        } packet;
        ssize_t n = recv(g->socket, &packet, sizeof(packet), MSG_DONTWAIT);

        if (n < 0)
                return errno == EAGAIN || errno == EINTR;
        if (n < (ssize_t)sizeof(packet.command))
                return false;
        obey(g, &packet.command, packet.more, (size_t)n - sizeof(packet.command));
        return true;
}

/* --- the command's end --- */

/* Without tracing, this thread waits for the command. */
static void reap_command(struct stop_guardian *g, bool wait)
{
        struct rusage usage;
        int status;

        if (atomic_load(&g->command_end->has_ended))
                return;
        if (wait4(g->command, &status, wait ? 0 : WNOHANG, &usage) == g->command)
                spawn_tell_end(g->command_end, status, &usage);
}

static void obey_recorder(struct stop_guardian *g)
{
        struct pollfd fds[] = {{.fd = g->socket, .events = POLLIN}, {.fd = -1, .events = POLLIN}};
        int command_fd = g->command ? (int)syscall(SYS_pidfd_open, g->command, 0) : -1;

        for (;;) {
                bool has_ended = atomic_load(&g->command_end->has_ended);
                bool is_busy = g->is_tracing && !atomic_load(&g->has_ended) &&
                               (stop_late_is_busy(g) || atomic_load(&g->has_readings));
                bool is_blind = !g->is_tracing && !has_ended && command_fd < 0;

                fds[1].fd = g->is_tracing || has_ended ? -1 : command_fd;
                poll(fds, 2, is_busy || is_blind ? TURN_MS : -1);
                if (fds[0].revents && !read_command(g))
                        break;
                if (is_busy)
                        stop_tracer_wake(g);
                if (!g->is_tracing)
                        reap_command(g, false);
        }
        if (command_fd >= 0)
                close(command_fd);
}

void stop_guardian_run(void *ctx, pid_t command, struct command_end *end)
{
        const struct stop_guardian_request *request = ctx;
        struct stop_guardian *g = mem_new(1, sizeof(*g));
        int kept[] = {request->socket, stop_channel_fd(request->channel),
                      request->attach && request->attach->cgroup ? request->attach->cgroup_fd : -1};

        g->socket = request->socket;
        g->channel = request->channel;
        g->facts = stop_channel_facts(g->channel);
        g->attach = request->attach;
        g->recorder = getppid();
        g->command = command;
        g->command_end = end;
        g->lock = os_lock_new();
        g->files_lock = os_lock_new();
        keep_only(kept, N_ELEMENTS(kept));
        stand_apart();
        obey_recorder(g);
        if (g->is_tracing)
                stop_tracer_end(g);
        if (g->watch)
                stop_watch_end(g->watch);
        atomic_store(&g->facts->is_done, true);
        close(g->socket);
        reap_command(g, true);
        spawn_end_as(end->status);
}

void stop_guardian_attach(const struct stop_guardian_request *request)
{
        static struct command_end none = {.has_ended = true};
        struct stop_guardian_request own = *request;

        stop_guardian_run(&own, 0, &none);
}
