/* SPDX-License-Identifier: BSD-3-Clause */
#include "linux_others.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "os.h"
#include "text_number.h"

enum state {
        UNKNOWN,
        WANTED, /* forked by a process that is not known as another's */
        OTHER,
        OTHER_NOW,   /* was used before: records of the process that had the pid before may still be in the
                        rings */
        OTHER_ENDED, /* its pid may be used again */
};

/* A fork or an exit. */
struct task {
        uint64_t time;
        int32_t pid, parent;
        bool is_exit;
};

struct others {
        const struct opened *opened;
        struct map ids;
        uint8_t *states;      /* by pid */
        uint8_t out_of_range; /* state of a pid that is out of range */
        uint64_t n_seen;
        struct task *tasks; /* of this pass */
        size_t n_tasks, tasks_cap;
        int32_t *changed; /* pids that became OTHER_NOW: first in the pass before, then in this one */
        size_t n_changed_before, n_changed, changed_cap;
};

struct listing {
        void (*add)(void *ctx, int32_t pid);
        void *ctx;
};

static bool add_name(void *ctx, const char *name)
{
        const struct listing *listing = ctx;
        uint64_t pid;

        if (text_to_u64(name, 10, &pid) && pid < OTHERS_MAX_PID)
                listing->add(listing->ctx, (int32_t)pid);
        return true;
}

void others_list(void (*add)(void *ctx, int32_t pid), void *ctx)
{
        os_list_dir("/proc", add_name, &(struct listing){add, ctx}, NULL);
}

static uint8_t *state_of(struct others *o, int32_t pid)
{
        o->out_of_range = OTHER;
        return pid > 0 && pid < OTHERS_MAX_PID ? &o->states[pid] : &o->out_of_range;
}

static void add_other(void *ctx, int32_t pid)
{
        *state_of(ctx, pid) = OTHER;
}

struct others *others_new(const struct opened *opened, const int32_t *pids, size_t n)
{
        struct others *o = mem_new(1, sizeof(*o));

        o->opened = opened;
        o->states = mem_new(OTHERS_MAX_PID, 1);
        opened_list_ids(opened, &o->ids);
        others_list(add_other, o);
        for (size_t i = 0; i < n; i++)
                *state_of(o, pids[i]) = UNKNOWN;
        return o;
}

void others_free(struct others *o)
{
        if (!o)
                return;
        map_release(&o->ids);
        free(o->tasks);
        free(o->changed);
        free(o->states);
        free(o);
}

static bool is_other(struct others *o, uint64_t pid_word)
{
        return *state_of(o, (int32_t)pid_word) == OTHER;
}

/* --- forks and exits --- */

static bool is_thread(uint64_t pids)
{
        return (int32_t)pids == (int32_t)(pids >> 32);
}

void others_see(struct others *o, const struct perf_header *header, const uint64_t words[RING_WORDS])
{
        const struct task task = {
                .time = words[3],
                .pid = (int32_t)words[1],
                .parent = (int32_t)(words[1] >> 32),
                .is_exit = header->type == PERF_RECORD_EXIT,
        };
        bool is_leader = (int32_t)words[1] == (int32_t)words[2];

        if (task.is_exit ? is_leader : header->type == PERF_RECORD_FORK && !is_thread(words[1]))
                ARRAY_PUSH(o->tasks, o->n_tasks, o->tasks_cap, task);
}

static int by_time(const void *a, const void *b)
{
        const struct task *first = a, *second = b;

        return (first->time > second->time) - (first->time < second->time);
}

static void end_other(struct others *o, int32_t pid)
{
        uint8_t *state = state_of(o, pid);

        if (*state == OTHER || *state == OTHER_NOW)
                *state = OTHER_ENDED;
}

/* The children of other processes are others, too. The command's children are not, even if the exit of the
 * process that had their pid was lost. */
static void add_child(struct others *o, const struct task *task)
{
        uint8_t parent = *state_of(o, task->parent), *state = state_of(o, task->pid);

        if (parent != OTHER && parent != OTHER_NOW) {
                *state = WANTED;
        } else if (*state == UNKNOWN || *state == OTHER) {
                *state = OTHER;
        } else {
                *state = OTHER_NOW;
                ARRAY_PUSH(o->changed, o->n_changed, o->changed_cap, task->pid);
        }
}

/* From now on the records of these pids are left out, unless the pids were used again. */
static void settle(struct others *o, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                uint8_t *state = state_of(o, o->changed[i]);

                if (*state == OTHER_NOW)
                        *state = OTHER;
        }
        o->n_changed -= n;
        memmove(o->changed, o->changed + n, o->n_changed * sizeof(*o->changed));
}

void others_end_look(struct others *o)
{
        if (o->n_changed_before)
                settle(o, o->n_changed_before);
        o->n_changed_before = o->n_changed;
        if (o->n_tasks > 1)
                qsort(o->tasks, o->n_tasks, sizeof(*o->tasks), by_time);
        for (size_t i = 0; i < o->n_tasks; i++) {
                if (o->tasks[i].is_exit)
                        end_other(o, o->tasks[i].pid);
                else
                        add_child(o, &o->tasks[i]);
        }
        o->n_tasks = 0;
}

/* --- what is wanted --- */

bool others_is_left_out(const struct opened_event *event, uint16_t misc)
{
        uint16_t mode = misc & PERF_MISC_CPUMODE_MASK;

        return event && ((mode == PERF_MISC_KERNEL && (event->left_out & PERF_ATTR_EXCLUDE_KERNEL)) ||
                         (mode == PERF_MISC_USER && (event->left_out & PERF_ATTR_EXCLUDE_USER)));
}

static size_t wanted_of_sample(struct others *o, const struct perf_header *header,
                               const uint64_t words[RING_WORDS])
{
        const struct opened_event *event;

        o->n_seen++;
        if (is_other(o, words[3]))
                return 0;
        event = opened_find(o->opened, &o->ids, words[1]);
        return others_is_left_out(event, header->misc) && header->size > OTHERS_LEFT_OUT_BYTES
                       ? OTHERS_LEFT_OUT_BYTES
                       : header->size;
}

/* All forks of processes are wanted: linux_children.c has to know who has a pid now. */
size_t others_wanted_bytes(struct others *o, const struct perf_header *header,
                           const uint64_t words[RING_WORDS])
{
        switch (header->type) {
        case PERF_RECORD_SAMPLE: return wanted_of_sample(o, header, words);
        case PERF_RECORD_FORK: return is_thread(words[1]) && is_other(o, words[1]) ? 0 : header->size;
        case PERF_RECORD_MMAP:
        case PERF_RECORD_MMAP2: return (int32_t)words[1] != -1 && is_other(o, words[1]) ? 0 : header->size;
        case PERF_RECORD_COMM:
        case PERF_RECORD_EXIT:
        case PERF_RECORD_NAMESPACES:
        case PERF_RECORD_SWITCH: return is_other(o, words[1]) ? 0 : header->size;
        case PERF_RECORD_SWITCH_CPU_WIDE: return is_other(o, words[2]) ? 0 : header->size;
        default: return header->size;
        }
}

uint64_t others_n_seen(const struct others *o)
{
        return o->n_seen;
}
