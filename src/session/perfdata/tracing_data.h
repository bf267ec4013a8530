/* SPDX-License-Identifier: BSD-3-Clause */
/* Tracepoints and probes as described in a session's feature TRACING_DATA: their names, numbers and record
 * fields. The section is a trace.dat file of version 6 without records: man page trace-cmd.dat.v6(5). */
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
        TRACING_TEXT,  /* ends at a NUL, at most `size_bytes` */
        TRACING_BYTES, /* anything else */
};

struct tracing_field {
        const char *name;
        enum tracing_form form;
        bool is_signed;
        /* The value is in these bytes of the record; or these are 32 bits with the offset (`is_relative`:
         * from their end) in the lower half and the size in the upper half. */
        bool is_elsewhere, is_relative;
        uint32_t off, size_bytes;
};

struct tracing_event {
        const char *system, *name;
        uint64_t id; /* config of the attribute */
        const struct tracing_field *fields;
        size_t n_fields;
};

struct tracing_data;

/* Never fails: of a damaged section, it has the events before the damage. */
struct tracing_data *tracing_data_new(struct cursor section);
void tracing_data_free(struct tracing_data *data);
AUTO_DEFINE(tracing_data)

size_t tracing_data_n_events(const struct tracing_data *data);
const struct tracing_event *tracing_data_get(const struct tracing_data *data, size_t index);

/* NULL if there is none. */
const struct tracing_event *tracing_data_find(const struct tracing_data *data, uint64_t id);

/* The field of an event that has this name and is a number or a pointer; NULL if there is none. */
const struct tracing_field *tracing_event_number(const struct tracing_event *event, const char *name);

/* The bytes of a field in the raw data of a sample; failed if they are missing. */
struct cursor tracing_field_bytes(const struct tracing_field *field, struct cursor raw);

/* The value of a TRACING_NUMBER or TRACING_POINTER of 1, 2, 4 or 8 bytes, sign-extended if is_signed. */
uint64_t tracing_field_number(const struct tracing_field *field, struct cursor bytes);

/* The same of the raw data of a sample; if it is missing, 0, and sets *ret_is_bad. */
uint64_t tracing_field_read(const struct tracing_field *field, struct cursor raw, bool *ret_is_bad);

/* The content of a section for writing, as read from tracefs. */
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

/* Appends the section in this machine's byte order; systems are in the order in which they were first
 * added. */
void tracing_data_write(const struct tracing_source *source, struct buf *out);

#endif
