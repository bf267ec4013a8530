/* SPDX-License-Identifier: BSD-3-Clause */
/* The times in which the samples of a thread show that it ran, for exports with a time line. */
#ifndef EXPORT_SPANS_H
#define EXPORT_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export.h"
#include "export_threads.h"

struct export_span {
        uint64_t begin_ns, end_ns;
        uint32_t node; /* of the sample */
};

struct export_spans {
        struct export_span *span; /* one for each sample, in the order of time; they do not overlap */
        size_t n;
};

/* Of a clock (about->is_time) a sample stands for its weight before it, or from the time when that began.
 * Samples of a running thread are slightly more or less than a weight apart, so a shorter pause is ignored
 * where only the weight is known.  Of another event, a sample stands for the time since the thread's previous
 * one, or, after a pause of more than twice the usual distance, for the usual distance. */
void export_spans_list(const struct sample_list *samples, const struct export_threads *threads,
                       const struct export_thread *thread, const struct export_about *about,
                       struct export_spans *ret);
void export_spans_release(struct export_spans *spans);

#endif
