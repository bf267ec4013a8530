/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of headers, and what payloads say. */
#include "spe_packet.h"

#define WITHOUT_PAYLOAD(kind)                                                                                \
        {                                                                                                    \
                kind, 0, 0, 1                                                                                \
        }
#define WITH(kind, index, n_bytes)                                                                           \
        {                                                                                                    \
                SPE_PACKET_##kind, index, n_bytes, 1 + (n_bytes)                                             \
        }
#define FOUR(kind, first, n_bytes)                                                                           \
        WITH(kind, (first), n_bytes), WITH(kind, (first) + 1, n_bytes), WITH(kind, (first) + 2, n_bytes),    \
                WITH(kind, (first) + 3, n_bytes)
#define BAD         WITHOUT_PAYLOAD(SPE_PACKET_IS_BAD)
#define BAD_2       BAD, BAD
#define BAD_4       BAD_2, BAD_2
#define BAD_8       BAD_4, BAD_4
#define BAD_16      BAD_8, BAD_8
#define EXTENDED    WITHOUT_PAYLOAD(SPE_HEADER_EXTENDED)
#define EXTENDED_4  EXTENDED, EXTENDED, EXTENDED, EXTENDED
#define EXTENDED_16 EXTENDED_4, EXTENDED_4, EXTENDED_4, EXTENDED_4

/* clang-format off */
const struct spe_header spe_packet_headers[256] = {
        /* 00 */ WITHOUT_PAYLOAD(SPE_PACKET_PADDING), WITHOUT_PAYLOAD(SPE_PACKET_END), BAD_2, BAD_4, BAD_8,
        /* 10 */ BAD_16,
        /* 20 */ EXTENDED_16,
        /* 30 */ BAD_16,
        /* 40 */ BAD_2, WITH(EVENTS, 0, 1), WITH(SOURCE, 0, 1), BAD_4, FOUR(OPERATION, 0, 1), BAD_4,
        /* 50 */ BAD_2, WITH(EVENTS, 0, 2), WITH(SOURCE, 0, 2), BAD_4, BAD_8,
        /* 60 */ BAD_2, WITH(EVENTS, 0, 4), WITH(SOURCE, 0, 4), FOUR(CONTEXT, 0, 4), BAD_8,
        /* 70 */ BAD, WITH(TIMESTAMP, 0, 8), WITH(EVENTS, 0, 8), WITH(SOURCE, 0, 8), BAD_4, BAD_8,
        /* 80 */ BAD_16,
        /* 90 */ BAD_8, FOUR(COUNTER, 0, 2), FOUR(COUNTER, 4, 2),
        /* a0 */ BAD_16,
        /* b0 */ FOUR(ADDRESS, 0, 8), FOUR(ADDRESS, 4, 8), BAD_8,
        /* c0 */ BAD_16, BAD_16, BAD_16, BAD_16,
};
/* clang-format on */

/* An alignment, or a counter or an address whose index has more bits. */
struct spe_packet spe_packet_extended_at(const uint8_t *at, size_t left)
{
        const struct spe_header *header;
        uint8_t index;

        if (left < 2)
                return (struct spe_packet){.kind = SPE_PACKET_IS_CUT};
        if (at[1] == 0)
                return (struct spe_packet){SPE_PACKET_ALIGNMENT, at[0] & 0xf, 2, 0, 0};
        header = &spe_packet_headers[at[1]];
        if (at[0] > 0x23 || (header->kind != SPE_PACKET_COUNTER && header->kind != SPE_PACKET_ADDRESS))
                return (struct spe_packet){.kind = SPE_PACKET_IS_BAD};
        if (left < (size_t)header->size_bytes + 1)
                return (struct spe_packet){.kind = SPE_PACKET_IS_CUT};
        index = (uint8_t)((at[0] & 3) << 3 | header->index);
        return (struct spe_packet){header->kind, index, header->size_bytes + 1, header->payload_bytes,
                                   spe_packet_payload(at + 2, left - 2, header->payload_bytes)};
}

enum spe_packet_status spe_packet_read(struct cursor *c, struct spe_packet *packet)
{
        const struct spe_packet found = spe_packet_at(c->at, cursor_left(c));

        if (found.kind == SPE_PACKET_IS_CUT)
                return SPE_PACKET_CUT;
        if (found.kind == SPE_PACKET_IS_BAD)
                return SPE_PACKET_BAD;
        *packet = found;
        c->at += found.size_bytes;
        return SPE_PACKET_WHOLE;
}

static uint32_t vector_bits(unsigned payload)
{
        return 32u << (payload >> 4 & 7);
}

static uint16_t flag_if(unsigned payload, unsigned bit, enum spe_operation_flag flag)
{
        return payload >> bit & 1 ? (uint16_t)flag : 0;
}

static void read_other(unsigned payload, struct spe_operation *op)
{
        const uint16_t fp = flag_if(payload, 1, SPE_OPERATION_FP);

        if ((payload & 0xf8) == 0) {
                op->subclass = SPE_SUBCLASS_PLAIN;
                op->flags = fp | flag_if(payload, 0, SPE_OPERATION_CONDITIONAL) |
                            flag_if(payload, 2, SPE_OPERATION_ASE);
        } else if ((payload & 0x89) == 0x08) {
                op->subclass = SPE_SUBCLASS_SVE;
                op->flags = fp | flag_if(payload, 2, SPE_OPERATION_PREDICATED);
                op->vector_bits = vector_bits(payload);
        } else if ((payload & 0x89) == 0x88) {
                op->subclass = SPE_SUBCLASS_SME;
                op->flags = fp;
                op->vector_bits = 128u << ((payload >> 4 & 7) << 1 | (payload >> 2 & 1));
        }
}

static enum spe_subclass load_store_subclass(unsigned payload)
{
        switch (payload & 0xfe) {
        case 0x00: return SPE_SUBCLASS_GENERAL;
        case 0x04: return SPE_SUBCLASS_SIMD_FP;
        case 0x10: return SPE_SUBCLASS_UNSPECIFIED;
        case 0x14: return SPE_SUBCLASS_TAG;
        case 0x20: return SPE_SUBCLASS_COPY;
        case 0x24: return payload & 1 ? SPE_SUBCLASS_SET : SPE_SUBCLASS_UNKNOWN;
        case 0x30: return SPE_SUBCLASS_SYSTEM;
        case 0x40:
        case 0x44: return SPE_SUBCLASS_GCS;
        default:
                if ((payload & 0xe2) == 0x02)
                        return SPE_SUBCLASS_EXTENDED;
                return (payload & 0x0a) == 0x08 ? SPE_SUBCLASS_VECTOR : SPE_SUBCLASS_UNKNOWN;
        }
}

static void read_load_store(unsigned payload, struct spe_operation *op)
{
        op->subclass = (uint8_t)load_store_subclass(payload);
        op->flags = payload & 1 ? SPE_OPERATION_STORE : SPE_OPERATION_LOAD;
        if (op->subclass == SPE_SUBCLASS_EXTENDED) {
                op->flags |= flag_if(payload, 2, SPE_OPERATION_ATOMIC) |
                             flag_if(payload, 3, SPE_OPERATION_EXCLUSIVE) |
                             flag_if(payload, 4, SPE_OPERATION_ORDERED);
        } else if (op->subclass == SPE_SUBCLASS_VECTOR) {
                op->flags |= flag_if(payload, 2, SPE_OPERATION_PREDICATED) |
                             flag_if(payload, 7, SPE_OPERATION_GATHER);
                op->vector_bits = vector_bits(payload);
        } else if (op->subclass == SPE_SUBCLASS_GCS) {
                op->flags |= flag_if(payload, 2, SPE_OPERATION_COMMON);
        }
}

static void read_branch(unsigned payload, struct spe_operation *op)
{
        static const uint16_t call_or_return[4] = {0, SPE_OPERATION_CALL, SPE_OPERATION_RETURN,
                                                   SPE_OPERATION_NO_CALL};

        if (payload & 0xe0)
                return;
        op->subclass = SPE_SUBCLASS_BRANCH;
        op->flags = flag_if(payload, 0, SPE_OPERATION_CONDITIONAL) |
                    flag_if(payload, 1, SPE_OPERATION_INDIRECT) | flag_if(payload, 2, SPE_OPERATION_GUARDED) |
                    call_or_return[payload >> 3 & 3];
}

struct spe_operation spe_operation_read(unsigned class_id, unsigned payload)
{
        struct spe_operation op = {.class_id = class_id & 3};

        if (op.class_id == SPE_CLASS_OTHER)
                read_other(payload, &op);
        else if (op.class_id == SPE_CLASS_LOAD_STORE)
                read_load_store(payload, &op);
        else if (op.class_id == SPE_CLASS_BRANCH)
                read_branch(payload, &op);
        return op;
}
