/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads /proc/PID/fd and fdinfo. A descriptor that is closed meanwhile has no object. */
#include "wait_objects.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <time.h>

#include "linux_mounts.h"
#include "linux_processes.h"
#include "map.h"
#include "mem.h"
#include "os.h"
#include "text.h"
#include "wait_call.h"
#include "wait_peers.h"
#include "wait_sockets.h"
#include "wait_thread.h"

enum {
        MAX_INFO_BYTES = 1 << 20,
        MAX_SET = 1024, /* descriptors of one poll that are looked at */
        MAX_PATH_CHARS = 200,
        MAX_PATH_BYTES = 4096,
};

struct wait_objects {
        int32_t pid;
        struct wait_peers *peers;
        uint64_t most_age_ns;
        struct map own; /* ends of its own sockets and pipes */
        bool has_own, has_pipes, has_sockets;
        struct linux_mounts *mounts; /* NULL until needed */
};

struct wait_objects *wait_objects_new(int32_t pid, struct wait_peers *peers, uint64_t most_age_ns)
{
        struct wait_objects *o = mem_new(1, sizeof(*o));

        o->pid = pid;
        o->peers = peers;
        o->most_age_ns = most_age_ns;
        return o;
}

void wait_objects_free(struct wait_objects *o)
{
        if (!o)
                return;
        map_release(&o->own);
        linux_mounts_free(o->mounts);
        free(o);
}

/* --- Ends --- */

static bool read_link(int32_t pid, const char *fd, struct buf *out)
{
        char path[300];

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/fd/%.20s", pid, fd);
        return os_read_link(path, out);
}

static bool has_own(struct wait_objects *o, uint64_t inode, enum wait_peers_end end)
{
        if (!o->has_own)
                wait_peers_add_ends(o->pid, true, &o->own);
        o->has_own = true;
        return map_find(&o->own, wait_peers_key(inode, end));
}

/* Another process that has this end of the pipe; 0 if none can be seen. */
static int32_t find_holder(struct wait_objects *o, uint64_t inode, enum wait_peers_end end)
{
        int32_t pid;

        if (!o->has_pipes)
                wait_peers_read_pipes(o->peers, o->most_age_ns);
        o->has_pipes = true;
        pid = wait_peers_holder(o->peers, inode, end);
        return pid == o->pid ? 0 : pid;
}

static void add_process(int32_t pid, struct buf *text)
{
        AUTO_RELEASE(buf) comm = {0};

        proc_comm(pid, &comm);
        buf_printf(text, "process %" PRId32, pid);
        if (comm.len)
                buf_printf(text, " (%s)", buf_text(&comm));
}

/* --- One descriptor --- */

struct descriptor {
        enum wait_object object;
        enum wait_peer peer;
};

static struct descriptor see_socket(struct wait_objects *o, uint64_t inode, struct buf *text)
{
        uint64_t most_age_ns = o->has_sockets ? UINT64_MAX : o->most_age_ns;
        struct wait_socket socket;

        o->has_sockets = true;
        socket = wait_peers_find_socket(o->peers, o->pid, most_age_ns, inode, text);
        if (socket.peer_inode && has_own(o, socket.peer_inode, WAIT_PEERS_READ)) {
                buf_add_str(text, " to this process itself");
                socket.peer = WAIT_PEER_OWN;
        }
        return (struct descriptor){WAIT_OBJECT_SOCKET, socket.peer};
}

static struct descriptor see_pipe(struct wait_objects *o, uint64_t inode, enum wait_peers_end other,
                                  struct buf *text)
{
        int32_t holder;

        buf_add_str(text, "pipe");
        if (has_own(o, inode, other)) {
                buf_add_str(text, " to this process itself");
                return (struct descriptor){WAIT_OBJECT_PIPE, WAIT_PEER_OWN};
        }
        holder = find_holder(o, inode, other);
        if (holder) {
                buf_add_str(text, " of ");
                add_process(holder, text);
        }
        return (struct descriptor){WAIT_OBJECT_PIPE, WAIT_PEER_OTHER};
}

static bool read_info(int32_t pid, int fd, struct buf *out)
{
        char path[64];

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/fdinfo/%d", pid, fd);
        return os_read_file(path, MAX_INFO_BYTES, out, NULL);
}

/* Whether a server has the file of a descriptor. If it hangs, stat() would wait as long as the thread. */
static bool is_served(struct wait_objects *o, int fd)
{
        AUTO_RELEASE(buf) info = {0};
        const char *id = read_info(o->pid, fd, &info) ? strstr(buf_text(&info), "mnt_id:") : NULL;

        if (!o->mounts)
                o->mounts = linux_mounts_new(o->pid);
        return id && linux_mounts_find(o->mounts, (int32_t)strtol(id + strlen("mnt_id:"), NULL, 10));
}

/* S_IFIFO and others; 0 if it can't be seen. */
static mode_t type_of(struct wait_objects *o, int fd)
{
        char path[64];
        struct stat file;

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/fd/%d", o->pid, fd);
        return is_served(o, fd) || stat(path, &file) ? 0 : file.st_mode & S_IFMT;
}

static void add_path(const char *path, struct buf *text)
{
        size_t len = strlen(path), skipped = len > MAX_PATH_CHARS ? len - MAX_PATH_CHARS : 0;

        buf_printf(text, "%s%s", skipped ? "..." : "", path + skipped);
}

static struct descriptor see_file(struct wait_objects *o, int fd, const char *path, struct buf *text)
{
        AUTO_RELEASE(buf) info = {0};
        mode_t type = type_of(o, fd);

        add_path(path, text);
        if (text_starts(path, "/dev/pts/") || text_starts(path, "/dev/tty") || !strcmp(path, "/dev/console"))
                return (struct descriptor){WAIT_OBJECT_TERMINAL, WAIT_PEER_NONE};
        if (type == S_IFIFO)
                return (struct descriptor){WAIT_OBJECT_PIPE, WAIT_PEER_OTHER};
        if (type == S_IFCHR)
                return (struct descriptor){WAIT_OBJECT_EVENT, WAIT_PEER_NONE};
        if (read_info(o->pid, fd, &info) && text_starts(buf_text(&info), "pos:"))
                buf_printf(text, " at byte %lld", strtoll(info.data + strlen("pos:"), NULL, 10));
        return (struct descriptor){WAIT_OBJECT_FILE, WAIT_PEER_NONE};
}

static struct descriptor see_one(struct wait_objects *o, int fd, struct buf *text)
{
        AUTO_RELEASE(buf) link = {0};
        char name[16];
        uint64_t inode;

        snprintf(name, sizeof(name), "%d", fd);
        if (fd < 0 || !read_link(o->pid, name, &link))
                return (struct descriptor){WAIT_OBJECT_NONE, WAIT_PEER_NONE};
        inode = wait_peers_inode(buf_text(&link), "socket");
        if (inode)
                return see_socket(o, inode, text);
        inode = wait_peers_inode(buf_text(&link), "pipe");
        if (inode)
                return see_pipe(o, inode,
                                wait_peers_has_end(o->pid, name, WAIT_PEERS_READ) ? WAIT_PEERS_WRITE
                                                                                  : WAIT_PEERS_READ,
                                text);
        if (!text_starts(link.data, "anon_inode:"))
                return see_file(o, fd, link.data, text);
        buf_add_str(text, link.data + strlen("anon_inode:"));
        if (strstr(link.data, "eventpoll"))
                return (struct descriptor){WAIT_OBJECT_EPOLL, WAIT_PEER_NONE};
        return (struct descriptor){strstr(link.data, "timerfd") ? WAIT_OBJECT_TIMER : WAIT_OBJECT_EVENT,
                                   WAIT_PEER_NONE};
}

/* --- Sets of descriptors --- */

/* What is waited for is the one with the highest peer; the others are counted. */
struct set {
        struct wait_objects *objects;
        struct descriptor best;
        struct buf text; /* of the best one */
        size_t n;
};

static void add_to_set(struct set *set, int fd)
{
        AUTO_RELEASE(buf) text = {0};
        struct descriptor one;

        if (set->n >= MAX_SET)
                return;
        one = see_one(set->objects, fd, &text);
        set->n++;
        if (set->n > 1 && (one.peer < set->best.peer ||
                           (one.peer == set->best.peer && set->best.object != WAIT_OBJECT_NONE)))
                return;
        set->best = one;
        buf_swap(&set->text, &text);
}

static void add_epoll(struct set *set, int fd)
{
        AUTO_RELEASE(buf) info = {0};

        if (!read_info(set->objects->pid, fd, &info))
                return;
        for (const char *at = buf_text(&info); (at = strstr(at, "tfd:"));) {
                at += strlen("tfd:");
                add_to_set(set, (int)strtol(at, NULL, 10));
        }
}

static void add_poll(struct set *set, const struct wait_thread *thread)
{
        struct pollfd fds[MAX_SET];
        size_t n = thread->args[1] < MAX_SET ? (size_t)thread->args[1] : MAX_SET;

        if (!n || !wait_read_memory(set->objects->pid, thread->args[0], fds, n * sizeof(*fds)))
                return;
        for (size_t i = 0; i < n; i++) {
                if (fds[i].fd >= 0)
                        add_to_set(set, fds[i].fd);
        }
}

static void add_select(struct set *set, const struct wait_thread *thread)
{
        fd_set sets[3];
        int n = thread->args[0] < FD_SETSIZE ? (int)thread->args[0] : FD_SETSIZE;

        memset(sets, 0, sizeof(sets));
        for (size_t i = 0; i < N_ELEMENTS(sets); i++) {
                if (thread->args[1 + i] &&
                    !wait_read_memory(set->objects->pid, thread->args[1 + i], &sets[i], (size_t)(n + 7) / 8))
                        FD_ZERO(&sets[i]);
        }
        for (int fd = 0; fd < n; fd++) {
                if (FD_ISSET(fd, &sets[0]) || FD_ISSET(fd, &sets[1]) || FD_ISSET(fd, &sets[2]))
                        add_to_set(set, fd);
        }
}

static struct descriptor end_set(struct set *set, struct buf *text)
{
        buf_add_str(text, buf_text(&set->text));
        if (set->n > 1)
                buf_printf(text, " and %zu more", set->n - 1);
        buf_release(&set->text);
        return set->best;
}

static struct descriptor see_set(struct wait_objects *o, const struct wait_thread *thread,
                                 enum wait_call call, struct buf *text)
{
        struct set set = {.objects = o};

        if (call == WAIT_CALL_EPOLL)
                add_epoll(&set, (int)thread->args[0]);
        else if (call == WAIT_CALL_POLL)
                add_poll(&set, thread);
        else
                add_select(&set, thread);
        return end_set(&set, text);
}

/* --- Calls --- */

/* wait4(PID) and waitid(P_PID, PID). */
static void see_child(const struct wait_thread *thread, const char *name, struct buf *text)
{
        int32_t pid = (int32_t)thread->args[strcmp(name, "waitid") ? 0 : 1];

        if (pid > 0)
                add_process(pid, text);
        else
                buf_add_str(text, "any child");
}

/* The kernel's list of a thread's children has the newest one last. */
static void see_vfork(const struct wait_objects *o, int32_t tid, struct buf *text)
{
        AUTO_RELEASE(buf) children = {0};
        char path[64];
        const char *at;

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/task/%" PRId32 "/children", o->pid, tid);
        if (!os_read_file(path, MAX_INFO_BYTES, &children, NULL) || !children.len)
                return;
        while (children.len && children.data[children.len - 1] == ' ')
                buf_truncate(&children, children.len - 1);
        at = strrchr(buf_text(&children), ' ');
        add_process((int32_t)strtol(at ? at + 1 : buf_text(&children), NULL, 10), text);
}

/* nanosleep(TIME) and clock_nanosleep(CLOCK, FLAGS, TIME). A time of day is told as what is left of it. */
static void see_sleep(const struct wait_objects *o, const struct wait_thread *thread, const char *name,
                      struct buf *text)
{
        bool has_clock = !strcmp(name, "clock_nanosleep");
        struct timespec time, now = {0};
        double seconds;

        if (!wait_read_memory(o->pid, thread->args[has_clock ? 2 : 0], &time, sizeof(time)))
                return;
        if (has_clock && thread->args[1] & TIMER_ABSTIME)
                clock_gettime((clockid_t)thread->args[0], &now);
        seconds = (double)(time.tv_sec - now.tv_sec) + (double)(time.tv_nsec - now.tv_nsec) / 1e9;
        if (seconds >= 0)
                buf_printf(text, "for %s%.*f s", now.tv_sec ? "another " : "", seconds < 10 ? 2 : 0, seconds);
}

/* Where it waits in the kernel: a function, or "" if that is not known. Operators know those of a file system
 * that hangs.
 */
static void read_place(const struct wait_objects *o, int32_t tid, struct buf *out)
{
        char path[64];

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/task/%" PRId32 "/wchan", o->pid, tid);
        if (!os_read_file(path, MAX_INFO_BYTES, out, NULL) || !strcmp(buf_text(out), "0"))
                buf_clear(out);
}

static void add_place(const struct buf *place, struct buf *text)
{
        if (place->len && text->len)
                buf_printf(text, " (kernel: %s)", place->data);
}

/* A frozen thread waits in no system call, as one that waits for memory. Where it waits in the kernel tells
 * them apart: before Linux 5.2, and since then. */
static void see_frozen(const struct wait_objects *o, int32_t tid, struct buf *text)
{
        static const char *const places[] = {"__refrigerator", "get_signal", "do_freezer_trap"};
        AUTO_RELEASE(buf) place = {0};

        read_place(o, tid, &place);
        for (size_t i = 0; i < N_ELEMENTS(places); i++) {
                if (!strcmp(buf_text(&place), places[i]))
                        buf_add_str(text, "frozen by its control group");
        }
}

/* The path in an argument, as the thread has it: it may be relative, and is not looked up. */
static bool see_path(const struct wait_objects *o, uint64_t addr, struct buf *text)
{
        char path[MAX_PATH_BYTES + 1];
        size_t n = wait_read_some(o->pid, addr, path, MAX_PATH_BYTES);

        path[n] = '\0';
        if (*path)
                add_path(path, text);
        return *path;
}

/* With an empty path, fstatat() and the like ask for the descriptor before it. */
static void see_named(struct wait_objects *o, const struct wait_thread *thread,
                      const struct wait_call_facts *facts, struct buf *text)
{
        int fd_arg = facts->path_arg > 0 ? facts->path_arg - 1 : facts->fd_arg;

        if ((facts->path_arg < 0 || !see_path(o, thread->args[facts->path_arg], text)) && fd_arg >= 0)
                see_one(o, (int)thread->args[fd_arg], text);
}

/* A call for a file system. A named pipe that is opened waits for somebody who opens its other end. */
static struct descriptor see_file_call(struct wait_objects *o, const struct wait_thread *thread,
                                       const struct wait_call_facts *facts, int32_t tid, struct buf *text)
{
        bool opens = facts->call == WAIT_CALL_OPEN;
        AUTO_RELEASE(buf) object = {0};
        AUTO_RELEASE(buf) place = {0};

        see_named(o, thread, facts, &object);
        if (opens)
                buf_add_str(text, buf_text(&object));
        else
                buf_printf(text, "%s%s%s", facts->name, object.len ? " of " : "", buf_text(&object));
        read_place(o, tid, &place);
        if (opens && !strcmp(buf_text(&place), "wait_for_partner"))
                return (struct descriptor){WAIT_OBJECT_PIPE, WAIT_PEER_NONE};
        add_place(&place, text);
        return (struct descriptor){WAIT_OBJECT_FILE, WAIT_PEER_NONE};
}

void wait_objects_see(struct wait_objects *o, const struct wait_thread *thread, struct wait_reading *reading,
                      struct buf *text)
{
        struct wait_call_facts facts = wait_call_get(thread->number);
        struct descriptor found = {WAIT_OBJECT_NONE, WAIT_PEER_NONE};
        AUTO_RELEASE(buf) place = {0};

        if (facts.call == WAIT_CALL_NONE)
                see_frozen(o, reading->tid, text);
        else if (facts.call == WAIT_CALL_EPOLL || facts.call == WAIT_CALL_POLL ||
                 facts.call == WAIT_CALL_SELECT)
                found = see_set(o, thread, facts.call, text);
        else if (facts.call == WAIT_CALL_CHILD)
                see_child(thread, facts.name, text);
        else if (facts.call == WAIT_CALL_VFORK)
                see_vfork(o, reading->tid, text);
        else if (facts.call == WAIT_CALL_SLEEP)
                see_sleep(o, thread, facts.name, text);
        else if (facts.call == WAIT_CALL_OPEN || facts.call == WAIT_CALL_FILE)
                found = see_file_call(o, thread, &facts, reading->tid, text);
        else if (facts.fd_arg >= 0)
                found = see_one(o, (int)thread->args[facts.fd_arg], text);
        if (found.object == WAIT_OBJECT_FILE &&
            (facts.call == WAIT_CALL_READ || facts.call == WAIT_CALL_WRITE)) {
                read_place(o, reading->tid, &place);
                add_place(&place, text);
        }
        reading->call = (uint8_t)facts.call;
        reading->object = (uint8_t)found.object;
        reading->peer = (uint8_t)found.peer;
}
