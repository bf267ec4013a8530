/* SPDX-License-Identifier: BSD-3-Clause */
#include "spe_plain.h"

#define PAYLOAD_BYTES(header) (1 << ((header) >> 4 & 3))
#define PLAIN(header, field, first, class_bits)                                                              \
        [header] = {UINT64_MAX >> (64 - 8 * PAYLOAD_BYTES(header)),                                          \
                    1u << FIELD_##field >> 1,                                                                \
                    first,                                                                                   \
                    class_bits,                                                                              \
                    FIELD_##field,                                                                           \
                    1 + PAYLOAD_BYTES(header)}
#define FIRST(kind)              SPE_FIRST_OF(SPE_PACKET_##kind)
#define FIRST_OF_INDEX(kind, at) SPE_FIRST_OF_INDEX(SPE_PACKET_##kind, 1, at)

const struct plain_packet spe_plain_packets[256] = {
        PLAIN(0x42, EVENTS, FIRST(EVENTS), 0),
        PLAIN(0x52, EVENTS, FIRST(EVENTS), 0),
        PLAIN(0x62, EVENTS, FIRST(EVENTS), 0),
        PLAIN(0x72, EVENTS, FIRST(EVENTS), 0),
        PLAIN(0x43, SOURCE, FIRST(SOURCE), 0),
        PLAIN(0x53, SOURCE, FIRST(SOURCE), 0),
        PLAIN(0x48, OPERATION, FIRST(OPERATION), 0),
        PLAIN(0x49, OPERATION, FIRST(OPERATION), 1 << 8),
        PLAIN(0x4a, OPERATION, FIRST(OPERATION), 2 << 8),
        PLAIN(0x4b, OPERATION, FIRST(OPERATION), 3 << 8),
        PLAIN(0x64, CONTEXT_EL1, FIRST(CONTEXT), 0),
        PLAIN(0x65, CONTEXT_EL2, FIRST(CONTEXT), 0),
        PLAIN(0x71, TIMESTAMP, FIRST(TIMESTAMP), 0),
        PLAIN(0x98, TOTAL, FIRST_OF_INDEX(COUNTER, SPE_COUNTER_TOTAL), 0),
        PLAIN(0x99, ISSUE, FIRST_OF_INDEX(COUNTER, SPE_COUNTER_ISSUE), 0),
        PLAIN(0x9a, TRANSLATION, FIRST_OF_INDEX(COUNTER, SPE_COUNTER_TRANSLATION), 0),
        PLAIN(0xb0, PC, FIRST_OF_INDEX(ADDRESS, SPE_ADDRESS_PC), 0),
        PLAIN(0xb1, TARGET, FIRST_OF_INDEX(ADDRESS, SPE_ADDRESS_TARGET), 0),
        PLAIN(0xb2, VIRTUAL, FIRST_OF_INDEX(ADDRESS, SPE_ADDRESS_DATA_VIRTUAL), 0),
        PLAIN(0xb3, PHYSICAL, FIRST_OF_INDEX(ADDRESS, SPE_ADDRESS_DATA_PHYSICAL), 0),
        PLAIN(0xb4, PREVIOUS_TARGET, FIRST_OF_INDEX(ADDRESS, SPE_ADDRESS_PREVIOUS_TARGET), 0),
};
