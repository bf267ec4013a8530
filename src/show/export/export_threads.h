/* SPDX-License-Identifier: BSD-3-Clause */
/* The samples of one event by thread, for each thread in the order of time; for exports with a time line. */
#ifndef EXPORT_THREADS_H
#define EXPORT_THREADS_H

#include <stddef.h>
#include <stdint.h>

#include "sample_list.h"

struct export_thread {
        int32_t pid, tid;
        uint32_t name;         /* index for sample_list_text: the last name of the thread */
        uint32_t process_name; /* the main thread's name, or that of the first thread with samples */
        size_t first, n;       /* range in `order` */
};

struct export_timing {
        uint64_t time_ns;
        uint32_t sample; /* index in the list */
};

struct export_threads {
        struct export_thread *thread; /* in the order of their first samples */
        size_t n, cap;
        struct export_timing *order; /* all threads, one after the other */
        size_t n_samples;
        uint64_t start_ns, end_ns; /* times of the first and the last sample; 0 without samples */
};

/* Release `ret` with export_threads_release(). */
void export_threads_list(const struct sample_list *samples, uint32_t event, struct export_threads *ret);
void export_threads_release(struct export_threads *threads);

#endif
