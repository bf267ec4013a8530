/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of call-frame information share. */
#ifndef UNWIND_CFI_INTERNAL_H
#define UNWIND_CFI_INTERNAL_H

#include "map.h"
#include "unwind_cfi.h"

/* DW_EH_PE_*: the low four bits are the format, the next three what the value is relative to. */
enum {
        CFI_PE_U32 = 0x03,
        CFI_PE_S32 = 0x0b,
        CFI_PE_FORMAT_MASK = 0x0f,
        CFI_PE_DATA = 0x30,
        CFI_PE_INDIRECT = 0x80,
        CFI_PE_OMITTED = 0xff,
};

/* A section's bytes and the address of the first one. */
struct cfi_area {
        const struct object *object; /* NULL: the bytes are of code that a compiler made at run time */
        struct cursor bytes;
        uint64_t addr;
        uint64_t text_addr, data_addr; /* what "relative to text" and "to data" mean in it; 0: not known */
};

/* An entry's address range and where it stands. */
struct cfi_span {
        uint64_t start, end;
        uint64_t off;
};

struct cfi_cie {
        uint64_t pos; /* of its length */
        uint64_t code_align;
        int64_t data_align;
        uint64_t return_reg;
        uint8_t encoding;   /* of addresses */
        uint8_t addr_bytes; /* of .debug_frame's, 4 or 8 */
        bool has_sizes;     /* 'z': augmentation data say how long they are */
        bool is_signal, is_key_b;
        struct cursor instructions;
};

/* .eh_frame or .debug_frame. */
struct cfi_table {
        struct cfi_area area;
        bool is_debug;
        /* The sorted table of .eh_frame_hdr: `n_sorted` pairs of what `sorted_encoding` says, 8 or 16 bytes each. */
        struct cfi_area hdr;
        struct cursor sorted;
        uint64_t n_sorted;
        uint8_t sorted_encoding;
        uint8_t sorted_is_whole; /* 0: not known yet; 1: no; 2: it has each entry, in order */
        /* Made when it is first needed: there is no such table, or it lacks an address. */
        bool has_index;
        struct cfi_span *index;
        size_t n_index, cap_index;
        /* The one that was read last, for most entries have the same one. */
        bool has_cie;
        struct cfi_cie cie;
};

/* A row as it is kept: rules are at `first` in the array of all. */
struct cfi_kept {
        struct cfi_rule cfa;
        uint32_t first;
        uint8_t n_rules;
        uint8_t return_reg;
        uint8_t state; /* enum cfi_step: DONE, NONE, BAD_ENTRY or MALFORMED */
        bool is_signal;
};

struct cfi {
        const struct object *object; /* NULL: cfi_open_frames */
        enum object_machine machine;
        struct cfi_table tables[2];
        size_t n_tables;
        struct map by_addr;    /* address to a number in `kept` */
        struct map by_hash;    /* hash of a row's content to a number in `kept` */
        struct cfi_kept *kept; /* no two are alike: a program has few different ones */
        size_t n_kept, cap_kept;
        struct cfi_rule *rules;
        size_t n_rules, cap_rules;
        struct cfi_counts counts;
};

/* --- Entries (unwind_cfi_entry.c) --- */

/* A value in an encoding; `function` is what "relative to the function" means.  Sets c->failed. */
uint64_t cfi_read_encoded(const struct cfi_area *area, struct cursor *c, uint8_t encoding, uint64_t function);

/* An entry of function code. */
struct cfi_fde {
        struct cfi_span span;
        struct cfi_cie cie;
        struct cursor instructions;
};

/* The entry at `off`; its length is at *ret_next from there.  1: it is one, 0: it is not, or not one of a function
 * that was linked; -1: damaged, or the end of the table.  *ret_next is 0 where nothing can follow. */
int cfi_read_fde(struct cfi_table *table, uint64_t off, struct cfi_fde *ret_fde, uint64_t *ret_next);

/* How many entries of functions there are, whatever is in them; 0 where they are not one after another up to the end. */
uint64_t cfi_count_fdes(const struct cfi_table *table);

/* --- Tables (unwind_cfi_table.c) --- */

/* Finds .eh_frame and what belongs to it in `object`; false: there is nothing. */
bool cfi_open_eh_frame(struct object *object, struct cfi_table *ret_table);
bool cfi_open_debug_frame(struct object *object, struct cfi_table *ret_table);

/* The entry that has `addr`: DONE, NONE or BAD_ENTRY. */
enum cfi_step cfi_find_fde(struct cfi_table *table, uint64_t addr, struct cfi_fde *ret_fde);

/* --- Rows (unwind_cfi_row.c) --- */

bool cfi_read_row(const struct cfi_table *table, const struct cfi_fde *fde, enum object_machine machine,
                  uint64_t addr, struct cfi_row *ret_row, struct err *err);

/* --- Expressions (unwind_cfi_expr.c) --- */

/* The CFA is pushed first where `cfa` is not NULL. */
enum cfi_step cfi_eval(const struct cfi_rule *rule, const uint64_t *cfa, uint64_t bias,
                       const struct unwind_regs *regs, struct unwind_memory *memory, uint64_t *ret_value);

#endif
