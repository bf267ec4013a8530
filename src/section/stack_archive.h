/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacks that travel inside of a session: what a walk made of a sample's registers and its copy of the stack, for where the
 * files are not that it took its rules from.  Knows no unwinder: ways and ends are numbers of whoever walks. */
#ifndef STACK_ARCHIVE_H
#define STACK_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "cursor.h"
#include "err.h"

enum {
        STACK_ARCHIVE_VERSION = 1,
        STACK_ARCHIVE_MAX_FRAMES = 8192, /* of a walk */
        STACK_ARCHIVE_MAX_KINDS = 64,    /* of ways, and of ends */
};

struct walked_frame {
        uint64_t pc;
        uint8_t way;   /* by which it was found */
        bool is_exact; /* pc is the instruction itself, and not behind a call */
};

/* --- Reading -------------------------------------------------------------------------------------- */

struct stack_archive;

struct archived_walk {
        uint64_t sample; /* of all events, in the order of the file, from 0 on */
        uint32_t node;   /* the archive's: where its frames begin */
        uint16_t n_frames;
        uint8_t end; /* why there are no more */
};

/* Takes all that the section holds, which is not needed afterwards.  Ways are below `n_ways` and ends below `n_ends`, at
 * most STACK_ARCHIVE_MAX_KINDS.  Errors as of archive_section_read. */
struct stack_archive *stack_archive_open(struct cursor section, unsigned n_ways, unsigned n_ends,
                                         struct err *err);
void stack_archive_free(struct stack_archive *archive);
AUTO_DEFINE(stack_archive)

/* In the order of samples. */
size_t stack_archive_n_walks(const struct stack_archive *archive);
const struct archived_walk *stack_archive_get(const struct stack_archive *archive, size_t index);

/* NULL: the sample was not walked. */
const struct archived_walk *stack_archive_find(const struct stack_archive *archive, uint64_t sample);

/* The innermost `max` frames of a walk, innermost first; returns how many there are. */
size_t stack_archive_frames(const struct stack_archive *archive, const struct archived_walk *walk,
                            struct walked_frame *frames, size_t max);

/* How many frames are kept for all walks together, which share those of their callers. */
size_t stack_archive_n_nodes(const struct stack_archive *archive);

/* --- Writing -------------------------------------------------------------------------------------- */

struct stack_archive_writer;

struct stack_archive_writer *stack_archive_writer_new(void);
void stack_archive_writer_free(struct stack_archive_writer *writer);
AUTO_DEFINE(stack_archive_writer)

/* Samples in ascending order, frames innermost first and at most STACK_ARCHIVE_MAX_FRAMES. */
void stack_archive_add(struct stack_archive_writer *writer, uint64_t sample,
                       const struct walked_frame *frames, size_t n, uint8_t end);

size_t stack_archive_n_added(const struct stack_archive_writer *writer);

/* Appends the section.  ERR_LIMIT. */
bool stack_archive_write(const struct stack_archive_writer *writer, struct buf *out, struct err *err);

#endif
