/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the records of an event-trace file as those of perf.data: processes, maps, samples with their
 * stacks, and switches. */
#ifndef ETL_RECORDS_H
#define ETL_RECORDS_H

#include "etl_trace.h"
#include "image_section.h"
#include "map.h"
#include "stack_marks.h"

/* Sources that are no counters of the CPU, whose numbers have 16 bits. */
enum {
        ETL_SOURCE_TIMER = 0,
        ETL_SOURCE_OFF_CPU = 0x10000, /* here and in what follows, other sources than counters */
        ETL_SOURCE_READY = 0x10001, /* a thread allowed another one, whose number is the address, to go on */
        ETL_SOURCE_NONE = 0x10002,  /* no samples: the event that all records belong to */
        /* and the reason: the end of a wait; the period is how long it was, in ns */
        ETL_SOURCE_WAIT = 0x10100,
};

enum { ETL_FIRST_ID = 1 }; /* of the first event; the others follow */

struct etl_session_event {
        uint32_t source;
        uint64_t period;
        char name[64];
};

struct etl_used_image {
        const struct etl_item *item;
        size_t path; /* offset into `paths` */
};

struct etl_records {
        const struct etl_trace *trace;
        struct buf bytes;
        struct etl_session_event *events;
        size_t n_events, cap_events;
        struct etl_used_image *images;
        size_t n_images, cap_images;
        uint64_t section_bytes; /* of the images, at most */
        struct buf paths;       /* of the images, NUL-terminated */
        struct stack_cuts cuts; /* for each sample: its stack is not whole */
        uint64_t n_records;
        uint64_t n_left_out; /* samples of more sources than ETL_TRACE_MAX_SOURCES */
        /* For lack of memory: images, whose long paths are left out first; samples; all items. */
        uint64_t n_short_images, n_short_samples, n_short_items;
        struct map running; /* by CPU: the thread that it turned to last */
        struct map waiting; /* by thread: since when it waits, in ticks */
        struct map reasons; /* by thread: why */
        struct map code;    /* set of the pieces of memory, by process, that are mapped as code */
        size_t at;          /* offset of the record that is being written */
};

/* Writes the records of all items, or those that take `limit` bytes. */
void etl_records_make(struct etl_records *records, uint64_t limit);

/* Adds an event, if there is none: a session needs one. */
void etl_records_need_event(struct etl_records *records);
void etl_records_release(struct etl_records *records);

/* Appends the section that describes the images. */
void etl_records_add_images(const struct etl_records *records, struct buf *section);

#endif
