/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets whose header has one byte, by that byte: nearly all that CPUs write. Private to this room. */
#ifndef SPE_PLAIN_H
#define SPE_PLAIN_H

#include <stdint.h>

#include "spe_record.h"

/* The bit of enum spe_field, plus 1; 0 is no field. */
enum plain_field {
        FIELD_NONE,
        FIELD_PC,
        FIELD_TARGET,
        FIELD_VIRTUAL,
        FIELD_PHYSICAL,
        FIELD_PREVIOUS_TARGET,
        FIELD_TOTAL,
        FIELD_ISSUE,
        FIELD_TRANSLATION,
        FIELD_OPERATION,
        FIELD_EVENTS,
        FIELD_SOURCE,
        FIELD_CONTEXT_EL1,
        FIELD_CONTEXT_EL2,
        FIELD_TIMESTAMP,
        N_FIELDS,
};

_Static_assert(SPE_HAS_TIMESTAMP == 1 << (FIELD_TIMESTAMP - 1), "enum plain_field is enum spe_field");
_Static_assert((int)N_FIELDS <= (int)SPE_PACKED_SLOTS, "a slot for each field");

/* Identifies the packet that a record begins with; never 0. The class of an operation and the register of a
 * context are left out, because they differ from record to record. An extended header counts as another
 * packet: a stray 0x20 before a PC is not a part of it. */
#define SPE_FIRST_OF(kind)                            (((kind) + 1) << 8)
#define SPE_FIRST_OF_INDEX(kind, header_bytes, index) (SPE_FIRST_OF(kind) | (header_bytes) << 5 | (index))

/* size_bytes 0: no plain packet has this header. */
struct plain_packet {
        uint64_t payload_mask;
        uint32_t bit;        /* enum spe_field */
        uint16_t first;      /* SPE_FIRST_OF() */
        uint16_t class_bits; /* as in spe_packed_payload() */
        uint8_t field, size_bytes;
};

extern const struct plain_packet spe_plain_packets[256];

#endif
