/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the records that Linux' kernel would write. */
#include "windows_internal.h"

#include <string.h>

#include "record.h"

static size_t begin(struct buf *out, uint32_t type, uint16_t misc)
{
        size_t start = out->len;

        buf_add_u32(out, type);
        buf_add_u16(out, misc);
        buf_add_u16(out, 0);
        return start;
}

static void end(struct buf *out, size_t start)
{
        uint16_t size = (uint16_t)(out->len - start);

        memcpy(out->data + start + offsetof(struct perf_header, size), &size, sizeof(size));
}

/* A text with its NUL, padded to 8 bytes, and cut to what a record can hold. */
static void add_text(struct buf *out, const char *text)
{
        enum { MOST = 32767 };
        size_t len = strnlen(text, MOST);

        buf_add(out, text, len);
        buf_add_zeros(out, (len + 8) / 8 * 8 - len);
}

/* The fields of sample_id_all. */
static void add_stamp(struct buf *out, const struct windows_stamp *stamp)
{
        buf_add_u32(out, stamp->pid);
        buf_add_u32(out, stamp->tid);
        buf_add_u64(out, stamp->time_ns);
        buf_add_u32(out, stamp->cpu);
        buf_add_u32(out, 0);
        buf_add_u64(out, WINDOWS_EVENT_ID);
}

void windows_record_comm(struct buf *out, const struct windows_stamp *stamp, const char *name)
{
        bool is_process = stamp->pid == stamp->tid;
        size_t start = begin(out, PERF_RECORD_COMM, is_process ? PERF_MISC_COMM_EXEC : 0);

        buf_add_u32(out, stamp->pid);
        buf_add_u32(out, stamp->tid);
        add_text(out, name);
        add_stamp(out, stamp);
        end(out, start);
}

static void add_task(struct buf *out, uint32_t type, const struct windows_stamp *stamp, uint32_t ppid)
{
        size_t start = begin(out, type, 0);

        buf_add_u32(out, stamp->pid);
        buf_add_u32(out, ppid);
        buf_add_u32(out, stamp->tid);
        buf_add_u32(out, ppid);
        buf_add_u64(out, stamp->time_ns);
        add_stamp(out, stamp);
        end(out, start);
}

void windows_record_fork(struct buf *out, const struct windows_stamp *stamp, uint32_t ppid)
{
        add_task(out, PERF_RECORD_FORK, stamp, ppid);
}

void windows_record_exit(struct buf *out, const struct windows_stamp *stamp, uint32_t ppid)
{
        add_task(out, PERF_RECORD_EXIT, stamp, ppid);
}

void windows_record_mmap(struct buf *out, const struct windows_stamp *stamp,
                         const struct windows_range *range)
{
        size_t id_size = range->build_id_size < BUILD_ID_MAX ? range->build_id_size : BUILD_ID_MAX;
        size_t start = begin(out, PERF_RECORD_MMAP2,
                             (uint16_t)(PERF_MISC_USER | (id_size ? PERF_MISC_MMAP_BUILD_ID : 0)));

        buf_add_u32(out, stamp->pid);
        buf_add_u32(out, stamp->pid);
        buf_add_u64(out, range->start);
        buf_add_u64(out, range->size_bytes);
        buf_add_u64(out, 0);
        buf_add_u8(out, (uint8_t)id_size);
        buf_add_zeros(out, 3);
        buf_add(out, range->build_id, id_size);
        buf_add_zeros(out, BUILD_ID_MAX - id_size);
        buf_add_u32(out, RECORD_PROT_EXEC);
        buf_add_u32(out, 0);
        add_text(out, range->path);
        add_stamp(out, stamp);
        end(out, start);
}

uint64_t windows_record_sample_type(bool has_chain)
{
        return PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
               PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | (has_chain ? PERF_SAMPLE_CALLCHAIN : 0);
}

void windows_record_sample(struct buf *out, uint64_t event_id, const struct timer_sample *sample, uint64_t pc,
                           const struct buf *chain)
{
        size_t start = begin(out, PERF_RECORD_SAMPLE, sample->is_kernel ? PERF_MISC_KERNEL : PERF_MISC_USER);

        buf_add_u64(out, event_id);
        buf_add_u64(out, pc);
        buf_add_u32(out, sample->pid);
        buf_add_u32(out, sample->tid);
        buf_add_u64(out, sample->time_ns);
        buf_add_u32(out, sample->cpu);
        buf_add_u32(out, 0);
        buf_add_u64(out, sample->period_ns);
        if (chain) {
                buf_add_u64(out, chain->len / sizeof(uint64_t));
                buf_add(out, chain->data, chain->len);
        }
        end(out, start);
}

void windows_record_lost(struct buf *out, const struct windows_stamp *stamp, uint64_t n)
{
        size_t start = begin(out, PERF_RECORD_LOST, 0);

        buf_add_u64(out, WINDOWS_EVENT_ID);
        buf_add_u64(out, n);
        add_stamp(out, stamp);
        end(out, start);
}

void windows_record_round(struct buf *out)
{
        end(out, begin(out, PERF_RECORD_FINISHED_ROUND, 0));
}

void windows_record_aux(struct buf *out, const struct windows_stamp *stamp, uint64_t offset,
                        uint64_t size_bytes, uint64_t flags)
{
        size_t start = begin(out, PERF_RECORD_AUX, 0);

        buf_add_u64(out, offset);
        buf_add_u64(out, size_bytes);
        buf_add_u64(out, flags);
        add_stamp(out, stamp);
        end(out, start);
}

void windows_record_itrace_start(struct buf *out, const struct windows_stamp *stamp)
{
        size_t start = begin(out, PERF_RECORD_ITRACE_START, 0);

        buf_add_u32(out, stamp->pid);
        buf_add_u32(out, stamp->tid);
        add_stamp(out, stamp);
        end(out, start);
}
