/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes SPE packets and records for tests. */
#ifndef SPE_BUILDER_H
#define SPE_BUILDER_H

#include "buf.h"
#include "spe_packet.h"

static inline void spe_build_address(struct buf *out, enum spe_address index, uint64_t payload)
{
        buf_add_u8(out, (uint8_t)(0xb0 | index));
        buf_add_u64(out, payload);
}

static inline void spe_build_counter(struct buf *out, enum spe_counter index, unsigned cycles)
{
        buf_add_u8(out, (uint8_t)(0x98 | index));
        buf_add_u16(out, (uint16_t)cycles);
}

static inline void spe_build_events(struct buf *out, unsigned events)
{
        buf_add_u8(out, 0x52);
        buf_add_u16(out, (uint16_t)events);
}

static inline void spe_build_operation(struct buf *out, enum spe_class class_id, unsigned payload)
{
        buf_add_u8(out, (uint8_t)(0x48 | class_id));
        buf_add_u8(out, (uint8_t)payload);
}

static inline void spe_build_context(struct buf *out, unsigned index, uint32_t id)
{
        buf_add_u8(out, (uint8_t)(0x64 | index));
        buf_add_u32(out, id);
}

static inline void spe_build_source(struct buf *out, unsigned value)
{
        buf_add_u8(out, 0x43);
        buf_add_u8(out, (uint8_t)value);
}

enum { SPE_BUILT_BYTES = 64, SPE_TIMESTAMP_BYTES = 9 };

/* Padding up to the timestamp, which ends at a multiple of SPE_BUILT_BYTES after `start`, as Arm's cores
 * do. */
static inline void spe_build_end(struct buf *out, size_t start, uint64_t timestamp)
{
        while ((out->len - start + SPE_TIMESTAMP_BYTES) % SPE_BUILT_BYTES)
                buf_add_u8(out, 0);
        buf_add_u8(out, 0x71);
        buf_add_u64(out, timestamp);
}

/* A load, a branch or another operation by `i`, each record of its own numbers. */
static inline void spe_build_record(struct buf *out, unsigned i)
{
        const size_t start = out->len;

        spe_build_address(out, SPE_ADDRESS_PC, UINT64_C(0x8000aaaac0000000) + i * 4);
        spe_build_context(out, 0, 1000 + i);
        if (i % 3 == 0) {
                spe_build_operation(out, SPE_CLASS_LOAD_STORE, 0);
                spe_build_events(out, 0x16);
                spe_build_address(out, SPE_ADDRESS_DATA_VIRTUAL, UINT64_C(0x0000ffff80000000) + i * 8);
                spe_build_counter(out, SPE_COUNTER_TRANSLATION, 1 + i % 5);
                spe_build_source(out, 8);
        } else if (i % 3 == 1) {
                spe_build_operation(out, SPE_CLASS_BRANCH, 1);
                spe_build_events(out, 0x42);
                spe_build_address(out, SPE_ADDRESS_TARGET, UINT64_C(0x8000aaaac1000000) + i * 4);
        } else {
                spe_build_operation(out, SPE_CLASS_OTHER, 0);
                spe_build_events(out, 0x02);
        }
        spe_build_counter(out, SPE_COUNTER_ISSUE, i % 100);
        spe_build_counter(out, SPE_COUNTER_TOTAL, 100 + i % 1000);
        spe_build_end(out, start, UINT64_C(1000000000000) + i * 1000);
}

#endif
