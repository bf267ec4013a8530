/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes ordinary samples from the AUX data of Arm SPE. Their fields are those of the memory events of x86:
 *
 *   ip, time, cpu, period  the operation, its time, its CPU, and the sampling period in operations
 *   pid, tid               the thread that ran on the CPU at that time; -1 if not known
 *   addr, phys_addr        virtual and physical address of the data
 *   weight                 total latency in cycles; ins_lat is the latency until issue, p_stage_cyc that of
 *                          the address translation
 *   data_src               perf's union perf_mem_data_src
 *   branches               one entry for a taken branch
 *   raw                    struct spe_raw */
#ifndef SPE_SAMPLES_H
#define SPE_SAMPLES_H

#include "perfdata_batch.h"
#include "spe_raw.h"
#include "spe_record.h"

struct spe_samples;

/* Finds the SPE data of a session, and adds an event for their samples to the reader. NULL if there are
 * none. The reader must outlive the result. */
struct spe_samples *spe_samples_open(struct perfdata_reader *reader);
void spe_samples_free(struct spe_samples *samples);

/* From now on a sample may stand for several ones that have the same operation, thread, CPU and state of
 * the maps: its period is their sum, its time that of the last one, and it has no data addresses, latencies
 * and branches. Returns the period of one; 0 if the session's is so long that the sums could overflow, so
 * that each sample stands for itself. */
uint64_t spe_samples_count_equal(struct spe_samples *samples);

/* For perfdata_set_extra(). */
struct perfdata_extra spe_samples_extra(struct spe_samples *samples);

/* True for the event of the session whose samples these are; it has none of its own. */
bool spe_samples_is_source(const struct spe_samples *samples, uint32_t event);

/* The event that was added for the samples. */
uint32_t spe_samples_event(const struct spe_samples *samples);

struct spe_samples_counts {
        struct spe_counts records;
        uint64_t n_aux, n_truncated, n_collided, n_partial; /* AUX records, and how many had a flag */
        uint64_t n_threadless;                              /* samples whose thread is not known */
};

struct spe_samples_counts spe_samples_counts(const struct spe_samples *samples);

#endif
