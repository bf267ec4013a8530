/* SPDX-License-Identifier: BSD-3-Clause */
/* What SPE of the simulated machine samples: operations with numbers from 1, and for each a record of 64
 * bytes, from which its number can be read. Of four operations two are loads, one is a store and one a
 * branch. */
#ifndef SIM_SPE_H
#define SIM_SPE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
        SIM_SPE_RECORD_BYTES = 64,
        SIM_SPE_ADDRESS_AT = 23,         /* of the data or of a branch's target: header and 8 bytes */
        SIM_SPE_FIRST_ADDRESS = 0x10000, /* of operation 0 */
        SIM_SPE_STEP = 16,
        /* PMSIDR_EL1: filters by events, types, latency and events that did not happen; records of 64
         * bytes, counters of 12 bits, 1,024 operations between two samples. */
        SIM_PMSIDR = 0x26447,
        SIM_PMSIDR_FNE = 0x40,
};

/* As in PMSFCR_EL1 from bit 16. */
enum sim_spe_type { SIM_SPE_BRANCH = 1, SIM_SPE_LOAD = 2, SIM_SPE_STORE = 4 };

/* All retire (bit 1); half of the accesses refill L1D (bit 3), half of the branches are mispredicted (bit
 * 7). */
struct sim_operation {
        enum sim_spe_type type;
        uint32_t latency; /* cycles, 0 to 99 */
        uint64_t events;
};

static inline struct sim_operation sim_spe_operation(uint64_t number)
{
        static const uint8_t types[] = {SIM_SPE_STORE, SIM_SPE_LOAD, SIM_SPE_LOAD, SIM_SPE_BRANCH};
        struct sim_operation op = {(enum sim_spe_type)types[number % 4], (uint32_t)(number * 7 % 100),
                                   1 << 1};

        if (number % 8 < 4)
                op.events |= op.type == SIM_SPE_BRANCH ? 1 << 7 : 1 << 3;
        return op;
}

/* The number of a record's operation; 0 for padding. */
static inline uint64_t sim_spe_number(const void *record)
{
        uint64_t address;

        if (!*(const unsigned char *)record)
                return 0;
        memcpy(&address, (const char *)record + SIM_SPE_ADDRESS_AT + 1, sizeof(address));
        return (address - SIM_SPE_FIRST_ADDRESS) / SIM_SPE_STEP;
}

#endif
