/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads /proc/PID/fd of all processes, and asks wait_sockets.c for tables. */
#include "wait_peers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "linux_processes.h"
#include "mem.h"
#include "os.h"
#include "text.h"

enum {
        MAX_HOLDERS = 1 << 16, /* processes that are searched for the other end of a pipe */
        MAX_NAMESPACES = 64,   /* whose sockets are kept */
        COST_SHARE = 200,      /* reading takes at most one part in so many of the time */
};

/* When something was read, and how long it took. */
struct reading_time {
        uint64_t at_ns, took_ns;
};

struct namespace_sockets {
        struct wait_sockets *sockets;
        struct reading_time read;
};

struct wait_peers {
        struct map pipes; /* key of an end to a process that has it */
        struct reading_time pipes_read;
        struct map by_namespace; /* to index + 1 */
        struct namespace_sockets namespaces[MAX_NAMESPACES];
        size_t n_namespaces;
};

struct wait_peers *wait_peers_new(void)
{
        return mem_new(1, sizeof(struct wait_peers));
}

static void forget_sockets(struct wait_peers *p)
{
        for (size_t i = 0; i < p->n_namespaces; i++)
                wait_sockets_free(p->namespaces[i].sockets);
        p->n_namespaces = 0;
        map_release(&p->by_namespace);
        p->by_namespace = (struct map){0};
}

void wait_peers_free(struct wait_peers *p)
{
        if (!p)
                return;
        forget_sockets(p);
        map_release(&p->by_namespace);
        map_release(&p->pipes);
        free(p);
}

/* --- Descriptors --- */

uint64_t wait_peers_inode(const char *link, const char *kind)
{
        const char *at = text_starts(link, kind) ? link + strlen(kind) : NULL;

        return at && at[0] == ':' && at[1] == '[' ? strtoull(at + 2, NULL, 10) : 0;
}

uint64_t wait_peers_key(uint64_t inode, enum wait_peers_end end)
{
        return inode * WAIT_PEERS_N_ENDS + end;
}

/* The links in /proc/PID/fd may be read or written as the descriptors may. */
static mode_t ends_of(int32_t pid, const char *fd)
{
        char path[300];
        struct stat link;

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/fd/%.20s", pid, fd);
        return lstat(path, &link) ? 0 : link.st_mode;
}

static bool has_end(mode_t mode, enum wait_peers_end end)
{
        return mode & (end == WAIT_PEERS_READ ? S_IRUSR : S_IWUSR);
}

bool wait_peers_has_end(int32_t pid, const char *fd, enum wait_peers_end end)
{
        return has_end(ends_of(pid, fd), end);
}

struct holder {
        int32_t pid;
        bool with_sockets;
        struct map *ends;
};

static bool see_descriptor(void *ctx, const char *name)
{
        const struct holder *holder = ctx;
        AUTO_RELEASE(buf) link = {0};
        char path[300];
        uint64_t inode;
        mode_t mode;

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/fd/%.20s", holder->pid, name);
        if (*name == '.' || !os_read_link(path, &link))
                return true;
        inode = wait_peers_inode(buf_text(&link), "pipe");
        if (!inode && holder->with_sockets)
                inode = wait_peers_inode(buf_text(&link), "socket");
        mode = inode ? ends_of(holder->pid, name) : 0;
        for (enum wait_peers_end end = 0; end < WAIT_PEERS_N_ENDS; end++) {
                if (has_end(mode, end))
                        *map_put(holder->ends, wait_peers_key(inode, end), NULL) = (uint64_t)holder->pid;
        }
        return true;
}

void wait_peers_add_ends(int32_t pid, bool with_sockets, struct map *ends)
{
        struct holder holder = {pid, with_sockets, ends};
        char path[64];

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/fd", pid);
        os_list_dir(path, see_descriptor, &holder, NULL);
}

/* --- Tables --- */

static bool is_old(const struct reading_time *read, uint64_t most_age_ns)
{
        uint64_t paid_ns = most_age_ns ? read->took_ns * COST_SHARE : 0;

        most_age_ns = paid_ns > most_age_ns ? paid_ns : most_age_ns;
        return !read->at_ns || os_monotonic_ns() - read->at_ns >= most_age_ns;
}

static struct reading_time time_since(uint64_t begin_ns)
{
        uint64_t now_ns = os_monotonic_ns();

        return (struct reading_time){now_ns, now_ns - begin_ns};
}

void wait_peers_read_pipes(struct wait_peers *p, uint64_t most_age_ns)
{
        uint64_t begin_ns = os_monotonic_ns();
        int32_t *all;
        size_t n;

        if (!is_old(&p->pipes_read, most_age_ns))
                return;
        map_release(&p->pipes);
        p->pipes = (struct map){0};
        all = proc_all(&n);
        for (size_t i = 0; i < n && i < MAX_HOLDERS; i++)
                wait_peers_add_ends(all[i], false, &p->pipes);
        free(all);
        p->pipes_read = time_since(begin_ns);
}

int32_t wait_peers_holder(const struct wait_peers *p, uint64_t inode, enum wait_peers_end end)
{
        const uint64_t *pid = map_find(&p->pipes, wait_peers_key(inode, end));

        return pid ? (int32_t)*pid : 0;
}

/* "net:[4026531840]"; a process whose link cannot be read has a number that no namespace has. */
static uint64_t namespace_of(int32_t pid)
{
        AUTO_RELEASE(buf) link = {0};
        char path[64];
        uint64_t inode;

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/ns/net", pid);
        inode = os_read_link(path, &link) ? wait_peers_inode(buf_text(&link), "net") : 0;
        return inode ? inode : UINT64_MAX - (uint64_t)pid;
}

static struct namespace_sockets *get_sockets(struct wait_peers *p, int32_t pid, uint64_t most_age_ns)
{
        uint64_t begin_ns = os_monotonic_ns(), number = namespace_of(pid), *at;
        struct namespace_sockets *known;

        if (p->n_namespaces == MAX_NAMESPACES && !map_find(&p->by_namespace, number))
                forget_sockets(p);
        at = map_put(&p->by_namespace, number, NULL);
        if (!*at) {
                p->namespaces[p->n_namespaces++] = (struct namespace_sockets){0};
                *at = p->n_namespaces;
        }
        known = &p->namespaces[*at - 1];
        if (!known->sockets || is_old(&known->read, most_age_ns)) {
                wait_sockets_free(known->sockets);
                known->sockets = wait_sockets_new(pid);
                known->read = time_since(begin_ns);
        }
        return known;
}

struct wait_socket wait_peers_find_socket(struct wait_peers *p, int32_t pid, uint64_t most_age_ns,
                                          uint64_t inode, struct buf *text)
{
        struct namespace_sockets *known = get_sockets(p, pid, most_age_ns);
        uint64_t begin_ns = os_monotonic_ns();
        struct wait_socket found = wait_sockets_find(known->sockets, pid, inode, text);

        known->read.took_ns += os_monotonic_ns() - begin_ns; /* it may read tables of its own */
        return found;
}
