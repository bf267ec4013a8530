/* SPDX-License-Identifier: BSD-3-Clause */
/* The sockets of a network namespace: who is at the other end, and what address it has. */
#ifndef WAIT_SOCKETS_H
#define WAIT_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "wait_section.h"

struct wait_sockets;

/* Reads the tables of the process's network namespace, as /proc shows them: that of local sockets at once,
 * those of the internet at the first socket that is no local one, because the kernel takes long to write
 * them. */
struct wait_sockets *wait_sockets_new(int32_t pid);

/* All tables at once, without the peers of local sockets; then replies of the kernel about these
 * (sock_diag(7)): false after the last one. */
struct wait_sockets *wait_sockets_of_tables(int32_t pid);
bool wait_sockets_take_peers(struct wait_sockets *sockets, const void *reply, size_t size);

void wait_sockets_free(struct wait_sockets *sockets);
AUTO_DEFINE(wait_sockets)

struct wait_socket {
        enum wait_peer peer; /* WAIT_PEER_UNKNOWN if the tables do not say */
        uint64_t peer_inode; /* of the other socket, on this machine; 0: not known */
};

/* Appends what the socket is, as "TCP 127.0.0.1:45678 to 127.0.0.1:5432".  `pid` is a process of the network
 * namespace that still runs. */
struct wait_socket wait_sockets_find(struct wait_sockets *sockets, int32_t pid, uint64_t inode,
                                     struct buf *text);

#endif
