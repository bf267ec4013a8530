/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of call-frame information. */
#ifndef UNWIND_CFI_INTERNAL_H
#define UNWIND_CFI_INTERNAL_H

#include "map.h"
#include "unwind_cfi.h"

/* DW_EH_PE_*: the low four bits are the format, the next three the base of relative values. */
enum {
        CFI_PE_U32 = 0x03,
        CFI_PE_S32 = 0x0b,
        CFI_PE_FORMAT_MASK = 0x0f,
        CFI_PE_DATA = 0x30,
        CFI_PE_INDIRECT = 0x80,
        CFI_PE_OMITTED = 0xff,
};

/* The bytes of a section and their address. */
struct cfi_area {
        const struct object *object; /* NULL for code that a compiler generated at run time */
        struct cursor bytes;
        uint64_t addr;
        uint64_t text_addr, data_addr; /* bases of text- and data-relative values; 0 if unknown */
};

/* The address range and the offset of an entry. */
struct cfi_span {
        uint64_t start, end;
        uint64_t off;
};

struct cfi_cie {
        uint64_t pos; /* offset of the length field */
        uint64_t code_align;
        int64_t data_align;
        uint64_t return_reg;
        uint8_t encoding;   /* of addresses */
        uint8_t addr_bytes; /* size of addresses in .debug_frame, 4 or 8 */
        bool has_sizes;     /* 'z': the augmentation data begins with its size */
        bool is_signal, is_key_b;
        struct cursor instructions;
};

/* .eh_frame or .debug_frame. */
struct cfi_table {
        struct cfi_area area;
        bool is_debug;
        /* The sorted table of .eh_frame_hdr: `n_sorted` pairs with `sorted_encoding`, 8 or 16 bytes each. */
        struct cfi_area hdr;
        struct cursor sorted;
        uint64_t n_sorted;
        uint8_t sorted_encoding;
        uint8_t sorted_is_whole; /* 0: not checked yet; 1: no; 2: it has every entry, in order */
        /* Built on first use if there is no sorted table or it lacks an address. */
        bool has_index;
        struct cfi_span *index;
        size_t n_index, cap_index;
        struct budget *budget; /* from which the index's memory is taken; NULL: no limit */
        uint64_t taken_bytes;  /* for the index */
        uint64_t n_read; /* entries that were read for the index, and whose work has not been counted yet */
        /* The CIE that was read last; most entries share it. */
        bool has_cie;
        struct cfi_cie cie;
};

/* A cached row; its rules begin at index `first` of cfi->rules. */
struct cfi_kept {
        struct cfi_rule cfa;
        uint32_t first;
        uint8_t n_rules;
        uint8_t return_reg;
        uint8_t state; /* enum cfi_step: DONE, NONE, BAD_ENTRY or MALFORMED */
        bool is_signal;
};

struct cfi {
        const struct object *object; /* NULL after cfi_open_frames */
        struct budget *budget;       /* of the jitdump, without an object */
        uint64_t n_instructions;     /* whose work has not been counted yet */
        enum object_machine machine;
        struct cfi_table tables[2];
        size_t n_tables;
        struct map by_addr;    /* address to index in `kept` */
        struct map by_hash;    /* hash of a row's content to index in `kept` */
        struct cfi_kept *kept; /* each row once: a program has few different ones */
        size_t n_kept, cap_kept;
        struct cfi_rule *rules;
        size_t n_rules, cap_rules;
        struct cfi_counts counts;
};

/* --- Entries (unwind_cfi_entry.c) --- */

/* Reads an encoded value; `function` is the base of function-relative values. Sets c->failed on error. */
uint64_t cfi_read_encoded(const struct cfi_area *area, struct cursor *c, uint8_t encoding, uint64_t function);

/* The entry of a function. */
struct cfi_fde {
        struct cfi_span span;
        struct cfi_cie cie;
        struct cursor instructions;
};

/* Reads the entry at `off`. 1: an entry of a linked function; 0: another entry; -1: damaged, or the end of
 * the table. *ret_next is the offset of the next entry; 0 if there can't be one. */
int cfi_read_fde(struct cfi_table *table, uint64_t off, struct cfi_fde *ret_fde, uint64_t *ret_next);

/* The number of function entries, which are not checked; 0 if the entries are not contiguous up to the
 * end. */
uint64_t cfi_count_fdes(const struct cfi_table *table);

/* --- Tables (unwind_cfi_table.c) --- */

/* Finds .eh_frame and .eh_frame_hdr in `object`; false if there is no .eh_frame. */
bool cfi_open_eh_frame(struct object *object, struct cfi_table *ret_table);
bool cfi_open_debug_frame(struct object *object, struct cfi_table *ret_table);

/* Finds the entry that covers `addr`: DONE, NONE or BAD_ENTRY. */
enum cfi_step cfi_find_fde(struct cfi_table *table, uint64_t addr, struct cfi_fde *ret_fde);

/* --- Rows (unwind_cfi_row.c) --- */

/* Adds to *n_instructions those that were carried out. */
bool cfi_read_row(const struct cfi_table *table, const struct cfi_fde *fde, enum object_machine machine,
                  uint64_t addr, struct cfi_row *ret_row, uint64_t *n_instructions, struct err *err);

/* --- Expressions (unwind_cfi_expr.c) --- */

/* Evaluates a rule's expression; pushes the CFA first if `cfa` is not NULL.  Adds to *n_instructions those
 * that were carried out. */
enum cfi_step cfi_eval(const struct cfi_rule *rule, const uint64_t *cfa, uint64_t bias,
                       const struct unwind_regs *regs, struct unwind_memory *memory, uint64_t *n_instructions,
                       uint64_t *ret_value);

#endif
