/* SPDX-License-Identifier: BSD-3-Clause */
#include "wait_record.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "mem.h"

void wait_record_event(struct opened_event *ret, bool is_stopped)
{
        *ret = (struct opened_event){.is_unwound = true};
        snprintf(ret->event.name, sizeof(ret->event.name), "%s", is_stopped ? "running" : "waiting");
        ret->attr = (struct perf_attr){
                .type = PERF_TYPE_SOFTWARE,
                .size = sizeof(struct perf_attr),
                .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
                .sample_period_or_freq = 1,
                .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                               PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
                               PERF_SAMPLE_STACK_USER,
                .flags = PERF_ATTR_SAMPLE_ID_ALL | PERF_ATTR_MMAP | PERF_ATTR_MMAP2 | PERF_ATTR_COMM |
                         PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_EXCLUDE_HV | PERF_ATTR_USE_CLOCKID,
                .clockid = PERF_CLOCK_MONOTONIC,
                .sample_regs_user = is_stopped ? linux_arch()->regs_user_mask : wait_reader_still_mask(),
                .sample_stack_user = WAIT_RECORD_MAX_STACK + 8,
        };
        ret->event.attr = ret->attr;
        ARRAY_PUSH(ret->ids, ret->n_ids, ret->cap_ids,
                   is_stopped ? WAIT_RECORD_STOPPED_ID : WAIT_RECORD_STILL_ID);
}

/* A copy that is smaller than what was asked for contains all of the stack. */
static void add_stack(const void *stack, size_t bytes, bool is_whole, struct buf *out)
{
        size_t padded = (bytes + 7) & ~(size_t)7, filled = is_whole ? padded + 8 : padded;

        buf_add_u64(out, filled);
        buf_add(out, stack, bytes);
        buf_add_zeros(out, filled - bytes);
        if (filled)
                buf_add_u64(out, bytes);
}

void wait_record_add(const struct wait_reading *reading, const struct wait_registers *registers,
                     const void *stack, size_t stack_bytes, bool is_whole, struct buf *out)
{
        struct perf_header header = {.type = PERF_RECORD_SAMPLE, .misc = PERF_MISC_USER};
        bool is_stopped = wait_how_is_stopped(reading->how);
        size_t at = out->len;

        assert(stack_bytes <= WAIT_RECORD_MAX_STACK);
        buf_add(out, &header, sizeof(header));
        buf_add_u64(out, is_stopped ? WAIT_RECORD_STOPPED_ID : WAIT_RECORD_STILL_ID);
        buf_add_u64(out, registers->values[linux_arch()->reg_ip]);
        buf_add_u32(out, (uint32_t)reading->pid);
        buf_add_u32(out, (uint32_t)reading->tid);
        buf_add_u64(out, reading->time_ns);
        buf_add_u64(out, 1); /* period */
        buf_add_u64(out, 0); /* length of the chain */
        buf_add_u64(out, registers->mask ? PERF_SAMPLE_REGS_ABI_64 : PERF_SAMPLE_REGS_ABI_NONE);
        for (unsigned i = 0; i < ARCH_REGS_MAX; i++) {
                if (registers->mask >> i & 1)
                        buf_add_u64(out, registers->values[i]);
        }
        add_stack(stack, stack_bytes, is_whole, out);
        header.size = (uint16_t)(out->len - at);
        memcpy(out->data + at, &header, sizeof(header));
}

static void add_trailer(int32_t pid, int32_t tid, uint64_t time_ns, struct buf *out)
{
        buf_add_u32(out, (uint32_t)pid);
        buf_add_u32(out, (uint32_t)tid);
        buf_add_u64(out, time_ns);
        buf_add_u64(out, WAIT_RECORD_STILL_ID);
}

void wait_record_add_switch(int32_t pid, int32_t tid, uint64_t time_ns, enum wait_switch kind,
                            struct buf *out)
{
        struct perf_header header = {.type = PERF_RECORD_SWITCH,
                                     .size = sizeof(header) + WAIT_RECORD_TRAILER_BYTES};

        header.misc |= kind != WAIT_SWITCH_IN ? PERF_MISC_SWITCH_OUT : 0;
        header.misc |= kind == WAIT_SWITCH_PREEMPTED ? PERF_MISC_SWITCH_PREEMPT : 0;
        buf_add(out, &header, sizeof(header));
        add_trailer(pid, tid, time_ns, out);
}

static void add_task(uint32_t type, int32_t pid, int32_t tid, uint64_t time_ns, struct buf *out)
{
        enum { TASK_BYTES = 24 };
        struct perf_header header = {.type = type,
                                     .size = sizeof(header) + TASK_BYTES + WAIT_RECORD_TRAILER_BYTES};

        buf_add(out, &header, sizeof(header));
        buf_add_u32(out, (uint32_t)pid);
        buf_add_u32(out, (uint32_t)pid); /* who has started it */
        buf_add_u32(out, (uint32_t)tid);
        buf_add_u32(out, (uint32_t)pid);
        buf_add_u64(out, time_ns);
        add_trailer(pid, tid, time_ns, out);
}

void wait_record_add_fork(int32_t pid, int32_t tid, uint64_t time_ns, struct buf *out)
{
        add_task(PERF_RECORD_FORK, pid, tid, time_ns, out);
}

void wait_record_add_exit(int32_t pid, int32_t tid, uint64_t time_ns, struct buf *out)
{
        add_task(PERF_RECORD_EXIT, pid, tid, time_ns, out);
}
