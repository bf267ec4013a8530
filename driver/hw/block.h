/* SPDX-License-Identifier: BSD-3-Clause */
/* How the counters of each PMU block are programmed. tools/gen_blocks.py generates the tables from
 * driver/blocks/; they are constant. */
#ifndef BLOCK_H
#define BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BLOCK_COUNTERS_MAX = 31 };

/* What a register does. */
enum block_role {
        BLOCK_CONTROL,         /* switches all counters; may have the number of counters in a field */
        BLOCK_SELECT,          /* selects the counter to which EVENT and VALUE belong */
        BLOCK_EVENT,           /* what a counter counts */
        BLOCK_VALUE,           /* the count */
        BLOCK_CYCLES,          /* the count of the counter that counts cycles only */
        BLOCK_ENABLE_SET,      /* write 1: count */
        BLOCK_ENABLE_CLEAR,    /* write 1: do not count */
        BLOCK_OVERFLOW,        /* a bit for each counter that has wrapped */
        BLOCK_OVERFLOW_SET,    /* write 1: set a bit of OVERFLOW */
        BLOCK_INTERRUPT_SET,   /* write 1: interrupt at overflow */
        BLOCK_INTERRUPT_CLEAR, /* write 1: no interrupt */
        BLOCK_CYCLES_FILTER,   /* the exclude bits of the counter that counts cycles only */
        BLOCK_ROLES,
};

enum block_register_kind { BLOCK_ABSENT, BLOCK_SYSREG, BLOCK_MMIO };

struct block_register {
        uint8_t kind;      /* enum block_register_kind */
        uint8_t bits;      /* 32 or 64 */
        uint16_t encoding; /* of a system register: op0:op1:CRn:CRm:op2 */
        uint32_t offset;   /* in the block's memory; counter N is `stride` * N bytes further */
        uint32_t stride;
};

/* A set of counters with one list of events. */
struct block_class {
        const char *name;     /* "dsu" */
        uint8_t n_counters;   /* at most */
        uint8_t first;        /* index of counter 0 in registers in memory */
        uint8_t counter_bits; /* 32 or 64 */
        uint8_t count_low,
                count_bits; /* the field of CONTROL with the number of counters; 0 bits: n_counters */
        uint8_t cycles_bit,
                cycles_bits;           /* bit of the cycle counter in the masks, and its width; 0 for none */
        uint16_t cycles_event;         /* the event that the cycle counter counts */
        uint8_t event_low, event_bits; /* the field of EVENT with the event's number */
        uint64_t
                enable_in_event; /* the bit of EVENT that switches the counter; 0: ENABLE_SET and _CLEAR do */
        uint64_t run;            /* bits of CONTROL that are set to count */
        uint64_t wide;           /* the bit of CONTROL with which counters wrap at 64 bits; 0 for none */
        bool overflow_write_1;   /* writing 1 clears a bit of OVERFLOW; else writing 0 clears all */
        uint64_t exclude_kernel, exclude_user; /* bits of EVENT; 0 for none */
        struct block_register registers[BLOCK_ROLES];
};

struct block {
        const char *name; /* "dsu-520" */
        const char *acpi; /* the id of its device; NULL for none */
        uint32_t memory;  /* bytes of registers in memory; 0 for none */
        const struct block_class *classes;
        uint32_t n_classes;
};

extern const struct block block_all[];
extern const uint32_t block_all_n;

#endif
