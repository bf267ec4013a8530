/* SPDX-License-Identifier: BSD-3-Clause */
/* Are two SPE records the same in all that they say?  Their offsets may differ. */
#ifndef SPE_COMPARE_H
#define SPE_COMPARE_H

#include "spe_record.h"

static inline bool spe_same_code(const struct spe_code_address *a, const struct spe_code_address *b)
{
        return a->addr == b->addr && a->el == b->el && a->security == b->security;
}

static inline bool spe_same_data(const struct spe_record *a, const struct spe_record *b)
{
        return a->virtual_addr.addr == b->virtual_addr.addr && a->virtual_addr.tag == b->virtual_addr.tag &&
               a->physical_addr.addr == b->physical_addr.addr &&
               a->physical_addr.security == b->physical_addr.security &&
               a->physical_addr.is_checked == b->physical_addr.is_checked &&
               a->physical_addr.tag == b->physical_addr.tag && a->source == b->source;
}

static inline bool spe_same_record(const struct spe_record *a, const struct spe_record *b)
{
        return a->has == b->has && a->size_bytes == b->size_bytes && spe_same_code(&a->pc, &b->pc) &&
               spe_same_code(&a->target, &b->target) &&
               spe_same_code(&a->previous_target, &b->previous_target) && spe_same_data(a, b) &&
               a->events == b->events && a->timestamp == b->timestamp && a->op.class_id == b->op.class_id &&
               a->op.subclass == b->op.subclass && a->op.flags == b->op.flags &&
               a->op.vector_bits == b->op.vector_bits && a->op_payload == b->op_payload &&
               a->total_cycles == b->total_cycles && a->issue_cycles == b->issue_cycles &&
               a->translation_cycles == b->translation_cycles && a->context_el1 == b->context_el1 &&
               a->context_el2 == b->context_el2;
}

#endif
