/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples without the unused part of their stack copies: each copy has the requested size, and most stacks
 * are smaller. */
#ifndef LINUX_TRIM_H
#define LINUX_TRIM_H

#include "record.h"

struct trim {
        struct cursor record;
        const uint8_t *size_at,
                *behind;      /* the copy's size, and the first byte after it and its filled size */
        uint64_t stack_bytes; /* that remain */
        size_t size;          /* of the trimmed record */
};

/* Fills `ret` for a sample of an event with this attribute; false if nothing can be removed. */
bool trim_begin(struct trim *ret, const struct perf_attr *attr, struct cursor record);

/* Writes the trimmed record, trim->size bytes. */
void trim_write(const struct trim *trim, uint8_t *to);

/* The part of the record after the stack copy. */
const uint8_t *trim_behind_stack(const struct sample *sample);

#endif
