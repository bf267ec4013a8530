/* SPDX-License-Identifier: BSD-3-Clause */
/* Follows the command and its children through the records of all processes, in order of time, and keeps
 * their records. A timer on each CPU does not restart in each new process, unlike an inherited event. */
#include "linux_children.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "mem.h"
#include "os.h"
#include "text_number.h"

enum {
        MAX_PID = 4 << 20,
        MAX_ANCESTORS = 64,
        SAMPLE_ID_OFF = 8, /* offsets in a sample record */
        SAMPLE_TID_OFF = 24,
        SAMPLE_PERIOD_OFF = 48,
        LEFT_OUT_BYTES = 56, /* the part that is kept of a sample in an excluded mode: up to its period */
};

enum state {
        UNKNOWN,
        OTHER,       /* its samples need not wait for FORK records */
        OTHER_ENDED, /* its pid may be reused */
        WAITS,       /* the command before its exec */
        OURS,
};

struct children {
        const struct opened *opened;
        uint8_t *states;      /* by pid */
        uint8_t out_of_range; /* state of a pid that is out of range */
        int32_t command;
        bool maps_wait;
        const struct ring_filter *also; /* further filter for samples; NULL for none */
        struct map event_of_id;         /* index + 1 */
        struct linux_order order;
        uint64_t *heads; /* of the rings, in this pass */
        uint64_t n_seen, n_kept, left_out;
};

static uint8_t *state_of(struct children *c, int32_t pid)
{
        c->out_of_range = OTHER;
        return pid > 0 && pid < MAX_PID ? &c->states[pid] : &c->out_of_range;
}

static bool add_other(void *ctx, const char *name)
{
        struct children *c = ctx;
        uint64_t pid;

        if (text_to_u64(name, 10, &pid) && pid < MAX_PID)
                *state_of(c, (int32_t)pid) = OTHER;
        return true;
}

struct children *children_new(const struct opened *opened, int32_t pid)
{
        struct children *c = mem_new(1, sizeof(*c));

        c->opened = opened;
        c->command = pid;
        c->states = mem_new(MAX_PID, 1);
        c->heads = mem_new(opened->n_rings, sizeof(*c->heads));
        for (size_t i = 0; i < opened->n_events; i++) {
                for (size_t k = 0; k < opened->events[i].n_ids; k++)
                        *map_put(&c->event_of_id, opened->events[i].ids[k], NULL) = i + 1;
        }
        os_list_dir("/proc", add_other, c, NULL);
        *state_of(c, pid) = WAITS;
        return c;
}

void children_filter(struct children *c, const struct ring_filter *filter)
{
        c->also = filter;
}

void children_free(struct children *c)
{
        if (!c)
                return;
        map_release(&c->event_of_id);
        linux_order_release(&c->order);
        free(c->states);
        free(c->heads);
        free(c);
}

/* --- one record --- */

/* Reads the parent from /proc, for a process whose FORK record was lost or was written before the events were
 * enabled. */
static int32_t parent_of(int32_t pid)
{
        AUTO_RELEASE(buf) text = {0};
        const char *after_name;
        int32_t parent = 0;
        char path[64];

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/stat", pid);
        if (!os_read_file(path, 65536, &text, NULL))
                return 0;
        after_name = strrchr(buf_text(&text), ')');
        return after_name && sscanf(after_name + 1, " %*c %" SCNd32, &parent) == 1 ? parent : 0;
}

static bool is_ours(struct children *c, int32_t pid)
{
        uint8_t *state = state_of(c, pid), found = OTHER;
        int32_t at = pid;

        if (*state != UNKNOWN)
                return *state == OURS;
        for (int i = 0; i < MAX_ANCESTORS && (at = parent_of(at)) > 1; i++) {
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

static const struct opened_event *event_of(const struct children *c, uint64_t id)
{
        const uint64_t *index = map_find(&c->event_of_id, id);

        return index ? &c->opened->events[*index - 1] : NULL;
}

/* Whether the user excluded this mode. The kernel samples it anyway, so that all of the command's time is
 * known. */
static bool is_left_out(const struct opened_event *event, uint16_t misc)
{
        uint16_t mode = misc & PERF_MISC_CPUMODE_MASK;

        return event && ((mode == PERF_MISC_KERNEL && (event->left_out & PERF_ATTR_EXCLUDE_KERNEL)) ||
                         (mode == PERF_MISC_USER && (event->left_out & PERF_ATTR_EXCLUDE_USER)));
}

static bool keep_sample(struct children *c, const struct perf_header *header, const uint8_t *record)
{
        const struct opened_event *event = event_of(c, u64_at(record, SAMPLE_ID_OFF));

        if (header->size < LEFT_OUT_BYTES || !is_ours(c, (int32_t)u32_at(record, SAMPLE_TID_OFF)))
                return false;
        if (is_left_out(event, header->misc)) {
                if (event == &c->opened->events[c->opened->first_asked])
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

static bool is_kept(struct children *c, const struct perf_header *header, const uint8_t *record)
{
        int32_t pid = header->size >= 16 ? (int32_t)u32_at(record, 8) : 0;

        switch (header->type) {
        case PERF_RECORD_SAMPLE: return keep_sample(c, header, record);
        case PERF_RECORD_FORK: return keep_fork(c, pid, (int32_t)u32_at(record, 12));
        case PERF_RECORD_COMM: return keep_comm(c, header, pid);
        case PERF_RECORD_MMAP:
        case PERF_RECORD_MMAP2: return pid == -1 || is_ours(c, pid);
        case PERF_RECORD_EXIT:
        case PERF_RECORD_NAMESPACES: return is_ours(c, pid);
        case PERF_RECORD_LOST:
        case PERF_RECORD_LOST_SAMPLES: return false; /* counts all processes; put at the end */
        default: return *state_of(c, c->command) != WAITS;
        }
}

/* --- passes --- */

static void see_exit(struct children *c, const uint64_t words[RING_WORDS])
{
        int32_t pid = (int32_t)words[1], tid = (int32_t)words[2];
        uint8_t *state = state_of(c, pid);

        if (pid == tid && *state == OTHER)
                *state = OTHER_ENDED;
}

static bool is_of_other(struct children *c, uint64_t pid_word)
{
        return *state_of(c, (int32_t)pid_word) == OTHER;
}

/* How many bytes of the record to move out of the ring; 0 to drop it. */
static size_t wanted_bytes(void *ctx, const struct perf_header *header, const uint64_t words[RING_WORDS])
{
        struct children *c = ctx;

        switch (header->type) {
        case PERF_RECORD_SAMPLE:
                c->n_seen++;
                if (is_of_other(c, words[3]) ||
                    (c->also && !c->also->wanted_bytes(c->also->ctx, header, words)))
                        return 0;
                return is_left_out(event_of(c, words[1]), header->misc) && header->size > LEFT_OUT_BYTES
                               ? LEFT_OUT_BYTES
                               : header->size;
        case PERF_RECORD_FORK:
                return is_of_other(c, words[1]) && is_of_other(c, words[1] >> 32) ? 0 : header->size;
        case PERF_RECORD_MMAP:
        case PERF_RECORD_MMAP2:
                if ((int32_t)words[1] != -1 && is_of_other(c, words[1]))
                        return 0;
                c->maps_wait = true;
                return header->size;
        case PERF_RECORD_COMM:
        case PERF_RECORD_EXIT:
        case PERF_RECORD_NAMESPACES: return is_of_other(c, words[1]) ? 0 : header->size;
        default: return header->size;
        }
}

static bool is_thread(uint64_t pids)
{
        return (int32_t)pids == (int32_t)(pids >> 32);
}

/* Samples of the children of other processes then need not wait. */
static void see_fork(struct children *c, const uint64_t words[RING_WORDS])
{
        uint8_t *state = state_of(c, (int32_t)words[1]);

        if (!is_thread(words[1]) && is_of_other(c, words[1] >> 32) &&
            (*state == UNKNOWN || *state == OTHER_ENDED))
                *state = OTHER;
}

static size_t only_see_tasks(void *ctx, const struct perf_header *header, const uint64_t words[RING_WORDS])
{
        if (header->type == PERF_RECORD_EXIT)
                see_exit(ctx, words);
        if (header->type == PERF_RECORD_FORK)
                see_fork(ctx, words);
        return 0;
}

void children_drain(struct children *c, struct ring *rings, size_t n_rings, struct buf *pass)
{
        const struct ring_filter tasks = {only_see_tasks, c}, wanted = {wanted_bytes, c};

        /* Read all rings up to the same moment, so that the exit of a process is seen before a sample of the
         * next process with its pid. */
        for (size_t i = 0; i < n_rings; i++)
                c->heads[i] = ring_head(&rings[i]);
        for (size_t i = 0; i < n_rings; i++)
                ring_walk(&rings[i], c->heads[i], &tasks, NULL);
        for (size_t i = 0; i < n_rings; i++) {
                ring_walk(&rings[i], c->heads[i], &wanted, pass);
                ring_free(&rings[i], c->heads[i]);
        }
}

void children_put(struct children *c, struct buf *pass, bool is_last, struct buf *out)
{
        const uint8_t *record;

        c->maps_wait = false;
        linux_order_add_round(&c->order, &c->opened->events[0].attr, pass, is_last);
        while ((record = linux_order_next(&c->order)) != NULL) {
                struct perf_header header;

                memcpy(&header, record, sizeof(header));
                if (is_kept(c, &header, record))
                        buf_add(out, record, header.size);
        }
}

bool children_maps_wait(const struct children *c)
{
        return c->maps_wait;
}

uint64_t children_left_out(const struct children *c)
{
        return c->left_out;
}

uint64_t children_own_losses(const struct children *c, uint64_t lost)
{
        if (!lost || c->n_kept >= c->n_seen)
                return lost;
        return (uint64_t)((double)lost * (double)c->n_kept / (double)c->n_seen + 0.999);
}
