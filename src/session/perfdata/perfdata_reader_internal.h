/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of the reader: header and features (perfdata_header.c), events (perfdata_events.c), records in
 * file order (perfdata_stream.c), and records sorted by time (perfdata_order.c). */
#ifndef PERFDATA_READER_INTERNAL_H
#define PERFDATA_READER_INTERNAL_H

#include "arena.h"
#include "buf.h"
#include "codec.h"
#include "map.h"
#include "os.h"
#include "perfdata_batch.h"
#include "perfdata_deferred.h"
#include "perfdata_reader.h"
#include "record_order.h"

enum { PERFDATA_FEATURES = PERFDATA_FEATURE_WORDS * 64 };

/* The positions of time and id in the records of one event. */
struct event_layout {
        uint16_t sample_time, sample_id; /* offset from the start of a sample; 0 for none */
        uint16_t other_time, other_id;   /* offset from the end of another record; 0 for none */
};

struct event_table {
        struct perfdata_event **items; /* in the arena */
        struct event_layout *layouts;
        size_t n, cap, layouts_cap;
        size_t n_added;      /* of these, perfdata_add_event() made */
        bool uniform;        /* every event has the same layout */
        bool asked_build_id; /* at least one event did */
        struct map by_id;    /* id to index + 1 */
        size_t n_ids;
        uint64_t last_id; /* the last lookup by id */
        uint32_t last_event;
};

/* A file with records: the session itself, or data.N in a directory. */
struct source {
        struct os_map *map; /* NULL for the caller's bytes */
        char *path;
        struct cursor bytes; /* the whole file */
        uint64_t at, end;    /* the records that remain to be read */
        bool beyond;         /* there may be records after `end` that the header does not include yet */
        bool lenient;        /* reading those */
        struct codec_stream *unpacker;
        uint64_t packed_bytes, unpacked_bytes; /* total of its COMPRESSED records so far */
        bool unpack_failed;
        bool is_overblown; /* it unpacks to more than LIMIT_COMPRESSED_RATIO times its size */
        struct buf carry;  /* the start of a record that continues in the next COMPRESSED record */
};

/* The contents of a COMPRESSED record; kept until its records were returned. */
struct unpacked {
        struct buf bytes;
        uint64_t start;    /* offset in the stream of all unpacked bytes */
        uint64_t end;      /* end of its complete records */
        uint64_t file_off; /* of the COMPRESSED record */
        uint64_t n_held;
};

struct unpacked_list {
        struct unpacked *items;
        size_t first, n, cap;
        uint64_t at, end, total; /* offsets in the stream: next to be read, and end */
        uint64_t held_bytes;
};

struct perfdata_reader {
        char *name;
        struct arena arena;
        struct perfdata_layout layout;
        struct perfdata_damage damage;
        bool keep_unknown;
        struct cursor features[PERFDATA_FEATURES]; /* start is NULL if the file does not have it */
        struct event_table events;
        struct tracing_data *tracing; /* NULL if no event is a tracepoint */
        struct buf
                pieces[FEATURE_WPERF_LAST - FEATURE_WPERF_RUN + 1]; /* wperf's sections in pieces, joined */
        /* of the same, in a file: the features as they are there; start is NULL if not in pieces */
        struct cursor piece_tables[FEATURE_WPERF_LAST - FEATURE_WPERF_RUN + 1];
        struct cursor *build_ids; /* BUILD_ID records of a pipe */
        size_t n_build_ids, build_ids_cap;
        struct source *sources;
        size_t n_sources, sources_cap, source_at;
        uint64_t max_waiting_bytes; /* limit for records that wait to be sorted by time */
        struct unpacked_list unpacked;
        struct record_order order;
        /* position of the record that was returned last while its bytes are held; else POS_NONE */
        uint64_t given_pos;
        bool ended; /* all records were read; some may still wait */
        struct deferred deferred;
        struct perfdata_extra extra; /* `next` NULL: none */
        struct buf raw_spe;          /* the session made of raw SPE data */
        struct perfdata_record held; /* of the file, while samples of `extra` come before it */
        bool is_held, at_end;
};

/* The position of a record: the number of its source << 48 plus its offset, or POS_UNPACKED plus its offset
 * in the stream of unpacked bytes. */
#define POS_UNPACKED ((uint64_t)1 << 63)
#define POS_NONE     UINT64_MAX
enum { POS_SOURCE_SHIFT = 48 };

/* Whether the file begins like a session of any version and byte order. */
bool header_has_magic(struct cursor file);

/* Reads header, attributes and features; in pipe mode, they are in records. */
bool header_read(struct perfdata_reader *reader, struct err *err);

/* Takes a record that describes the session. */
void header_take_record(struct perfdata_reader *reader, const struct perfdata_record *record);

/* Reads an attribute of `size` bytes; the result is in this machine's byte order and zero-filled. */
struct perf_attr header_read_attr(struct cursor *c, uint64_t size);

uint32_t events_add(struct perfdata_reader *reader, const struct perf_attr *attr);
void events_add_ids(struct perfdata_reader *reader, uint32_t event, struct cursor ids);
/* an id that is not in the event's list */
void events_add_late_id(struct perfdata_reader *reader, uint32_t event, uint64_t id);
void events_set_name(struct perfdata_reader *reader, uint32_t event, const char *name);
void events_take_desc(struct perfdata_reader *reader);                  /* names and ids in EVENT_DESC */
void events_take_simpleperf(struct perfdata_reader *reader);            /* names in META_INFO */
void events_take_type(struct perfdata_reader *reader, struct cursor c); /* an event type in an old file */
void events_name_pmus(struct perfdata_reader *reader);                  /* call when PMU_MAPPINGS is known */
void events_name_tracepoints(struct perfdata_reader *reader);           /* for tracepoints without a name */
void events_release(struct event_table *events);

/* The time of a record (0 if it has none), and the index of its event (UINT32_MAX if unknown). */
uint64_t events_time_of(const struct perfdata_reader *reader, const struct perfdata_record *record);
uint32_t events_event_of(struct perfdata_reader *reader, const struct perfdata_record *record);

/* Whether the event of an MMAP2 record requested build ids; record->event must be set. */
bool events_asked_build_id(const struct perfdata_reader *reader, const struct perfdata_record *record);

/* Appends a name such as "cycles:u". */
void perfdata_names_make_event(const struct perfdata_reader *reader, const struct perf_attr *attr,
                               struct buf *out);

/* Reads the next record in file order; returns 1, 0, -1 like perfdata_next. Time and event are not set
 * yet. */
int stream_next(struct perfdata_reader *reader, struct perfdata_record *ret, uint64_t *ret_pos,
                struct err *err);

/* A pipe describes itself in records at any position: takes all of them, and returns to the first record. */
void stream_read_head(struct perfdata_reader *reader);

/* Gets the record at a position from stream_next. */
void stream_get(const struct perfdata_reader *reader, uint64_t pos, struct perfdata_record *ret);

/* Keeps the bytes at a position until they were released as often as held. */
void stream_hold(struct perfdata_reader *reader, uint64_t pos);
void stream_release(struct perfdata_reader *reader, uint64_t pos);
void stream_free(struct perfdata_reader *reader);

/* Adds the session, or a file that only has records; takes ownership of `map`. */
struct source *stream_add_source(struct perfdata_reader *reader, struct os_map *map, const char *path);

/* False and err if a file was truncated while it was read. */
bool stream_check(const struct perfdata_reader *reader, struct err *err);

#endif
