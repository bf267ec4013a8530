/* SPDX-License-Identifier: BSD-3-Clause */
#include "record_window.h"

#include <stdlib.h>

#include "buf.h"
#include "mem.h"
#include "task_records.h"

/* Records fall out in parts of this size. */
enum { PARTS = 16 };

struct part {
        struct buf records;
        uint64_t n_samples;
};

struct record_window {
        size_t part_bytes;
        struct part parts[PARTS]; /* a ring; the newest is at `at` */
        size_t at;
        uint64_t n_dropped;
        struct task_records *tasks; /* of what fell out */
};

struct record_window *record_window_new(size_t max_bytes)
{
        struct record_window *window = mem_new(1, sizeof(*window));

        window->part_bytes = max_bytes / PARTS;
        window->tasks = task_records_new();
        return window;
}

void record_window_free(struct record_window *window)
{
        if (!window)
                return;
        for (size_t i = 0; i < PARTS; i++)
                buf_release(&window->parts[i].records);
        task_records_free(window->tasks);
        free(window);
}

static void drop(struct record_window *window, struct part *part)
{
        task_records_add(window->tasks, part->records.data, part->records.len);
        window->n_dropped += part->n_samples;
        buf_release(&part->records);
        *part = (struct part){0};
}

static uint64_t count_samples(const void *records, size_t size_bytes)
{
        struct cursor all = cursor_make(records, size_bytes), record;
        struct perf_header header;
        uint64_t n = 0;

        while (record_next(&all, &header, &record))
                n += header.type == PERF_RECORD_SAMPLE;
        return n;
}

void record_window_add(struct record_window *window, const void *records, size_t size_bytes)
{
        struct part *part = &window->parts[window->at];

        if (part->records.len && part->records.len + size_bytes > window->part_bytes) {
                buf_fit(&part->records);
                window->at = (window->at + 1) % PARTS;
                part = &window->parts[window->at];
                drop(window, part);
        }
        buf_add(&part->records, records, size_bytes);
        part->n_samples += count_samples(records, size_bytes);
}

uint64_t record_window_n_samples(const struct record_window *window)
{
        uint64_t n = 0;

        for (size_t i = 0; i < PARTS; i++)
                n += window->parts[i].n_samples;
        return n;
}

uint64_t record_window_n_dropped(const struct record_window *window)
{
        return window->n_dropped;
}

void record_window_drop_all(struct record_window *window)
{
        for (size_t i = 1; i <= PARTS; i++)
                drop(window, &window->parts[(window->at + i) % PARTS]);
}

bool record_window_put(const struct record_window *window, const struct record_sink *sink, struct err *err)
{
        if (!task_records_put(window->tasks, sink, err))
                return false;
        for (size_t i = 1; i <= PARTS; i++) {
                const struct buf *records = &window->parts[(window->at + i) % PARTS].records;

                if (records->len && !sink->put(sink->ctx, records->data, records->len, err))
                        return false;
        }
        return true;
}
