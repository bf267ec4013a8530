/* SPDX-License-Identifier: BSD-3-Clause */
#include "live_containers.h"

#include <string.h>

#include "text.h"

void live_containers_init(struct live_containers *c, bool (*add_group)(int32_t pid, struct buf *out))
{
        *c = (struct live_containers){.add_group = add_group, .groups = strpool_new()};
}

void live_containers_release(struct live_containers *c)
{
        strpool_free(c->groups);
        map_release(&c->by_pid);
}

/* The group is that of the process that started this one, and is asked for when it is needed. */
#define NOT_ASKED (1ull << 32)

static str_id group_of(struct live_containers *c, int32_t pid)
{
        AUTO_RELEASE(buf) path = {0};
        uint64_t *known;
        bool is_new;

        known = map_put(&c->by_pid, (uint32_t)pid, &is_new);
        if (!is_new && !(*known & NOT_ASKED))
                return (str_id)*known;
        if (c->add_group && c->add_group(pid, &path))
                *known = strpool_add(c->groups, buf_text(&path));
        else
                *known &= ~NOT_ASKED;
        return (str_id)*known;
}

static void see_fork(struct live_containers *c, const struct record_task *task)
{
        str_id group;

        if (task->pid == task->ppid)
                return;
        group = group_of(c, task->ppid);
        *map_put(&c->by_pid, (uint32_t)task->pid, NULL) = NOT_ASKED | group;
}

/* Who starts a container moves a process to its group, which then runs the container's program. */
static void see_comm(struct live_containers *c, struct cursor record)
{
        struct record_comm comm;

        if (record_comm_parse(record, &comm) && comm.exec && map_find(&c->by_pid, (uint32_t)comm.pid))
                *map_put(&c->by_pid, (uint32_t)comm.pid, NULL) |= NOT_ASKED;
}

void live_containers_see(struct live_containers *c, const struct perf_header *header, struct cursor record)
{
        struct record_task task;

        if (header->type == PERF_RECORD_COMM)
                see_comm(c, record);
        if ((header->type != PERF_RECORD_FORK && header->type != PERF_RECORD_EXIT) ||
            !record_task_parse(record, &task))
                return;
        if (header->type == PERF_RECORD_FORK)
                see_fork(c, &task);
        else if (task.pid == task.tid)
                map_remove(&c->by_pid, (uint32_t)task.pid);
}

const char *live_containers_get(struct live_containers *c, int32_t pid)
{
        return strpool_get(c->groups, group_of(c, pid));
}

void live_containers_add_name(const char *group, struct buf *out)
{
        enum { NUMBER = 32, SHOWN = 12 };
        const char *name = group[0] && group[1] ? text_base_name(group) : group;

        while (*name) {
                size_t n = strspn(name, "0123456789abcdef"), rest = strcspn(name + n, "0123456789abcdef");

                buf_add(out, name, n >= NUMBER ? SHOWN : n);
                buf_add(out, name + n, rest);
                name += n + rest;
        }
}
