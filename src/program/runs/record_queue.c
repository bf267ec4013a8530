/* SPDX-License-Identifier: BSD-3-Clause */
#include "record_queue.h"

#include "record.h"

enum { OTHERS = 4 }; /* times as many bytes with all other records */

void record_queue_add(struct record_queue *queue, const void *records, size_t size_bytes)
{
        struct cursor all = cursor_make(records, size_bytes), record;
        struct perf_header header;

        if (queue->records.len + size_bytes <= queue->max_bytes) {
                buf_add(&queue->records, records, size_bytes);
                return;
        }
        while (record_next(&all, &header, &record)) {
                if (header.type == PERF_RECORD_SAMPLE)
                        queue->n_dropped++;
                else if (queue->records.len + header.size <= OTHERS * queue->max_bytes)
                        buf_add(&queue->records, record.start, header.size);
        }
}
