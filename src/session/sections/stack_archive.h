/* SPDX-License-Identifier: BSD-3-Clause */
/* Unwound stacks that are stored in a session: the result of unwinding a sample from its registers and stack
 * copy, for readers that do not have the modules' files. This code does not depend on an unwinder: ways
 * (methods of unwinding a frame) and ends are the unwinder's numbers. */
#ifndef STACK_ARCHIVE_H
#define STACK_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "budget.h"
#include "buf.h"
#include "cursor.h"
#include "err.h"

enum {
        STACK_ARCHIVE_VERSION = 1,
        STACK_ARCHIVE_MAX_FRAMES = 8192, /* of a stack */
        STACK_ARCHIVE_MAX_KINDS = 64,    /* of ways, and of ends */
};

struct walked_frame {
        uint64_t pc;
        uint8_t way;   /* the method that found the frame */
        bool is_exact; /* pc is the instruction itself, not a return address */
};

/* --- Reading -------------------------------------------------------------------------------------- */

struct stack_archive;

struct archived_walk {
        uint64_t sample; /* counts the samples of all events, in the order of the file, from 0 */
        uint32_t node;   /* internal: the node of its innermost frame */
        uint16_t n_frames;
        uint8_t end; /* why the walk ended */
};

/* Reads the section, which is not needed afterwards. Ways are less than `n_ways` and ends are less than
 * `n_ends`; both are at most STACK_ARCHIVE_MAX_KINDS. Memory is taken from `budget` (NULL: no limit but
 * its own), which outlives the archive.  Fails as archive_section_read() does. */
struct stack_archive *stack_archive_open(struct cursor section, unsigned n_ways, unsigned n_ends,
                                         struct budget *budget, struct err *err);
void stack_archive_free(struct stack_archive *archive);
AUTO_DEFINE(stack_archive)

/* The walks are in the order of the samples. */
size_t stack_archive_n_walks(const struct stack_archive *archive);
const struct archived_walk *stack_archive_get(const struct stack_archive *archive, size_t index);

/* NULL if the sample was not unwound. */
const struct archived_walk *stack_archive_find(const struct stack_archive *archive, uint64_t sample);

/* Copies the innermost `max` frames of a walk, innermost first. Returns how many it copied. */
size_t stack_archive_frames(const struct stack_archive *archive, const struct archived_walk *walk,
                            struct walked_frame *frames, size_t max);

/* The number of frames kept for all walks together. Walks with the same callers share them. */
size_t stack_archive_n_nodes(const struct stack_archive *archive);

/* --- Writing -------------------------------------------------------------------------------------- */

struct stack_archive_writer;

struct stack_archive_writer *stack_archive_writer_new(void);
void stack_archive_writer_free(struct stack_archive_writer *writer);
AUTO_DEFINE(stack_archive_writer)

/* Add samples in ascending order, frames innermost first, and at most STACK_ARCHIVE_MAX_FRAMES of them. */
void stack_archive_add(struct stack_archive_writer *writer, uint64_t sample,
                       const struct walked_frame *frames, size_t n, uint8_t end);

size_t stack_archive_n_added(const struct stack_archive_writer *writer);

/* Appends the section. Fails with ERR_LIMIT. */
bool stack_archive_write(const struct stack_archive_writer *writer, struct buf *out, struct err *err);

#endif
