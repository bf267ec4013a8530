/* SPDX-License-Identifier: BSD-3-Clause */
/* A document of named values in objects and arrays, written in pieces as text or as JSON by the same
 * calls. */
#ifndef FIELD_SINK_H
#define FIELD_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "budget.h"
#include "buf.h"
#include "err.h"
#include "json.h"

/* Receives the pieces; returns false to end the document. */
struct field_output {
        bool (*put)(void *ctx, const void *bytes, size_t size, struct err *err);
        void *ctx;
};

/* In text, a group inside a line stays on that line. */
enum field_group {
        FIELD_BLOCK, /* an object; text: its name on a line, its members below */
        FIELD_LINES, /* an array, the same */
        FIELD_LINE,  /* an object; text: one line */
        FIELD_WORDS, /* an array; text: one line */
};

enum { FIELD_MAX_DEPTH = 16, FIELD_PIECE_BYTES = 64 * 1024, FIELD_SHOWN_BYTES = 32 };

struct field_form;

struct field_sink {
        struct buf out; /* bytes that were not passed to `put` yet */
        const struct field_form *form;
        struct field_output output;
        struct err *err;
        struct budget *budget; /* for what is unpacked to be shown; NULL: no limit */
        bool failed;           /* `put` failed: the rest is dropped */
        struct json json;
        enum field_group groups[FIELD_MAX_DEPTH];
        bool titled[FIELD_MAX_DEPTH];       /* the group is indented by one more step */
        unsigned depth, indent, line_depth; /* line_depth 0: not in a line */
        bool line_has_words, has_gap;
};

/* Begins the document, an object; `err` gets the error of `put`. */
void field_sink_begin(struct field_sink *sink, bool json, const struct field_output *output, struct err *err);

/* Ends the document and writes the rest; false if anything could not be written. */
bool field_sink_end(struct field_sink *sink);

/* `name` is the name of the member; NULL inside an array. */
void field_begin(struct field_sink *sink, enum field_group group, const char *name);
void field_end(struct field_sink *sink);

void field_u64(struct field_sink *sink, const char *name, uint64_t value);
void field_i64(struct field_sink *sink, const char *name, int64_t value);
void field_hex(struct field_sink *sink, const char *name, uint64_t value); /* a string in JSON */
void field_time(struct field_sink *sink, const char *name, uint64_t ns);   /* seconds; in JSON NAME_ns */
void field_text(struct field_sink *sink, const char *name, const char *text);
void field_bool(struct field_sink *sink, const char *name, bool value);

/* A text in a line; its name is left out in text form. */
void field_word(struct field_sink *sink, const char *name, const char *text);

/* Adds space before the next word of a line. */
void field_gap(struct field_sink *sink);

/* An object {size, hex} with at most the first FIELD_SHOWN_BYTES. */
void field_bytes(struct field_sink *sink, const char *name, const void *bytes, size_t size);

#endif
