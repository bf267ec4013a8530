/* SPDX-License-Identifier: BSD-3-Clause */
/* SPE of one CPU: the hardware writes records into a ring of memory, piece by piece; a reader on the same CPU takes them.
 *
 * All functions are called on the CPU, without its interrupts. */
#ifndef SPE_BUFFER_H
#define SPE_BUFFER_H

#include "abi.h"
#include "hw.h"

enum {
        SPE_BUFFER_BYTES = 1 << 20,
        SPE_PAGE_BYTES = 4096,
        SPE_LONGEST_RECORD_BYTES = 2048, /* no record is longer: PMSIDR_EL1.MaxSize */
};

struct spe_buffer {
        const struct hw *hw;
        uint8_t *memory; /* SPE_BUFFER_BYTES, of whoever made the buffer; NULL: no SPE */
        struct abi_spe what;
        uint64_t head, tail; /* bytes written and read since the start, skipped ends of the ring included */
        uint64_t piece;      /* bytes of the ring that the hardware may write, from head; 0: paused */
        uint64_t stalls, losses, total;
        bool running, stalled;
};

/* Bits of PMBSR_EL1. */
#define SPE_STATUS_COLLISION (UINT64_C(1) << 16)
#define SPE_STATUS_SERVICE   (UINT64_C(1) << 17)
#define SPE_STATUS_LOSS      (UINT64_C(1) << 19)

void spe_buffer_start(struct spe_buffer *spe);

/* Handles the buffer's interrupt: takes note of what was written and gives the hardware the next piece. False if the
 * interrupt is not this buffer's. */
bool spe_buffer_interrupt(struct spe_buffer *spe);

/* Waits for the last records, then stops. What was written can still be read. */
void spe_buffer_stop(struct spe_buffer *spe);

/* Copies and removes up to `max_bytes`, and lets a paused hardware go on; returns the number of bytes. *ret_stalled: the
 * ring was full. */
uint32_t spe_buffer_take(struct spe_buffer *spe, void *out, uint32_t max_bytes, bool *ret_stalled);

#endif
