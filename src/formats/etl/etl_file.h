/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads an event-trace file of Windows (.etl): its header and its events, buffer by buffer.  Each buffer
 * has events of one CPU in the order of time; buffers of different CPUs are not ordered. */
#ifndef ETL_FILE_H
#define ETL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "cursor.h"
#include "err.h"

enum etl_clock {
        ETL_CLOCK_COUNTER = 1, /* QueryPerformanceCounter: header.frequency ticks a second */
        ETL_CLOCK_SYSTEM = 2,  /* 100 ns since 1601 */
        ETL_CLOCK_CYCLES = 3,  /* CPU cycles */
};

struct etl_header {
        unsigned pointer_bytes; /* 4 or 8: of the addresses in events */
        uint32_t n_cpus;
        uint32_t cpu_mhz;
        enum etl_clock clock;
        uint64_t frequency;        /* ticks a second of the counter */
        uint64_t start, end, boot; /* 100 ns since 1601; 0: not known */
        uint64_t first_ticks;      /* time of the header event: that of `start` */
        uint32_t timer_resolution; /* 100 ns */
        uint32_t n_lost_events, n_lost_buffers;
};

/* Classic kernel events: the group in the upper byte of `hook`, the type in the lower. */
enum {
        ETL_HEADER = 0x0000,
        ETL_PROCESS_START = 0x0301,
        ETL_PROCESS_END = 0x0302,
        ETL_PROCESS_RUNNING = 0x0303, /* as all _RUNNING: it existed when the recording began */
        ETL_PROCESS_LEFT = 0x0304,    /* as all _LEFT: it existed when the recording ended */
        ETL_IMAGE_LOAD = 0x030a,      /* in the group of processes, unlike the other events of images */
        ETL_THREAD_START = 0x0501,
        ETL_THREAD_END = 0x0502,
        ETL_THREAD_RUNNING = 0x0503,
        ETL_THREAD_LEFT = 0x0504,
        ETL_CONTEXT_SWITCH = 0x0524,
        ETL_READY_THREAD = 0x0532,
        ETL_MACHINE = 0x0b0a,
        ETL_SAMPLE = 0x0f2e,
        ETL_COUNTER_SAMPLE = 0x0f2f,
        ETL_IMAGE_UNLOAD = 0x1402,
        ETL_IMAGE_RUNNING = 0x1403,
        ETL_IMAGE_LEFT = 0x1404,
        ETL_STACK = 0x1820,
        ETL_STACK_DELETED = 0x1823, /* the frames of a key that is not used any more */
        ETL_STACK_KEPT = 0x1824,    /* the frames of a key, at the end of the recording */
        ETL_STACK_KEY_KERNEL = 0x1825,
        ETL_STACK_KEY_USER = 0x1826,
        ETL_NO_HOOK = 0xffff, /* the event is of a provider with a GUID */
};

enum { ETL_GUID_BYTES = 16, ETL_NO_TASK = -1 };

struct etl_event {
        uint16_t hook;       /* ETL_x */
        const uint8_t *guid; /* of the provider or class, as in the file; NULL for classic kernel events */
        uint16_t id;         /* of a provider's event; for a class, its type */
        uint8_t version;
        uint16_t cpu;
        int32_t pid, tid;      /* ETL_NO_TASK: the event has none */
        uint64_t time;         /* ticks of the header's clock */
        struct cursor payload; /* valid until the next call */
};

struct etl_counts {
        uint64_t n_buffers, n_packed, n_events;
        uint64_t n_bad_buffers;  /* cannot be unpacked, or end within an event */
        uint64_t cut_bytes;      /* at the end of the file: less than a buffer */
        uint64_t given_up_bytes; /* at the end of the file: the buffers before took too much work for its
                                    size */
};

struct etl_file;

/* Whether bytes are the beginning of an event-trace file. */
bool etl_file_is(const void *bytes, size_t size);

/* `bytes` stay valid until etl_file_free(); `name` is for messages.  ERR_FORMAT: not an event-trace file;
 * ERR_UNSUPPORTED: of a kind that cannot be read. */
struct etl_file *etl_file_open(const void *bytes, size_t size, const char *name, struct err *err);
void etl_file_free(struct etl_file *file);
AUTO_DEFINE(etl_file)

const struct etl_header *etl_file_header(const struct etl_file *file);

/* The next event; false at the end. */
bool etl_file_next(struct etl_file *file, struct etl_event *ret);

/* Begins again. */
void etl_file_rewind(struct etl_file *file);

struct etl_counts etl_file_counts(const struct etl_file *file);

/* Bytes of the buffers after that of the last event. */
uint64_t etl_file_left(const struct etl_file *file);

#endif
