/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts of `perf record -s -n`: the kernel writes a READ record for each thread that ends. There are no STAT
 * records. */
#ifndef COUNT_THREADS_H
#define COUNT_THREADS_H

#include <stdint.h>

#include "counts.h"
#include "perfdata_reader.h"

struct count_threads {
        uint64_t n_threads;
        uint64_t first_ns, last_ns; /* of all records that have a time */
};

/* Uses a READ record as the count of its thread. Ignores other records, and READ records of groups. */
void count_threads_take(struct count_threads *threads, const struct perfdata_reader *reader,
                        const struct perfdata_record *record, struct counts *counts);

/* Ends the only round of these counts. */
void count_threads_finish(const struct count_threads *threads, struct counts *counts);

#endif
