/* SPDX-License-Identifier: BSD-3-Clause */
/* SPE as text: packets as `perf report -D` prints them, and the names that WindowsPerf gives to what was
 * sampled. */
#ifndef SPE_TEXT_H
#define SPE_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "spe_packet.h"
#include "spe_record.h"

enum spe_text_style {
        SPE_TEXT_PERF, /* as perf 6.12 */
        SPE_TEXT_FULL, /* with what perf 6.12 leaves out: SME, the guarded control stack, calls and returns,
                          events from bit 19 on */
};

/* Appends the packet without a line's end: "PC 0x47bfc4 el0 ns=1", "LAT 7 TOT", "EV RETIRED L1D-ACCESS". */
void spe_text_add_packet(struct buf *out, const struct spe_packet *packet, enum spe_text_style style);

/* Appends a line for each packet, with its offset and its bytes, as perf does: padding up to 16 bytes in
 * one line, and `Bad packet!` for each byte that begins no whole packet.  `off` is the offset of the first
 * byte. */
void spe_text_add_dump(struct buf *out, const void *bytes, size_t size, uint64_t off,
                       enum spe_text_style style);

/* Appends what was sampled by WindowsPerf's names:
 * "LOAD_STORE_ATOMIC-LOAD-GP/retired+level1-data-cache-access+tlb_access", with its spelling (remote-acess)
 * and its order of events.  Where WindowsPerf has no name or fails: "none" for no event, names of the same
 * kind for the events of FEAT_SPEv1p4 ("level2-data-cache-access"), "event-N" for bit N that has no meaning
 * of the architecture, each after WindowsPerf's own; "UNKNOWN" for a record without an operation,
 * "RESERVED" for class 3. */
void spe_text_add_sampled(struct buf *out, const struct spe_record *record);

#endif
