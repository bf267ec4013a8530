/* SPDX-License-Identifier: BSD-3-Clause */
/* Who is at the other ends of pipes and sockets. What is the same for all processes, the ends of all pipes
 * and the sockets of a network namespace, is read once for all of them, because that takes milliseconds. */
#ifndef WAIT_PEERS_H
#define WAIT_PEERS_H

#include <stdbool.h>
#include <stdint.h>

#include "attributes.h"
#include "map.h"
#include "wait_sockets.h"

struct wait_peers;

struct wait_peers *wait_peers_new(void);
void wait_peers_free(struct wait_peers *peers);
AUTO_DEFINE(wait_peers)

/* The ends of an inode: who has a descriptor to read, and who has one to write. */
enum wait_peers_end { WAIT_PEERS_READ, WAIT_PEERS_WRITE, WAIT_PEERS_N_ENDS };

/* The inode in a link such as "pipe:[123]"; 0 if it is of another kind. */
uint64_t wait_peers_inode(const char *link, const char *kind);

/* Whether a descriptor of the process has this end. */
bool wait_peers_has_end(int32_t pid, const char *fd, enum wait_peers_end end);

/* The key of an end in a map. */
uint64_t wait_peers_key(uint64_t inode, enum wait_peers_end end);

/* Puts the process's ends of pipes, and of sockets if they are wanted, into a map from key to `pid`. */
void wait_peers_add_ends(int32_t pid, bool with_sockets, struct map *ends);

/* Both read again what is older than `most_age_ns`, which is longer if reading takes long; but not for 0. */
void wait_peers_read_pipes(struct wait_peers *peers, uint64_t most_age_ns);
/* As wait_sockets_find, in the tables of the process's network namespace. */
struct wait_socket wait_peers_find_socket(struct wait_peers *peers, int32_t pid, uint64_t most_age_ns,
                                          uint64_t inode, struct buf *text);

/* A process that had this end when pipes were read; 0: none was seen. */
int32_t wait_peers_holder(const struct wait_peers *peers, uint64_t inode, enum wait_peers_end end);

#endif
