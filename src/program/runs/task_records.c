/* SPDX-License-Identifier: BSD-3-Clause */
#include "task_records.h"

#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "mem.h"

struct kept_record {
        struct kept_record *next; /* of the same process */
        uint64_t number;          /* in the order of the session */
        struct perf_header header;
        int32_t tid;
        uint64_t start; /* address of a map or of a symbol of the kernel */
        uint8_t bytes[];
};

struct kept_task {
        int32_t pid;
        struct kept_record *first, **last;
        struct kept_task *parent;          /* whose maps it uses; NULL: none */
        size_t n_users;                    /* processes that use its maps */
        bool has_ended;                    /* the main thread; others may go on */
        struct kept_task *previous, *next; /* of all */
};

enum { ENDED_THREADS = 4096 };

struct task_records {
        struct map by_pid; /* to a pointer */
        struct kept_task *first;
        uint64_t n_records, next_number;
        /* The threads that ended last, a ring, and when: the kernel's buffer of another CPU may have older
         * records of them, which come later. */
        int32_t ended[ENDED_THREADS];
        size_t n_ended;
        struct map ended_ns;
};

struct task_records *task_records_new(void)
{
        return mem_new(1, sizeof(struct task_records));
}

/* --- tasks --- */

static bool is_any(const struct kept_record *record, const void *ctx)
{
        (void)record;
        (void)ctx;
        return true;
}

static void remove_records(struct task_records *tasks, struct kept_task *task,
                           bool (*is_unwanted)(const struct kept_record *record, const void *ctx),
                           const void *ctx)
{
        struct kept_record **at = &task->first;

        while (*at) {
                struct kept_record *record = *at;

                if (!is_unwanted(record, ctx)) {
                        at = &record->next;
                        continue;
                }
                *at = record->next;
                free(record);
                tasks->n_records--;
        }
        task->last = at;
}

static void remove_task(struct task_records *tasks, struct kept_task *task)
{
        const uint64_t *known = map_find(&tasks->by_pid, (uint32_t)task->pid);

        remove_records(tasks, task, is_any, NULL);
        if (known && (struct kept_task *)(uintptr_t)*known == task)
                map_remove(&tasks->by_pid, (uint32_t)task->pid);
        if (task->previous)
                task->previous->next = task->next;
        else
                tasks->first = task->next;
        if (task->next)
                task->next->previous = task->previous;
        free(task);
}

static void leave_parent(struct task_records *tasks, struct kept_task *task);

/* Each thread has a record, of its start or its name, until it ends. */
static bool has_threads(const struct kept_task *task)
{
        for (const struct kept_record *record = task->first; record; record = record->next) {
                if (record->tid != task->pid)
                        return true;
        }
        return false;
}

static void remove_if_unused(struct task_records *tasks, struct kept_task *task)
{
        if (!task->has_ended || task->n_users || has_threads(task))
                return;
        leave_parent(tasks, task);
        remove_task(tasks, task);
}

static void leave_parent(struct task_records *tasks, struct kept_task *task)
{
        struct kept_task *parent = task->parent;

        task->parent = NULL;
        if (!parent)
                return;
        parent->n_users--;
        remove_if_unused(tasks, parent);
}

static struct kept_task *find(const struct task_records *tasks, int32_t pid)
{
        const uint64_t *known = map_find(&tasks->by_pid, (uint32_t)pid);

        return known ? (struct kept_task *)(uintptr_t)*known : NULL;
}

static struct kept_task *add_task(struct task_records *tasks, int32_t pid)
{
        struct kept_task *task = mem_new(1, sizeof(*task));

        *task = (struct kept_task){.pid = pid, .next = tasks->first};
        task->last = &task->first;
        if (tasks->first)
                tasks->first->previous = task;
        tasks->first = task;
        *map_put(&tasks->by_pid, (uint32_t)pid, NULL) = (uintptr_t)task;
        return task;
}

static struct kept_task *get(struct task_records *tasks, int32_t pid)
{
        struct kept_task *task = find(tasks, pid);

        return task ? task : add_task(tasks, pid);
}

void task_records_free(struct task_records *tasks)
{
        if (!tasks)
                return;
        while (tasks->first)
                remove_task(tasks, tasks->first);
        map_release(&tasks->by_pid);
        map_release(&tasks->ended_ns);
        free(tasks);
}

/* --- threads that have ended --- */

static void remember_end(struct task_records *tasks, const struct record_task *end)
{
        int32_t *slot = &tasks->ended[tasks->n_ended % ENDED_THREADS];

        if (tasks->n_ended++ >= ENDED_THREADS)
                map_remove(&tasks->ended_ns, (uint32_t)*slot);
        *slot = end->tid;
        *map_put(&tasks->ended_ns, (uint32_t)end->tid, NULL) = end->time;
}

static bool has_ended(const struct task_records *tasks, int32_t tid)
{
        return map_find(&tasks->ended_ns, (uint32_t)tid) != NULL;
}

/* Another thread may get the number. */
static bool is_late_fork(struct task_records *tasks, const struct record_task *fork)
{
        const uint64_t *ended_ns = map_find(&tasks->ended_ns, (uint32_t)fork->tid);

        if (ended_ns && fork->time && fork->time <= *ended_ns)
                return true;
        if (ended_ns)
                map_remove(&tasks->ended_ns, (uint32_t)fork->tid);
        return false;
}

/* --- records --- */

static struct kept_record *keep(struct task_records *tasks, struct kept_task *task, struct cursor bytes,
                                const struct perf_header *header)
{
        struct kept_record *record = mem_new(1, sizeof(*record) + header->size);

        *record = (struct kept_record){.number = tasks->next_number++, .header = *header, .tid = task->pid};
        memcpy(record->bytes, bytes.start, header->size);
        *task->last = record;
        task->last = &record->next;
        tasks->n_records++;
        return record;
}

static bool is_of_other_thread(const struct kept_record *record, const void *ctx)
{
        return record->tid != *(const int32_t *)ctx;
}

static bool is_of_thread(const struct kept_record *record, const void *ctx)
{
        return record->tid == *(const int32_t *)ctx;
}

static bool is_map(const struct kept_record *record)
{
        return record->header.type == PERF_RECORD_MMAP || record->header.type == PERF_RECORD_MMAP2;
}

static bool is_map_at(const struct kept_record *record, const void *ctx)
{
        return is_map(record) && record->start == *(const uint64_t *)ctx;
}

static bool is_symbol_at(const struct kept_record *record, const void *ctx)
{
        return record->header.type == PERF_RECORD_KSYMBOL && record->start == *(const uint64_t *)ctx;
}

/* A name of the thread that a new one replaces; the name of the program stays, because it ends older maps. */
static bool is_replaced_by(const struct kept_record *record, const void *ctx)
{
        const struct record_comm *comm = ctx;
        bool is_given = record->header.misc & RECORD_MISC_COMM_GIVEN;

        return record->header.type == PERF_RECORD_COMM && !(record->header.misc & PERF_MISC_COMM_EXEC) &&
               is_given == comm->given && is_of_thread(record, &comm->tid);
}

static bool is_not_fork(const struct kept_record *record, const void *ctx)
{
        (void)ctx;
        return record->header.type != PERF_RECORD_FORK;
}

/* A process that ended long ago may have had the same number. */
static void fork_process(struct task_records *tasks, struct cursor bytes, const struct perf_header *header,
                         const struct record_task *fork)
{
        struct kept_task *old = find(tasks, fork->pid), *task;

        if (old) {
                old->has_ended = true;
                remove_records(tasks, old, is_of_other_thread, &old->pid);
                remove_if_unused(tasks, old);
        }
        task = add_task(tasks, fork->pid);
        task->parent = find(tasks, fork->ppid);
        if (task->parent)
                task->parent->n_users++;
        keep(tasks, task, bytes, header);
}

static void take_fork(struct task_records *tasks, struct cursor bytes, const struct perf_header *header)
{
        struct record_task fork;

        if (!record_task_parse(bytes, &fork) || is_late_fork(tasks, &fork))
                return;
        if (fork.pid != fork.ppid)
                fork_process(tasks, bytes, header, &fork);
        else
                keep(tasks, get(tasks, fork.pid), bytes, header)->tid = fork.tid;
}

static void take_comm(struct task_records *tasks, struct cursor bytes, const struct perf_header *header)
{
        struct record_comm comm;
        struct kept_task *task;

        if (!record_comm_parse(bytes, &comm))
                return;
        /* A thread that runs a program gets the number of the main thread, which has ended. */
        if (has_ended(tasks, comm.tid) && !(comm.exec && find(tasks, comm.pid)))
                return;
        task = get(tasks, comm.pid);
        if (comm.exec) {
                map_remove(&tasks->ended_ns, (uint32_t)comm.tid);
                task->has_ended = false;
                leave_parent(tasks, task);
                remove_records(tasks, task, is_of_other_thread, &task->pid);
                if (!task->n_users)
                        remove_records(tasks, task, is_not_fork, NULL);
        } else {
                remove_records(tasks, task, is_replaced_by, &comm);
        }
        keep(tasks, task, bytes, header)->tid = comm.tid;
}

/* A map replaces one that began at the same address, unless processes still use the old one. */
static void take_map(struct task_records *tasks, struct cursor bytes, const struct perf_header *header)
{
        struct record_mmap map;
        struct kept_task *task;

        if (!record_mmap_parse(bytes, true, &map) || (has_ended(tasks, map.pid) && !find(tasks, map.pid)))
                return;
        task = get(tasks, map.pid);
        if (!task->n_users)
                remove_records(tasks, task, is_map_at, &map.start);
        keep(tasks, task, bytes, header)->start = map.start;
}

static void take_exit(struct task_records *tasks, struct cursor bytes)
{
        struct record_task end;
        struct kept_task *task;

        if (!record_task_parse(bytes, &end))
                return;
        remember_end(tasks, &end);
        task = find(tasks, end.pid);
        if (!task)
                return;
        if (end.tid != end.pid)
                remove_records(tasks, task, is_of_thread, &end.tid);
        else
                task->has_ended = true;
        remove_if_unused(tasks, task);
}

enum { OF_THE_KERNEL = -1 };

static void take_symbol(struct task_records *tasks, struct cursor bytes, const struct perf_header *header)
{
        struct kept_task *kernel = get(tasks, OF_THE_KERNEL);
        struct record_ksymbol symbol;

        if (!record_ksymbol_parse(bytes, &symbol))
                return;
        remove_records(tasks, kernel, is_symbol_at, &symbol.addr);
        if (!(symbol.flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER))
                keep(tasks, kernel, bytes, header)->start = symbol.addr;
}

void task_records_add(struct task_records *tasks, const void *records, size_t size_bytes)
{
        struct cursor all = cursor_make(records, size_bytes), bytes;
        struct perf_header header;

        while (record_next(&all, &header, &bytes)) {
                switch (header.type) {
                case PERF_RECORD_FORK: take_fork(tasks, bytes, &header); break;
                case PERF_RECORD_COMM: take_comm(tasks, bytes, &header); break;
                case PERF_RECORD_MMAP:
                case PERF_RECORD_MMAP2: take_map(tasks, bytes, &header); break;
                case PERF_RECORD_EXIT: take_exit(tasks, bytes); break;
                case PERF_RECORD_KSYMBOL: take_symbol(tasks, bytes, &header); break;
                default: break;
                }
        }
}

size_t task_records_n(const struct task_records *tasks)
{
        return tasks->n_records;
}

/* --- out --- */

static int by_number(const void *x, const void *y)
{
        const struct kept_record *a = *(const struct kept_record *const *)x,
                                 *b = *(const struct kept_record *const *)y;

        return (a->number > b->number) - (a->number < b->number);
}

bool task_records_put(const struct task_records *tasks, const struct record_sink *sink, struct err *err)
{
        const struct kept_record **all = mem_new(tasks->n_records, sizeof(struct kept_record *));
        size_t n = 0;
        bool ok = true;

        for (const struct kept_task *task = tasks->first; task; task = task->next) {
                for (const struct kept_record *record = task->first; record; record = record->next)
                        all[n++] = record;
        }
        if (n)
                qsort(all, n, sizeof(*all), by_number);
        for (size_t i = 0; ok && i < n; i++)
                ok = sink->put(sink->ctx, all[i]->bytes, all[i]->header.size, err);
        free(all);
        return ok;
}
