/* SPDX-License-Identifier: BSD-3-Clause */
/* The samples of one CPU on their way from its interrupts to a reader on any CPU. One writer, one reader,
 * no lock. */
#ifndef SAMPLE_RING_H
#define SAMPLE_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "abi.h"

enum { SAMPLE_RING_BYTES = 1 << 20 }; /* some 20,000 samples without callers, 2,000 with 64 */

struct sample_ring {
        uint64_t *words;             /* SAMPLE_RING_BYTES of them, of whoever made the ring */
        _Atomic uint64_t head, tail; /* words written and read since the start */
        _Atomic uint64_t generated, dropped;
};

/* Empties the ring; nobody writes or reads. */
void sample_ring_reset(struct sample_ring *ring);

/* Appends a sample with its n_chain callers, or counts it as dropped if there is no room. `missed` earlier
 * ones count as generated and dropped. */
void sample_ring_add(struct sample_ring *ring, const struct abi_sample *sample, const uint64_t *chain);

/* Moves whole samples to `out` while they fit; returns their bytes. */
uint32_t sample_ring_take(struct sample_ring *ring, void *out, uint32_t max_bytes);

#endif
