/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads perf.data files of perf, simpleperf and wperf: attributes, features, and records sorted by time.
 * Truncated, unknown and malformed parts are skipped and counted in perfdata_damage. */
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

/* Opens a session file; a pipe-mode file is recognized by its short header. Errors name the file and the
 * offset. */
struct perfdata_reader *perfdata_open(const char *path, struct err *err);

/* Opens bytes that must outlive the reader; `name` is used in messages. */
struct perfdata_reader *perfdata_open_bytes(const void *bytes, size_t size, const char *name,
                                            struct err *err);

void perfdata_reader_free(struct perfdata_reader *reader);
AUTO_DEFINE(perfdata_reader)

struct perfdata_event {
        struct perf_attr attr; /* in this machine's byte order, zero-filled to its full size */
        /* "cpu-clock", "cycles:u"; from the file, else made from the attribute; never NULL */
        const char *name;
        const uint64_t *ids;
        size_t n_ids;
};

/* Limits the memory of records that wait to be sorted by time; default: a quarter of BUDGET_DEFAULT_BYTES. If
 * a single file exceeds it, its waiting records are returned at once, and older ones that follow count as out
 * of order; with several files it is an error (ERR_LIMIT). Call before reading the first record. */
void perfdata_set_waiting(struct perfdata_reader *reader, uint64_t max_bytes);

/* Whether this process's user or root owns all files of the session; bytes in memory and standard input count
 * as owned. */
bool perfdata_is_trusted(const struct perfdata_reader *reader);

size_t perfdata_n_events(const struct perfdata_reader *reader);
const struct perfdata_event *perfdata_get_event(const struct perfdata_reader *reader, size_t index);

/* The raw bytes of a feature section; a failed cursor if the file does not have it. */
struct cursor perfdata_feature(const struct perfdata_reader *reader, unsigned feature);

/* The tracepoint of an event as described in the session; NULL if the event is not a tracepoint or is not
 * described. */
const struct tracing_event *perfdata_tracepoint(const struct perfdata_reader *reader,
                                                const struct perf_attr *attr);

/* A feature that consists of one string (hostname, osrelease, version, arch, cpudesc, cpuid), or NULL. */
const char *perfdata_feature_str(const struct perfdata_reader *reader, unsigned feature);

/* Calls `each` for every module of the build id table until it returns false; `misc` is that of the record
 * header. */
typedef bool perfdata_build_id_fn(void *ctx, uint16_t misc, int32_t pid, const uint8_t *id, size_t id_size,
                                  const char *path);
void perfdata_each_build_id(const struct perfdata_reader *reader, perfdata_build_id_fn *each, void *ctx);

struct perfdata_record {
        struct perf_header header; /* in this machine's byte order */
        struct cursor bytes;       /* the whole record, header included */
        struct cursor payload;     /* the data after an AUXTRACE or TRACING_DATA record; else empty */
        /* offset in the file; for a record inside a COMPRESSED record, that of the latter */
        uint64_t file_off;
        uint64_t time;       /* in ns; 0 if it has none */
        uint32_t event;      /* index of its event; UINT32_MAX if unknown */
        bool asked_build_id; /* MMAP2: the argument for record_mmap_parse */
};

/* Calls `each` with the TIME_CONV, AUXTRACE_INFO and AUXTRACE records of a session with hardware traces, in
 * the order of the file. For other sessions it reads only the first records. Call it before reading the
 * first record. */
typedef void perfdata_aux_fn(void *ctx, const struct perfdata_record *record);
void perfdata_each_aux(struct perfdata_reader *reader, perfdata_aux_fn *each, void *ctx);

/* Adds an event that is not in the file, for the samples of a perfdata_extra, and returns its index. Copies
 * `name`. */
uint32_t perfdata_add_event(struct perfdata_reader *reader, const struct perf_attr *attr, const char *name);

/* Makes a record from bytes in memory: header decoded, without time and event. False if it is incomplete. */
bool perfdata_record_make(const void *bytes, size_t size, bool swap, struct perfdata_record *ret);

/* Read the next record. 1: stored in *ret, valid until the next call; 0: the end; -1: err. Use only one of
 * the two.
 *
 * perfdata_next returns records sorted by time. Records without a time keep their position, a COMPRESSED
 * record comes before its contents, and a sample whose user stack is in a CALLCHAIN_DEFERRED record comes
 * right before that record, with the whole chain, or without it before the end of its thread.
 *
 * perfdata_next_raw returns the order of the file, for dump. */
int perfdata_next(struct perfdata_reader *reader, struct perfdata_record *ret, struct err *err);
int perfdata_next_raw(struct perfdata_reader *reader, struct perfdata_record *ret, struct err *err);

/* Damage found so far; complete after the end was reached. */
struct perfdata_damage {
        uint64_t cut_bytes; /* of an incomplete last record, or missing data */
        /* of COMPRESSED records that were skipped because they unpack to more than 4096 times their size */
        uint64_t overblown_bytes;
        uint64_t n_malformed;      /* skipped records that are too short for their contents */
        uint64_t n_unknown_types;  /* skipped records of unknown types */
        uint64_t n_unknown_events; /* samples whose event is unknown */
        uint64_t n_out_of_order;   /* records that were returned after a newer one */
        bool data_size_missing;    /* the header's data size was 0: the recorder did not finish */
        bool features_missing;     /* the file ends before its features */
};

/* Makes the reader return records of unknown types, which are still counted. Call before the first record. */
void perfdata_keep_unknown(struct perfdata_reader *reader);

const struct perfdata_damage *perfdata_get_damage(const struct perfdata_reader *reader);

/* Facts about the header, for dump. */
struct perfdata_layout {
        bool pipe, swapped;
        uint64_t file_bytes, header_bytes, attr_bytes, data_off, data_bytes;
        uint64_t feature_bits[PERFDATA_FEATURE_WORDS];
        bool compressed;
        bool raw_spe; /* the file has only the bytes of an SPE buffer; the rest describes the session made of
                         it */
};

const struct perfdata_layout *perfdata_get_layout(const struct perfdata_reader *reader);

/* "HOSTNAME"; NULL for an unknown feature. */
const char *perfdata_feature_name(unsigned feature);

#endif
