/* SPDX-License-Identifier: BSD-3-Clause */
/* Follows the command or attached processes, and their children, through the records of all processes, in
 * order of time. A timer on each CPU does not restart in each new process, unlike an inherited event. */
#include "linux_children.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "linux_others.h"
#include "linux_processes.h"
#include "mem.h"
#include "os.h"

enum {
        MAX_ANCESTORS = 64,
        SAMPLE_ID_OFF = 8, /* offsets in a sample record */
        SAMPLE_TID_OFF = 24,
        SAMPLE_PERIOD_OFF = 48, /* only clocks have a period */
};

enum state {
        UNKNOWN,
        OTHER,
        WAITS, /* the command before its exec */
        OURS,
};

struct children {
        const struct opened *opened;
        uint8_t *states;      /* by pid */
        uint8_t out_of_range; /* state of a pid that is out of range */
        int32_t command;
        struct map ids;
        uint64_t n_kept, left_out;
};

static uint8_t *state_of(struct children *c, int32_t pid)
{
        c->out_of_range = OTHER;
        return pid > 0 && pid < OTHERS_MAX_PID ? &c->states[pid] : &c->out_of_range;
}

static void add_other(void *ctx, int32_t pid)
{
        *state_of(ctx, pid) = OTHER;
}

static struct children *without_any(const struct opened *opened)
{
        struct children *c = mem_new(1, sizeof(*c));

        c->opened = opened;
        c->states = mem_new(OTHERS_MAX_PID, 1);
        opened_list_ids(opened, &c->ids);
        others_list(add_other, c);
        return c;
}

struct children *children_new(const struct opened *opened, int32_t pid)
{
        struct children *c = without_any(opened);

        c->command = pid;
        *state_of(c, pid) = WAITS;
        return c;
}

struct children *children_new_of(const struct opened *opened, const int32_t *pids, size_t n)
{
        struct children *c = without_any(opened);

        assert(pids || !n);
        for (size_t i = 0; i < n; i++)
                *state_of(c, pids[i]) = OURS;
        return c;
}

void children_free(struct children *c)
{
        if (!c)
                return;
        map_release(&c->ids);
        free(c->states);
        free(c);
}

/* --- one record --- */

/* Looks for ancestors in /proc, for a process whose FORK record was lost or was written before the events
 * were enabled. */
static bool is_ours(struct children *c, int32_t pid)
{
        uint8_t *state = state_of(c, pid), found = OTHER;
        int32_t at = pid;

        if (*state != UNKNOWN)
                return *state == OURS;
        for (int i = 0; i < MAX_ANCESTORS && (at = proc_parent(at)) > 1; i++) {
                if (*state_of(c, at) == UNKNOWN)
                        continue;
                found = *state_of(c, at) == OURS ? OURS : OTHER;
                break;
        }
        *state = found;
        return found == OURS;
}

static uint32_t u32_at(const uint8_t *record, size_t off)
{
        uint32_t v;

        memcpy(&v, record + off, sizeof(v));
        return v;
}

static uint64_t u64_at(const uint8_t *record, size_t off)
{
        uint64_t v;

        memcpy(&v, record + off, sizeof(v));
        return v;
}

static bool keep_sample(struct children *c, const struct perf_header *header, const uint8_t *record)
{
        const struct opened_event *event = opened_find(c->opened, &c->ids, u64_at(record, SAMPLE_ID_OFF));

        if (header->size < SAMPLE_PERIOD_OFF || !is_ours(c, (int32_t)u32_at(record, SAMPLE_TID_OFF)))
                return false;
        if (others_is_left_out(event, header->misc)) {
                if (event == &c->opened->events[c->opened->first_asked] &&
                    header->size >= OTHERS_LEFT_OUT_BYTES)
                        c->left_out += u64_at(record, SAMPLE_PERIOD_OFF);
                return false;
        }
        c->n_kept++;
        return true;
}

static bool keep_fork(struct children *c, int32_t pid, int32_t parent)
{
        if (pid != parent)
                *state_of(c, pid) = is_ours(c, parent) ? OURS : OTHER;
        return is_ours(c, pid);
}

static bool keep_comm(struct children *c, const struct perf_header *header, int32_t pid)
{
        bool has_exec = c->opened->events[0].attr.flags & PERF_ATTR_COMM_EXEC;

        if (*state_of(c, pid) == WAITS && (header->misc & PERF_MISC_COMM_EXEC || !has_exec))
                *state_of(c, pid) = OURS;
        return is_ours(c, pid);
}

bool children_keep(struct children *c, const struct perf_header *header, const uint8_t *record)
{
        int32_t pid = header->size >= 16 ? (int32_t)u32_at(record, 8) : 0;

        switch (header->type) {
        case PERF_RECORD_SAMPLE: return keep_sample(c, header, record);
        case PERF_RECORD_FORK: return keep_fork(c, pid, (int32_t)u32_at(record, 12));
        case PERF_RECORD_COMM: return keep_comm(c, header, pid);
        case PERF_RECORD_MMAP:
        case PERF_RECORD_MMAP2: return pid == -1 || is_ours(c, pid);
        case PERF_RECORD_EXIT:
        case PERF_RECORD_NAMESPACES:
        case PERF_RECORD_SWITCH: return is_ours(c, pid);
        case PERF_RECORD_SWITCH_CPU_WIDE:
                return header->size >= 24 && is_ours(c, (int32_t)u32_at(record, 16));
        case PERF_RECORD_LOST:
        case PERF_RECORD_LOST_SAMPLES: return false; /* counts all processes; put at the end */
        default: return *state_of(c, c->command) != WAITS;
        }
}

uint64_t children_left_out(const struct children *c)
{
        return c->left_out;
}

uint64_t children_own_losses(const struct children *c, uint64_t n_seen, uint64_t n_stops, uint64_t lost)
{
        uint64_t n_of_rings = c->n_kept > n_stops ? c->n_kept - n_stops : 0;

        if (!lost || n_of_rings >= n_seen)
                return lost;
        return (uint64_t)((double)lost * (double)n_of_rings / (double)n_seen + 0.999);
}
