/* SPDX-License-Identifier: BSD-3-Clause */
/* The instructions and basic blocks of a function in a form that does not depend on addresses.  A block is
 * the instructions between two places where control may come or go, as in disasm_blocks(); targets of jump
 * tables also begin one. */
#ifndef CODE_BODY_H
#define CODE_BODY_H

#include "code_image_internal.h"
#include "map.h"

struct code_insn {
        uint64_t addr;
        const uint8_t *bytes; /* not at `addr` if the instruction is in a veneer */
        uint8_t size_bytes;
        uint8_t flow;    /* enum disasm_flow */
        bool is_padding; /* aligns what follows */
        bool begins_block;
        uint8_t n_refs;
        struct disasm_ref refs[DISASM_MAX_REFS];
        struct code_referent referents[DISASM_MAX_REFS]; /* of the fields */
        uint64_t bare;                                   /* hash of the instruction without its fields */
        /* of the instruction and the keys of its fields; not of targets in the function */
        uint64_t hash;
        uint64_t blank; /* the same without names of functions and variables, constants and texts */
        uint64_t loose; /* without registers and stack slots; set by code_registers_hash() */
};

struct code_block {
        size_t first, n; /* instructions; padding at both ends is left out */
        uint64_t addr, end;
        uint64_t hash;               /* of its instructions */
        uint64_t wider;              /* the same with the hashes of the blocks to which it may continue */
        uint64_t loose, loose_wider; /* both without registers and stack slots */
        uint64_t count, weight;      /* samples */
};

/* A jump table: the blocks to which it leads, in its order. */
struct code_table {
        uint64_t addr;
        uint32_t *blocks;
        size_t n;
        unsigned element_bytes;
};

struct code_body {
        const struct code_image *image;
        const struct code_function *function;
        enum disasm_arch arch;
        struct code_insn *insns;
        size_t n_insns, cap_insns;
        struct code_block *blocks;
        size_t n_blocks, cap_blocks;
        struct code_table *tables;
        size_t n_tables, cap_tables;
        uint64_t hash;   /* of all blocks */
        uint64_t blank;  /* the same of the blank hashes */
        bool is_missing; /* the code of a part is not available */
};

/* Decodes the function.  The image must outlive the body. */
void code_body_make(const struct code_image *image, const struct code_function *function,
                    struct code_body *ret);
void code_body_release(struct code_body *body);

/* Computes all hashes again, after keys of referents were changed. */
void code_body_hash(struct code_body *body);

/* The hash of a block with those of the blocks to which it may continue. */
uint64_t code_body_widen(const struct code_body *body, size_t block, bool is_loose);

/* The instruction at exactly `addr`; SIZE_MAX: none. */
size_t code_body_find(const struct code_body *body, uint64_t addr);

/* --- Shared by code_body.c and code_tables.c --- */

/* The addresses that a function refers to. */
struct code_data {
        uint64_t *addrs; /* of data, sorted: a table ends where the next data begins */
        size_t n, cap;
        struct map jumps; /* target of direct jumps to index + 1 of the first of them */
};

/* Whether the function has jumps for which there may be tables. */
bool code_tables_are_possible(const struct code_body *body);

/* Makes the table at `addr`, which instruction `insn` refers to; its blocks are indexes of instructions at
 * first.  False: there is no jump table. */
bool code_tables_read(const struct code_body *body, const struct code_data *data, size_t insn, uint64_t addr,
                      struct code_table *ret);

#endif
