/* SPDX-License-Identifier: BSD-3-Clause */
/* A stream of SPE bytes as records: what one sampled operation did.  The stream comes in pieces, may begin
 * and end within a record, and may be damaged; only whole records that make sense are given out, the rest
 * is counted. */
#ifndef SPE_RECORD_H
#define SPE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spe_packet.h"
#include "spe_shape.h"

/* Which fields of a record are there; the others are 0. */
enum spe_field {
        SPE_HAS_PC = 1 << 0, /* in every record */
        SPE_HAS_TARGET = 1 << 1,
        SPE_HAS_VIRTUAL = 1 << 2,
        SPE_HAS_PHYSICAL = 1 << 3,
        SPE_HAS_PREVIOUS_TARGET = 1 << 4,
        SPE_HAS_TOTAL = 1 << 5,
        SPE_HAS_ISSUE = 1 << 6,
        SPE_HAS_TRANSLATION = 1 << 7,
        SPE_HAS_OPERATION = 1 << 8,
        SPE_HAS_EVENTS = 1 << 9,
        SPE_HAS_SOURCE = 1 << 10,
        SPE_HAS_CONTEXT_EL1 = 1 << 11,
        SPE_HAS_CONTEXT_EL2 = 1 << 12,
        SPE_HAS_TIMESTAMP = 1 << 13,
};

struct spe_record {
        uint64_t off;        /* of its first byte in the stream */
        uint32_t size_bytes; /* with the padding inside */
        uint32_t has;        /* SPE_HAS_x */
        struct spe_code_address pc;
        struct spe_code_address target;          /* of a branch */
        struct spe_code_address previous_target; /* of the branch taken last before */
        struct spe_virtual_address virtual_addr; /* of the data */
        struct spe_physical_address physical_addr;
        uint64_t events;                   /* SPE_EVENT_BIT(SPE_EVENT_x) */
        uint64_t timestamp;                /* ticks of the system counter */
        struct spe_operation op;           /* valid with SPE_HAS_OPERATION */
        uint8_t op_payload;                /* from which op was made */
        uint16_t source;                   /* what it means: spe_source.h */
        uint16_t total_cycles;             /* dispatch to completion */
        uint16_t issue_cycles;             /* dispatch to issue */
        uint16_t translation_cycles;       /* of the data's address */
        uint32_t context_el1, context_el2; /* CONTEXTIDR_ELx: process ids, if the kernel writes them there */
};

enum { SPE_PACKED_SLOTS = 16 };

/* A record whose payloads are not taken apart, for those who need few of its fields. */
struct spe_packed {
        uint64_t off;        /* of its first byte in the stream */
        uint32_t size_bytes; /* with the padding inside */
        uint32_t has;        /* SPE_HAS_x */
        /* Private: the payloads are in the bytes that the decoder was fed with, or in `payloads` if shape
         * is NULL. */
        const struct spe_shape *shape;
        const uint8_t *bytes;
        uint64_t payloads[SPE_PACKED_SLOTS];
};

/* The payload of a field, 0 if the record does not have it; `field` is one of SPE_HAS_x.  An operation's
 * has its class in bits 8 and 9.  Valid until the decoder is used again. */
static inline uint64_t spe_packed_payload(const struct spe_packed *packed, enum spe_field field)
{
        const unsigned slot = (unsigned)__builtin_ctz(field) + 1;

        if (!packed->shape)
                return packed->payloads[slot];
        return spe_shape_payload(packed->shape, packed->bytes, slot) |
               (field == SPE_HAS_OPERATION ? packed->shape->class_bits : 0);
}

void spe_packed_read(const struct spe_packed *packed, struct spe_record *ret);

enum {
        /* A record of more bytes, with its padding, is damaged.  PMSIDR_EL1.MaxSize of known cores says 64;
         * the architecture allows up to 2048. */
        SPE_RECORD_MAX_BYTES = 512,
};

struct spe_counts {
        uint64_t n_records;
        /* Records that are not given out, because they are cut or their content is impossible.  An
         * estimate: the ends of records in the damaged bytes, or their beginnings if those are more. */
        uint64_t n_damaged;
        /* Each byte that was fed is counted once, unless it is kept for later. */
        uint64_t record_bytes;  /* of records, without the padding inside */
        uint64_t padding_bytes; /* between records and inside of them */
        uint64_t damaged_bytes; /* of damaged records, and stray ones */
};

/* Reads the records of one stream: in most cases the buffer of one CPU.  Allocates nothing. */
struct spe_decoder {
        struct spe_counts counts;
        /* The rest is private. */
        struct cursor piece;
        uint64_t off; /* of the next byte in the stream */
        bool at_end;
        bool in_sync;      /* a record ended here, or before the padding here */
        uint64_t sync_off; /* where a whole record that was not accepted ended */
        uint16_t first;    /* the packet that records of this stream begin with; 0: not known yet */
        uint16_t other;    /* the packet that the last record in sync began with, accepted or not */
        /* The gap: the damaged bytes since the last record, read packet by packet. */
        bool in_gap;
        uint8_t gap_kind;          /* of the packet that ends at gap_packet_end */
        bool gap_is_first;         /* a record could begin with that packet */
        uint64_t gap_packet_end;   /* offset in the stream */
        uint64_t n_ends, n_firsts; /* packets in the gap */
        struct spe_shapes shapes;
        size_t n_kept; /* bytes of a cut record, from earlier pieces */
        uint8_t kept[SPE_RECORD_MAX_BYTES];
};

/* `off` is the offset in the stream of the first byte of the first piece. */
void spe_decoder_begin(struct spe_decoder *d, uint64_t off);

/* Gives the decoder the next piece.  Call it when spe_decoder_next returned false; the bytes must stay
 * until it does so again. */
void spe_decoder_feed(struct spe_decoder *d, const void *bytes, size_t size);

/* Reads the next whole record.  False: the next piece is needed or, after spe_decoder_end, no record is
 * left; *record is then not valid. */
bool spe_decoder_next(struct spe_decoder *d, struct spe_record *record);

/* The same, without taking its payloads apart. */
bool spe_decoder_next_packed(struct spe_decoder *d, struct spe_packed *packed);

/* Tells the decoder that no piece follows, so that the bytes of a cut record are damage.  Call
 * spe_decoder_next afterwards: it may find a record in them. */
void spe_decoder_end(struct spe_decoder *d);

/* Goes on at another offset, as after lost data.  Call it when spe_decoder_next returned false after
 * spe_decoder_end. */
void spe_decoder_resume(struct spe_decoder *d, uint64_t off);

#endif
