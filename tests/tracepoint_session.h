/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions of tracepoints, for tests: their formats, and samples with raw data. */
#ifndef TRACEPOINT_SESSION_H
#define TRACEPOINT_SESSION_H

#include "session_builder.h"

struct tracepoint_format {
        uint64_t id;
        const char *system, *text; /* as in tracefs */
};

/* A session whose events are these, in this order, each sampled every time. */
void tracepoint_session_begin(struct session_builder *b, const struct tracepoint_format *formats, size_t n);

/* A sample of an event, of the kernel, without a stack; `tid` is the process, too. */
void tracepoint_session_sample(struct session_builder *b, unsigned event, uint64_t time, int32_t tid,
                               uint64_t period, const void *raw, uint32_t raw_size);

/* Writes the lower `size` bytes of a value into raw data, in this machine's byte order. */
void tracepoint_session_put(uint8_t *raw, size_t offset, uint64_t value, size_t size);

#endif
