/* SPDX-License-Identifier: BSD-3-Clause */
#include "linux_others.h"

#include <stdlib.h>

#include "mem.h"
#include "os.h"
#include "text_number.h"

enum state {
        UNKNOWN,
        OTHER,
        OTHER_ENDED, /* its pid may be used again */
};

struct others {
        const struct opened *opened;
        struct map ids;
        uint8_t *states;      /* by pid */
        uint8_t out_of_range; /* state of a pid that is out of range */
        uint64_t n_seen;
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

struct others *others_new(const struct opened *opened, int32_t pid)
{
        struct others *o = mem_new(1, sizeof(*o));

        o->opened = opened;
        o->states = mem_new(OTHERS_MAX_PID, 1);
        opened_list_ids(opened, &o->ids);
        others_list(add_other, o);
        *state_of(o, pid) = UNKNOWN;
        return o;
}

void others_free(struct others *o)
{
        if (!o)
                return;
        map_release(&o->ids);
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

static void see_exit(struct others *o, const uint64_t words[RING_WORDS])
{
        uint8_t *state = state_of(o, (int32_t)words[1]);

        if ((int32_t)words[1] == (int32_t)words[2] && *state == OTHER)
                *state = OTHER_ENDED;
}

/* The children of other processes are others, too. The command's children are not, even if the exit of the process that had their
 * pid was lost. */
static void see_fork(struct others *o, const uint64_t words[RING_WORDS])
{
        if (!is_thread(words[1]))
                *state_of(o, (int32_t)words[1]) = is_other(o, words[1] >> 32) ? OTHER : UNKNOWN;
}

void others_see(struct others *o, const struct perf_header *header, const uint64_t words[RING_WORDS])
{
        if (header->type == PERF_RECORD_EXIT)
                see_exit(o, words);
        if (header->type == PERF_RECORD_FORK)
                see_fork(o, words);
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
        case PERF_RECORD_NAMESPACES: return is_other(o, words[1]) ? 0 : header->size;
        default: return header->size;
        }
}

uint64_t others_n_seen(const struct others *o)
{
        return o->n_seen;
}
