/* SPDX-License-Identifier: BSD-3-Clause */
/* One packet of Arm's Statistical Profiling Extension: its kind, its payload and what the payload says (Arm
 * ARM, DDI 0487, chapter "The Statistical Profiling Extension sample record format", up to FEAT_SPEv1p4).
 * Which packets make up a record is decided in spe_record.c. */
#ifndef SPE_PACKET_H
#define SPE_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#include "cursor.h"

enum spe_packet_kind {
        SPE_PACKET_PADDING,
        SPE_PACKET_END,       /* ends a record that has no timestamp */
        SPE_PACKET_TIMESTAMP, /* ends a record */
        SPE_PACKET_CONTEXT,   /* index: 0 CONTEXTIDR_EL1, 1 CONTEXTIDR_EL2, else reserved */
        SPE_PACKET_COUNTER,   /* index: enum spe_counter */
        SPE_PACKET_EVENTS,    /* payload: a bit for each event, SPE_EVENT_x */
        SPE_PACKET_SOURCE,    /* payload: a number whose meaning depends on the CPU, spe_source.h */
        SPE_PACKET_OPERATION, /* index: enum spe_class; payload: spe_operation_read */
        SPE_PACKET_ADDRESS,   /* index: enum spe_address */
        SPE_PACKET_ALIGNMENT, /* until Armv8.5: padding follows, up to a multiple of 2^(index + 1) bytes */
        SPE_PACKET_N_KINDS,
        /* No packet, from spe_packet_at alone. */
        SPE_PACKET_IS_CUT = SPE_PACKET_N_KINDS,
        SPE_PACKET_IS_BAD,
};

enum spe_counter { SPE_COUNTER_TOTAL, SPE_COUNTER_ISSUE, SPE_COUNTER_TRANSLATION, SPE_COUNTER_N_KNOWN };

enum spe_address {
        SPE_ADDRESS_PC,
        SPE_ADDRESS_TARGET,
        SPE_ADDRESS_DATA_VIRTUAL,
        SPE_ADDRESS_DATA_PHYSICAL,
        SPE_ADDRESS_PREVIOUS_TARGET, /* of the branch that was taken last before this operation
                                        (FEAT_SPE_PBT) */
        SPE_ADDRESS_N_KNOWN,
};

enum spe_event {
        SPE_EVENT_EXCEPTION = 0,
        SPE_EVENT_RETIRED = 1,
        SPE_EVENT_L1D_ACCESS = 2,
        SPE_EVENT_L1D_REFILL = 3,
        SPE_EVENT_TLB_ACCESS = 4,
        SPE_EVENT_TLB_WALK = 5,
        SPE_EVENT_NOT_TAKEN = 6,
        SPE_EVENT_MISPREDICTED = 7,
        SPE_EVENT_LLC_ACCESS = 8,
        SPE_EVENT_LLC_MISS = 9,
        SPE_EVENT_REMOTE_ACCESS = 10,
        SPE_EVENT_MISALIGNED = 11,
        SPE_EVENT_TRANSACTION = 16,
        SPE_EVENT_PARTIAL_PREDICATE = 17,
        SPE_EVENT_EMPTY_PREDICATE = 18,
        SPE_EVENT_L2D_ACCESS = 19,
        SPE_EVENT_L2D_MISS = 20,
        SPE_EVENT_DATA_MODIFIED = 21,    /* the cache that gave the data had changed it */
        SPE_EVENT_RECENTLY_FETCHED = 22, /* the data was on its way already */
        SPE_EVENT_DATA_SNOOPED = 23,     /* another cache gave the data */
        SPE_EVENT_STREAMING_SVE = 24,
        SPE_EVENT_SMCU = 25, /* done by a unit that cores share */
};

#define SPE_EVENT_BIT(event) (UINT64_C(1) << (event))

struct spe_packet {
        uint8_t kind;          /* enum spe_packet_kind */
        uint8_t index;         /* see enum spe_packet_kind; 0 where the kind has none */
        uint8_t size_bytes;    /* header and payload */
        uint8_t payload_bytes; /* 0, 1, 2, 4 or 8 */
        uint64_t payload;      /* as a little-endian number */
};

enum {
        SPE_PACKET_MAX_BYTES = 10, /* an extended header and 8 bytes */
        SPE_PACKET_MAX_INDEX = 31,
};

/* What the first byte of a packet tells, and the second one of an extended header. */
struct spe_header {
        uint8_t kind; /* enum spe_packet_kind, or SPE_HEADER_EXTENDED */
        uint8_t index;
        uint8_t payload_bytes;
        uint8_t size_bytes;
};

enum { SPE_HEADER_EXTENDED = 0xff }; /* of two bytes */

extern const struct spe_header spe_packet_headers[256];

/* The packet at `at`, whose header has two bytes. */
struct spe_packet spe_packet_extended_at(const uint8_t *at, size_t left);

/* The payload, of which all bytes are there. */
static inline uint64_t spe_packet_payload(const uint8_t *at, size_t left, unsigned n_bytes)
{
        uint64_t payload = 0;

        if (left >= sizeof(payload) && n_bytes) {
                memcpy(&payload, at, sizeof(payload));
                return payload & UINT64_MAX >> (64 - 8 * n_bytes);
        }
        for (unsigned i = 0; i < n_bytes; i++)
                payload |= (uint64_t)at[i] << 8 * i;
        return payload;
}

/* The packet at `at`, where `left` bytes are left; its kind says if there is none.  Inline and without a
 * pointer to the result, because a decoder spends its time here. */
static inline struct spe_packet spe_packet_at(const uint8_t *at, size_t left)
{
        const struct spe_header *header;

        if (!left)
                return (struct spe_packet){.kind = SPE_PACKET_IS_CUT};
        header = &spe_packet_headers[*at];
        if (header->kind == SPE_HEADER_EXTENDED)
                return spe_packet_extended_at(at, left);
        if (left < header->size_bytes)
                return (struct spe_packet){.kind = SPE_PACKET_IS_CUT};
        return (struct spe_packet){header->kind, header->index, header->size_bytes, header->payload_bytes,
                                   spe_packet_payload(at + 1, left - 1, header->payload_bytes)};
}

enum spe_packet_status {
        SPE_PACKET_WHOLE,
        SPE_PACKET_CUT, /* the bytes begin like a packet and end before it does, or there are none */
        SPE_PACKET_BAD, /* no packet begins with these bytes */
};

/* Reads the packet at the cursor and moves past it.  Where the packet is not whole, the cursor stays and
 * *packet is not written. */
enum spe_packet_status spe_packet_read(struct cursor *c, struct spe_packet *packet);

/* The class of an operation. */
enum spe_class { SPE_CLASS_OTHER, SPE_CLASS_LOAD_STORE, SPE_CLASS_BRANCH, SPE_CLASS_RESERVED };

/* What kind of operation it is within its class. */
enum spe_subclass {
        SPE_SUBCLASS_UNKNOWN, /* a payload that FEAT_SPEv1p4 does not define */
        /* class OTHER */
        SPE_SUBCLASS_PLAIN, /* flags: CONDITIONAL (a conditional select or compare), FP, ASE */
        SPE_SUBCLASS_SVE,   /* flags: FP, PREDICATED */
        SPE_SUBCLASS_SME,   /* flags: FP */
        /* class LOAD_STORE; flags: STORE, else it is a load */
        SPE_SUBCLASS_GENERAL,     /* general-purpose registers */
        SPE_SUBCLASS_SIMD_FP,     /* SIMD and floating-point registers */
        SPE_SUBCLASS_EXTENDED,    /* flags: ATOMIC, EXCLUSIVE, ORDERED */
        SPE_SUBCLASS_UNSPECIFIED, /* registers that are not told */
        SPE_SUBCLASS_SYSTEM,      /* a system register that FEAT_NV2 keeps in memory */
        SPE_SUBCLASS_TAG,         /* allocation tags of FEAT_MTE */
        SPE_SUBCLASS_COPY,        /* memory copy (FEAT_MOPS) */
        SPE_SUBCLASS_SET,         /* memory set (FEAT_MOPS) */
        SPE_SUBCLASS_VECTOR,      /* SVE or SME registers; flags: PREDICATED, GATHER */
        SPE_SUBCLASS_GCS,         /* guarded control stack; flags: COMMON */
        /* class BRANCH; flags: CONDITIONAL, INDIRECT, GUARDED, and CALL, RETURN or NO_CALL where the CPU
         * tells */
        SPE_SUBCLASS_BRANCH,
};

enum spe_operation_flag {
        SPE_OPERATION_LOAD = 1 << 0,
        SPE_OPERATION_STORE = 1 << 1,
        SPE_OPERATION_ATOMIC = 1 << 2,
        SPE_OPERATION_EXCLUSIVE = 1 << 3,
        SPE_OPERATION_ORDERED = 1 << 4, /* acquire or release */
        SPE_OPERATION_PREDICATED = 1 << 5,
        SPE_OPERATION_GATHER = 1 << 6, /* gather load or scatter store */
        SPE_OPERATION_COMMON = 1 << 7, /* the COMMON bit of an access to the guarded control stack */
        SPE_OPERATION_CONDITIONAL = 1 << 8,
        SPE_OPERATION_FP = 1 << 9,
        SPE_OPERATION_ASE = 1 << 10, /* Advanced SIMD */
        SPE_OPERATION_INDIRECT = 1 << 11,
        SPE_OPERATION_GUARDED = 1 << 12, /* a branch that uses the guarded control stack */
        SPE_OPERATION_CALL = 1 << 13,    /* branch with link */
        SPE_OPERATION_RETURN = 1 << 14,
        SPE_OPERATION_NO_CALL = 1 << 15, /* FEAT_SPE_CRR says: neither call nor return */
};

struct spe_operation {
        uint8_t class_id;     /* enum spe_class */
        uint8_t subclass;     /* enum spe_subclass */
        uint16_t flags;       /* SPE_OPERATION_x */
        uint32_t vector_bits; /* effective vector length or tile size, rounded up to a power of two; 0: not
                                 told */
};

/* What the payload of an operation packet says; `class_id` is the packet's index. */
struct spe_operation spe_operation_read(unsigned class_id, unsigned payload);

/* Security state of an address: NSE:NS of FEAT_RME; without that feature only the first two. */
enum spe_security { SPE_SECURE, SPE_NONSECURE, SPE_ROOT, SPE_REALM };

static inline uint8_t spe_security_read(uint64_t payload)
{
        return (uint8_t)((payload >> 60 & 1) << 1 | payload >> 63);
}

/* An address of 56 bits as one of 64: bits 56 to 63 become copies of bit 55. */
static inline uint64_t spe_address_extend(uint64_t payload)
{
        return (uint64_t)((int64_t)(payload << 8) >> 8);
}

/* An instruction's address: the PC, a branch's target, the previous target. */
struct spe_code_address {
        uint64_t addr; /* extended */
        uint8_t el;
        uint8_t security; /* enum spe_security */
};

static inline struct spe_code_address spe_code_address_read(uint64_t payload)
{
        return (struct spe_code_address){spe_address_extend(payload), payload >> 61 & 3,
                                         spe_security_read(payload)};
}

struct spe_virtual_address {
        uint64_t addr; /* extended */
        uint8_t tag;   /* bits 56 to 63 as the program had them */
};

static inline struct spe_virtual_address spe_virtual_address_read(uint64_t payload)
{
        return (struct spe_virtual_address){spe_address_extend(payload), (uint8_t)(payload >> 56)};
}

struct spe_physical_address {
        uint64_t addr;
        uint8_t security; /* enum spe_security */
        bool is_checked;  /* an access with a checked tag of FEAT_MTE */
        uint8_t tag;      /* the allocation tag that was asked for; valid with is_checked */
};

static inline struct spe_physical_address spe_physical_address_read(uint64_t payload)
{
        return (struct spe_physical_address){
                .addr = payload & UINT64_C(0x00ffffffffffffff),
                .security = spe_security_read(payload),
                .is_checked = payload >> 62 & 1,
                .tag = payload >> 56 & 0xf,
        };
}

#endif
