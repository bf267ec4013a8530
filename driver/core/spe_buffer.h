/* SPDX-License-Identifier: BSD-3-Clause */
/* SPE of one CPU: the hardware writes records into a ring of memory, piece by piece; a reader on any CPU
 * takes them.
 *
 * All functions are called on the CPU, without its interrupts; none of them copies. */
#ifndef SPE_BUFFER_H
#define SPE_BUFFER_H

#include "abi.h"
#include "hw.h"

enum {
        SPE_BUFFER_BYTES = 1 << 20,
        SPE_PAGE_BYTES = 4096,
        SPE_LONGEST_RECORD_BYTES = 2048, /* no record is longer: PMSIDR_EL1.MaxSize */
        /* A piece that ends sooner at the end of the ring is not begun, or left at the next tick, if there
         * is room at the start. */
        SPE_PIECE_LEAST_BYTES = SPE_BUFFER_BYTES / 4,
};

struct spe_buffer {
        const struct hw *hw;
        uint8_t *memory; /* SPE_BUFFER_BYTES, of whoever made the buffer; NULL: no SPE */
        struct abi_spe what;
        bool has_events_not;             /* PMSNEVFR_EL1 exists; else an access stops the kernel */
        uint64_t kept[HW_SPE_REGISTERS]; /* the registers as they were before the start */
        uint64_t head, tail; /* bytes written and read since the start, skipped ends of the ring included */
        uint64_t skip; /* the head from which on the ring's end was skipped; UINT64_MAX: nothing unread was */
        uint64_t piece; /* bytes of the ring that the hardware may write, from head; 0: paused */
        uint64_t stalls, losses, total;
        bool running, stalled;
};

/* Bits of PMBSR_EL1. */
#define SPE_STATUS_COLLISION (UINT64_C(1) << 16)
#define SPE_STATUS_SERVICE   (UINT64_C(1) << 17)
#define SPE_STATUS_LOSS      (UINT64_C(1) << 19)

/* Whether another driver uses SPE of this CPU: its buffer is on. Not while this one runs. */
bool spe_buffer_is_taken(const struct spe_buffer *spe);

void spe_buffer_start(struct spe_buffer *spe);

/* Handles the buffer's interrupt: takes note of what was written and gives the hardware the next piece.
 * False if the interrupt is not this buffer's. */
bool spe_buffer_interrupt(struct spe_buffer *spe);

/* Waits for the last records, then stops, and leaves the registers as they were. What was written can still
 * be read. */
void spe_buffer_stop(struct spe_buffer *spe);

/* The same as spe_buffer_interrupt for a timer, where no interrupt comes: the buffer that is full then was
 * a stall. Leaves a piece that is nearly full. */
void spe_buffer_tick(struct spe_buffer *spe);

/* Bytes that the hardware does not write until spe_buffer_release. */
struct spe_part {
        const uint8_t *from;
        uint32_t bytes; /* 0: there are none */
};

/* Finds up to `max_bytes` that were written and not yet read. `newest`: includes what the hardware has just
 * written. */
struct spe_part spe_buffer_claim(struct spe_buffer *spe, uint32_t max_bytes, bool newest);

/* Removes the bytes of a part, and lets a paused hardware go on. */
void spe_buffer_release(struct spe_buffer *spe, uint32_t bytes);

#endif
