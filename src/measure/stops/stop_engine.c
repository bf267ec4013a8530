/* SPDX-License-Identifier: BSD-3-Clause */
/* The recorder's side: it starts the guardian, asks for things, and takes messages. */
#include "stop_engine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "err.h"
#include "mem.h"
#include "os.h"
#include "stop_engine_internal.h"
#include "stop_python.h"
#include "stop_refusal.h"

struct stop_engine *stop_engine_new(struct err *err)
{
        AUTO(stop_engine) e = mem_new(1, sizeof(*e));
        int sockets[2];

        e->socket = -1;
        e->stacks = deep_stacks_new();
        e->channel = stop_channel_new(err);
        if (!e->channel)
                return NULL;
        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets)) {
                err_os(err, ERR_LIMIT, errno, "can't open a socket for the process that traces the command");
                return NULL;
        }
        e->socket = sockets[0];
        e->guardian = (struct stop_guardian_request){.channel = e->channel, .socket = sockets[1]};
        return TAKE(e);
}

struct spawn_parent stop_engine_parent(struct stop_engine *e)
{
        return (struct spawn_parent){stop_guardian_run, &e->guardian};
}

bool stop_engine_start(struct stop_engine *e, const struct target *target, struct err *err)
{
        e->guardian.attach = target;
        e->apart = own_thread_fork();
        if (e->apart == 0)
                stop_guardian_attach(&e->guardian);
        if (e->apart > 0)
                return true;
        e->apart = 0;
        return err_os(err, ERR_LIMIT, errno, "can't start the process that traces interpreters");
}

/* Between two looks at what the guardian has done. */
static const struct timespec moment = {.tv_nsec = 200000};

/* --- commands --- */

/* Packets of several threads do not mix. */
static void ask(struct stop_engine *e, enum stop_command_kind kind, int32_t value, int flags)
{
        const struct stop_command command = {kind, value};

        while (send(e->socket, &command, sizeof(command), flags | MSG_NOSIGNAL) < 0 && errno == EINTR)
                ;
}

/* Does not wait for the guardian; if that is very late, the command is lost, and asked for again by a later
 * sample. */
static void ask_soon(struct stop_engine *e, enum stop_command_kind kind, int32_t value)
{
        ask(e, kind, value, MSG_DONTWAIT);
}

/* Waits until it is done: the controlling program relies on it. */
void stop_engine_switch(struct stop_engine *e, bool on)
{
        enum { TURNS = 500 };
        const struct stop_facts *facts = stop_channel_facts(e->channel);

        ask(e, STOP_SWITCH, on, 0);
        e->n_switches++;
        for (int i = 0; i < TURNS && atomic_load(&facts->n_switches) != e->n_switches; i++)
                nanosleep(&moment, NULL);
}

/* Without events a process that can't be traced has no samples at all. */
static bool wait_for_attached(struct stop_engine *e, struct err *err)
{
        enum { TURNS = 5000 };
        const struct stop_facts *facts = stop_channel_facts(e->channel);
        unsigned n_refused = 0;

        for (int i = 0; i < TURNS && !atomic_load(&facts->n_attached); i++) {
                n_refused = atomic_load(&facts->n_not_attached);
                if (n_refused >= e->guardian.attach->n_pids)
                        break;
                nanosleep(&moment, NULL);
        }
        if (!n_refused || atomic_load(&facts->n_attached))
                return true;
        return err_set(err, ERR_DENIED, "process %" PRId32 " can't be traced: %s",
                       e->guardian.attach->pids[0], facts->why_refused);
}

bool stop_engine_attach(struct stop_engine *e, struct err *err)
{
        if (e->guardian.attach)
                ask(e, STOP_ATTACH, 0, 0);
        return !e->guardian.attach || !e->is_paced || wait_for_attached(e, err);
}

void stop_engine_see_map(struct stop_engine *e, struct cursor record)
{
        struct record_mmap map;

        if (record_mmap_parse(record, false, &map) && strstr(map.path, "/libpython"))
                ask(e, STOP_TRACE, map.pid, 0);
}

void stop_engine_check(struct stop_engine *e, int32_t tid)
{
        ask_soon(e, STOP_CHECK, tid);
}

static void forget(void *ctx, int32_t tid)
{
        ask_soon(ctx, STOP_FORGET, tid);
}

/* --- begin and end --- */

static bool say_why(const struct stop_facts *facts, struct err *err)
{
        if (facts->event_error)
                return stop_refusal_say_event(facts->event_error, stop_refusal_of_any(), err);
        return stop_refusal_say(facts->trace_error, err);
}

/* Sends the command and waits for the answer. False if the guardian has ended. */
static bool ask_to_begin(struct stop_engine *e, const struct stop_start *start)
{
        struct {
                struct stop_command command;
                struct stop_start start;
        } packet;
        ssize_t n;
        char answer;

        memset(&packet, 0, sizeof(packet));
        packet.command.kind = STOP_BEGIN;
        packet.start = *start;
        if (send(e->socket, &packet, sizeof(packet), MSG_NOSIGNAL) < 0)
                return false;
        do
                n = recv(e->socket, &answer, 1, 0);
        while (n < 0 && errno == EINTR);
        return n == 1;
}

bool stop_engine_begin(struct stop_engine *e, const struct opened_event *event, bool is_on,
                       struct stop_python *python, struct err *err)
{
        const struct stop_start start = {event->attr, event->ids[0], event->is_unwound, is_on, e->is_paced};
        const struct stop_facts *facts = stop_channel_facts(e->channel);

        close(e->guardian.socket);
        e->guardian.socket = -1;
        if (!ask_to_begin(e, &start))
                return err_set(err, ERR_IO,
                               "the process 'wperf-guardian', which traces interpreters, has ended");
        if (facts->event_error || facts->trace_error)
                return say_why(facts, err);
        for (size_t i = 0; i < event->n_ids; i++)
                *map_put(&e->ids, event->ids[i], NULL) = 1;
        e->counts_losses = event->attr.read_format & PERF_FORMAT_LOST;
        e->python = python;
        stop_python_on_forget(python, forget, e);
        return true;
}

static bool guardian_runs(struct stop_engine *e, struct child *child)
{
        if (child->parent) {
                spawn_reap(child, false);
                return !child->parent_ended;
        }
        if (e->apart && waitpid(e->apart, NULL, WNOHANG))
                e->apart = 0;
        return e->apart;
}

void stop_engine_end(struct stop_engine *e, struct child *child)
{
        const struct stop_facts *facts = stop_channel_facts(e->channel);

        if (e->has_ended)
                return;
        e->has_ended = true;
        shutdown(e->socket, SHUT_WR);
        while (!atomic_load(&facts->is_done) && guardian_runs(e, child))
                nanosleep(&moment, NULL);
}

/* It may still have to let processes go, which takes as long as these are held up by other programs. */
static void end_apart(struct stop_engine *e)
{
        enum { TURNS = 5000 };

        for (int i = 0; i < TURNS && e->apart && !waitpid(e->apart, NULL, WNOHANG); i++)
                nanosleep(&moment, NULL);
        e->apart = 0;
}

void stop_engine_free(struct stop_engine *e)
{
        if (!e)
                return;
        if (e->guardian.socket > 0)
                close(e->guardian.socket);
        if (e->socket >= 0)
                close(e->socket);
        end_apart(e);
        stop_span_release(e);
        stop_seen_release(e);
        map_release(&e->ids);
        stop_channel_free(e->channel);
        deep_stacks_free(e->stacks);
        free(e);
}

/* --- messages --- */

/* The descriptor that the guardian has sent; -1 for none. */
static int receive_file(struct stop_engine *e)
{
        char byte;
        struct iovec data = {&byte, 1};
        union {
                struct cmsghdr head;
                char space[CMSG_SPACE(sizeof(int))];
        } control;
        struct msghdr message = {.msg_iov = &data,
                                 .msg_iovlen = 1,
                                 .msg_control = control.space,
                                 .msg_controllen = sizeof(control.space)};
        const struct cmsghdr *head;
        int fd = -1;

        if (recvmsg(e->socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != 1)
                return -1;
        head = CMSG_FIRSTHDR(&message);
        if (head && head->cmsg_type == SCM_RIGHTS)
                memcpy(&fd, CMSG_DATA(head), sizeof(fd));
        return fd;
}

/* Without a descriptor, the number remains empty. */
static void see_binary(struct stop_engine *e, uint32_t number, bool is_sent, struct cursor bytes)
{
        AUTO_RELEASE(buf) path = {0};
        int fd = is_sent ? receive_file(e) : -1;
        char open_path[64];

        buf_add(&path, bytes.at, cursor_left(&bytes));
        snprintf(open_path, sizeof(open_path), "/proc/self/fd/%d", fd);
        stop_binaries_receive(stop_python_binaries(e->python), number, open_path, buf_text(&path));
        if (fd >= 0)
                close(fd);
}

static char *take_text(struct cursor *bytes, uint32_t n)
{
        const void *text = cursor_bytes(bytes, n);
        char *copy = mem_new(n + (size_t)1, 1);

        if (text)
                memcpy(copy, text, n);
        return copy;
}

static void see_code(struct stop_engine *e, uint64_t number, struct cursor bytes)
{
        const void *at = cursor_bytes(&bytes, sizeof(struct stop_code_message));
        struct stop_code_message head;
        struct python_code code = {0};

        if (!at)
                return;
        memcpy(&head, at, sizeof(head));
        code.first_line = head.first_line;
        code.is_hidden = head.is_hidden;
        code.table = (uint8_t)head.table;
        code.name = take_text(&bytes, head.name_bytes);
        code.file = take_text(&bytes, head.file_bytes);
        if (head.has_lines)
                code.lines = (uint8_t *)take_text(&bytes, head.lines_bytes);
        code.n_lines = head.has_lines ? head.lines_bytes : 0;
        stop_python_add_code(e->python, number, &code);
}

static void see_python(struct stop_engine *e, struct cursor bytes)
{
        const void *at = cursor_bytes(&bytes, sizeof(struct stop_python_stack));
        struct stop_python_stack stack;

        if (!at)
                return;
        memcpy(&stack, at, sizeof(stack));
        if (stack.n_frames > cursor_left(&bytes) / sizeof(struct python_frame))
                return;
        stop_python_add_stack(e->python, &stack, (const struct python_frame *)bytes.at);
}

static void see_deep_stack(struct stop_engine *e, const struct stop_message *m, struct cursor bytes)
{
        const void *at = cursor_bytes(&bytes, sizeof(struct stop_deep_message));
        struct stop_deep_message head;
        struct deep_stack stack = {0};

        if (!at)
                return;
        memcpy(&head, at, sizeof(head));
        stack.is_left_out = head.is_left_out;
        stack.is_whole = head.is_whole;
        stack.used_size = head.used_size;
        buf_add(&stack.bytes, bytes.at, cursor_left(&bytes));
        deep_stacks_add(e->stacks, m->id, m->time_ns, &stack);
}

static void see_message(struct stop_engine *e, const struct stop_message *m, struct cursor bytes)
{
        switch ((enum stop_message_kind)m->kind) {
        case STOP_SPAN_BEGIN: stop_span_begin(e, m->id, m->time_ns); break;
        case STOP_SPAN_END: stop_span_end(e, m->id, m->time_ns); break;
        case STOP_THREAD_BEGIN: stop_seen_begin(e, m->id); break;
        case STOP_THREAD_END: stop_seen_end(e, m->id, m->time_ns); break;
        case STOP_KEPT_BEGIN: stop_seen_keep(e, m->id, m->time_ns); break;
        case STOP_KEPT_END: stop_seen_keep_end(e, m->id, m->time_ns); break;
        case STOP_SAMPLE: stop_seen_stop(e, m->id, m->time_ns); break;
        case STOP_RECORD: break;
        case STOP_DEEP_STACK: see_deep_stack(e, m, bytes); break;
        case STOP_PYTHON: see_python(e, bytes); break;
        case STOP_CODE: see_code(e, (uint64_t)(uint32_t)m->id, bytes); break;
        case STOP_BINARY: see_binary(e, (uint32_t)m->id, true, bytes); break;
        case STOP_BINARY_NOT_SENT: see_binary(e, (uint32_t)m->id, false, bytes); break;
        }
}

struct deep_stacks *stop_engine_stacks(struct stop_engine *e)
{
        return e->stacks;
}

void stop_engine_take(struct stop_engine *e)
{
        struct cursor messages, bytes;
        const struct stop_message *message;

        messages = e->round = stop_channel_take(e->channel);
        while ((message = stop_channel_next(&messages, &bytes)) != NULL)
                see_message(e, message, bytes);
}

int stop_engine_fd(const struct stop_engine *e)
{
        return stop_channel_fd(e->channel);
}

const uint8_t *stop_engine_next(struct stop_engine *e, size_t *ret_bytes)
{
        const struct stop_message *message;
        struct cursor bytes;

        while ((message = stop_channel_next(&e->round, &bytes)) != NULL) {
                if (message->kind != STOP_SAMPLE && message->kind != STOP_RECORD)
                        continue;
                *ret_bytes = cursor_left(&bytes);
                return bytes.at;
        }
        return NULL;
}

/* --- results --- */

const char *stop_engine_watch_note(struct stop_engine *e)
{
        return stop_channel_facts(e->channel)->watch_note;
}

const char *stop_engine_unprivileged(struct stop_engine *e)
{
        return stop_channel_facts(e->channel)->unprivileged.text;
}

const char *stop_engine_refused(struct stop_engine *e)
{
        return stop_channel_facts(e->channel)->refused.text;
}

const char *stop_engine_why_refused(struct stop_engine *e)
{
        return stop_channel_facts(e->channel)->why_refused;
}

uint64_t stop_engine_own_losses(const struct stop_engine *e, uint64_t lost)
{
        uint64_t n_seen = e->n_dropped + e->n_passed;

        return lost && n_seen ? (uint64_t)((double)lost * (double)e->n_passed / (double)n_seen + 0.999)
                              : lost;
}

struct stop_counts stop_engine_counts(struct stop_engine *e)
{
        struct stop_counts counts = stop_channel_facts(e->channel)->counts;

        counts.n_dropped = e->n_dropped;
        return counts;
}
