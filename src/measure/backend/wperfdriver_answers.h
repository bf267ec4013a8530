/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the answers of WPERFDRIVER 3.8. Depends on no system. All answers are checked, because another
 * program's driver may have the same name. */
#ifndef WPERFDRIVER_ANSWERS_H
#define WPERFDRIVER_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "kernel.h"
#include "wperfdriver_messages.h"

/* The name in WindowsPerf's source ("PMU_CTL_START"). */
const char *wperfdriver_request_name(enum wperfdriver_request request);

/* Copies an answer that must have exactly `out_size` bytes, else ERR_FORMAT. */
bool wperfdriver_read_answer(enum wperfdriver_request request, const void *answer, size_t size, void *out,
                             size_t out_size, struct err *err);

/* ERR_UNSUPPORTED for another version than 3.7.1, 3.7.2 and 3.8; ERR_FORMAT. */
bool wperfdriver_read_version(const void *answer, size_t size, struct kernel_driver *facts, struct err *err);

/* ERR_FORMAT; an impossible number of cores or counters, too. */
bool wperfdriver_read_hw_cfg(const void *answer, size_t size, struct kernel_driver *facts, struct err *err);

/* The number of events of each class. ERR_FORMAT. */
bool wperfdriver_read_events(const void *answer, size_t size, struct kernel_driver *facts, struct err *err);

/* Whether a status says that this process has the lock; ERR_BUSY, ERR_IO. Editors search for WindowsPerf's
 * words, so wperf's own driver has them, too. */
bool wperfdriver_check_lock(uint32_t status, struct err *err);

/* Another process took the lock by force: ERR_BUSY. */
bool wperfdriver_lost_lock(struct err *err);

/* ERR_FORMAT if there are more samples than an answer has room for. */
bool wperfdriver_read_samples(const void *answer, size_t size, struct wperfdriver_samples *ret,
                              struct err *err);

/* The number of samples that were dropped, from the answer to SAMPLE_STOP. False: it does not say. */
bool wperfdriver_read_dropped(const void *answer, size_t size, uint64_t *ret_dropped);

/* The answer to DSU_INIT, with which `n` clusters of n_cores_each cores were made known; adds these units.
 * ERR_FORMAT. */
bool wperfdriver_add_clusters(const void *answer, size_t size, uint32_t n, uint32_t n_cores_each,
                              struct kernel_driver *facts, struct err *err);

/* Adds the memory controllers. The driver reads their events of dmc_clk from wrong counters (its version
 * 3.8), so these are not counted. */
void wperfdriver_add_memory_controllers(uint32_t n, struct kernel_driver *facts);

/* The counts of an answer. The pointer is into the answer. */
struct wperfdriver_read {
        const char *what; /* "core" */
        uint32_t number;
        uint64_t round;
        const struct wperfdriver_count *counts;
        uint32_t n, max; /* n: as the driver says; max: room in the answer */
};
struct wperfdriver_read wperfdriver_core_counts(const struct wperfdriver_counts *counts, uint32_t core);
struct wperfdriver_read wperfdriver_cluster_counts(const struct wperfdriver_dsu_counts *counts,
                                                   uint32_t cluster);
struct wperfdriver_read wperfdriver_memory_counts(const struct wperfdriver_dmc_counts *counts,
                                                  uint32_t controller);

/* The counts of the events that were assigned. */
struct wperfdriver_sums {
        uint64_t round;
        /* in the order in which the events were assigned */
        const struct wperfdriver_count *events[WPERFDRIVER_COUNTS];
        const struct wperfdriver_count *cycles; /* NULL: not counted */
};

/* `codes` are the events that were assigned. ERR_FORMAT if the counts are not of these. *ret points into
 * the answer. */
bool wperfdriver_read_sums(const struct wperfdriver_read *read, const uint16_t *codes, size_t n_codes,
                           struct wperfdriver_sums *ret, struct err *err);

#endif
