/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads /proc/PID/net/tcp and its siblings (proc(5)), and asks the kernel for the peers of local sockets
 * (sock_diag(7)). */
#include "wait_sockets.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "map.h"
#include "mem.h"
#include "os.h"

enum {
        MAX_TABLE_BYTES = 64 << 20,
        TCP_LISTEN = 10,
        UNIX_LISTENS = 0x10000, /* __SO_ACCEPTCON */
        REPLY_BYTES = 32768,
};

enum family { FAMILY_TCP, FAMILY_UDP, FAMILY_UNIX };

struct known_socket {
        enum family family;
        bool listens;
        bool is_v6;
        uint8_t local[16], remote[16]; /* in network byte order */
        uint16_t local_port, remote_port;
        uint64_t peer_inode; /* of a local socket */
        char *path;          /* of a local socket; NULL: it has none */
};

struct wait_sockets {
        bool has_internet;
        struct map by_inode; /* to index */
        struct known_socket *items;
        size_t n, cap;
        struct map listened; /* TCP port to 1 */
};

/* Takes the path of the socket. Closed connections have no inode, and the first one with a number counts. */
static void add(struct wait_sockets *s, uint64_t inode, const struct known_socket *socket)
{
        bool is_new = false;
        uint64_t *at = inode ? map_put(&s->by_inode, inode, &is_new) : NULL;

        if (!is_new) {
                free(socket->path);
                return;
        }
        *at = s->n;
        ARRAY_PUSH(s->items, s->n, s->cap, *socket);
}

static bool read_table(int32_t pid, const char *name, struct buf *out)
{
        char path[64];

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/net/%s", pid, name);
        return os_read_file(path, MAX_TABLE_BYTES, out, NULL);
}

/* An address is words of 32 bits in the byte order of this machine, in hexadecimal. */
static void parse_address(const char *text, size_t n_words, uint8_t *ret)
{
        for (size_t i = 0; i < n_words; i++) {
                char digits[9] = {0};
                uint32_t word;

                memcpy(digits, text + 8 * i, 8);
                word = (uint32_t)strtoul(digits, NULL, 16);
                memcpy(ret + 4 * i, &word, sizeof(word));
        }
}

/* " 0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000  0 12345 ..." */
static void parse_internet(struct wait_sockets *s, const char *line, enum family family, bool is_v6)
{
        size_t digits = is_v6 ? 32 : 8;
        char local[33], remote[33];
        struct known_socket socket = {.family = family, .is_v6 = is_v6};
        unsigned local_port, remote_port, state;
        uint64_t inode;

        if (sscanf(line, " %*[0-9]: %32[0-9A-Fa-f]:%x %32[0-9A-Fa-f]:%x %x %*s %*s %*s %*s %*s %" SCNu64,
                   local, &local_port, remote, &remote_port, &state, &inode) != 6 ||
            strlen(local) != digits || strlen(remote) != digits)
                return;
        parse_address(local, digits / 8, socket.local);
        parse_address(remote, digits / 8, socket.remote);
        socket.local_port = (uint16_t)local_port;
        socket.remote_port = (uint16_t)remote_port;
        socket.listens = family == FAMILY_TCP && state == TCP_LISTEN;
        if (socket.listens)
                *map_put(&s->listened, local_port, NULL) = 1;
        add(s, inode, &socket);
}

/* "0000000000000000: 00000002 00000000 00010000 0001 01 12345 /run/x" */
static void parse_local(struct wait_sockets *s, const char *line)
{
        struct known_socket socket = {.family = FAMILY_UNIX};
        unsigned flags;
        uint64_t inode;
        int at = 0;

        if (sscanf(line, "%*[0-9A-Fa-f]: %*x %*x %x %*x %*x %" SCNu64 "%n", &flags, &inode, &at) != 2 || !at)
                return;
        socket.listens = flags & UNIX_LISTENS;
        if (line[at] == ' ' && line[at + 1])
                socket.path = mem_strdup(line + at + 1);
        add(s, inode, &socket);
}

static void read_sockets(struct wait_sockets *s, int32_t pid, const char *name, enum family family,
                         bool is_v6)
{
        AUTO_RELEASE(buf) text = {0};
        char *at, *line;

        if (!read_table(pid, name, &text))
                return;
        for (at = text.data; at && (line = strsep(&at, "\n"));) {
                if (family == FAMILY_UNIX)
                        parse_local(s, line);
                else
                        parse_internet(s, line, family, is_v6);
        }
}

/* --- Peers of local sockets --- */

static void take_peer(struct wait_sockets *s, const struct nlmsghdr *header)
{
        const struct unix_diag_msg *message = NLMSG_DATA(header);
        size_t left, at = NLMSG_ALIGN(sizeof(*message));
        const uint64_t *index;

        if (header->nlmsg_len < NLMSG_LENGTH(sizeof(*message)))
                return;
        index = map_find(&s->by_inode, message->udiag_ino);
        if (!index)
                return;
        left = header->nlmsg_len - NLMSG_HDRLEN;
        while (at + sizeof(struct nlattr) <= left) {
                const struct nlattr *attr = (const void *)((const char *)message + at);
                uint32_t peer;

                if (attr->nla_len < sizeof(*attr) || attr->nla_len > left - at)
                        return;
                if (attr->nla_type == UNIX_DIAG_PEER && attr->nla_len >= sizeof(*attr) + sizeof(peer)) {
                        memcpy(&peer, attr + 1, sizeof(peer));
                        s->items[*index].peer_inode = peer;
                }
                at += NLA_ALIGN(attr->nla_len);
        }
}

bool wait_sockets_take_peers(struct wait_sockets *s, const void *reply, size_t size)
{
        const struct nlmsghdr *header = reply;

        for (; NLMSG_OK(header, size); header = NLMSG_NEXT(header, size)) {
                if (header->nlmsg_type != SOCK_DIAG_BY_FAMILY)
                        return false;
                take_peer(s, header);
        }
        return true;
}

/* They are those of wperf's own network namespace; inodes of another one are not among them. */
static void read_peers(struct wait_sockets *s)
{
        struct {
                struct nlmsghdr header;
                struct unix_diag_req request;
        } ask = {
                .header = {.nlmsg_len = sizeof(ask),
                           .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                           .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
                .request = {.sdiag_family = AF_UNIX,
                            .udiag_states = UINT32_MAX,
                            .udiag_show = UDIAG_SHOW_PEER},
        };
        int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
        char *reply;
        ssize_t n;

        if (fd < 0)
                return;
        reply = mem_new(1, REPLY_BYTES);
        if (send(fd, &ask, sizeof(ask), 0) == (ssize_t)sizeof(ask)) {
                do
                        n = recv(fd, reply, REPLY_BYTES, 0);
                while (n > 0 && wait_sockets_take_peers(s, reply, (size_t)n));
        }
        free(reply);
        close(fd);
}

static struct wait_sockets *read_local(int32_t pid)
{
        struct wait_sockets *s = mem_new(1, sizeof(*s));

        read_sockets(s, pid, "unix", FAMILY_UNIX, false);
        return s;
}

static void read_internet(struct wait_sockets *s, int32_t pid)
{
        s->has_internet = true;
        read_sockets(s, pid, "tcp", FAMILY_TCP, false);
        read_sockets(s, pid, "tcp6", FAMILY_TCP, true);
        read_sockets(s, pid, "udp", FAMILY_UDP, false);
        read_sockets(s, pid, "udp6", FAMILY_UDP, true);
}

struct wait_sockets *wait_sockets_of_tables(int32_t pid)
{
        struct wait_sockets *s = read_local(pid);

        read_internet(s, pid);
        return s;
}

struct wait_sockets *wait_sockets_new(int32_t pid)
{
        struct wait_sockets *s = read_local(pid);

        read_peers(s);
        return s;
}

void wait_sockets_free(struct wait_sockets *s)
{
        if (!s)
                return;
        for (size_t i = 0; i < s->n; i++)
                free(s->items[i].path);
        free(s->items);
        map_release(&s->by_inode);
        map_release(&s->listened);
        free(s);
}

/* --- One socket --- */

static void add_address(const uint8_t *address, bool is_v6, uint16_t port, struct buf *text)
{
        static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
        char name[INET6_ADDRSTRLEN] = "";
        bool shows_v6 = is_v6 && memcmp(address, mapped, sizeof(mapped));

        if (shows_v6)
                inet_ntop(AF_INET6, address, name, sizeof(name));
        else
                inet_ntop(AF_INET, address + (is_v6 ? sizeof(mapped) : 0), name, sizeof(name));
        buf_printf(text, shows_v6 ? "[%s]:%u" : "%s:%u", name, port);
}

static struct wait_socket find_internet(const struct wait_sockets *s, const struct known_socket *socket,
                                        struct buf *text)
{
        buf_add_str(text, socket->family == FAMILY_TCP ? "TCP " : "UDP ");
        if (socket->listens)
                buf_add_str(text, "listener ");
        add_address(socket->local, socket->is_v6, socket->local_port, text);
        if (socket->listens)
                return (struct wait_socket){WAIT_PEER_LISTENER, 0};
        if (!socket->remote_port)
                return (struct wait_socket){WAIT_PEER_UNKNOWN, 0};
        buf_add_str(text, " to ");
        add_address(socket->remote, socket->is_v6, socket->remote_port, text);
        if (socket->family == FAMILY_TCP && map_find(&s->listened, socket->local_port))
                return (struct wait_socket){WAIT_PEER_ACCEPTED, 0};
        return (struct wait_socket){WAIT_PEER_CONNECTED, 0};
}

/* An accepted socket has the path of its listener, and the one that was connected has none. */
static struct wait_socket find_local(const struct wait_sockets *s, const struct known_socket *socket,
                                     struct buf *text)
{
        const uint64_t *peer_at = socket->peer_inode ? map_find(&s->by_inode, socket->peer_inode) : NULL;
        const struct known_socket *peer = peer_at ? &s->items[*peer_at] : NULL;
        const char *path = socket->path ? socket->path : peer && peer->path ? peer->path : NULL;

        buf_printf(text, "local socket%s%s%s", socket->listens ? ", listener" : "", path ? " " : "",
                   path ? path : "");
        if (socket->listens)
                return (struct wait_socket){WAIT_PEER_LISTENER, 0};
        if (peer && peer->path)
                return (struct wait_socket){WAIT_PEER_CONNECTED, socket->peer_inode};
        return (struct wait_socket){socket->path ? WAIT_PEER_ACCEPTED : WAIT_PEER_UNKNOWN,
                                    socket->peer_inode};
}

struct wait_socket wait_sockets_find(struct wait_sockets *s, int32_t pid, uint64_t inode, struct buf *text)
{
        const uint64_t *at = map_find(&s->by_inode, inode);

        if (!at && !s->has_internet) {
                read_internet(s, pid);
                at = map_find(&s->by_inode, inode);
        }
        if (!at) {
                buf_add_str(text, "socket");
                return (struct wait_socket){WAIT_PEER_UNKNOWN, 0};
        }
        if (s->items[*at].family == FAMILY_UNIX)
                return find_local(s, &s->items[*at], text);
        return find_internet(s, &s->items[*at], text);
}
