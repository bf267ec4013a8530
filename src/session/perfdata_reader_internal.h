/* SPDX-License-Identifier: BSD-3-Clause */
/* The reader's parts: header and features (perfdata_header.c), events (perfdata_events.c), the records of the
 * file in its order (perfdata_stream.c), and by time (perfdata_order.c). */
#ifndef PERFDATA_READER_INTERNAL_H
#define PERFDATA_READER_INTERNAL_H

#include "arena.h"
#include "buf.h"
#include "codec.h"
#include "map.h"
#include "os.h"
#include "perfdata_deferred.h"
#include "perfdata_reader.h"
#include "record_order.h"

enum { PERFDATA_FEATURES = PERFDATA_FEATURE_WORDS * 64 };

/* Where a record's time and id stand, for one event; from the record's start, or from its end. */
struct event_layout {
        uint16_t sample_time, sample_id; /* byte offset; 0: none */
        uint16_t other_time, other_id;   /* bytes before the end; 0: none */
};

struct event_table {
        struct perfdata_event **items; /* in the arena */
        struct event_layout *layouts;
        size_t n, cap, layouts_cap;
        bool uniform;        /* every event has the same layout */
        bool asked_build_id; /* one of them did */
        struct map by_id;    /* id to index + 1 */
        size_t n_ids;
        uint64_t last_id; /* the answer given last */
        uint32_t last_event;
};

/* A file with records: the session itself, or data.N of a directory. */
struct source {
        struct os_map *map; /* NULL: the caller's bytes */
        char *path;
        struct cursor bytes; /* the whole file */
        uint64_t at, end;    /* the records that are still to be read */
        bool beyond;         /* what lies past `end` may be records that the header does not count yet */
        bool lenient;        /* reading those */
        struct codec_stream *unpacker;
        uint64_t packed_bytes, unpacked_bytes; /* of its COMPRESSED records so far */
        bool unpack_failed;
        bool is_overblown; /* unpacks to more than LIMIT_COMPRESSED_RATIO times its size */
        struct buf carry;  /* the begin of a record that goes on in the next COMPRESSED one */
};

/* What a COMPRESSED record unpacked to; lives until its records were given out. */
struct unpacked {
        struct buf bytes;
        uint64_t start;    /* its place in the stream of all that was unpacked */
        uint64_t end;      /* of its whole records */
        uint64_t file_off; /* of the COMPRESSED record */
        uint64_t n_held;
};

struct unpacked_list {
        struct unpacked *items;
        size_t first, n, cap;
        uint64_t at, end, total; /* in the stream: to be read, read so far */
        uint64_t held_bytes;
};

struct perfdata_reader {
        char *name;
        struct arena arena;
        struct perfdata_layout layout;
        struct perfdata_damage damage;
        bool keep_unknown;
        struct cursor features[PERFDATA_FEATURES]; /* start NULL: none */
        struct event_table events;
        struct tracing_data *tracing; /* NULL: no event is a tracepoint that the session describes */
        struct cursor *build_ids;     /* a pipe's BUILD_ID records */
        size_t n_build_ids, build_ids_cap;
        struct source *sources;
        size_t n_sources, sources_cap, source_at;
        uint64_t max_waiting_bytes; /* of records that wait for their turn by time */
        struct unpacked_list unpacked;
        struct record_order order;
        uint64_t given_pos; /* of the record given last, while its bytes are held; POS_NONE */
        bool ended;         /* all records were read; some may wait */
        struct deferred deferred;
};

/* Where a record stands: its source's number << 48 and its offset there, or POS_UNPACKED and its offset in the
 * stream of what was unpacked. */
#define POS_UNPACKED ((uint64_t)1 << 63)
#define POS_NONE     UINT64_MAX
enum { POS_SOURCE_SHIFT = 48 };

/* Header, attributes and features, which pipe mode has in records. */
bool header_read(struct perfdata_reader *reader, struct err *err);

/* In a pipe these come as records. */
void header_take_record(struct perfdata_reader *reader, const struct perfdata_record *record);

/* Reads one attribute of `size` bytes; in this machine's byte order, zero-filled. */
struct perf_attr header_read_attr(struct cursor *c, uint64_t size);

uint32_t events_add(struct perfdata_reader *reader, const struct perf_attr *attr);
void events_add_ids(struct perfdata_reader *reader, uint32_t event, struct cursor ids);
void events_add_late_id(struct perfdata_reader *reader, uint32_t event, uint64_t id); /* not listed with it */
void events_set_name(struct perfdata_reader *reader, uint32_t event, const char *name);
void events_take_desc(struct perfdata_reader *reader);                  /* names and ids of EVENT_DESC */
void events_take_simpleperf(struct perfdata_reader *reader);            /* names of META_INFO */
void events_take_type(struct perfdata_reader *reader, struct cursor c); /* one event type of old files */
void events_name_pmus(struct perfdata_reader *reader);                  /* once PMU_MAPPINGS is known */
void events_name_tracepoints(struct perfdata_reader *reader);           /* those that have no name yet */
void events_release(struct event_table *events);

/* The time of a record (0: none), and its event (UINT32_MAX: not known). */
uint64_t events_time_of(const struct perfdata_reader *reader, const struct perfdata_record *record);
uint32_t events_event_of(struct perfdata_reader *reader, const struct perfdata_record *record);

/* Whether the event of an MMAP2 record, of which `event` is set, asked for build ids. */
bool events_asked_build_id(const struct perfdata_reader *reader, const struct perfdata_record *record);

/* "cycles:u"; appended to `out`. */
void perfdata_names_make_event(const struct perfdata_reader *reader, const struct perf_attr *attr,
                               struct buf *out);

/* 1, 0, -1 as perfdata_next; time and event are not yet set. */
int stream_next(struct perfdata_reader *reader, struct perfdata_record *ret, uint64_t *ret_pos,
                struct err *err);

/* A pipe tells of itself in records, wherever they stand: takes all of them, and goes back to the first record. */
void stream_read_head(struct perfdata_reader *reader);

/* The record at a place that stream_next gave. */
void stream_get(const struct perfdata_reader *reader, uint64_t pos, struct perfdata_record *ret);

/* The bytes at a place stay until they are released as often as they were held. */
void stream_hold(struct perfdata_reader *reader, uint64_t pos);
void stream_release(struct perfdata_reader *reader, uint64_t pos);
void stream_free(struct perfdata_reader *reader);

/* Adds a file with records only, or the session itself; takes `map`. */
struct source *stream_add_source(struct perfdata_reader *reader, struct os_map *map, const char *path);

/* False and err when a file became shorter while it was read. */
bool stream_check(const struct perfdata_reader *reader, struct err *err);

#endif
