/* SPDX-License-Identifier: BSD-3-Clause */
/* In which control group each process is: its own, asked for once for each program that it runs; that of the
 * process that started it if it ended before it was asked. */
#ifndef LIVE_CONTAINERS_H
#define LIVE_CONTAINERS_H

#include "buf.h"
#include "map.h"
#include "record.h"
#include "strpool.h"

struct live_containers {
        bool (*add_group)(int32_t pid, struct buf *out); /* as in struct live_request */
        struct strpool *groups;
        struct map by_pid; /* to the group's id, and whether it was asked for */
};

void live_containers_init(struct live_containers *containers,
                          bool (*add_group)(int32_t pid, struct buf *out));
void live_containers_release(struct live_containers *containers);

/* Looks at a record of a process, which must not be a sample. */
void live_containers_see(struct live_containers *containers, const struct perf_header *header,
                         struct cursor record);

/* The path of the control group; "" if it is not known. */
const char *live_containers_get(struct live_containers *containers, int32_t pid);

/* Appends the short form of a path: its last part, with the first digits of a container's number. */
void live_containers_add_name(const char *group, struct buf *out);

#endif
