/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of the writer: the file and its records (perfdata_writer.c), its start and features
 * (perfdata_writer_head.c). */
#ifndef PERFDATA_WRITER_INTERNAL_H
#define PERFDATA_WRITER_INTERNAL_H

#include "buf.h"
#include "codec.h"
#include "os.h"
#include "perfdata_writer.h"

enum { SECTION_BYTES = 16, HEAD_PIECE_BYTES = 64000 };

struct written_event {
        struct perf_attr attr;
        char *name;
        uint64_t *ids;
        size_t n_ids;
};

struct written_feature {
        unsigned number;
        struct buf bytes;
};

/* Of an AUXTRACE record in the file; its size is without the data behind it. */
struct auxtrace_place {
        uint64_t off, size;
};

/* A piece of a section among the records: PERFDATA_PIECE_MAGIC. */
struct piece_place {
        unsigned number; /* of the section */
        uint64_t at;     /* of its record, in the data */
        bool is_first;   /* of what was written together */
};

struct perfdata_writer {
        struct os_file *file;
        struct buf *memory; /* receives the session instead of a file */
        char *path;
        bool pipe, begun, failed;
        struct written_event *events;
        size_t n_events, events_cap;
        uint32_t attr_bytes; /* size of each attribute in the file */
        struct written_feature *features;
        size_t n_features, features_cap;
        struct buf gathered;
        uint64_t data_off, data_bytes; /* in the file */
        uint64_t attrs_off;
        uint64_t flushed_ns, put_bytes;
        uint64_t *steps; /* data sizes at which a record ended */
        size_t n_steps, steps_cap;
        struct auxtrace_place *auxtraces;
        size_t n_auxtraces, auxtraces_cap;
        struct piece_place *pieces;
        size_t n_pieces, pieces_cap;
        struct codec_packer *packer;
        int level;
};

/* Chooses the smallest size that holds the attributes of all events. */
void head_choose_attr_bytes(struct perfdata_writer *writer);

/* Add the features that the writer writes itself. */
void head_add_event_desc(struct perfdata_writer *writer);
void head_add_compressed(struct perfdata_writer *writer);
void head_add_auxtrace(struct perfdata_writer *writer);
void head_add_piece_tables(struct perfdata_writer *writer);

/* Takes the pieces that are no longer in the file out of their tables, with those that were written together
 * with them. */
void head_cut_piece_tables(struct perfdata_writer *writer);

/* These append to `out`: the header; everything before the records; the same for a pipe; a feature in a
 * pipe; a piece of HEAD_PIECE_BYTES at most. */
void head_make_header(const struct perfdata_writer *writer, const uint64_t *feature_bits, struct buf *out);
void head_make_file(struct perfdata_writer *writer, struct buf *out);
bool head_make_pipe(struct perfdata_writer *writer, struct buf *out, struct err *err);
void head_add_feature_record(struct buf *out, const struct written_feature *feature);
void head_add_piece(struct buf *out, unsigned number, const void *bytes, size_t size);
void head_add_section(struct buf *out, uint64_t off, uint64_t size);

#endif
