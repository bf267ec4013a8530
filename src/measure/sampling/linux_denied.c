/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds programs that the kernel does not allow to sample: when an unprivileged process executes a setuid
 * file, or a file that it may not read, the kernel removes the inherited events. This is visible as an EXIT
 * record soon after the exec and before any map. */
#include <stdlib.h>
#include <string.h>

#include "linux_internal.h"
#include "mem.h"

enum { SOON_NS = 10000000, MAX_PENDING = 1024, NAMED = 5 };

void denied_release(struct denied *d)
{
        free(d->execs);
        map_release(&d->seen);
        buf_release(&d->names);
}

static struct denied_exec *find_exec(struct denied *d, int32_t pid)
{
        for (size_t i = 0; i < d->n; i++) {
                if (d->execs[i].pid == pid)
                        return &d->execs[i];
        }
        return NULL;
}

static void take_out(struct denied *d, struct denied_exec *exec)
{
        *exec = d->execs[--d->n];
}

static void see_comm(struct denied *d, const struct perf_header *header, struct cursor record, uint64_t time)
{
        struct denied_exec fresh = {.time = time}, *known;
        struct record_comm comm;

        if (!(header->misc & PERF_MISC_COMM_EXEC) || !record_comm_parse(record, &comm))
                return;
        fresh.pid = comm.pid;
        strncpy(fresh.name, comm.name, sizeof(fresh.name) - 1);
        known = find_exec(d, comm.pid);
        if (known)
                *known = fresh;
        else if (d->n < MAX_PENDING)
                ARRAY_PUSH(d->execs, d->n, d->cap, fresh);
}

static void see_exit(struct denied *d, struct cursor record)
{
        struct record_task task;
        struct denied_exec *exec;

        if (!record_task_parse(record, &task) || task.pid != task.tid || !(exec = find_exec(d, task.pid)))
                return;
        exec->has_ended = task.time >= exec->time && task.time - exec->time < SOON_NS;
        if (!exec->has_ended)
                take_out(d, exec);
}

void denied_see(struct denied *d, const struct perf_attr *attr, const struct perf_header *header,
                struct cursor record)
{
        struct denied_exec *exec;
        struct record_mmap map;
        struct record_id id;

        switch (header->type) {
        case PERF_RECORD_COMM:
                if (record_id_parse(attr, record, &id))
                        see_comm(d, header, record, id.time);
                break;
        case PERF_RECORD_MMAP2:
                if (d->n && record_mmap_parse(record, true, &map) && (exec = find_exec(d, map.pid)) != NULL)
                        take_out(d, exec);
                break;
        case PERF_RECORD_EXIT: see_exit(d, record); break;
        default: break;
        }
}

static void add_name(struct denied *d, const char *name)
{
        bool is_new;

        map_put(&d->seen, map_hash_bytes(name, strlen(name)), &is_new);
        if (!is_new)
                return;
        if (d->n_named++ < NAMED)
                buf_printf(&d->names, "%s%s", d->names.len ? ", " : "", name);
        else if (d->n_named == NAMED + 1)
                buf_add_str(&d->names, ", ...");
}

/* Records of one process may be in several rings: a map may come a pass later than an EXIT record that
 * follows it. */
void denied_end_pass(struct denied *d, bool is_last)
{
        for (size_t i = d->n; i-- > 0;) {
                struct denied_exec *exec = &d->execs[i];

                if (exec->has_ended && (is_last || exec->n_passes++)) {
                        add_name(d, exec->name);
                        take_out(d, exec);
                }
        }
}
