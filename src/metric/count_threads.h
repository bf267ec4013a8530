/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts of `perf record -s -n`: the kernel writes a READ record for each thread that ends, and there are no STAT records. */
#ifndef COUNT_THREADS_H
#define COUNT_THREADS_H

#include <stdint.h>

#include "counts.h"
#include "perfdata_reader.h"

struct count_threads {
        uint64_t n_threads;
        uint64_t first_ns, last_ns; /* of all records with a time */
};

/* Takes a READ record as a count of its thread; others, and those of groups, are ignored. */
void count_threads_take(struct count_threads *threads, const struct perfdata_reader *reader,
                        const struct perfdata_record *record, struct counts *counts);

/* Ends the one round that these counts make. */
void count_threads_finish(const struct count_threads *threads, struct counts *counts);

#endif
