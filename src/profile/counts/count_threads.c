/* SPDX-License-Identifier: BSD-3-Clause */
#include "count_threads.h"

#include "perf_abi.h"

/* The record consists of pid, tid, and the counts in the order of read_format. */
static bool parse_read(const struct perf_attr *attr, struct cursor c, struct record_stat *ret)
{
        const uint64_t format = attr->read_format;

        *ret = (struct record_stat){.cpu = COUNTS_NO_CPU};
        if (format & PERF_FORMAT_GROUP)
                return false;
        cursor_skip(&c, sizeof(struct perf_header) + sizeof(uint32_t));
        ret->thread = cursor_u32(&c);
        ret->value = cursor_u64(&c);
        ret->enabled_ns = format & PERF_FORMAT_TOTAL_TIME_ENABLED ? cursor_u64(&c) : 0;
        ret->running_ns = format & PERF_FORMAT_TOTAL_TIME_RUNNING ? cursor_u64(&c) : 0;
        ret->id = format & PERF_FORMAT_ID ? cursor_u64(&c) : 0;
        return !c.failed;
}

static void give(struct counts *counts, uint32_t type, const void *fields, size_t size)
{
        struct perf_header header = {.type = type, .size = (uint16_t)(sizeof(header) + size)};
        uint8_t bytes[sizeof(header) + sizeof(struct record_stat)];

        memcpy(bytes, &header, sizeof(header));
        memcpy(bytes + sizeof(header), fields, size);
        counts_take(counts, &header, cursor_make(bytes, header.size));
}

void count_threads_take(struct count_threads *threads, const struct perfdata_reader *reader,
                        const struct perfdata_record *record, struct counts *counts)
{
        const struct perfdata_event *event = perfdata_get_event(reader, 0);
        struct record_stat stat;

        if (record->time && !threads->first_ns)
                threads->first_ns = record->time;
        if (record->time > threads->last_ns)
                threads->last_ns = record->time;
        _Static_assert(sizeof(stat) == 40, "as a STAT record has it");
        if (record->header.type != PERF_RECORD_READ || !event ||
            !parse_read(&event->attr, record->bytes, &stat))
                return;
        if (!stat.id && event->n_ids)
                stat.id = event->ids[0];
        give(counts, PERF_RECORD_STAT, &stat, sizeof(stat));
        threads->n_threads++;
}

void count_threads_finish(const struct count_threads *threads, struct counts *counts)
{
        const struct record_stat_round round = {.type = 1, .time = threads->last_ns - threads->first_ns};

        if (threads->n_threads)
                give(counts, PERF_RECORD_STAT_ROUND, &round, sizeof(round));
}
