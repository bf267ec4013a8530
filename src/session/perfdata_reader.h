/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads perf.data files of perf, simpleperf and wperf: attributes, features, and records by time.
 * What is whole is read; what is cut, unknown or malformed is counted in perfdata_damage. */
#ifndef PERFDATA_READER_H
#define PERFDATA_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "err.h"
#include "perfdata_format.h"
#include "record.h"
#include "tracing_data.h"

struct perfdata_reader;

/* Opens a session file; a pipe-mode file is known by its short header.  Errors name the file and the place. */
struct perfdata_reader *perfdata_open(const char *path, struct err *err);

/* The same on bytes that the caller keeps until perfdata_reader_free; `name` is for messages. */
struct perfdata_reader *perfdata_open_bytes(const void *bytes, size_t size, const char *name,
                                            struct err *err);

void perfdata_reader_free(struct perfdata_reader *reader);
AUTO_DEFINE(perfdata_reader)

struct perfdata_event {
        struct perf_attr attr; /* in this machine's byte order, zero-filled to its full size */
        const char *name; /* "cpu-clock", "cycles:u"; from the file or made from the attribute; never NULL */
        const uint64_t *ids;
        size_t n_ids;
};

/* How much memory records that wait for their turn by time may take; a quarter of BUDGET_DEFAULT_BYTES without it.  Over it
 * those of one file come out at once, and what is older and comes later counts as out of order; those of several files
 * are ERR_LIMIT.  To be called before the first record. */
void perfdata_set_waiting(struct perfdata_reader *reader, uint64_t max_bytes);

/* Whether this process's user or root owns all of the session's files; bytes in memory and standard input are the user's. */
bool perfdata_is_trusted(const struct perfdata_reader *reader);

size_t perfdata_n_events(const struct perfdata_reader *reader);
const struct perfdata_event *perfdata_get_event(const struct perfdata_reader *reader, size_t index);

/* The raw bytes of a feature section, or a failed cursor when the file has none. */
struct cursor perfdata_feature(const struct perfdata_reader *reader, unsigned feature);

/* The tracepoint of an event, as the session describes it; NULL when it is none or is not described. */
const struct tracing_event *perfdata_tracepoint(const struct perfdata_reader *reader,
                                                const struct perf_attr *attr);

/* A feature that is one string (hostname, osrelease, version, arch, cpudesc, cpuid), or NULL. */
const char *perfdata_feature_str(const struct perfdata_reader *reader, unsigned feature);

/* Calls `each` for every module of the build id table, with `misc` of its header. */
typedef bool perfdata_build_id_fn(void *ctx, uint16_t misc, int32_t pid, const uint8_t *id, size_t id_size,
                                  const char *path);
void perfdata_each_build_id(const struct perfdata_reader *reader, perfdata_build_id_fn *each, void *ctx);

struct perfdata_record {
        struct perf_header header; /* this machine's byte order */
        struct cursor bytes;       /* the whole record, header included */
        struct cursor payload;     /* what follows an AUXTRACE or TRACING_DATA record; empty otherwise */
        uint64_t file_off;         /* in the file; inside a COMPRESSED record, that record's */
        uint64_t time;             /* ns, 0 when it has none */
        uint32_t event;            /* index of its event; UINT32_MAX when it can't be told */
        bool asked_build_id;       /* MMAP2: for record_mmap_parse */
};

/* A record as the reader gives it, from bytes: header decoded, no time, no event.  For what arrives in memory. */
bool perfdata_record_make(const void *bytes, size_t size, bool swap, struct perfdata_record *ret);

/* The next record.  1: one was stored, valid until the next call; 0: the end; -1: err.
 * perfdata_next orders by time (records without one come when they stand in the file, COMPRESSED ones before
 * what they hold; a sample whose user stack is told by a CALLCHAIN_DEFERRED record comes right before that record, with
 * one chain, or before its thread's end as it is);
 * perfdata_next_raw gives the order of the file and is what dump uses.  Use one of the two. */
int perfdata_next(struct perfdata_reader *reader, struct perfdata_record *ret, struct err *err);
int perfdata_next_raw(struct perfdata_reader *reader, struct perfdata_record *ret, struct err *err);

/* What was found wrong, complete once the end was reached. */
struct perfdata_damage {
        uint64_t cut_bytes; /* of a last record that is not whole, or of data that the file lacks */
        uint64_t
                overblown_bytes; /* of COMPRESSED records left out: they unpack to more than 4096 times their size */
        uint64_t n_malformed;      /* records skipped because they are too short for what they say */
        uint64_t n_unknown_types;  /* records of types that are not known, skipped */
        uint64_t n_unknown_events; /* samples whose event can't be told */
        uint64_t n_out_of_order;   /* records that came too late for their time */
        bool data_size_missing;    /* the header's data size was 0: the recorder did not finish */
        bool features_missing;     /* the file ends before its features */
};

/* Records of unknown types are given out too, and still counted; to be called before the first record. */
void perfdata_keep_unknown(struct perfdata_reader *reader);

const struct perfdata_damage *perfdata_get_damage(const struct perfdata_reader *reader);

/* Header facts for dump. */
struct perfdata_layout {
        bool pipe, swapped;
        uint64_t file_bytes, header_bytes, attr_bytes, data_off, data_bytes;
        uint64_t feature_bits[PERFDATA_FEATURE_WORDS];
        bool compressed;
};

const struct perfdata_layout *perfdata_get_layout(const struct perfdata_reader *reader);

/* "HOSTNAME"; NULL for a feature that is not known. */
const char *perfdata_feature_name(unsigned feature);

#endif
