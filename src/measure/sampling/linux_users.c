/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps the user and start time of processes that generate code. Their perf map or jitdump is in a folder
 * where every user may write; it is accepted only if it belongs to that user and is not older than the
 * process. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "buf.h"
#include "linux_internal.h"
#include "mem.h"
#include "os.h"
#include "text.h"

enum {
        MAX_USERS = 65536,
        STATUS_LIMIT = 65536,
        EXEC_BIT = 4, /* PROT_EXEC */
};

/* The clock may have been set since; a pid is not reused within this time. */
#define SLACK_NS ((int64_t)2 * 1000000000)

/* A hundred years after the machine started. */
#define LATEST_NS ((uint64_t)100 * 366 * 86400 * 1000000000)

static int64_t clock_of(clockid_t clock)
{
        struct timespec now;

        clock_gettime(clock, &now);
        return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Reads the user id with which the process creates files: the fourth number of "Uid:". */
static bool read_user(int32_t pid, uint32_t *ret_user)
{
        AUTO_RELEASE(buf) text = {0};
        const char *at;
        char path[64];

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/status", pid);
        return os_read_file(path, STATUS_LIMIT, &text, NULL) && (at = strstr(buf_text(&text), "\nUid:")) &&
               sscanf(at + strlen("\nUid:"), "%*u %*u %*u %" SCNu32, ret_user) == 1;
}

/* Reads the start time: the 20th field after the name, in ticks since the machine started. */
static bool read_start(int32_t pid, int64_t *ret_started_ns)
{
        AUTO_RELEASE(buf) text = {0};
        const char *after_name;
        uint64_t ticks, tick_ns;
        char path[64];
        long hz = sysconf(_SC_CLK_TCK);

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/stat", pid);
        if (!os_read_file(path, STATUS_LIMIT, &text, NULL))
                return false;
        after_name = strrchr(buf_text(&text), ')');
        if (hz <= 0 || !after_name ||
            sscanf(after_name + 1,
                   " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %" SCNu64,
                   &ticks) != 1)
                return false;
        tick_ns = (uint64_t)(1000000000 / hz);
        if (ticks > LATEST_NS / tick_ns)
                return false;
        *ret_started_ns =
                clock_of(CLOCK_REALTIME) - clock_of(CLOCK_BOOTTIME) + (int64_t)(ticks * tick_ns) - SLACK_NS;
        return true;
}

static struct kept_user *find_user(const struct users *users, int32_t pid)
{
        const uint64_t *index = map_find(&users->by_pid, (uint32_t)pid);

        return index ? &users->items[*index] : NULL;
}

static void set_user(struct users *users, int32_t pid, struct kept_user user)
{
        struct kept_user *known = find_user(users, pid);

        user.pid = pid;
        if (known) {
                *known = user;
        } else if (users->n_items < MAX_USERS) {
                *map_put(&users->by_pid, (uint32_t)pid, NULL) = users->n_items;
                ARRAY_PUSH(users->items, users->n_items, users->cap, user);
        }
}

/* Forgets a pid that executes another program or is reused. The last item moves to the free slot. */
static void forget_user(struct users *users, int32_t pid)
{
        struct kept_user *user = find_user(users, pid);

        if (!user)
                return;
        *user = users->items[--users->n_items];
        *map_put(&users->by_pid, (uint32_t)user->pid, NULL) = (uint64_t)(user - users->items);
        map_remove(&users->by_pid, (uint32_t)pid);
}

/* Generated code is in memory without a file, in a file without a name, or in a jitdump. The kernel's own
 * code pages are mapped in every program. */
static bool may_be_made_code(const char *path)
{
        if (path[0] != '/')
                return strcmp(path, "[vdso]") && strcmp(path, "[vsyscall]");
        return text_starts(path, "//anon") || text_ends(path, " (deleted)") || strstr(path, "/jit-");
}

static void see_map(struct users *users, struct cursor record)
{
        struct kept_user user = {0};
        struct record_mmap map;

        if (!record_mmap_parse(record, false, &map) || !(map.prot & EXEC_BIT) || find_user(users, map.pid) ||
            !may_be_made_code(map.path))
                return;
        if (read_user(map.pid, &user.user) && read_start(map.pid, &user.started_ns))
                set_user(users, map.pid, user);
}

/* A child inherits its parent's code and user. */
static void see_fork(struct users *users, struct cursor record)
{
        const struct kept_user *parent;
        struct record_task task;

        if (!record_task_parse(record, &task) || task.pid == task.ppid)
                return;
        parent = find_user(users, task.ppid);
        if (parent)
                set_user(users, task.pid, *parent);
        else
                forget_user(users, task.pid);
}

void users_see(struct users *users, const struct perf_header *header, uint8_t *record)
{
        struct cursor bytes = cursor_make(record, header->size);
        struct record_comm comm;

        switch (header->type) {
        case PERF_RECORD_MMAP2: see_map(users, bytes); break;
        case PERF_RECORD_FORK: see_fork(users, bytes); break;
        case PERF_RECORD_COMM:
                if (record_comm_parse(bytes, &comm) && comm.exec)
                        forget_user(users, comm.pid);
                break;
        default: break;
        }
}

bool users_get_origin(const struct users *users, int32_t pid, struct os_origin *ret_origin)
{
        const struct kept_user *user = find_user(users, pid);

        if (!user)
                return false;
        *ret_origin =
                (struct os_origin){.has_owner = true, .owner = user->user, .not_before_ns = user->started_ns};
        return true;
}

void users_release(struct users *users)
{
        map_release(&users->by_pid);
        free(users->items);
}
