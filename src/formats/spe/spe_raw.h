/* SPDX-License-Identifier: BSD-3-Clause */
/* The raw data of a sample that was made from an SPE record: what the sample's other fields do not contain.
 * And the sample's source by WindowsPerf's rules: the class of its operation and the set of its events, as
 * one number. */
#ifndef SPE_RAW_H
#define SPE_RAW_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "cursor.h"

struct spe_raw {
        uint64_t events; /* SPE_EVENT_BIT(SPE_EVENT_...) */
        uint64_t
                previous_target; /* target of the last branch taken before the operation; 0 if not recorded */
        uint8_t class_id;        /* enum spe_class */
        uint8_t op_payload;      /* for spe_operation_read() */
        uint16_t source;         /* the number in the CPU's data source packet */
};

bool spe_raw_read(struct cursor raw, struct spe_raw *ret);

/* The source of a sample; never 0.  Contains the events 0 to 27: the architecture (FEAT_SPEv1p4) gives no
 * meaning to the others. */
uint32_t spe_raw_pack_source(const struct spe_raw *raw);

/* Appends the name of a source as spe_text_add_sampled(): "LOAD_STORE_ATOMIC-LOAD-GP/retired+tlb_access". */
void spe_raw_add_source(struct buf *out, uint32_t source);

#endif
