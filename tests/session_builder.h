/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes perf.data records and files in memory, in either byte order, for tests, fuzzing seeds and
 * benchmarks. Numbers are written as given, also wrong ones. */
#ifndef SESSION_BUILDER_H
#define SESSION_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "perf_abi.h"

enum { BUILDER_MAX_EVENTS = 4, BUILDER_MAX_FEATURES = 16 };

struct session_builder {
        bool swap; /* write in the other byte order */
        bool pipe;
        struct perf_attr attrs[BUILDER_MAX_EVENTS];
        uint64_t ids[BUILDER_MAX_EVENTS];
        const char *names[BUILDER_MAX_EVENTS]; /* NULL: no EVENT_DESC */
        unsigned n_events;
        uint32_t attr_bytes; /* size of an attribute in the file; default sizeof(struct perf_attr) */
        uint32_t cpu;        /* of the records that follow */
        struct buf records;
        struct {
                unsigned number;
                struct buf bytes;
        } features[BUILDER_MAX_FEATURES]; /* added in the order of their numbers */
        unsigned n_features;
        size_t record_start;
};

/* One event cpu-clock with id 11, sample_type IDENTIFIER, IP, TID, TIME, CPU, PERIOD, CALLCHAIN,
 * sample_id_all. */
void builder_init(struct session_builder *b);
void builder_release(struct session_builder *b);

/* One more event like the first; returns its index.  Its id is 11 + index. */
unsigned builder_add_event(struct session_builder *b, uint32_t type, uint64_t config);

/* Records.  A time of 0 means no time, as recorders write it for synthesised records. */
void builder_mmap(struct session_builder *b, uint64_t time, int32_t pid, uint64_t start, uint64_t len,
                  uint64_t pgoff, const char *path); /* MMAP2, executable, device and inode 0 */
void builder_mmap_inode(struct session_builder *b, uint64_t time, int32_t pid, uint64_t start, uint64_t len,
                        uint64_t pgoff, const char *path, uint64_t inode);
void builder_mmap_build_id(struct session_builder *b, uint64_t time, int32_t pid, uint64_t start,
                           uint64_t len, uint64_t pgoff, const char *path, const void *id,
                           uint8_t id_size); /* the first event then has build_id set */
void builder_mmap_data(struct session_builder *b, uint64_t time, int32_t pid, uint64_t start, uint64_t len,
                       uint64_t pgoff, const char *path); /* not executable */
void builder_kernel_mmap(struct session_builder *b, uint64_t start, uint64_t len, uint64_t pgoff,
                         const char *path); /* MMAP of pid -1, kernel mode */
void builder_comm(struct session_builder *b, uint64_t time, int32_t pid, int32_t tid, const char *name,
                  bool exec);
/* The name that its program gave the thread. */
void builder_given_name(struct session_builder *b, uint64_t time, int32_t pid, int32_t tid, const char *name);
void builder_fork(struct session_builder *b, uint64_t time, int32_t pid, int32_t ppid, int32_t tid,
                  int32_t ptid, uint16_t misc);
void builder_exit(struct session_builder *b, uint64_t time, int32_t pid, int32_t ppid, int32_t tid,
                  int32_t ptid);
void builder_lost(struct session_builder *b, uint64_t time, uint64_t lost);
void builder_ksymbol(struct session_builder *b, uint64_t time, uint64_t addr, uint32_t len, uint16_t flags,
                     const char *name);
void builder_round(struct session_builder *b);

/* A sample of the event `event`, with builder_init's sample_type. */
void builder_sample(struct session_builder *b, unsigned event, uint64_t time, int32_t pid, int32_t tid,
                    uint16_t misc, const uint64_t *chain,
                    uint64_t n_chain); /* ip is chain[0], or the first entry that is not a mark */
/* A sample of an event that also has PERF_SAMPLE_BRANCH_STACK; `branches` has from, to and flags of each
 * branch. */
void builder_sample_branches(struct session_builder *b, unsigned event, uint64_t time, int32_t pid,
                             uint16_t misc, const uint64_t *chain, uint64_t n_chain,
                             const uint64_t (*branches)[3], uint64_t n_branches);
/* The user part of chains that end in PERF_CONTEXT_USER_DEFERRED and `cookie`. */
void builder_deferred(struct session_builder *b, uint64_t time, int32_t pid, int32_t tid, uint64_t cookie,
                      const uint64_t *chain, uint64_t n_chain);
void builder_sample_ip(struct session_builder *b, uint64_t time, int32_t pid, int32_t tid, uint64_t ip);

/* Any other record: begin, its fields, end.  If begin has size 0, the size is that of the added fields. */
void builder_begin(struct session_builder *b, uint32_t type, uint16_t misc);
void builder_u8(struct session_builder *b, uint8_t v);
void builder_u16(struct session_builder *b, uint16_t v);
void builder_u32(struct session_builder *b, uint32_t v);
void builder_u64(struct session_builder *b, uint64_t v);
void builder_bytes(struct session_builder *b, const void *bytes, size_t size);
void builder_str(struct session_builder *b, const char *text); /* padded to 8 bytes */
void builder_id(struct session_builder *b, uint64_t time, int32_t pid,
                int32_t tid); /* the sample_id_all trailer */
void builder_end(struct session_builder *b);

/* A feature section; numbers must ascend. */
void builder_feature(struct session_builder *b, unsigned number, const void *bytes, size_t size);
void builder_feature_str(struct session_builder *b, unsigned number, const char *text);

/* Converts the records so far to COMPRESSED (or COMPRESSED2) records, each of at most `piece` bytes of the
 * zstd stream. False if zstd is not in the build. */
bool builder_compress(struct session_builder *b, size_t piece, bool second_kind);

/* The whole file: header, ids, attributes, records, features. */
void builder_file(struct session_builder *b, struct buf *out);

/* Writes the file to disk, and frees the builder; false if it can't be written. */
bool builder_save(struct session_builder *b, const char *path);

#endif
