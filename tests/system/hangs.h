/* SPDX-License-Identifier: BSD-3-Clause */
/* The ways to wait of `hangs stack WAY` (hangs_waits.c), and what they share with hangs.c. */
#ifndef HANGS_H
#define HANGS_H

#include <netinet/in.h>
#include <pthread.h>
#include <sys/types.h>

struct hang {
        const char *name;
        void (*wait)(void);
};

/* The last one has no name. */
extern const struct hang hangs[];

/* Two sockets that are connected. */
extern int pair[2];

pthread_t start(void *(*function)(void *), int i);

/* Forks; the child ends with its parent. */
pid_t start_child(void);

/* On a port that is free. */
int listener(struct sockaddr_in *ret);

#endif
