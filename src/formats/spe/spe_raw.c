/* SPDX-License-Identifier: BSD-3-Clause */
#include "spe_raw.h"

#include "spe_text.h"

enum { EVENT_BITS = 28, LOAD_STORE_KINDS = 3, BRANCH_KINDS = 4 };

/* The upper bits of a source. */
enum source_kind {
        KIND_OTHER = 1,
        KIND_RESERVED,
        KIND_LOAD, /* to general-purpose registers; then to SIMD and FP registers; then others */
        KIND_STORE = KIND_LOAD + LOAD_STORE_KINDS,
        KIND_BRANCH = KIND_STORE + LOAD_STORE_KINDS, /* then by the two low bits of the payload */
        KIND_END = KIND_BRANCH + BRANCH_KINDS,
};

_Static_assert(KIND_END <= 1 << (32 - EVENT_BITS), "the kind fits");

/* The payload without the store bit, for each kind of load and store; the last one stands for all others. */
static const uint8_t load_store_payloads[LOAD_STORE_KINDS] = {0, 2 << 1, 1 << 1};

bool spe_raw_read(struct cursor raw, struct spe_raw *ret)
{
        ret->events = cursor_u64(&raw);
        ret->previous_target = cursor_u64(&raw);
        ret->class_id = cursor_u8(&raw);
        ret->op_payload = cursor_u8(&raw);
        ret->source = cursor_u16(&raw);
        return !raw.failed;
}

static uint32_t kind_of(const struct spe_raw *raw)
{
        uint32_t kind = 0;

        switch (raw->class_id) {
        case SPE_CLASS_OTHER: return KIND_OTHER;
        case SPE_CLASS_LOAD_STORE:
                while (kind + 1 < LOAD_STORE_KINDS && load_store_payloads[kind] != (raw->op_payload & ~1))
                        kind++;
                return kind + (raw->op_payload & 1 ? KIND_STORE : KIND_LOAD);
        case SPE_CLASS_BRANCH: return KIND_BRANCH + raw->op_payload % BRANCH_KINDS;
        default: return KIND_RESERVED;
        }
}

uint32_t spe_raw_pack_source(const struct spe_raw *raw)
{
        return kind_of(raw) << EVENT_BITS | (uint32_t)(raw->events & ((1u << EVENT_BITS) - 1));
}

void spe_raw_add_source(struct buf *out, uint32_t source)
{
        uint32_t kind = source >> EVENT_BITS;
        struct spe_record record = {
                .has = SPE_HAS_OPERATION | SPE_HAS_EVENTS,
                .events = source & ((1u << EVENT_BITS) - 1),
        };

        if (kind >= KIND_BRANCH) {
                record.op.class_id = SPE_CLASS_BRANCH;
                record.op_payload = (uint8_t)(kind - KIND_BRANCH);
        } else if (kind >= KIND_LOAD) {
                record.op.class_id = SPE_CLASS_LOAD_STORE;
                record.op_payload =
                        load_store_payloads[(kind - KIND_LOAD) % LOAD_STORE_KINDS] | (kind >= KIND_STORE);
        } else if (kind == KIND_RESERVED) {
                record.op.class_id = SPE_CLASS_RESERVED;
        }
        spe_text_add_sampled(out, &record);
}
