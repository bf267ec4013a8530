/* SPDX-License-Identifier: BSD-3-Clause */
/* Tracepoints and probes as a session describes them, in feature TRACING_DATA: names, numbers and the fields of their
 * records.  The section is a trace.dat of version 6 without records: man page trace-cmd.dat.v6(5). */
#ifndef TRACING_DATA_H
#define TRACING_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "cursor.h"

enum tracing_form {
        TRACING_NUMBER,
        TRACING_POINTER,
        TRACING_TEXT,  /* up to its NUL, in `size_bytes` */
        TRACING_BYTES, /* anything else */
};

struct tracing_field {
        const char *name;
        enum tracing_form form;
        bool is_signed;
        /* Where the value is: in these bytes of the record, or where 32 bits there say: the offset (`is_relative`: from behind
         * them) in their lower half, the size in the upper one. */
        bool is_elsewhere, is_relative;
        uint32_t off, size_bytes;
};

struct tracing_event {
        const char *system, *name;
        uint64_t id; /* what an attribute's config has */
        const struct tracing_field *fields;
        size_t n_fields;
};

struct tracing_data;

/* Never fails: a section that is damaged has the events that stand before the damage. */
struct tracing_data *tracing_data_new(struct cursor section);
void tracing_data_free(struct tracing_data *data);
AUTO_DEFINE(tracing_data)

size_t tracing_data_n_events(const struct tracing_data *data);
const struct tracing_event *tracing_data_get(const struct tracing_data *data, size_t index);

/* NULL: there is none. */
const struct tracing_event *tracing_data_find(const struct tracing_data *data, uint64_t id);

/* The bytes of a field in a sample's raw data; failed when they are not there. */
struct cursor tracing_field_bytes(const struct tracing_field *field, struct cursor raw);

/* The value of a TRACING_NUMBER or TRACING_POINTER of 1, 2, 4 or 8 bytes, sign-extended. */
uint64_t tracing_field_number(const struct tracing_field *field, struct cursor bytes);

/* What a recorder puts into the section, as files of tracefs have it. */
struct tracing_source {
        struct buf header_page, header_event;
        struct {
                char *system;
                struct buf format;
        } * formats;
        size_t n_formats, cap_formats;
};

void tracing_source_release(struct tracing_source *source);
void tracing_source_add(struct tracing_source *source, const char *system, const struct buf *format);

/* Appends the section in this machine's byte order; systems stand in the order in which they were added first. */
void tracing_data_write(const struct tracing_source *source, struct buf *out);

#endif
